//! The programs of a job's ranks. Each executes the scripts of its motifs, iteration by iteration,
//! one motif after another.

use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::{
    COMM_WORLD, Communicator, Fault, IterationMark, Op, OperationSource, OperationStream, Outcome,
    RankContext,
};

use super::sequence::{communicators, communicators_before};
use super::{IterationContext, Motif, Script, WorkloadSpec};
use crate::programs::{FEWEST, LeftOut, Loop};

/// The programs of the ranks of a motif, or of a sequence of motifs.
#[derive(Clone, Debug, PartialEq)]
pub struct MotifSource {
    /// Never a pattern.
    workload: Arc<WorkloadSpec>,
}

impl MotifSource {
    /// Creates the programs of a motif or a sequence.
    ///
    /// # Panics If the workload is a pattern.
    #[must_use]
    pub fn new(workload: WorkloadSpec) -> Self {
        assert!(!workload.is_endless(), "a pattern has no ranks with programs");
        Self { workload: Arc::new(workload) }
    }

    /// The loops of the motifs, in their order.
    pub(crate) fn loops(&self) -> Vec<Loop> {
        let of = |(part, spec): (u16, &WorkloadSpec)| {
            let motif = spec.motif()?;
            let repeats = motif.repeats()?;
            let end = motif.iterations();
            let shortest = repeats.first.saturating_add(repeats.period.saturating_mul(FEWEST));
            (end >= shortest).then_some(Loop {
                motif: part,
                first: repeats.first,
                end,
                period: repeats.period,
            })
        };
        (0..).zip(self.workload.parts()).filter_map(of).collect()
    }

    /// Whether the workload is one motif whose iterations are equal, but too few for a loop.
    pub(crate) fn has_few_iterations(&self) -> bool {
        let [spec] = self.workload.parts() else { return false };
        let equal = spec.motif().is_some_and(|motif| motif.repeats().is_some());
        equal && self.loops().is_empty()
    }

    fn motif(&self, part: u16) -> Option<&dyn Motif> {
        self.workload.parts().get(usize::from(part)).and_then(WorkloadSpec::motif)
    }
}

impl OperationSource for MotifSource {
    type Operations = MotifRank;

    fn check(&self, ranks: u32) -> Result<(), Fault> {
        self.workload.check(ranks)
    }

    fn communicators(&self, rank: &RankContext) -> Vec<Communicator> {
        communicators(self.workload.parts(), &IterationContext::first(rank))
    }

    fn program(&self, rank: RankContext) -> MotifRank {
        MotifRank {
            programs: self.clone(),
            rank,
            part: 0,
            stage: Stage::Before,
            script: Script::default(),
            position: 0,
            left_out: None,
        }
    }
}

/// The program of one rank of a job with motifs.
#[derive(Clone, Debug)]
pub struct MotifRank {
    programs: MotifSource,
    rank: RankContext,
    /// The number of the motif.
    part: u16,
    /// The part of the motif that follows the script.
    stage: Stage,
    script: Script,
    /// The position in the script.
    position: usize,
    /// The iterations that it leaves out next.
    left_out: Option<LeftOut>,
}

/// A part of a motif.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The operations before the first iteration.
    Before,
    /// An iteration, by its number; with the number of iterations, the operations after the last.
    Iteration(u32),
}

impl MotifRank {
    /// Leaves out iterations that the rank has not started.
    pub(crate) const fn leave_out(&mut self, iterations: LeftOut) {
        self.left_out = Some(iterations);
    }

    /// Writes the script of the next stage. Returns whether there is one.
    fn write(&mut self) -> bool {
        let Self { programs, rank, part, stage, script, position, left_out } = self;
        let Some(motif) = programs.motif(*part) else { return false };
        *position = 0;
        *stage = match *stage {
            Stage::Before => {
                let first = context(rank, *part, 0);
                let before = communicators_before(programs.workload.parts(), *part, &first);
                script.start(before, None);
                motif.before(&first, script);
                Stage::Iteration(0)
            }
            Stage::Iteration(next) if next < motif.iterations() => {
                let gap = left_out.filter(|gap| (gap.motif, gap.first) == (*part, next));
                let iteration = gap.map_or(next, |gap| next + gap.count);
                let mark = IterationMark { iteration, motif: *part, phase: None };
                script.start(script.communicators(), Some(mark));
                motif.iteration(&context(rank, *part, iteration), script);
                script.end();
                Stage::Iteration(iteration + 1)
            }
            Stage::Iteration(_) => {
                script.start(script.communicators(), None);
                motif.after(&context(rank, *part, motif.iterations()), script);
                *part += 1;
                Stage::Before
            }
        };
        true
    }
}

/// The context of an iteration of a motif. The motifs of a job draw from different streams.
const fn context(rank: &RankContext, part: u16, iteration: u32) -> IterationContext {
    let RankContext { rank, ranks, job, seed } = *rank;
    IterationContext { rank, ranks, iteration, job: job.wrapping_add(part as u64), seed }
}

impl OperationStream for MotifRank {
    #[inline]
    fn next(&mut self, _: Time, _: &Outcome) -> Option<Op> {
        loop {
            if let Some(op) = self.script.at(self.position) {
                self.position += 1;
                return Some(op.clone());
            }
            if !self.write() {
                return None;
            }
        }
    }

    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        let parts = self.programs.workload.parts();
        let mut sent = Vec::new();
        for (part, spec) in (0..).zip(parts) {
            let Some(motif) = spec.motif() else { continue };
            let first = context(&self.rank, part, 0);
            let mut script = Script::default();
            motif.before(&first, &mut script);
            motif.after(&first, &mut script);
            let once = script.sends().map(|op| (op, 1));
            let before = communicators_before(parts, part, &first);
            let of_all_motifs = |op| match op {
                Op::Collective(id, call) if id != COMM_WORLD => Op::Collective(before + id, call),
                Op::Icollective(id, call, request) if id != COMM_WORLD => {
                    Op::Icollective(before + id, call, request)
                }
                op => op,
            };
            let all = once.chain(motif.summary(&first));
            sent.extend(all.map(|(op, times)| (of_all_motifs(op), times)));
        }
        Some(sent)
    }
}
