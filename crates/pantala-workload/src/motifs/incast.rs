//! Incast: all ranks send to one.
//!
//! Ember's Incast of SST elements. In an iteration the target starts a receive from every other
//! rank in ascending order and waits for all; the others send with a blocking call. An iteration
//! moves one message per rank but the target.

use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IterationContext, Motif, Script, positive};

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Incast {
    /// The rank that receives.
    pub target: u32,
    /// Bytes of a message.
    pub message_bytes: u64,
    /// Number of iterations.
    pub iterations: u32,
}

/// Ember's tag.
const TAG: i32 = 0x10101;

impl Motif for Incast {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        if self.target >= ranks {
            let message = format!("the job has {ranks} ranks");
            let remedy = format!("write a rank from 0 to {}", ranks.saturating_sub(1));
            return Err(Fault::new("target", self.target, message, remedy));
        }
        positive("iterations", u64::from(self.iterations))
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        if context.rank != self.target {
            return script.send(self.target, TAG, self.message_bytes);
        }
        for source in (0..context.ranks).filter(|rank| *rank != self.target) {
            script.irecv(source, TAG, self.message_bytes);
        }
        script.waitall();
    }
}
