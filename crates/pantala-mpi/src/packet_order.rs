//! [`PacketOrder`]: the packets from one NIC to another, in the order in which they were sent.
//!
//! After `ReorderLinkControl` of SST's merlin: the sender numbers the packets to each destination,
//! and what arrives before its turn waits behind the ejection link, without a limit.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;

use pantala_fabric::Delivery;

use crate::rank::matching::KeyHasher;

/// A map by NIC.
type ByNic<T> = HashMap<u64, T, BuildHasherDefault<KeyHasher>>;

/// The order of the packets that one NIC sends and receives.
#[derive(Clone, Debug, Default)]
pub(crate) struct PacketOrder {
    /// By destination: packets so far.
    sent: ByNic<u32>,
    received: ByNic<Arrivals>,
}

/// What has arrived from one source.
#[derive(Clone, Debug, Default)]
struct Arrivals {
    /// The number of the next packet in order.
    next: u32,
    /// The packets from that one on, as far as they are there. Empty if none is early.
    early: VecDeque<Option<Delivery>>,
}

impl PacketOrder {
    /// Returns the number of the next packet to a destination.
    pub(crate) fn number(&mut self, destination: u32) -> u32 {
        let sent = self.sent.entry(u64::from(destination)).or_default();
        let number = *sent;
        *sent = sent.wrapping_add(1);
        number
    }

    /// Returns whether a packet that has arrived is the next one and no later one is here. Then it is
    /// taken; otherwise [`arrive`](Self::arrive) takes it.
    #[inline]
    pub(crate) fn is_next(&mut self, packet: &Delivery) -> bool {
        let Arrivals { next, early } = self.received.entry(u64::from(packet.source)).or_default();
        let is_next = packet.number == *next && early.is_empty();
        *next = next.wrapping_add(u32::from(is_next));
        is_next
    }

    /// Takes a packet that has arrived. Appends to `ready` the packets whose turn has come.
    pub(crate) fn arrive(&mut self, packet: &Delivery, ready: &mut VecDeque<Delivery>) {
        let Arrivals { next, early } = self.received.entry(u64::from(packet.source)).or_default();
        let ahead = packet.number.wrapping_sub(*next) as usize;
        if ahead > 0 {
            if early.len() <= ahead {
                early.resize(ahead + 1, None);
            }
            early[ahead] = Some(*packet);
            return;
        }
        ready.push_back(*packet);
        *next = next.wrapping_add(1);
        early.pop_front();
        while let Some(Some(packet)) = early.front() {
            ready.push_back(*packet);
            *next = next.wrapping_add(1);
            early.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packet(source: u32, number: u32) -> Delivery {
        Delivery { source, bytes: 1, created: 0, message: number, job: 0, number }
    }

    proptest! {
        /// Whatever the order of arrival, each source's packets come in the order of sending, and
        /// each as soon as all before it are there.
        #[test]
        fn packets_come_in_order(
            (arrivals, counts) in proptest::collection::vec(1..40_u32, 1..4).prop_flat_map(|counts| {
                let all: Vec<_> = counts.iter().zip(0..)
                    .flat_map(|(&count, source)| (0..count).map(move |number| (source, number)))
                    .collect();
                (Just(all).prop_shuffle(), Just(counts))
            })
        ) {
            let mut order = PacketOrder::default();
            let mut ready = VecDeque::new();
            let mut here = vec![Vec::new(); counts.len()];
            let mut taken = vec![0; counts.len()];
            for (source, number) in arrivals {
                let packet = packet(source, number);
                if order.is_next(&packet) {
                    ready.push_back(packet);
                } else {
                    order.arrive(&packet, &mut ready);
                }
                here[source as usize].push(number);
                while let Some(next) = ready.pop_front() {
                    prop_assert_eq!(next.number, taken[next.source as usize]);
                    taken[next.source as usize] += 1;
                }
                let known = &here[source as usize];
                let first = (0..).find(|number| !known.contains(number));
                prop_assert_eq!(Some(taken[source as usize]), first);
            }
            prop_assert_eq!(taken, counts);
        }
    }

    #[test]
    fn each_destination_has_its_own_numbers() {
        let mut order = PacketOrder::default();
        let numbers = [3, 5, 3, 3, 5].map(|destination| order.number(destination));
        assert_eq!(numbers, [0, 0, 1, 2, 1]);
    }
}
