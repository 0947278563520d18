//! Message rate: one rank sends many messages to another at once.
//!
//! Ember's MsgRate of SST elements, on exactly two ranks. In an iteration rank 1 starts all
//! receives, both ranks meet in a barrier, and rank 0 starts all sends. Both wait for all.

use pantala_mpi::{COMM_WORLD, Call, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IterationContext, Motif, Script, positive};

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageRate {
    /// Messages per iteration.
    pub messages: u32,
    /// Bytes of a message.
    pub message_bytes: u64,
    /// Number of iterations.
    pub iterations: u32,
}

/// Ember's tag, without the bit that would make it negative.
const TAG: i32 = 0x700D_BEEF;

impl Motif for MessageRate {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        if ranks != 2 {
            let message = format!("runs on 2 ranks, but the job has {ranks}");
            return Err(Fault::new("messages", self.messages, message, "give the job 2 ranks"));
        }
        positive("messages", u64::from(self.messages))?;
        positive("iterations", u64::from(self.iterations))
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        if context.rank == 0 {
            script.collective(COMM_WORLD, Call::Barrier);
            (0..self.messages).for_each(|_| script.isend(1, TAG, self.message_bytes));
        } else {
            (0..self.messages).for_each(|_| script.irecv(0, TAG, self.message_bytes));
            script.collective(COMM_WORLD, Call::Barrier);
        }
        script.waitall();
    }
}
