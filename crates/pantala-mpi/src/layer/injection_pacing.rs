//! The pace at which a node feeds its NIC: the gaps g and G of LogGP (Alexandrov, Ionescu, Schauser
//! and Scheiman, SPAA 1995).

use pantala_engine::{Time, time_per_byte};

use crate::coarse_packets::CoarsePackets;
use crate::config::MpiConfig;

/// How far the feeding of a node's NIC is.
///
/// The bytes of a transmission reach the NIC one every G, from the time at which it was handed over
/// and the one before it has been fed; a packet leaves when its last byte is there. A transmission
/// of k bytes on the wire keeps the feeding busy for max(g, (k - 1) G), whatever it is: control
/// messages pass the same NIC. The feeding does not wait for the link.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InjectionPacer {
    /// When the next transmission can begin.
    free_at: Time,
    /// When that in front, of which packets have left, began.
    began: Time,
    /// How much of it has left, bytes.
    left: u64,
}

impl InjectionPacer {
    /// When the next packet, of `bytes` of a transmission that was handed over at `handed`, is
    /// there.
    pub(crate) fn ready(
        &self,
        handed: Time,
        bytes: u64,
        grain: Option<&CoarsePackets>,
        config: &MpiConfig,
    ) -> Time {
        let there = |bytes: u64| {
            let last = time_per_byte((self.left + bytes).saturating_sub(1), config.gap_per_byte_fs);
            self.begins(handed).saturating_add(last)
        };
        grain.map_or_else(|| there(bytes), |grain| grain.leaves(bytes, there))
    }

    fn begins(&self, handed: Time) -> Time {
        if self.left > 0 { self.began } else { handed.max(self.free_at) }
    }

    /// That packet leaves; it may be the last one.
    pub(crate) fn leaves(&mut self, handed: Time, bytes: u64, last: bool, config: &MpiConfig) {
        self.began = self.begins(handed);
        self.left += bytes;
        if last {
            let fed = time_per_byte(self.left.saturating_sub(1), config.gap_per_byte_fs);
            self.free_at = self.began.saturating_add(fed.max(config.gap_ps));
            self.left = 0;
        }
    }
}

impl MpiConfig {
    /// Whether NICs are fed at a pace.
    pub(crate) const fn paces(&self) -> bool {
        self.gap_ps > 0 || self.gap_per_byte_fs > 0
    }
}
