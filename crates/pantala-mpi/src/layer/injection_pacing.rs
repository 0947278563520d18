//! The rate at which a node feeds its NIC: the gaps g and G of LogGP (Alexandrov, Ionescu, Schauser
//! and Scheiman, SPAA 1995).

use pantala_engine::{Time, time_per_byte};

use crate::coarse_packets::CoarsePackets;
use crate::config::MpiConfig;

/// The state of one node's feed to its NIC.
///
/// The bytes of a transmission reach the NIC one per G. They start when the host hands over the
/// transmission and the feed of the previous one has ended. A packet leaves when its last byte is
/// at the NIC. A transmission of k bytes on the wire, control messages included, occupies the feed
/// for max(g, (k - 1) G). The feed does not wait for the link.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InjectionPacer {
    /// The earliest start of the next transmission.
    free_at: Time,
    /// The start of the front transmission, if packets of it have left.
    began: Time,
    /// Bytes of the front transmission that have left.
    left: u64,
}

impl InjectionPacer {
    /// The time at which the next packet is at the NIC. Its transmission was handed over at
    /// `handed`, and the packet has `bytes`.
    pub(crate) fn ready(
        &self,
        handed: Time,
        bytes: u64,
        coarse_packets: Option<&CoarsePackets>,
        config: &MpiConfig,
    ) -> Time {
        let there = |bytes: u64| {
            let last = time_per_byte((self.left + bytes).saturating_sub(1), config.gap_per_byte_fs);
            self.begins(handed).saturating_add(last)
        };
        coarse_packets
            .map_or_else(|| there(bytes), |coarse_packets| coarse_packets.leaves(bytes, there))
    }

    fn begins(&self, handed: Time) -> Time {
        if self.left > 0 { self.began } else { handed.max(self.free_at) }
    }

    /// Notes that the packet leaves. `last`: it is the transmission's last packet.
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
    /// Whether injection is paced.
    pub(crate) const fn paces(&self) -> bool {
        self.gap_ps > 0 || self.gap_per_byte_fs > 0
    }
}
