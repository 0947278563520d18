//! The record of links: traffic, stalls, busy time and the buffers behind them, by VC, job and kind
//! of packet, in windows.
//!
//! - Packets, bytes and flits count in the window in which their head starts on the link.
//! - Busy time is the time of flits on the link, split at the ends of windows.
//! - A stall belongs to the VC, the job and the kind of the packet that the link would send first
//!   (see `router/stall`).
//! - The buffer behind the link is known by its credits ([`Buffers`]). An ejection link to
//!   a NIC whose buffer never runs out of room has none.
//! - A record says what it needs ([`LinkDetail`]): sums over classes of links fit into a cache, and
//!   flits beyond a link that nobody asks for are not counted.

use crate::store::account::VcCredits;
use crate::store::packet::Packet;
use crate::watch::buffers::Buffers;
use pantala_engine::{NEVER, Time};
use pantala_topology::LinkClass;
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

/// The detail of traffic and stalls in the record of links. Each is by job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrafficDetail {
    /// Of classes of links: a count names one link of its class.
    Classes,
    /// Of links.
    Links,
    /// Of links, by VC and by kind of packet.
    Vcs,
}

/// The detail of the buffer behind a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferDetail {
    /// Nothing.
    Nothing,
    /// The time in which the buffer of any VC lacked room for a full packet: [`LinkCount::Full`].
    Full,
    /// [`LinkCount::Downstream`] of all VCs together.
    All,
    /// And of each VC.
    Vcs,
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
        /// The VC; zero unless the detail is [`TrafficDetail::Vcs`].
        vc: u8,
        /// The job.
        job: u16,
        /// Whether the packets are responses; `false` unless the detail is [`TrafficDetail::Vcs`].
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
    /// The time, in ps, in which the buffer of any VC lacked room for a full packet.
    Full(Time),
}

/// Part of a packet on a link, with its time there.
#[derive(Clone, Copy, Debug)]
struct Sent {
    cell: usize,
    group: usize,
    bytes: u32,
    flits: u32,
    starts: bool,
    on_link: (Time, Time),
}

/// A stall that lasts: its cell and its start.
type Stall = (usize, Time);

/// What traffic is counted together.
#[derive(Debug)]
pub(crate) struct TrafficGroups {
    /// Per link, its group.
    pub(crate) of_link: Vec<u32>,
    /// Per group, the place of one of its links.
    pub(crate) links: Vec<usize>,
    /// Whether VCs and kinds of packets have counts of their own.
    pub(crate) by_vc: bool,
}

impl TrafficGroups {
    /// Each of so many links is a group.
    pub(crate) fn each(links: usize, by_vc: bool) -> Self {
        Self { of_link: (0..links as u32).collect(), links: (0..links).collect(), by_vc }
    }

    /// The links of one class are a group. Injection links have none.
    pub(crate) fn classes(links: usize, class: impl Fn(usize) -> Option<LinkClass>) -> Self {
        let mut classes = Vec::new();
        let mut groups =
            Self { of_link: Vec::with_capacity(links), links: Vec::new(), by_vc: false };
        for link in 0..links {
            let class = class(link);
            let group = classes.iter().position(|other| *other == class).unwrap_or_else(|| {
                classes.push(class);
                groups.links.push(link);
                classes.len() - 1
            });
            groups.of_link.push(group as u32);
        }
        groups
    }
}

/// The record of the links of one partition: output ports, then injection links.
#[derive(Debug)]
pub(crate) struct PortWatch {
    jobs: usize,
    /// VCs with counts of their own.
    vcs: usize,
    /// The outputs and the NICs of the partition.
    outputs: Range<usize>,
    terminals: Range<usize>,
    /// The first routing of responses; the number of routings without responses.
    first_response: u8,
    groups: TrafficGroups,
    /// Per group, VC, job and kind, the traffic of the current window.
    cells: Vec<TrafficCount>,
    /// Per group, whether a cell has counted in the current window.
    touched: Vec<bool>,
    /// What is sent later than the current window ends, at least in part.
    later: Vec<Sent>,
    stalls: Vec<Option<Stall>>,
    buffers: Buffers,
    /// The end of the current window.
    ends: Time,
}

impl PortWatch {
    /// Makes the record of these links of routers and NICs. The first window ends at `ends`.
    pub(crate) fn new(
        (outputs, terminals): (Range<usize>, Range<usize>),
        (vcs, jobs): (usize, usize),
        first_response: u8,
        (groups, buffers): (TrafficGroups, Buffers),
        ends: Time,
    ) -> Self {
        let vcs = if groups.by_vc { vcs } else { 1 };
        Self {
            jobs,
            vcs,
            cells: vec![TrafficCount::default(); groups.links.len() * vcs * jobs * 2],
            touched: vec![false; groups.links.len()],
            later: Vec::new(),
            stalls: vec![None; outputs.len() + terminals.len()],
            outputs,
            terminals,
            first_response,
            groups,
            buffers,
            ends,
        }
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.cells.capacity() * size_of::<TrafficCount>()
            + self.touched.capacity() * size_of::<bool>()
            + self.later.capacity() * size_of::<Sent>()
            + self.stalls.capacity() * size_of::<Option<Stall>>()
            + self.groups.of_link.capacity() * size_of::<u32>()
            + self.buffers.memory()
    }

    /// Returns whether the record is right if a packet that leaves `left` credits of an output's VC
    /// is sent ahead of a busy link.
    #[inline]
    pub(crate) fn allows_ahead(&self, out: usize, left: i32) -> bool {
        self.buffers.allows_ahead(self.output(out), left)
    }

    /// Prefetches the state of an output's link.
    #[inline(always)]
    pub(crate) fn prefetch_known(&self, out: usize) {
        self.buffers.prefetch(self.output(out));
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

    /// The cell of a job and a routing.
    #[inline]
    fn cell(&self, group: usize, vc: u8, (job, routing): (u16, u8)) -> usize {
        let (vc, response) = if self.groups.by_vc {
            (usize::from(vc), usize::from(routing >= self.first_response))
        } else {
            (0, 0)
        };
        ((group * self.vcs + vc) * self.jobs + usize::from(job)) * 2 + response
    }

    /// `flits` of a packet are on a link from `start` to `end`.
    #[inline]
    pub(crate) fn sends(
        &mut self,
        link: usize,
        vc: u8,
        packet: &Packet,
        flits: u32,
        on_link: (Time, Time),
    ) {
        let group = self.groups.of_link[link] as usize;
        let cell = self.cell(group, vc, (packet.job, packet.route.routing));
        let starts = packet.piece.starts();
        self.count(Sent { cell, group, bytes: packet.bytes, flits, starts, on_link });
    }

    #[inline]
    fn count(&mut self, sent: Sent) {
        let (start, end) = sent.on_link;
        if start >= self.ends {
            self.later.push(sent);
            return;
        }
        self.touched[sent.group] = true;
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
        let group = self.groups.of_link[link] as usize;
        self.stalls[link] = Some((self.cell(group, vc, packet), now));
    }

    /// The stall of a link ends.
    #[inline]
    pub(crate) fn unstalls(&mut self, link: usize, now: Time) {
        if let Some((cell, since)) = self.stalls[link].take() {
            self.touched[self.groups.of_link[link] as usize] = true;
            self.cells[cell].stall += now.saturating_sub(since);
        }
    }

    /// A link takes credits: see [`Buffers::take`].
    #[inline]
    pub(crate) fn takes(
        &mut self,
        at: (usize, u8),
        room_and_left: (u32, i32),
        time_and_now: (Time, Time),
        credits: impl Fn(u8) -> Option<VcCredits>,
    ) {
        self.buffers.take(at, room_and_left, time_and_now, credits);
    }

    /// Credits come back to a link, one by one from `first` to `last`.
    #[inline]
    pub(crate) fn gives(&mut self, link: usize, vc: u8, (first, last): (Time, Time), room: u32) {
        if !self.buffers.hears_of(link) {
            return;
        }
        if first == last {
            self.buffers.give(link, vc, room, last);
            return;
        }
        let steps = Time::from(room.max(2) - 1);
        for flit in 0..Time::from(room) {
            self.buffers.give(link, vc, 1, first + (last - first) * flit / steps);
        }
    }

    /// Ends the current window at `now`: calls `take` with the counts of each link, or class, that
    /// has any. The next window ends at `next`; without one, the record ends, and what would start
    /// later counts in this window. Returns whether anything has gone on.
    pub(crate) fn close(
        &mut self,
        now: Time,
        next: Option<Time>,
        take: &mut impl FnMut(WatchedLink, LinkCount),
    ) -> bool {
        if next.is_none() {
            self.ends = NEVER;
            self.count_later();
        }
        for (place, stall) in self.stalls.iter_mut().enumerate() {
            if let Some((cell, since)) = stall.filter(|(_, since)| *since < now) {
                self.touched[self.groups.of_link[place] as usize] = true;
                self.cells[cell].stall += now - since;
                *stall = Some((cell, now));
            }
        }
        let mut goes_on = false;
        for group in 0..self.touched.len() {
            if std::mem::take(&mut self.touched[group]) {
                goes_on = true;
                let link = self.link(self.groups.links[group]);
                self.tell_carried(group, |count| take(link, count));
            }
        }
        for place in 0..self.stalls.len() {
            let link = self.link(place);
            goes_on |= self.buffers.close(place, now, |count| take(link, count));
        }
        // What was sent ahead starts in the next window or later.
        goes_on |= !self.later.is_empty();
        if let Some(next) = next {
            self.ends = next;
            self.count_later();
        }
        goes_on
    }

    /// Goes on with a later window, if nothing has gone on in the last one.
    pub(crate) fn skip(&mut self, ends: Time) {
        self.ends = ends;
    }

    fn tell_carried(&mut self, group: usize, mut tell: impl FnMut(LinkCount)) {
        let width = 2 * self.jobs * self.vcs;
        for (number, cell) in self.cells[group * width..][..width].iter_mut().enumerate() {
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
