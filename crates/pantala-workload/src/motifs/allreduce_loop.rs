//! Compute, then allreduce, again and again: CosmoFlow.
//!
//! Kang et al. (SC 2022), section IV and Table I: distributed training of CosmoFlow is an allreduce of 28.15 MB
//! every 129 ms, both divided by 25 in the paper (1.126 MB and 5.16 ms). The allreduce's algorithm is the plan's.

use pantala_engine::Time;
use pantala_mpi::{Call, Fault, Op, Outcome, Program, WORLD};
use serde::{Deserialize, Serialize};

use super::{Position, bounded, positive};

/// The motif's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllreduceLoop {
    /// Bytes that are reduced.
    pub message_bytes: u64,
    /// Iterations.
    pub iterations: u32,
    /// Compute time before each allreduce, ps.
    #[serde(default)]
    pub compute_ps: Time,
}

impl AllreduceLoop {
    /// Checks the parameters; any number of ranks will do.
    ///
    /// # Errors
    /// A [`Fault`] if a size or a count is zero, or a time beyond all bounds.
    pub fn check(&self, _ranks: u32) -> Result<(), Fault> {
        positive("message_bytes", self.message_bytes)?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("compute_ps", self.compute_ps)
    }

    /// The program of any rank.
    #[must_use]
    pub const fn program(&self) -> AllreduceLoopRank {
        AllreduceLoopRank { position: Position::new(self.iterations), spec: *self }
    }
}

/// One rank.
#[derive(Clone, Copy, Debug)]
pub struct AllreduceLoopRank {
    position: Position,
    spec: AllreduceLoop,
}

impl Program for AllreduceLoopRank {
    fn next(&mut self, _: &Outcome) -> Option<Op> {
        Some(match self.position.step()? {
            0 => Op::IterationStart,
            1 => Op::Compute(self.spec.compute_ps),
            2 => Op::Collective(WORLD, Call::Allreduce { bytes: self.spec.message_bytes }),
            _ => {
                self.position.turn();
                Op::IterationEnd
            }
        })
    }

    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        let AllreduceLoop { message_bytes: bytes, iterations, .. } = self.spec;
        Some(vec![(Op::Collective(WORLD, Call::Allreduce { bytes }), iterations.into())])
    }
}
