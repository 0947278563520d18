//! Motifs: built-in communication skeletons, one file each.
//!
//! A file holds the motif's parameters as the plan has them, their check against the number of ranks, and the
//! program of one rank: a few words of position that yield the next operation when asked. To add one: a file, a
//! variant of [`Motif`] and of [`crate::WorkloadSpec`].

pub mod allreduce_loop;
pub mod fft3d;
pub mod halo3d;
pub mod uniform_random;

use pantala_engine::Time;
use pantala_mpi::{Fault, Op, Outcome, Program};

use allreduce_loop::AllreduceLoopRank;
use fft3d::Fft3dRank;
use halo3d::Halo3dRank;
use uniform_random::UniformRandomRank;

/// The program of one rank of a motif.
#[derive(Clone, Debug)]
pub enum Motif {
    /// A random partner every iteration.
    UniformRandom(UniformRandomRank),
    /// A stencil of six neighbours.
    Halo3d(Halo3dRank),
    /// Alltoalls in rows and columns.
    Fft3d(Fft3dRank),
    /// Compute, allreduce, again.
    AllreduceLoop(AllreduceLoopRank),
}

impl Program for Motif {
    #[inline]
    fn next(&mut self, outcome: &Outcome) -> Option<Op> {
        match self {
            Self::UniformRandom(rank) => rank.next(outcome),
            Self::Halo3d(rank) => rank.next(outcome),
            Self::Fft3d(rank) => rank.next(outcome),
            Self::AllreduceLoop(rank) => rank.next(outcome),
        }
    }

    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        match self {
            Self::UniformRandom(rank) => rank.summary(),
            Self::Halo3d(rank) => rank.summary(),
            Self::Fft3d(rank) => rank.summary(),
            Self::AllreduceLoop(rank) => rank.summary(),
        }
    }
}

/// Where a rank is: which iteration, and how far in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) iteration: u32,
    iterations: u32,
    at: u8,
}

impl Position {
    pub(crate) const fn new(iterations: u32) -> Self {
        Self { iteration: 0, iterations, at: 0 }
    }

    /// The next place in the iteration (0, 1, ...), or none after the last iteration.
    #[inline]
    pub(crate) const fn step(&mut self) -> Option<u8> {
        if self.iteration >= self.iterations {
            return None;
        }
        let at = self.at;
        self.at += 1;
        Some(at)
    }

    /// The iteration is over.
    #[inline]
    pub(crate) const fn turn(&mut self) {
        self.iteration += 1;
        self.at = 0;
    }
}

/// No single time of a plan is longer: 10^18 ps, an eighteenth of what the clock holds, so that sums stay on it.
pub const LONGEST: Time = 1_000_000_000_000_000_000;

/// Checks that a time is not beyond all bounds.
///
/// # Errors
/// A [`Fault`] if it is longer than [`LONGEST`].
pub fn bounded(key: &str, time: Time) -> Result<(), Fault> {
    if time > LONGEST {
        return Err(Fault::new(key, time, "longer than any run", "give at most 10^18 ps (11 days)"));
    }
    Ok(())
}

/// Checks that a size or a count is not zero.
pub(crate) fn positive(key: &str, value: u64) -> Result<(), Fault> {
    if value == 0 {
        return Err(Fault::new(key, value, "must be at least 1", "give a positive number"));
    }
    Ok(())
}
