//! Uniform random: a new random permutation of the ranks every iteration, everybody sends to its
//! image.
//!
//! UR of Kang et al. (SC 2022), section IV, SST's `Random` motif: the permutation of an iteration
//! is the same on all ranks; a rank starts the receive from its pre-image and the send to its
//! image, and waits for both. A rank that the permutation maps to itself sends nothing in that
//! iteration (on average one rank an iteration).

use pantala_engine::Time;
use pantala_mpi::{Fault, Op, Outgoing, COMM_WORLD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Motif, Place, Script, bounded, positive};
use crate::permutation::Permutation;
use crate::streams::Purpose;

/// The motif's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

impl Motif for UniformRandom {
    fn check(&self, _ranks: u32) -> Result<(), Fault> {
        positive("message_bytes", self.message_bytes)?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, place: &Place, script: &mut Script) {
        let permutation = Permutation::new(place.ranks, place.common_draws(Purpose::Permutation).bits());
        let (source, destination) = (permutation.invert(place.rank), permutation.apply(place.rank));
        script.compute(self.compute_ps);
        if destination != place.rank {
            script.irecv(source, 0, self.message_bytes);
            script.isend(destination, 0, self.message_bytes);
            script.waitall();
        }
    }

    /// One iteration in as many as there are ranks is spent alone, on average.
    fn summary(&self, place: &Place) -> Vec<(Op, u64)> {
        let ranks = u64::from(place.ranks);
        let sends = (u64::from(self.iterations) * (ranks - 1) + ranks / 2) / ranks;
        let destination = (place.rank + 1) % place.ranks;
        let somebody = Outgoing { communicator: COMM_WORLD, destination, tag: 0, bytes: self.message_bytes };
        vec![(Op::Isend(somebody, 1), sends)]
    }
}
