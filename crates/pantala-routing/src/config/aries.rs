//! The keys of `aries`: its bias and the levels of a load.

/// The keys of `aries`: shift, add and the levels of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AriesConfig {
    /// The shift per number of hops made, 0 to 15 each. The last value holds for all further hops.
    pub shift: Vec<u8>,
    /// The addend, 0 to 15.
    pub add: u8,
    /// The number of levels of a load.
    pub levels: u32,
    /// The flits of the highest level.
    pub full: u32,
}

impl Default for AriesConfig {
    /// Mode AD0: no bias.
    fn default() -> Self {
        Self { shift: vec![0], add: 0, levels: 16, full: 240 }
    }
}

impl AriesConfig {
    /// Returns the level of a queue, 1 to `levels`.
    #[must_use]
    pub fn level(&self, flits: i64) -> i64 {
        let levels = i64::from(self.levels);
        1 + (flits.max(0) * levels / i64::from(self.full.max(1))).min(levels - 1)
    }

    /// Returns whether a packet leaves the minimal path after `hops` hops.
    #[must_use]
    pub fn diverts(&self, load_min: i64, load_nonmin: i64, hops: u8) -> bool {
        let last = self.shift.len().saturating_sub(1);
        let shift = self.shift.get(usize::from(hops).min(last)).copied().unwrap_or(0);
        load_min > (load_nonmin << shift) + i64::from(self.add)
    }
}
