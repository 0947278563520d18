//! The packets of the machine that a coarse packet stands for, and when they would be where.

use pantala_engine::Time;

/// A coarse packet is a run of packets of the machine, sent one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoarsePackets {
    /// Payload of a packet of the machine.
    pub packet_bytes: u32,
    /// How long a full packet of the machine keeps the injection link.
    pub packet_time: Time,
    /// Whether packets are delivered with their heads. A message is then there with the head of the
    /// last packet of the machine, and a coarse packet shows only the head of the first.
    pub waits_for_heads: bool,
}

impl CoarsePackets {
    /// How many packets of the machine `bytes` of a message are: at least one.
    const fn packets(&self, bytes: u64) -> u64 {
        let packets = bytes.div_ceil(self.packet_bytes as u64);
        if packets == 0 { 1 } else { packets }
    }

    /// How long after the head of a coarse packet the head of the last packet in it follows, if
    /// they follow at the rate of the injection link.
    #[must_use]
    pub const fn behind(&self, bytes: u64) -> Time {
        (self.packets(bytes) - 1) * self.packet_time
    }

    /// How long after a coarse packet its message is there.
    pub(crate) const fn delivery(&self, bytes: u64) -> Time {
        if self.waits_for_heads { self.behind(bytes) } else { 0 }
    }

    /// When a coarse packet of `bytes` can leave so that none of its packets leaves before it is
    /// there; `there` says when the first bytes of a coarse packet are.
    pub(crate) fn leaves(&self, bytes: u64, there: impl Fn(u64) -> Time) -> Time {
        let packet = u64::from(self.packet_bytes);
        let starts = (1..=self.packets(bytes)).map(|number| {
            let ready = there(bytes.min(number * packet));
            ready.saturating_sub((number - 1) * self.packet_time)
        });
        starts.max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAIN: CoarsePackets =
        CoarsePackets { packet_bytes: 512, packet_time: 20, waits_for_heads: true };

    #[test]
    fn the_last_packet_follows_the_others() {
        let behind = [0, 1, 512, 513, 1_024, 1_025, 4_096].map(|bytes| GRAIN.behind(bytes));
        assert_eq!(behind, [0, 0, 0, 20, 20, 40, 140]);
    }

    /// The last packet of the machine starts when the slower of feed and link lets it: s(j) =
    /// max(ready(j), s(j - 1) + packet time).
    #[test]
    fn a_coarse_packet_leaves_as_its_packets_would() {
        for per_byte in [0, 1, 3] {
            for bytes in [1_u64, 512, 700, 1_024, 1_025, 1_500, 4_096] {
                let there = |bytes: u64| 100 + (bytes - 1) * per_byte / 50;
                let mut start = 0;
                for number in 1..=bytes.div_ceil(512) {
                    let earliest = if number == 1 { 0 } else { start + 20 };
                    start = earliest.max(there(bytes.min(number * 512)));
                }
                assert_eq!(
                    GRAIN.leaves(bytes, there) + GRAIN.behind(bytes),
                    start,
                    "{bytes} B at {per_byte}"
                );
            }
        }
    }
}
