//! The keys of `aries`: its bias and the levels of a load.

/// Shift, add and the levels of load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AriesConfig {
    /// By hops made; the last value holds on. 0 to 15 each.
    pub shift: Vec<u8>,
    /// 0 to 15.
    pub add: u8,
    /// Steps of the load.
    pub levels: u32,
    /// Flits of the highest level.
    pub full: u32,
}

impl Default for AriesConfig {
    /// AD0.
    fn default() -> Self {
        Self { shift: vec![0], add: 0, levels: 16, full: 240 }
    }
}

impl AriesConfig {
    /// The level of a queue, 1 to `levels`.
    #[must_use]
    pub fn level(&self, flits: i64) -> i64 {
        let levels = i64::from(self.levels);
        1 + (flits.max(0) * levels / i64::from(self.full.max(1))).min(levels - 1)
    }

    /// Whether the minimal path is left after `hops` hops.
    #[must_use]
    pub fn diverts(&self, load_min: i64, load_nonmin: i64, hops: u8) -> bool {
        let last = self.shift.len().saturating_sub(1);
        let shift = self.shift.get(usize::from(hops).min(last)).copied().unwrap_or(0);
        load_min > (load_nonmin << shift) + i64::from(self.add)
    }
}
