//! Data-parallel training with Horovod: the coordinator announces which tensors are ready, then all
//! ranks sum them.
//!
//! AlexNet of Wang et al. (IPDPS 2020), sections IV.B and V; Sergeev and Del Balso, *Horovod: fast
//! and easy distributed deep learning in TensorFlow*, arXiv:1802.05799, 2018. Before the first
//! update, rank 0 broadcasts the parameters tensor by tensor, and the ranks call the `start_bytes`
//! allreduces. An update is compute, small broadcasts by the coordinator (rank 0), and one
//! allreduce per buffer of gradients. In total a rank calls bcast once per entry of
//! `parameter_bytes` and, in every iteration, once per entry of `negotiation_bytes`. It calls
//! allreduce once per entry of `start_bytes` and, in every iteration, once per entry of
//! `gradient_bytes`.

use pantala_engine::Time;
use pantala_mpi::{COMM_WORLD, Call, Fault, Op};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::programs::Repeats;
use super::{IterationContext, Motif, Script, bounded, positive, summed};

/// Parameters of the motif.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Horovod {
    /// Number of updates.
    pub iterations: u32,
    /// Bytes of each broadcast of a tensor before the first update.
    pub parameter_bytes: Vec<u64>,
    /// Bytes of each allreduce before the first update.
    pub start_bytes: Vec<u64>,
    /// Bytes of each broadcast at the start of an update.
    pub negotiation_bytes: Vec<u64>,
    /// Bytes of each allreduce of an update, one per gradient buffer.
    pub gradient_bytes: Vec<u64>,
    /// Compute time per update, in ps.
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
                "an update needs an allreduce",
                "give at least one size",
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

    fn repeats(&self) -> Option<Repeats> {
        Some(Repeats { first: 1, period: 1 })
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
