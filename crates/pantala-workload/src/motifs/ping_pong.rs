//! Ping-pong: pairs of ranks send a message back and forth.
//!
//! Ember's PingPong, BiPingPong and AllPingPong of SST elements. The pairs are rank 0 and one other
//! rank, or each rank of the lower half with the rank half the job above it. In an iteration the
//! lower rank of a pair sends and then receives; the upper rank receives and then sends. With
//! `both_at_once`, both ranks start a receive, send, and wait. An iteration moves two messages per
//! pair.

use pantala_engine::Time;
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IterationContext, Motif, Script, bounded, positive};

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PingPong {
    /// The partner of rank 0; all other ranks are idle. `null`: rank r of the lower half has the
    /// partner r + ranks / 2.
    #[serde(default)]
    pub partner: Option<u32>,
    /// Bytes of a message.
    pub message_bytes: u64,
    /// Number of iterations.
    pub iterations: u32,
    /// Compute time before each exchange, in ps.
    #[serde(default)]
    pub compute_ps: Time,
    /// Whether both ranks of a pair send at once.
    #[serde(default)]
    pub both_at_once: bool,
    /// The calls that send.
    #[serde(default)]
    pub send: CallStyle,
    /// The calls that receive.
    #[serde(default)]
    pub receive: CallStyle,
}

/// The calls of a send or a receive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallStyle {
    /// One blocking call.
    #[default]
    Blocking,
    /// A non-blocking call, then `MPI_Wait`.
    Wait,
    /// A non-blocking call, then `MPI_Waitall`.
    Waitall,
}

/// The tag of Ember's ping-pongs and rings, without the bit that would make it negative.
pub(super) const TAG: i32 = 0x5EAD_BEEF;

impl PingPong {
    /// The partner of a rank, and whether the rank sends first; `None` if the rank is idle.
    fn pair(&self, context: &IterationContext) -> Option<(u32, bool)> {
        let IterationContext { rank, ranks, .. } = *context;
        match self.partner {
            Some(partner) if rank == 0 => Some((partner, true)),
            Some(partner) => (rank == partner).then_some((0, false)),
            None if rank < ranks / 2 => Some((rank + ranks / 2, true)),
            None => Some((rank - ranks / 2, false)),
        }
    }

    fn send(&self, to: u32, script: &mut Script) {
        if self.send == CallStyle::Blocking {
            return script.send(to, TAG, self.message_bytes);
        }
        script.isend(to, TAG, self.message_bytes);
        self.send.finish(script);
    }

    fn receive(&self, from: u32, script: &mut Script) {
        if self.receive == CallStyle::Blocking {
            return script.recv(from, TAG, self.message_bytes);
        }
        script.irecv(from, TAG, self.message_bytes);
        self.receive.finish(script);
    }
}

impl CallStyle {
    fn finish(self, script: &mut Script) {
        match self {
            Self::Waitall => script.waitall(),
            Self::Blocking | Self::Wait => script.wait_each(),
        }
    }
}

impl Motif for PingPong {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        match self.partner {
            Some(partner) if partner == 0 || partner >= ranks => {
                let remedy = if ranks > 1 {
                    format!("write a rank from 1 to {}", ranks - 1)
                } else {
                    "give the job at least 2 ranks".to_owned()
                };
                let message = format!("is not another rank of the job, which has {ranks} ranks");
                return Err(Fault::new("partner", partner, message, remedy));
            }
            None if ranks % 2 != 0 => {
                let message = "an odd number of ranks has no two halves";
                return Err(Fault::new(
                    "partner",
                    ranks,
                    message,
                    "give the job an even number of ranks",
                ));
            }
            _ => {}
        }
        positive("iterations", u64::from(self.iterations))?;
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let Some((partner, first)) = self.pair(context) else { return };
        script.compute(self.compute_ps);
        if self.both_at_once {
            script.irecv(partner, TAG, self.message_bytes);
            script.send(partner, TAG, self.message_bytes);
            script.wait_each();
        } else if first {
            self.send(partner, script);
            self.receive(partner, script);
        } else {
            self.receive(partner, script);
            self.send(partner, script);
        }
    }
}
