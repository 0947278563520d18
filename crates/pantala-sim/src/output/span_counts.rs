//! The packets that a measurement delivers in each of a few equal spans of its time.

use pantala_engine::Time;
use pantala_fabric::packet::Packet;
use serde::{Deserialize, Serialize};

/// The packets delivered in one span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanCount {
    /// Number of packets.
    pub packets: u64,
    /// Their flits.
    pub flits: u64,
    /// Packets on a non-minimal path.
    pub nonminimal: u64,
    /// Number of links between routers that the packets crossed.
    pub hops: u64,
    /// Sum of their latencies in ps.
    pub latency_sum: u128,
}

impl SpanCount {
    /// Adds the packets of another span.
    pub(crate) fn add(&mut self, other: &Self) {
        self.packets += other.packets;
        self.flits += other.flits;
        self.nonminimal += other.nonminimal;
        self.hops += other.hops;
        self.latency_sum += other.latency_sum;
    }
}

/// The bounds of the spans: `parts` equal spans of the time before `from`, and as many of the time
/// from there to `until`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spans {
    parts: usize,
    from: Time,
    until: Time,
}

impl Spans {
    pub(crate) const fn new(parts: usize, from: Time, until: Time) -> Self {
        Self { parts, from, until }
    }

    /// The number of spans.
    pub(crate) const fn len(&self) -> usize {
        2 * self.parts
    }

    /// The span of a time; `None` after the last.
    fn at(&self, now: Time) -> Option<usize> {
        let part = |since: Time, length: Time| {
            (u128::from(since) * self.parts as u128 / u128::from(length)) as usize
        };
        match now {
            _ if now < self.from => Some(part(now, self.from)),
            _ if now < self.until => {
                Some(self.parts + part(now - self.from, self.until - self.from))
            }
            _ => None,
        }
    }

    /// Counts a packet that is delivered `now`.
    #[inline(never)]
    pub(crate) fn count(&self, into: &mut [SpanCount], packet: &Packet, latency: Time, now: Time) {
        if let Some(span) = self.at(now).and_then(|number| into.get_mut(number)) {
            span.add(&SpanCount {
                packets: 1,
                flits: packet.flits.into(),
                nonminimal: packet.route.nonminimal.into(),
                hops: packet.route.hops.into(),
                latency_sum: latency.into(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_divide_warmup_and_window() {
        let spans = Spans::new(4, 10, 90);
        let at = |now| spans.at(now);
        assert_eq!(spans.len(), 8);
        assert_eq!([0, 2, 3, 9].map(at), [Some(0), Some(0), Some(1), Some(3)]);
        assert_eq!([10, 29, 30, 89, 90].map(at), [Some(4), Some(4), Some(5), Some(7), None]);
        assert_eq!(Spans::new(4, 0, 4).at(0), Some(4), "without a warm-up");
    }
}
