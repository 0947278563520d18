//! [`Sums`]: waiting times by window, link class, victim and aggressor.

use pantala_engine::{NEVER, Time};
use pantala_topology::LinkClass;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// No job: no packet has crossed to an output yet.
pub(super) const NO_JOB: u16 = u16::MAX;

/// The number of injection links among the classes. Ejection links are [`LinkClass::Terminal`].
pub(super) const INJECTION: u8 = LinkClass::COUNT as u8;

/// The number of classes.
const CLASSES: usize = LinkClass::COUNT + 1;

/// The waiting time of one job that another one has caused, in one window, on one class of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlameCell {
    /// The window's number, from 0.
    pub window: u64,
    /// The number of the class of the link that the packets wait for: see
    /// [`class_name`](Self::class_name).
    pub class: u8,
    /// The job that waits.
    pub victim: u16,
    /// The job that causes the wait.
    pub aggressor: u16,
    /// Waiting time in ps, summed over packets.
    pub wait: Time,
}

impl BlameCell {
    /// Returns the name of the class of the link that the packets wait for, as in the table of
    /// links.
    #[must_use]
    pub fn class_name(&self) -> &'static str {
        class_name(self.class)
    }

    fn key(&self) -> (u64, u8, u16, u16) {
        (self.window, self.class, self.victim, self.aggressor)
    }

    /// Returns the cells of several partitions, summed and in order.
    pub fn summed(cells: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut sums: BTreeMap<_, Self> = BTreeMap::new();
        for cell in cells {
            sums.entry(cell.key()).and_modify(|sum| sum.wait += cell.wait).or_insert(cell);
        }
        sums.into_values().collect()
    }
}

/// Returns the name of a class of links, as in the table of links.
pub(super) fn class_name(class: u8) -> &'static str {
    match LinkClass::ALL.get(usize::from(class)) {
        None => "injection",
        Some(LinkClass::Terminal) => "ejection",
        Some(class) => class.name(),
    }
}

/// The waiting times of a partition.
#[derive(Debug)]
pub(super) struct Sums {
    jobs: usize,
    window: Time,
    /// Per window, the number of its matrix in `cells`; [`UNUSED`] without one.
    matrices: Vec<u32>,
    /// The matrices, one after another. A matrix of one job has 48 B, so they have no allocations of
    /// their own: a long run has a million windows.
    cells: Vec<Time>,
    /// The place of the matrix of the window used last, and the start of that window.
    current: usize,
    start: Time,
}

/// No charge fell into a window.
const UNUSED: u32 = u32::MAX;

/// The matrix of a class or of a place in a window: a row per victim. The sums wrap: a place may
/// take back what it has charged before it left the window.
pub(super) struct Matrix<'a> {
    pub(super) jobs: usize,
    pub(super) cells: &'a mut [Time],
}

impl Sums {
    pub(super) fn new(jobs: usize, window: Time) -> Self {
        let window = window.min(NEVER - 1);
        let cells = vec![0; CLASSES * jobs * jobs];
        Self { jobs, window, matrices: vec![0], cells, current: 0, start: 0 }
    }

    /// Returns the matrix of a class in the window of an interval that ends at `end`, after zero.
    #[inline]
    pub(super) fn matrix(&mut self, class: u8, end: Time) -> Matrix<'_> {
        if (end - 1).wrapping_sub(self.start) >= self.window {
            self.find(end - 1);
        }
        let (jobs, size) = (self.jobs, self.jobs * self.jobs);
        let cells = &mut self.cells[self.current + usize::from(class) * size..][..size];
        Matrix { jobs, cells }
    }

    /// Returns the end of the window in which `time`, after zero, lies or ends.
    #[inline]
    pub(super) fn window_end(&mut self, time: Time) -> Time {
        if (time - 1).wrapping_sub(self.start) >= self.window {
            self.find(time - 1);
        }
        self.start.saturating_add(self.window)
    }

    #[cold]
    fn find(&mut self, time: Time) {
        let number = (time / self.window) as usize;
        if number >= self.matrices.len() {
            self.matrices.resize(number + 1, UNUSED);
        }
        let size = CLASSES * self.jobs * self.jobs;
        let matrix = &mut self.matrices[number];
        if *matrix == UNUSED {
            *matrix = (self.cells.len() / size) as u32;
            self.cells.resize(self.cells.len() + size, 0);
        }
        (self.current, self.start) = (*matrix as usize * size, number as u64 * self.window);
    }

    /// Returns all cells that are not zero, in order.
    pub(super) fn cells(&self) -> Vec<BlameCell> {
        let size = CLASSES * self.jobs * self.jobs;
        let mut cells = Vec::new();
        for (number, &matrix) in self.matrices.iter().enumerate().filter(|(_, at)| **at != UNUSED) {
            let matrix = &self.cells[matrix as usize * size..][..size];
            for (place, &wait) in matrix.iter().enumerate().filter(|(_, wait)| **wait > 0) {
                let (class, place) = (
                    place / (self.jobs * self.jobs),
                    (place / self.jobs % self.jobs, place % self.jobs),
                );
                cells.push(BlameCell {
                    window: number as u64,
                    class: class as u8,
                    victim: place.0 as u16,
                    aggressor: place.1 as u16,
                    wait,
                });
            }
        }
        cells
    }
}

impl<'a> Matrix<'a> {
    /// Returns the charges to a job: from the first one on, the first item of every `jobs` items.
    #[inline]
    pub(super) fn column(self, aggressor: u16) -> &'a mut [Time] {
        &mut self.cells[usize::from(aggressor)..]
    }

    /// Charges `time` of the packets that wait, counted by job, to one job. Without one, each job
    /// has caused its own wait.
    #[inline]
    pub(super) fn charge(&mut self, waiting: &[u32], aggressor: u16, time: Time) {
        for (victim, &count) in waiting.iter().enumerate().filter(|(_, count)| **count > 0) {
            let to = if aggressor == NO_JOB { victim } else { usize::from(aggressor) };
            let cell = &mut self.cells[victim * self.jobs + to];
            *cell = cell.wrapping_add(Time::from(count) * time);
        }
    }

    /// Charges `wait` of packets of `victim` to jobs in proportion to `shares`, whose sum is `all`.
    /// The charges are rounded so that they sum to `wait`.
    pub(super) fn add_shares(&mut self, victim: u16, wait: Time, shares: &[u32], all: u32) {
        let all = u64::from(all);
        let row = &mut self.cells[usize::from(victim) * self.jobs..][..self.jobs];
        let (mut flits, mut charged) = (0, 0);
        for (cell, &share) in row.iter_mut().zip(shares) {
            flits += u64::from(share);
            if flits == all {
                *cell = cell.wrapping_add(wait - charged);
                return;
            }
            if share > 0 {
                let so_far = match wait.checked_mul(flits) {
                    Some(product) => product / all,
                    None => (u128::from(wait) * u128::from(flits) / u128::from(all)) as Time,
                };
                *cell = cell.wrapping_add(so_far - charged);
                charged = so_far;
            }
        }
    }

    /// Charges `time` of packets of `victim`.
    #[inline]
    pub(super) fn add(&mut self, victim: u16, aggressor: u16, time: Time) {
        let to = if aggressor == NO_JOB { victim } else { aggressor };
        let cell = &mut self.cells[usize::from(victim) * self.jobs + usize::from(to)];
        *cell = cell.wrapping_add(time);
    }

    /// Takes back `time` that [`add`](Self::add) has charged.
    pub(super) fn take_back(&mut self, victim: u16, aggressor: u16, time: Time) {
        let to = if aggressor == NO_JOB { victim } else { aggressor };
        let cell = &mut self.cells[usize::from(victim) * self.jobs + usize::from(to)];
        *cell = cell.wrapping_sub(time);
    }
}
