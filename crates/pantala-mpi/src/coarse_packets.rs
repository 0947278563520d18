//! Coarse packets: one simulated packet that stands for several packets of the machine.

use pantala_engine::Time;

/// A coarse packet: a run of packets of the machine that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoarsePackets {
    /// Payload of a packet of the machine, in bytes.
    pub packet_bytes: u32,
    /// Time for which a full packet of the machine occupies the injection link, in ps.
    pub packet_time: Time,
    /// Whether a packet counts as delivered when its head arrives. A message is then complete when
    /// the head of its last packet of the machine arrives. A coarse packet shows only the head of
    /// its first packet.
    pub waits_for_heads: bool,
}

impl CoarsePackets {
    /// Number of packets of the machine that carry `bytes` of a message: at least one.
    const fn packets(&self, bytes: u64) -> u64 {
        let packets = bytes.div_ceil(self.packet_bytes as u64);
        if packets == 0 { 1 } else { packets }
    }

    /// Time from the head of a coarse packet to the head of the last packet in it, if the packets
    /// follow at the rate of the injection link.
    #[must_use]
    pub const fn behind(&self, bytes: u64) -> Time {
        (self.packets(bytes) - 1) * self.packet_time
    }

    /// Time from the arrival of a coarse packet to the arrival of its message.
    pub(crate) const fn delivery(&self, bytes: u64) -> Time {
        if self.waits_for_heads { self.behind(bytes) } else { 0 }
    }

    /// The earliest time at which a coarse packet of `bytes` can start, so that no packet in it
    /// starts before its bytes are at the NIC. `there(n)` is the time at which the first `n` bytes
    /// are at the NIC.
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

    /// The slower of feed and link decides when the last packet of the machine starts: s(j) =
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
