//! The record of routing in windows: which paths the packets of each job took.

use pantala_engine::Time;
use pantala_fabric::packet::Packet;
use serde::{Deserialize, Serialize};

/// The packets of one job that were delivered in one window, by their path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutingWindow {
    /// The window's number, from 0.
    pub number: u64,
    /// Packets.
    pub packets: u64,
    /// Packets whose source router chose a non-minimal path.
    pub diverted_at_source: u64,
    /// Packets that another router of the path diverted later.
    pub rerouted: u64,
    /// Links between routers that the packets crossed.
    pub hops: u64,
}

impl RoutingWindow {
    /// Counts a packet that is delivered `now` in windows of `length`.
    pub(crate) fn count(windows: &mut Vec<Self>, length: Time, packet: &Packet, now: Time) {
        let number = now / length;
        let place = windows.partition_point(|window| window.number < number);
        if windows.get(place).is_none_or(|window| window.number != number) {
            windows.insert(place, Self { number, ..Self::default() });
        }
        let window = &mut windows[place];
        window.packets += 1;
        if packet.route.nonminimal {
            window.diverted_at_source += u64::from(packet.route.diverted == 0);
            window.rerouted += u64::from(packet.route.diverted > 0);
        }
        window.hops += u64::from(packet.route.hops);
    }

    /// Returns the windows of two partitions or processes together.
    pub(crate) fn summed(mut one: Vec<Self>, mut other: Vec<Self>) -> Vec<Self> {
        one.append(&mut other);
        one.sort_by_key(|window| window.number);
        one.dedup_by(|next, kept| {
            let same = next.number == kept.number;
            if same {
                kept.packets += next.packets;
                kept.diverted_at_source += next.diverted_at_source;
                kept.rerouted += next.rerouted;
                kept.hops += next.hops;
            }
            same
        });
        one
    }
}
