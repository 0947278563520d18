//! Data-parallel training as Horovod does it: the coordinator says what is ready, then all ranks
//! sum it.
//!
//! AlexNet of Wang et al. (IPDPS 2020), sections IV.B and V; Sergeev and Del Balso, *Horovod: fast
//! and easy distributed deep learning in TensorFlow*, arXiv:1802.05799, 2018. Before the first
//! update rank 0 broadcasts the parameters, tensor by tensor, and the ranks agree on what they need
//! to. An update: compute, small broadcasts of the coordinator (rank 0), and an allreduce for each
//! buffer of gradients. In all, a rank calls bcast
//! `parameter_bytes + iterations x negotiation_bytes` times (their lengths), and allreduce
//! `start_bytes + iterations x gradient_bytes` times.

use pantala_engine::Time;
use pantala_mpi::{COMM_WORLD, Call, Fault, Op};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IterationContext, Motif, Script, bounded, positive, summed};

/// The motif's parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Horovod {
    /// Updates.
    pub iterations: u32,
    /// Bytes of each tensor that is broadcast before the first update.
    pub parameter_bytes: Vec<u64>,
    /// Bytes of each allreduce before the first update.
    pub start_bytes: Vec<u64>,
    /// Bytes of each broadcast before an update.
    pub negotiation_bytes: Vec<u64>,
    /// Bytes of each allreduce of an update.
    pub gradient_bytes: Vec<u64>,
    /// Compute time of an update, ps.
    #[serde(default)]
    pub compute_ps: Time,
}

impl Motif for Horovod {
    fn check(&self, _ranks: u32) -> Result<(), Fault> {
        positive("iterations", u64::from(self.iterations))?;
        if self.gradient_bytes.is_empty() {
            return Err(Fault::new(
                "gradient_bytes",
                "[]",
                "an update sums nothing",
                "give one size at least",
            ));
        }
        for (key, sizes) in [
            ("parameter_bytes", &self.parameter_bytes),
            ("start_bytes", &self.start_bytes),
            ("negotiation_bytes", &self.negotiation_bytes),
            ("gradient_bytes", &self.gradient_bytes),
        ] {
            sizes.iter().try_for_each(|bytes| positive(key, *bytes))?;
        }
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let bcasts = |script: &mut Script, sizes: &[u64]| {
            for &bytes in sizes {
                script.collective(COMM_WORLD, Call::Bcast { root: 0, bytes });
            }
        };
        let sums = |script: &mut Script, sizes: &[u64]| {
            for &bytes in sizes {
                script.allreduce(bytes);
            }
        };
        if context.iteration == 0 {
            bcasts(script, &self.parameter_bytes);
            sums(script, &self.start_bytes);
        }
        script.compute(self.compute_ps);
        bcasts(script, &self.negotiation_bytes);
        sums(script, &self.gradient_bytes);
    }

    fn summary(&self, context: &IterationContext) -> Vec<(Op, u64)> {
        summed(self, context, &[(0, 1), (1, self.iterations - 1)])
    }
}
