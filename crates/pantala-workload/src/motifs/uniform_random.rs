//! Uniform random: a new random permutation of the ranks every iteration, everybody sends to its image.
//!
//! UR of Kang et al. (SC 2022), section IV, SST's `Random` motif: the permutation of an iteration is the same on
//! all ranks; a rank starts the receive from its pre-image and the send to its image, and waits for both. A rank
//! that the permutation maps to itself sends nothing in that iteration (on average one rank an iteration).

use pantala_engine::Time;
use pantala_engine::random::key_of;
use pantala_mpi::{Fault, Incoming, Op, Outcome, Outgoing, Program, Source, TagSelect, WORLD};
use serde::{Deserialize, Serialize};

use super::{Position, bounded, positive};
use crate::permutation::Permutation;
use crate::streams::{Purpose, keyed};

/// The motif's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UniformRandom {
    /// Iterations.
    pub iterations: u32,
    /// Bytes of a message.
    pub message_bytes: u64,
    /// Compute time of an iteration, ps.
    #[serde(default)]
    pub compute_ps: Time,
}

impl UniformRandom {
    /// Checks the parameters; any number of ranks will do.
    ///
    /// # Errors
    /// A [`Fault`] if a size or a count is zero, or a time beyond all bounds.
    pub fn check(&self, _ranks: u32) -> Result<(), Fault> {
        positive("message_bytes", self.message_bytes)?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("compute_ps", self.compute_ps)
    }

    /// The program of `rank` of `ranks` in the job called `job`.
    #[must_use]
    pub fn program(&self, rank: u32, ranks: u32, job: &str, seed: u64) -> UniformRandomRank {
        let mut program = UniformRandomRank {
            position: Position::new(self.iterations),
            spec: *self,
            rank,
            ranks,
            permutation: Permutation::new(ranks, 0),
            job: key_of(job),
            seed,
        };
        program.draw();
        program
    }
}

/// One rank.
#[derive(Clone, Copy, Debug)]
pub struct UniformRandomRank {
    position: Position,
    spec: UniformRandom,
    rank: u32,
    ranks: u32,
    /// Of the present iteration.
    permutation: Permutation,
    job: u64,
    seed: u64,
}

impl UniformRandomRank {
    /// Takes up the permutation of the present iteration.
    fn draw(&mut self) {
        let key = keyed(self.seed, Purpose::Permutation, self.job, self.position.iteration).bits();
        self.permutation = self.permutation.with_key(key);
    }
}

impl Program for UniformRandomRank {
    fn next(&mut self, _: &Outcome) -> Option<Op> {
        let bytes = self.spec.message_bytes;
        loop {
            match self.position.step()? {
                0 => return Some(Op::IterationStart),
                1 => return Some(Op::Compute(self.spec.compute_ps)),
                2 => {
                    let source = self.permutation.invert(self.rank);
                    if source != self.rank {
                        let (source, tag) = (Source::Rank(source), TagSelect::Is(0));
                        return Some(Op::Irecv(Incoming { communicator: WORLD, source, tag, bytes }, 0));
                    }
                }
                3 => {
                    let destination = self.permutation.apply(self.rank);
                    if destination != self.rank {
                        return Some(Op::Isend(Outgoing { communicator: WORLD, destination, tag: 0, bytes }, 1));
                    }
                }
                4 => return Some(Op::WAITALL),
                _ => {
                    self.position.turn();
                    self.draw();
                    return Some(Op::IterationEnd);
                }
            }
        }
    }

    /// One iteration in as many as there are ranks is spent alone, on average.
    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        let UniformRandom { message_bytes: bytes, iterations, .. } = self.spec;
        let ranks = u64::from(self.ranks);
        let sends = (u64::from(iterations) * (ranks - 1) + ranks / 2) / ranks;
        let somebody = Outgoing { communicator: WORLD, destination: (self.rank + 1) % self.ranks, tag: 0, bytes };
        Some(vec![(Op::Isend(somebody, 1), sends)])
    }
}
