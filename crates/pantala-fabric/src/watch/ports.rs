//! The record of links: traffic, stalls, busy time and the buffers behind them, by VC, job and kind
//! of packet, in windows.
//!
//! - Packets, bytes and flits count in the window in which their head starts on the link.
//! - Busy time is the time of flits on the link, split at the ends of windows.
//! - A stall belongs to the VC, the job and the kind of the packet that the link would send first
//!   (see `router/stall`).
//! - The buffer behind the link is known by its credits ([`DownstreamFlits`]). An ejection link to
//!   a NIC whose buffer never runs out of room has none.

use crate::store::packet::Packet;
use crate::watch::downstream::{DownstreamFlits, DownstreamOccupancy};
use pantala_engine::{NEVER, Time};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The traffic of a VC, a job and a kind of packet on a link in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrafficCount {
    /// Packets whose head has started on the link.
    pub packets: u64,
    /// Their payload in bytes.
    pub bytes: u64,
    /// Flits that have started on the link.
    pub flits: u64,
    /// Time of sending, in ps.
    pub busy: Time,
    /// Stalls, in ps.
    pub stall: Time,
}

impl TrafficCount {
    /// Adds the traffic of another part.
    pub fn add(&mut self, other: &Self) {
        self.packets += other.packets;
        self.bytes += other.bytes;
        self.flits += other.flits;
        self.busy += other.busy;
        self.stall += other.stall;
    }
}

/// A link of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchedLink {
    /// The link of an output: router times ports plus port.
    Output(usize),
    /// The injection link of a NIC.
    Injection(u32),
}

/// What a window of a link has: traffic by VC, job and kind, and the buffers behind the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkCount {
    /// Traffic of a VC, a job, and requests (`false`) or responses.
    Traffic {
        /// The VC.
        vc: u8,
        /// The job.
        job: u16,
        /// Whether the packets are responses.
        response: bool,
        /// The traffic.
        traffic: TrafficCount,
    },
    /// The buffer behind the link, of a VC or of all.
    Downstream {
        /// The VC; `None`: all.
        vc: Option<u8>,
        /// The integral of the flits sent and not credited over time, in flit ps.
        integral: u128,
        /// Their maximum.
        most: u32,
        /// The time in which the buffer lacked room for a full packet, in ps.
        full: Time,
    },
}

/// Part of a packet on a link, with its time there.
#[derive(Clone, Copy, Debug)]
struct Sent {
    cell: usize,
    bytes: u32,
    flits: u32,
    starts: bool,
    on_link: (Time, Time),
}

/// A stall that lasts: its cell and its start.
type Stall = (usize, Time);

/// The record of the links of one partition: output ports, then injection links.
#[derive(Debug)]
pub(crate) struct PortWatch {
    jobs: usize,
    vcs: usize,
    /// The outputs and the NICs of the partition.
    outputs: Range<usize>,
    terminals: Range<usize>,
    /// The first routing of responses; the number of routings without responses.
    first_response: u8,
    /// Per link, VC, job and kind, the traffic of the current window.
    cells: Vec<TrafficCount>,
    /// Per link, whether a cell has counted in the current window.
    touched: Vec<bool>,
    /// What is sent later than the current window ends, at least in part.
    later: Vec<Sent>,
    stalls: Vec<Option<Stall>>,
    /// Per link, the buffers behind it.
    downstream: Vec<Option<DownstreamFlits>>,
    /// The end of the current window.
    ends: Time,
}

impl PortWatch {
    /// Makes the record of these links of routers and NICs. The first window ends at `ends`.
    pub(crate) fn new(
        (outputs, terminals): (Range<usize>, Range<usize>),
        (vcs, jobs): (usize, usize),
        first_response: u8,
        downstream: Vec<Option<DownstreamFlits>>,
        ends: Time,
    ) -> Self {
        let all = outputs.len() + terminals.len();
        Self {
            jobs,
            vcs,
            outputs,
            terminals,
            first_response,
            cells: vec![TrafficCount::default(); all * vcs * jobs * 2],
            touched: vec![false; all],
            later: Vec::new(),
            stalls: vec![None; all],
            downstream,
            ends,
        }
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        let behind = self.downstream.iter().flatten().map(DownstreamFlits::memory);
        self.cells.capacity() * size_of::<TrafficCount>()
            + self.touched.capacity() * size_of::<bool>()
            + self.later.capacity() * size_of::<Sent>()
            + self.stalls.capacity() * size_of::<Option<Stall>>()
            + self.downstream.capacity() * size_of::<Option<DownstreamFlits>>()
            + behind.sum::<usize>()
    }

    /// The place of an output's link.
    pub(crate) const fn output(&self, out: usize) -> usize {
        out - self.outputs.start
    }

    /// The place of a NIC's injection link.
    pub(crate) const fn injection(&self, terminal: u32) -> usize {
        self.outputs.end - self.outputs.start + terminal as usize - self.terminals.start
    }

    /// The link at a place.
    const fn link(&self, place: usize) -> WatchedLink {
        let outputs = self.outputs.end - self.outputs.start;
        if place < outputs {
            WatchedLink::Output(self.outputs.start + place)
        } else {
            WatchedLink::Injection((self.terminals.start + place - outputs) as u32)
        }
    }

    fn cell(&self, link: usize, vc: u8, packet: (u16, u8)) -> usize {
        let (job, routing) = packet;
        let response = usize::from(routing >= self.first_response);
        ((link * self.vcs + usize::from(vc)) * self.jobs + usize::from(job)) * 2 + response
    }

    /// `flits` of a packet are on a link from `start` to `end`.
    pub(crate) fn sends(
        &mut self,
        link: usize,
        vc: u8,
        packet: &Packet,
        flits: u32,
        on_link: (Time, Time),
    ) {
        let cell = self.cell(link, vc, (packet.job, packet.route.routing));
        let starts = packet.piece.starts();
        self.count(Sent { cell, bytes: packet.bytes, flits, starts, on_link });
    }

    fn count(&mut self, sent: Sent) {
        let (start, end) = sent.on_link;
        if start >= self.ends {
            self.later.push(sent);
            return;
        }
        self.touched[sent.cell / (2 * self.jobs * self.vcs)] = true;
        let cell = &mut self.cells[sent.cell];
        if sent.starts {
            cell.packets += 1;
            cell.bytes += u64::from(sent.bytes);
        }
        cell.flits += u64::from(sent.flits);
        cell.busy += end.min(self.ends) - start;
        if end > self.ends {
            let on_link = (self.ends, end);
            self.later.push(Sent { bytes: 0, flits: 0, starts: false, on_link, ..sent });
        }
    }

    /// A stall of a link begins with a packet of a job and a routing.
    pub(crate) fn stalls(&mut self, link: usize, vc: u8, packet: (u16, u8), now: Time) {
        self.stalls[link] = Some((self.cell(link, vc, packet), now));
    }

    /// The stall of a link ends.
    pub(crate) fn unstalls(&mut self, link: usize, now: Time) {
        if let Some((cell, since)) = self.stalls[link].take() {
            self.touched[link] = true;
            self.cells[cell].stall += now.saturating_sub(since);
        }
    }

    /// A link takes credits.
    pub(crate) fn takes(&mut self, link: usize, vc: u8, room: u32, now: Time) {
        if let Some(flits) = &mut self.downstream[link] {
            flits.take(vc, room, now);
        }
    }

    /// Credits come back to a link, one by one from `first` to `last`.
    pub(crate) fn gives(&mut self, link: usize, vc: u8, (first, last): (Time, Time), room: u32) {
        let Some(flits) = &mut self.downstream[link] else { return };
        if first == last {
            flits.give(vc, room, last);
            return;
        }
        let steps = Time::from(room.max(2) - 1);
        for flit in 0..Time::from(room) {
            flits.give(vc, 1, first + (last - first) * flit / steps);
        }
    }

    /// Ends the current window at `now`: calls `take` with the counts of each link that has any.
    /// The next window ends at `next`; without one, the record ends, and what would start later
    /// counts in this window. Returns whether anything has gone on.
    pub(crate) fn close(
        &mut self,
        now: Time,
        next: Option<Time>,
        take: &mut impl FnMut(WatchedLink, LinkCount),
    ) -> bool {
        let mut goes_on = false;
        if next.is_none() {
            self.ends = NEVER;
            self.count_later();
        }
        for place in 0..self.touched.len() {
            let link = self.link(place);
            if let Some((cell, since)) = self.stalls[place].filter(|(_, since)| *since < now) {
                self.touched[place] = true;
                self.cells[cell].stall += now - since;
                self.stalls[place] = Some((cell, now));
            }
            if std::mem::take(&mut self.touched[place]) {
                goes_on = true;
                self.tell_carried(place, |count| take(link, count));
            }
            let Some(flits) = &mut self.downstream[place] else { continue };
            let mut tell =
                |vc, DownstreamOccupancy { integral, most, full }: DownstreamOccupancy| {
                    if most > 0 {
                        goes_on = true;
                        take(link, LinkCount::Downstream { vc, integral, most, full });
                    }
                };
            let all = flits.close(now, |vc, counted| tell(Some(vc), counted));
            tell(None, all);
        }
        if let Some(next) = next {
            self.ends = next;
            self.count_later();
        }
        goes_on || !self.later.is_empty()
    }

    /// Goes on with a later window, if nothing has gone on in the last one.
    pub(crate) fn skip(&mut self, ends: Time) {
        self.ends = ends;
    }

    fn tell_carried(&mut self, place: usize, mut tell: impl FnMut(LinkCount)) {
        let width = 2 * self.jobs * self.vcs;
        for (number, cell) in self.cells[place * width..][..width].iter_mut().enumerate() {
            let traffic = std::mem::take(cell);
            if traffic != TrafficCount::default() {
                let (vc, job) = ((number / (2 * self.jobs)) as u8, (number / 2 % self.jobs) as u16);
                tell(LinkCount::Traffic { vc, job, response: number % 2 == 1, traffic });
            }
        }
    }

    fn count_later(&mut self) {
        for sent in std::mem::take(&mut self.later) {
            self.count(sent);
        }
    }
}
