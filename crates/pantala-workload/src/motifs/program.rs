//! The programs of a motif's ranks. Each executes the scripts of all iterations in order.

use std::sync::Arc;

use pantala_mpi::{Communicator, Fault, Op, Outcome, Program};

use super::{IterationContext, Motif, Script, WorkloadSpec};
use crate::programs::source::{ProgramSource, RankContext};

/// The programs of a motif's ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct MotifProgram {
    /// Always a motif, never a pattern.
    workload: Arc<WorkloadSpec>,
}

impl MotifProgram {
    /// Creates the programs of a motif.
    ///
    /// # Panics If the workload is a pattern.
    #[must_use]
    pub fn new(workload: WorkloadSpec) -> Self {
        assert!(workload.motif().is_some(), "a pattern has no ranks with programs");
        Self { workload: Arc::new(workload) }
    }

    fn motif(&self) -> &dyn Motif {
        self.workload.motif().unwrap_or_else(|| unreachable!("a pattern is refused by `new`"))
    }
}

impl ProgramSource for MotifProgram {
    type Program = MotifRank;

    fn check(&self, ranks: u32) -> Result<(), Fault> {
        self.workload.check(ranks)
    }

    fn communicators(&self, rank: &RankContext) -> Vec<Communicator> {
        self.motif().communicators(&IterationContext::first(rank))
    }

    fn program(&self, rank: RankContext) -> MotifRank {
        let context = IterationContext::first(&rank);
        MotifRank { programs: self.clone(), context, script: Script::default(), position: 0 }
    }
}

/// The program of one rank of a motif.
#[derive(Clone, Debug)]
pub struct MotifRank {
    programs: MotifProgram,
    context: IterationContext,
    /// The operations of the iteration.
    script: Script,
    /// The position in the iteration: 0 for its start mark, then the script, then its end mark.
    position: usize,
}

impl Program for MotifRank {
    fn next(&mut self, _: &Outcome) -> Option<Op> {
        if self.position == 0 {
            let motif = self.programs.motif();
            if self.context.iteration >= motif.iterations() {
                return None;
            }
            self.script.clear();
            motif.iteration(&self.context, &mut self.script);
            self.position = 1;
            return Some(Op::IterationStart);
        }
        if let Some(op) = self.script.at(self.position - 1) {
            self.position += 1;
            return Some(op.clone());
        }
        self.position = 0;
        self.context.iteration += 1;
        Some(Op::IterationEnd)
    }

    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        Some(self.programs.motif().summary(&self.context))
    }
}
