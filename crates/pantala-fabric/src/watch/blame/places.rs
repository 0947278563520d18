//! [`PlaceSums`]: waiting times by place, where sums by link class do not say enough: by the groups
//! that a link connects, and by link.
//!
//! Each link has the matrix of its current window. When a charge of the link lies in another window,
//! the cells of the matrix go to two logs: of pairs of groups, and of links. A log sums equal cells
//! whenever it has grown by half. If it then has more cells than it may have, it joins windows in
//! pairs, so memory is bounded, and no waiting time is lost. How many windows a table joins follows
//! from the cells of the whole run ([`Places::joined`]), not from partitions.

mod longest;
#[cfg(test)]
mod tests;

pub use longest::longest;

use super::sums::{INJECTION, Matrix};
use pantala_engine::{NEVER, Time};
use pantala_topology::{Peer, Topology};
use serde::{Deserialize, Serialize};

/// Cells of pairs of groups that a run has at most, while windows can be joined.
pub const MOST_GROUP_CELLS: usize = 2 << 20;
/// Cells of links that a run has at most before the links most waited at are chosen.
pub const MOST_LINK_CELLS: usize = 4 << 20;

/// What a record of blame tells apart besides link classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlameDetail {
    /// Whether the groups of the link's ends.
    pub groups: bool,
    /// The number of links of each class, those most waited at, that have cells of their own.
    pub links: u32,
}

/// The waiting time of one job that another one has caused, in one window, at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceCell {
    /// The number of the place, which is in one partition: the class, the sending and the receiving
    /// group (24 bits each), or the class and the link.
    pub place: u64,
    /// The window's number, from 0. A larger number needs more memory in [`Sums`](super::Sums) than
    /// there is.
    window: u32,
    /// The job that waits.
    pub victim: u16,
    /// The job that causes the wait.
    pub aggressor: u16,
    /// Waiting time in ps, summed over packets.
    pub wait: Time,
}

impl PlaceCell {
    /// Returns the number of the link class, as in [`BlameCell`](super::BlameCell).
    #[must_use]
    pub fn class(&self) -> u8 {
        (self.place >> 48) as u8
    }

    /// Returns the name of the link class.
    #[must_use]
    pub fn class_name(&self) -> &'static str {
        super::sums::class_name(self.class())
    }

    /// Returns the groups of the sending and the receiving end; both are that of the router for a
    /// link of a NIC.
    #[must_use]
    pub fn groups(&self) -> (u32, u32) {
        ((self.place >> 24) as u32 & 0xff_ffff, self.place as u32 & 0xff_ffff)
    }

    /// Returns the number of the link: of the output port, or after all of them the NIC's.
    #[must_use]
    pub fn link(&self) -> u32 {
        self.place as u32
    }

    /// Returns what cells are ordered by.
    #[must_use]
    pub fn key(&self) -> (u64, u32, u16, u16) {
        (self.place, self.window, self.victim, self.aggressor)
    }
}

/// Sums equal cells and leaves out those without waiting time.
fn sum(cells: &mut Vec<PlaceCell>) {
    cells.sort_unstable_by_key(PlaceCell::key);
    cells.dedup_by(|next, sum| {
        let same = next.key() == sum.key();
        if same {
            sum.wait = sum.wait.wrapping_add(next.wait);
        }
        same
    });
    cells.retain(|cell| cell.wait != 0);
}

/// Joins windows in pairs.
fn join(cells: &mut Vec<PlaceCell>) {
    cells.iter_mut().for_each(|cell| cell.window >>= 1);
    sum(cells);
}

/// The cells of one kind of place.
#[derive(Debug)]
struct Log {
    cells: Vec<PlaceCell>,
    /// How often windows were joined in pairs.
    level: u32,
    most: usize,
    /// The number of cells at which they are summed.
    full: usize,
}

impl Log {
    /// Cells of a short log.
    const FEW: usize = 1 << 12;

    fn new(most: usize) -> Self {
        Self { cells: Vec::new(), level: 0, most, full: Self::FEW }
    }

    #[inline]
    fn push(&mut self, mut cell: PlaceCell) {
        cell.window >>= self.level;
        self.cells.push(cell);
        if self.cells.len() > self.full {
            self.shorten();
        }
    }

    /// Sums the cells, and joins windows while there are too many. Charges of packets that wait for
    /// an input port are taken back at times, so a run may end with fewer cells than it had. An
    /// eighth more is allowed for this here: a partition joins no windows that the run does not.
    fn shorten(&mut self) {
        sum(&mut self.cells);
        while self.cells.len() > self.most + self.most / 8 && self.last() > 0 {
            self.level += 1;
            join(&mut self.cells);
        }
        self.full = (self.cells.len() + self.cells.len() / 2).max(Self::FEW);
    }

    fn last(&self) -> u32 {
        self.cells.iter().map(|cell| cell.window).max().unwrap_or(0)
    }

    /// Returns the cells of the places that `chosen` accepts, and the number of all.
    fn places(&mut self, chosen: impl Fn(&[PlaceCell]) -> Vec<u64>) -> Places {
        self.shorten();
        let mut counts = vec![u64::MAX; self.level as usize];
        counts.push(self.cells.len() as u64);
        let (mut all, mut last) = (self.cells.clone(), self.last());
        while last > 0 {
            last >>= 1;
            join(&mut all);
            counts.push(all.len() as u64);
        }
        drop(all); // may be as large as the log
        let keep = chosen(&self.cells);
        let kept = |cell: &&PlaceCell| keep.binary_search(&cell.place).is_ok();
        let cells = self.cells.iter().filter(kept).copied().collect();
        Places { cells, level: self.level, counts }
    }
}

/// The waiting times at the places of one kind, in some partitions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    cells: Vec<PlaceCell>,
    /// How often their windows were joined in pairs.
    level: u32,
    /// The number of cells of all places, by the number of times that windows are joined in pairs.
    /// [`u64::MAX`]: unknown, but too many. The last one holds for all higher numbers.
    counts: Vec<u64>,
}

impl Places {
    /// Returns the number of cells of all places of these partitions, by the number of times that
    /// windows are joined in pairs: the last one for all higher numbers, [`u64::MAX`] if unknown.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns the sums of the [`counts`](Self::counts) of several partitions or processes.
    #[must_use]
    pub fn summed<'a>(all: impl Clone + Iterator<Item = &'a [u64]>) -> Vec<u64> {
        let levels = all.clone().map(<[u64]>::len).max().unwrap_or(0);
        let of = |counts: &[u64], level: usize| {
            counts.get(level).or(counts.last()).copied().unwrap_or(0)
        };
        let sum = |level| all.clone().fold(0u64, |sum, one| sum.saturating_add(of(one, level)));
        (0..levels).map(sum).collect()
    }

    /// Returns the places of several partitions.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let counts = Self::summed([&*self.counts, &*other.counts].into_iter());
        let level = self.level.max(other.level);
        let mut cells = self.joined_to(level);
        cells.append(&mut other.joined_to(level));
        cells.sort_unstable_by_key(PlaceCell::key);
        Self { cells, level, counts }
    }

    fn joined_to(&self, level: u32) -> Vec<PlaceCell> {
        let mut cells = self.cells.clone();
        for _ in self.level..level {
            join(&mut cells);
        }
        cells
    }

    /// Returns how often windows are joined in pairs so that a run has at most `most` cells, from the
    /// numbers of cells of all its partitions.
    #[must_use]
    pub fn joined(counts: &[u64], most: usize) -> u32 {
        let enough = counts.iter().position(|&count| count <= most as u64);
        enough.unwrap_or(counts.len().saturating_sub(1)) as u32
    }

    /// Returns the cells in order of place, window, victim and aggressor, with the start and the end
    /// of their windows, if windows of length `window` are joined in pairs `level` times.
    #[must_use]
    pub fn at(&self, level: u32, window: Time) -> Vec<(Time, Time, PlaceCell)> {
        let cells = self.joined_to(level);
        let length = window.saturating_mul(1 << level.min(40));
        let start = |cell: &PlaceCell| Time::from(cell.window).saturating_mul(length);
        cells.iter().map(|cell| (start(cell), start(cell).saturating_add(length), *cell)).collect()
    }
}

/// A link of a partition.
#[derive(Clone, Copy, Debug)]
struct Link {
    pair: u64,
    number: u64,
    /// The window of the matrix.
    window: u32,
}

/// The waiting times of a partition by place. A link's number here is that of its output among the
/// outputs of the partition; injection links come after all outputs.
#[derive(Debug)]
pub(super) struct PlaceSums {
    jobs: usize,
    window: Time,
    first: usize,
    first_nic: u32,
    outputs: usize,
    vcs: usize,
    links: Vec<Link>,
    /// Per port, the link of the NIC there.
    nic_at: Vec<u32>,
    /// Per link, its matrix in the window.
    current: Vec<Time>,
    groups: Option<Log>,
    worst: Option<(Log, u32)>,
}

/// Which link a charge is at.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    /// An output.
    Output(usize),
    /// The injection link of a terminal.
    Nic(u32),
    /// The injection link before an input VC.
    Before(u32),
}

impl PlaceSums {
    /// Makes the sums of the links of some routers and terminals, in windows of a length.
    pub(super) fn new(
        (topology, ports): (&Topology, (usize, usize)),
        terminals: (usize, usize),
        (jobs, vcs, window): (usize, usize, Time),
        detail: BlameDetail,
    ) -> Option<Self> {
        if !detail.groups && detail.links == 0 {
            return None;
        }
        let network = topology.network();
        let each = network.ports_per_router();
        let pair = |class: u8, from: u32, to: u32| {
            u64::from(class) << 48 | u64::from(from) << 24 | u64::from(to)
        };
        let link = |class: u8, ends: (u32, u32), number: u32| Link {
            pair: pair(class, topology.group_of(ends.0), topology.group_of(ends.1)),
            number: u64::from(class) << 48 | u64::from(number),
            window: 0,
        };
        let outputs = (ports.0 as u32..(ports.0 + ports.1) as u32).map(|number| {
            let (router, port) = (number / each, (number % each) as u16);
            let peer = match network.peer(router, port) {
                Peer::Port { router, .. } => router,
                Peer::Terminal(_) | Peer::Unconnected => router,
            };
            link(network.class_of(router, port) as u8, (router, peer), number)
        });
        let nics = (terminals.0 as u32..(terminals.0 + terminals.1) as u32).map(|terminal| {
            let router = network.router_of(terminal);
            link(INJECTION, (router, router), network.routers() * each + terminal)
        });
        let links: Vec<Link> = outputs.chain(nics).collect();
        let mut nic_at = vec![0; ports.1];
        for (place, terminal) in (ports.1 as u32..).zip(terminals.0 as u32..).take(terminals.1) {
            let port =
                network.router_of(terminal) * each + u32::from(network.terminal_port_of(terminal));
            nic_at[port as usize - ports.0] = place;
        }
        Some(Self {
            jobs,
            vcs,
            window: window.min(NEVER - 1),
            nic_at,
            first: ports.0,
            first_nic: terminals.0 as u32,
            outputs: ports.1,
            current: vec![0; links.len() * jobs * jobs],
            links,
            groups: detail.groups.then(|| Log::new(MOST_GROUP_CELLS)),
            worst: (detail.links > 0).then(|| (Log::new(MOST_LINK_CELLS), detail.links)),
        })
    }

    /// Returns the matrix of a link in the window of an interval that ends at `end`, after zero.
    #[inline]
    pub(super) fn matrix(&mut self, at: At, end: Time) -> Matrix<'_> {
        let link = match at {
            At::Output(out) => out - self.first,
            At::Nic(terminal) => self.outputs + (terminal - self.first_nic) as usize,
            At::Before(in_vc) => self.nic_at[in_vc as usize / self.vcs - self.first] as usize,
        };
        let window = ((end - 1) / self.window) as u32;
        if self.links[link].window != window {
            self.leave(link);
            self.links[link].window = window;
        }
        let size = self.jobs * self.jobs;
        Matrix { jobs: self.jobs, cells: &mut self.current[link * size..][..size] }
    }

    /// Moves the matrix of a link to the logs.
    fn leave(&mut self, link: usize) {
        let (size, jobs) = (self.jobs * self.jobs, self.jobs);
        let Link { pair, number, window } = self.links[link];
        for (place, wait) in self.current[link * size..][..size].iter_mut().enumerate() {
            let wait = std::mem::take(wait);
            if wait == 0 {
                continue;
            }
            let (victim, aggressor) = ((place / jobs) as u16, (place % jobs) as u16);
            let cell = |place: u64| PlaceCell { place, window, victim, aggressor, wait };
            if let Some(log) = &mut self.groups {
                log.push(cell(pair));
            }
            if let Some((log, _)) = &mut self.worst {
                log.push(cell(number));
            }
        }
    }

    /// Returns the waiting times so far: by groups, and of the links of each class with the longest
    /// waits.
    pub(super) fn places(&mut self) -> (Places, Places) {
        (0..self.links.len()).for_each(|link| self.leave(link));
        let all = |cells: &[PlaceCell]| {
            let mut places: Vec<u64> = cells.iter().map(|cell| cell.place).collect();
            places.dedup();
            places
        };
        let groups = self.groups.as_mut().map(|log| log.places(all));
        let links = self.worst.as_mut().map(|(log, most)| {
            let most = *most;
            log.places(|cells| longest(cells, most))
        });
        (groups.unwrap_or_default(), links.unwrap_or_default())
    }

    /// Returns the bytes of memory held.
    pub(super) fn memory(&self) -> usize {
        let log = |log: &Log| log.cells.capacity() * size_of::<PlaceCell>();
        self.links.capacity() * size_of::<Link>()
            + self.nic_at.capacity() * size_of::<u32>()
            + self.current.capacity() * size_of::<Time>()
            + self.groups.as_ref().map_or(0, log)
            + self.worst.as_ref().map_or(0, |(of, _)| log(of))
    }
}
