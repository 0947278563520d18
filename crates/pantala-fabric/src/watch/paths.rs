//! The record of paths: every router that a chosen packet passes, with its ports, VCs and times.
//!
//! - A packet arrives at a router when its head has passed the input stage and can be routed.
//! - It departs when its head starts on the output link.
//! - Its wait is the time between the two, less the time that an idle router needs.
//!
//! A path travels with its packet from partition to partition and ends at the destination's NIC. If
//! flits move one by one, the path is that of the head.

use crate::store::packet::{NONE, Packet, PacketOrigin, Packets};
use pantala_engine::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A packet at one router of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PathHop {
    /// The input VC, as `(router * ports + port) * VCs + VC`.
    pub in_vc: u32,
    /// The output VC.
    pub out_vc: u32,
    /// When the head could be routed.
    pub arrived: Time,
    /// When the head started on the output link.
    pub departed: Time,
    /// The time between the two, less the time that an idle router needs.
    pub wait: Time,
}

/// Which packets are chosen.
#[derive(Clone, Debug)]
pub struct PacketChoice {
    /// A packet is chosen if its random word is a multiple of this. Zero: no packet.
    pub sample: u64,
    /// Per job, whether its packets are chosen; empty: those of all jobs.
    pub jobs: Vec<bool>,
    /// The head starts on the injection link at this time or later.
    pub from: Time,
    /// It starts before this time.
    pub until: Time,
}

impl PacketChoice {
    /// Returns whether a packet of a host is chosen.
    #[inline]
    #[must_use]
    pub fn has(&self, packet: &Packet, origin: &PacketOrigin) -> bool {
        self.sample > 0
            && packet.route.draw % self.sample == 0
            && (self.from..self.until).contains(&origin.injected)
            && self.jobs.get(usize::from(packet.job)).is_none_or(|&chosen| chosen)
    }

    /// Takes the times after `now` as those of a clock that is `by` ahead from `now` on, as a run
    /// shows it after it has skipped so much time.
    pub fn bring_forward(&mut self, now: Time, by: Time) {
        for time in [&mut self.from, &mut self.until] {
            if *time > now && *time != NEVER {
                *time = time.saturating_sub(by).max(now);
            }
        }
    }
}

/// The paths of the packets in one partition.
#[derive(Debug)]
pub(crate) struct PathWatch {
    choice: PacketChoice,
    /// The delay of each flit after the head in a router, if a packet moves on with its tail.
    stored_flit: Time,
    /// The first routing of responses. They have no path.
    first_response: u8,
    /// Per packet record, the place of its path; [`NONE`]: the packet is not chosen.
    places: Vec<u32>,
    paths: Vec<Vec<PathHop>>,
    free: Vec<u32>,
    /// The places of packets whose head has arrived at the destination without the tail, by source
    /// and time of injection.
    heads: BTreeMap<(u32, Time), u32>,
    /// The path of the packet delivered last.
    done: Vec<PathHop>,
}

impl PathWatch {
    pub(crate) const fn new(choice: PacketChoice, stored_flit: Time, first_response: u8) -> Self {
        Self {
            choice,
            stored_flit,
            first_response,
            places: Vec::new(),
            paths: Vec::new(),
            free: Vec::new(),
            heads: BTreeMap::new(),
            done: Vec::new(),
        }
    }

    /// See [`PacketChoice::bring_forward`].
    pub(crate) fn bring_forward(&mut self, now: Time, by: Time) {
        self.choice.bring_forward(now, by);
    }

    /// A packet's head can be routed from the input buffer `in_vc` at `now`.
    pub(crate) fn arrives(&mut self, packets: &Packets, index: u32, in_vc: u32, now: Time) {
        let packet = &packets[index];
        if !packet.piece.starts() {
            return;
        }
        if packet.route.hops == 0 {
            let chosen = packet.route.routing < self.first_response
                && self.choice.has(packet, packets.origin(index));
            if chosen {
                self.resume(index, &[]);
            }
        }
        if let Some(path) = self.path_mut(index) {
            path.push(PathHop { in_vc, out_vc: NONE, arrived: now, departed: NEVER, wait: 0 });
        }
    }

    /// A packet's head starts on the link of `out_vc` at `start`, in an idle router `idle` after
    /// the head's grant.
    pub(crate) fn sends(
        &mut self,
        (packet, index): (&Packet, u32),
        out_vc: u32,
        (start, idle): (Time, Time),
    ) {
        if !packet.piece.starts() {
            return;
        }
        let stored = Time::from(packet.flits - 1) * self.stored_flit;
        if let Some(hop) = self.path_mut(index).and_then(|path| path.last_mut()) {
            hop.out_vc = out_vc;
            hop.departed = start;
            hop.wait = start.saturating_sub(hop.arrived + idle + stored);
        }
    }

    /// A packet's head, and not its tail, is at its destination.
    pub(crate) fn head_delivered(&mut self, packets: &Packets, index: u32) {
        if let Some(place) = self.take_place(index) {
            let origin = packets.origin(index);
            self.heads.insert((origin.source, origin.injected), place);
        }
    }

    /// Returns the path of a packet that is at its destination; empty if it is not chosen.
    pub(crate) fn delivers(&mut self, packets: &Packets, index: u32) -> &[PathHop] {
        self.done.clear();
        let place = self.take_place(index).or_else(|| {
            let origin = packets.origin(index);
            self.heads.remove(&(origin.source, origin.injected))
        });
        if let Some(place) = place {
            self.done.append(&mut self.paths[place as usize]);
            self.free.push(place);
        }
        &self.done
    }

    /// Takes the path of a packet that leaves the partition.
    pub(crate) fn leaves(&mut self, index: u32) -> Option<Vec<PathHop>> {
        let place = self.take_place(index)?;
        self.free.push(place);
        Some(std::mem::take(&mut self.paths[place as usize]))
    }

    /// Goes on with the path of a packet.
    pub(crate) fn resume(&mut self, index: u32, path: &[PathHop]) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.paths.push(Vec::new());
            (self.paths.len() - 1) as u32
        });
        self.paths[place as usize].extend_from_slice(path);
        let index = index as usize;
        if index >= self.places.len() {
            self.places.resize((index + 1).next_power_of_two(), NONE);
        }
        self.places[index] = place;
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        let hops: usize = self.paths.iter().map(Vec::capacity).sum();
        (self.places.capacity() + self.free.capacity()) * size_of::<u32>()
            + self.paths.capacity() * size_of::<Vec<PathHop>>()
            + hops * size_of::<PathHop>()
    }

    fn path_mut(&mut self, index: u32) -> Option<&mut Vec<PathHop>> {
        let place = *self.places.get(index as usize)?;
        self.paths.get_mut(place as usize)
    }

    fn take_place(&mut self, index: u32) -> Option<u32> {
        let place = std::mem::replace(self.places.get_mut(index as usize)?, NONE);
        (place != NONE).then_some(place)
    }
}
