//! Iterations of recorded calls: the loop that all ranks of a job repeat.
//!
//! Each rank's longest stretch of repeated calls is found by [`stretch`](stretch::longest).
//! Computing times do not count. The stretches of all ranks together make the loop of the job: an
//! equal number of iterations on every rank. If all ranks of the job call a collective together in
//! it, an iteration starts after the same such call on every rank.

mod common;
mod stretch;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};

use pantala_mpi::{Communicator, IterationMark, Op, RankContext};

use super::encode::{Encoded, encode};
use super::lists::Lists;
use super::prediction::{Prediction, Timing};
use stretch::Stretch;

/// A loop has at least this many iterations.
const FEWEST: u64 = 4;
/// The most calls of a rank in a job that is searched. They take eight bytes each.
const MOST_CALLS: usize = 1 << 27;

/// The loop of a rank. Calls are its operations without computing, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RankLoop {
    /// The first call of the first iteration.
    first: u64,
    /// Number of calls of an iteration.
    calls: u64,
    /// Number of iterations.
    iterations: u64,
}

/// What a rank calls, as far as the search needs it.
#[derive(Debug)]
struct RankCalls {
    /// Number of calls.
    calls: u64,
    /// The longest stretch of repeated calls.
    stretch: Option<Stretch>,
    /// Number of collectives of all ranks of the job before the stretch.
    before: u64,
    /// How far each collective of all ranks in the first period is from the start of the stretch.
    inside: Vec<u64>,
}

/// The search for the loop of a job. The ranks come one after another.
#[derive(Debug, Default)]
pub(super) struct Search {
    lists: Lists,
    job_ranks: u32,
    ranks: Vec<RankCalls>,
    /// The length of window that found the last rank's stretch.
    window: usize,
    /// The calls of the present rank: a hash of each one's records.
    calls: Vec<u64>,
    /// The communicators of the present rank.
    communicators: Option<Prediction>,
    /// The places of collectives of all ranks of the job.
    together: Vec<u64>,
    /// Whether there is nothing to be found.
    over: bool,
}

impl Search {
    /// Starts a rank, which has communicators besides `MPI_COMM_WORLD`.
    pub(super) fn start_rank(&mut self, rank: u32, ranks: u32, communicators: &[Communicator]) {
        let context = RankContext::new(rank, ranks, "", 0);
        self.job_ranks = ranks;
        self.communicators = Some(Prediction::new(&context, communicators.to_vec(), Timing::Early));
    }

    /// Adds an operation of the present rank. Returns false once the search is over, because the
    /// ranks have marks of iterations already, or too many calls.
    pub(super) fn add(&mut self, op: &Op) -> bool {
        if matches!(op, Op::IterationStart(_) | Op::IterationEnd) {
            self.over = true;
        }
        if self.over || matches!(op, Op::Compute(_)) {
            return !self.over;
        }
        // A context is used once, so each turn of a loop has another one.
        let alike = match op {
            Op::CommJoin(_, group) => Cow::Owned(Op::CommJoin(0, group.clone())),
            _ => Cow::Borrowed(op),
        };
        let Ok((first, second)): Result<Encoded, _> = encode(&alike, &mut self.lists, &mut None)
        else {
            self.over = true; // the merge names the fault
            return false;
        };
        match (op, &mut self.communicators) {
            (Op::Collective(id, _) | Op::Icollective(id, ..), Some(rank))
                if rank.communicator(*id).is_some_and(|of| of.size() == self.job_ranks) =>
            {
                self.together.push(self.calls.len() as u64);
            }
            (
                Op::CommDup(_)
                | Op::CommSplit(..)
                | Op::CommCreate(..)
                | Op::CommJoin(..)
                | Op::CommFree(_),
                Some(rank),
            ) => {
                rank.outcome(op);
            }
            _ => {}
        }
        let mut hash = DefaultHasher::new();
        hash.write(&first.to_bytes());
        if let Some(second) = second {
            hash.write(&second.to_bytes());
        }
        self.calls.push(hash.finish());
        self.over = self.calls.len() > MOST_CALLS;
        !self.over
    }

    /// Ends the present rank.
    pub(super) fn end_rank(&mut self) {
        let stretch = stretch::longest(&self.calls, &mut self.window);
        let (mut before, mut inside) = (0, Vec::new());
        if let Some(Stretch { first, period, .. }) = stretch {
            before = self.together.partition_point(|place| *place < first) as u64;
            let places = self.together[before as usize..].iter();
            inside = places.map(|place| place - first).take_while(|at| *at < period).collect();
        }
        self.ranks.push(RankCalls { calls: self.calls.len() as u64, stretch, before, inside });
        self.calls.clear();
        self.together.clear();
    }

    /// The loop of each rank, in the order in which they came; `None` if there is none.
    pub(super) fn finish(self) -> Option<Vec<RankLoop>> {
        if self.over { None } else { common::of_all(&self.ranks) }
    }
}

/// Puts the marks of iterations between the operations of a rank.
#[derive(Debug)]
pub(super) struct Marker {
    of: Option<RankLoop>,
    call: u64,
}

impl Marker {
    /// The marker of a rank.
    pub(super) const fn new(of: Option<RankLoop>) -> Self {
        Self { of, call: 0 }
    }

    /// Hands an operation and the marks around it to `push`. Computing between two iterations
    /// belongs to the later one. Computing before the first iteration can be set-up: it stays out.
    pub(super) fn mark<E>(
        &mut self,
        op: &Op,
        mut push: impl FnMut(&Op) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(RankLoop { first, calls, iterations }) = self.of else { return push(op) };
        if matches!(op, Op::Compute(_)) {
            return push(op);
        }
        let start = |number: u64| {
            let iteration = u32::try_from(number).unwrap_or(u32::MAX);
            Op::IterationStart(IterationMark { iteration, ..IterationMark::default() })
        };
        if self.call == first {
            push(&start(0))?;
        }
        push(op)?;
        self.call += 1;
        let done = self.call.saturating_sub(first);
        if done > 0 && done % calls == 0 && done / calls <= iterations {
            push(&Op::IterationEnd)?;
            if done / calls < iterations {
                push(&start(done / calls))?;
            }
        }
        Ok(())
    }
}

impl RankLoop {
    /// Number of iterations.
    pub(super) const fn iterations(&self) -> u64 {
        self.iterations
    }
}
