//! A loop of compute and allreduce: distributed training.
//!
//! CosmoFlow and DL of Kang et al. (SC 2022), section IV and Table I, after SST's Allreduce motif.
//! The plan chooses the algorithm of the allreduce.

use pantala_engine::Time;
use pantala_mpi::{COMM_WORLD, Call, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IterationContext, Motif, Script, bounded, positive};

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllreduceLoop {
    /// Bytes of the allreduce.
    pub message_bytes: u64,
    /// Number of iterations.
    pub iterations: u32,
    /// Compute time before each allreduce, in ps.
    #[serde(default)]
    pub compute_ps: Time,
    /// Whether a barrier of all ranks follows each allreduce.
    #[serde(default)]
    pub barrier: bool,
    /// Compute time before the first iteration, in ps.
    #[serde(default)]
    pub start_delay_ps: Time,
}

impl Motif for AllreduceLoop {
    fn check(&self, _ranks: u32) -> Result<(), Fault> {
        positive("message_bytes", self.message_bytes)?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("start_delay_ps", self.start_delay_ps)?;
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn before(&self, _: &IterationContext, script: &mut Script) {
        script.compute(self.start_delay_ps);
    }

    fn iteration(&self, _: &IterationContext, script: &mut Script) {
        script.compute(self.compute_ps);
        script.allreduce(self.message_bytes);
        if self.barrier {
            script.collective(COMM_WORLD, Call::Barrier);
        }
    }
}
