//! A token ring: a message goes from rank to rank, once around per iteration.
//!
//! Ember's Ring of SST elements. Rank 0 sends, then receives; all others receive, then send. All
//! calls block. An iteration moves one message per rank.

use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ping_pong::TAG;
use super::{IterationContext, Motif, Script, positive};

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenRing {
    /// Bytes of the message.
    pub message_bytes: u64,
    /// Number of iterations.
    pub iterations: u32,
}

impl Motif for TokenRing {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        if ranks < 2 {
            return Err(Fault::new(
                "iterations",
                self.iterations,
                "a ring of one rank has no neighbours",
                "give the job at least 2 ranks",
            ));
        }
        positive("iterations", u64::from(self.iterations))
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let IterationContext { rank, ranks, .. } = *context;
        let (before, after) = ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
        if rank == 0 {
            script.send(after, TAG, self.message_bytes);
            script.recv(before, TAG, self.message_bytes);
        } else {
            script.recv(before, TAG, self.message_bytes);
            script.send(after, TAG, self.message_bytes);
        }
    }
}
