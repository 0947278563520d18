//! Many to many: all other ranks send to a few targets, which receive from any source.
//!
//! Ember's NtoM of SST elements. First all ranks meet in a barrier; the targets have started
//! `receives` receives from any source before it. In an iteration each source sends to all targets
//! in turn with blocking calls. A target waits for its oldest receive and starts another one. It
//! starts as many receives as messages come, while Ember starts `receives` - 1 more, which nothing
//! matches. An iteration moves one message per source and target.

use pantala_mpi::{COMM_WORLD, Call, Fault, Incoming, Op, Source, TagSelect};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ping_pong::TAG;
use super::{IterationContext, Motif, Script, positive};

/// Parameters of the motif.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ManyToMany {
    /// The ranks that receive, each once.
    pub targets: Vec<u32>,
    /// Receives that a target has started at a time.
    pub receives: u32,
    /// Bytes of a message.
    pub message_bytes: u64,
    /// Number of iterations.
    pub iterations: u32,
}

impl ManyToMany {
    /// The messages of all iterations that a target receives.
    fn expected(&self, ranks: u32) -> u64 {
        (u64::from(ranks) - self.targets.len() as u64) * u64::from(self.iterations)
    }

    fn start(&self, request: u64, script: &mut Script) {
        let any = Incoming {
            communicator: COMM_WORLD,
            source: Source::Any,
            tag: TagSelect::Is(TAG),
            bytes: self.message_bytes,
        };
        script.push(Op::Irecv(any, (request % u64::from(self.receives)) as u32));
    }
}

impl Motif for ManyToMany {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        let mut seen = self.targets.clone();
        seen.sort_unstable();
        seen.dedup();
        if seen.len() != self.targets.len() || seen.is_empty() {
            let message = "does not name each target once";
            let shown = format!("{:?}", self.targets);
            return Err(Fault::new("targets", shown, message, "list each target rank once"));
        }
        if let Some(target) = seen.iter().find(|target| **target >= ranks) {
            let message = format!("the job has {ranks} ranks");
            let remedy = format!("write ranks from 0 to {}", ranks.saturating_sub(1));
            return Err(Fault::new("targets", target, message, remedy));
        }
        if seen.len() as u64 == u64::from(ranks) {
            let shown = format!("{:?}", self.targets);
            let message = "no rank is left that sends";
            return Err(Fault::new("targets", shown, message, "leave out at least one rank"));
        }
        positive("receives", u64::from(self.receives))?;
        if self.receives > pantala_mpi::MAX_REQUESTS {
            let remedy = format!("give at most {}", pantala_mpi::MAX_REQUESTS);
            return Err(Fault::new("receives", self.receives, "is too large", remedy));
        }
        positive("iterations", u64::from(self.iterations))
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn before(&self, context: &IterationContext, script: &mut Script) {
        if self.targets.contains(&context.rank) {
            let first = u64::from(self.receives).min(self.expected(context.ranks));
            (0..first).for_each(|request| self.start(request, script));
        }
        script.collective(COMM_WORLD, Call::Barrier);
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let IterationContext { rank, ranks, iteration, .. } = *context;
        if !self.targets.contains(&rank) {
            for target in &self.targets {
                script.send(*target, TAG, self.message_bytes);
            }
            return;
        }
        let (all, sources) = (self.expected(ranks), ranks - self.targets.len() as u32);
        let receives = u64::from(self.receives);
        let first = u64::from(iteration) * u64::from(sources);
        for message in first..first + u64::from(sources) {
            script.push(Op::Wait((message % receives) as u32));
            if message + receives < all {
                self.start(message + receives, script);
            }
        }
    }
}
