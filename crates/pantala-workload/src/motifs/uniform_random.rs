//! Uniform random: in every iteration, each rank sends to its image under a new random permutation.
//!
//! UR of Kang et al. (SC 2022), section IV: SST's `Random` motif. The permutation of an iteration
//! is equal on all ranks. A rank starts the receive from its preimage and the send to its image,
//! and waits for both. A rank that the permutation maps to itself sends nothing in that iteration:
//! on average one rank per iteration.

use pantala_engine::Time;
use pantala_mpi::{COMM_WORLD, Fault, Op, Outgoing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IterationContext, Motif, Script, bounded, positive};
use crate::permutation::Permutation;
use crate::random_streams::Purpose;

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniformRandom {
    /// Number of iterations.
    pub iterations: u32,
    /// Bytes of a message.
    pub message_bytes: u64,
    /// Compute time per iteration, in ps.
    #[serde(default)]
    pub compute_ps: Time,
}

impl Motif for UniformRandom {
    fn check(&self, _ranks: u32) -> Result<(), Fault> {
        positive("message_bytes", self.message_bytes)?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let permutation =
            Permutation::new(context.ranks, context.common_draws(Purpose::Permutation).bits());
        let (source, destination) =
            (permutation.invert(context.rank), permutation.apply(context.rank));
        script.compute(self.compute_ps);
        if destination != context.rank {
            script.irecv(source, 0, self.message_bytes);
            script.isend(destination, 0, self.message_bytes);
            script.waitall();
        }
    }

    /// On average a rank is its own image once in as many iterations as there are ranks.
    fn summary(&self, context: &IterationContext) -> Vec<(Op, u64)> {
        let ranks = u64::from(context.ranks);
        let sends = (u64::from(self.iterations) * (ranks - 1) + ranks / 2) / ranks;
        let destination = (context.rank + 1) % context.ranks;
        let somebody =
            Outgoing { communicator: COMM_WORLD, destination, tag: 0, bytes: self.message_bytes };
        vec![(Op::Isend(somebody, 1), sends)]
    }
}
