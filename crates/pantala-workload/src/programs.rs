//! The programs of the ranks of finite jobs: one closed list of kinds.
//!
//! A kind is a type that implements [`pantala_mpi::OperationSource`]: it describes the programs of
//! a whole job and makes the program of each rank. To add a kind, add a line to the list
//! `programs!` below. A rank holds its program by value in an enum, so an operation costs one
//! `match` and no virtual call.

mod loops;
mod operation_lists;

use pantala_engine::{NEVER, Stream, Time};
use pantala_frontends::operations::OperationFile;
use pantala_frontends::trace::TraceSpec;
use pantala_mpi::{
    COMM_WORLD, Call, Communicator, CommunicatorId, Fault, IterationMark, Op, OperationSource,
    OperationStream, Outcome, Place, RankContext,
};
use pantala_ncptl::{NcptlSpec, run::log::Log};

use serde::{Deserialize, Serialize};

use crate::compute_noise::Noise;
use crate::job_spec::JobSpec;
use crate::motifs::MotifSource;
use crate::random_streams::{Purpose, stream};

pub(crate) use loops::FEWEST;
use loops::Passes;
pub use loops::{LeftOut, Loop, PerIteration, RecordedComputing, Repeats};
pub use operation_lists::{OperationList, OperationLists};

/// Declares the kinds of programs: [`JobOperations`] with a variant for each source, and the enum
/// of their ranks' programs.
macro_rules! programs {
    ($($(#[$doc:meta])* $Kind:ident($Source:ty),)*) => {
        /// The programs of a job's ranks, of any kind.
        #[derive(Clone, Debug, PartialEq)]
        pub enum JobOperations {
            $($(#[$doc])* $Kind($Source),)*
        }

        /// The program of one rank, of any kind.
        #[derive(Clone, Debug)]
        enum AnyOperations {
            $($Kind(<$Source as OperationSource>::Operations),)*
        }

        impl JobOperations {
            /// Checks the parameters for a job of `ranks` ranks.
            ///
            /// # Errors
            /// A [`Fault`] if the parameters are wrong or do not fit the number of ranks. Its key
            /// is relative to the workload.
            pub fn check(&self, ranks: u32) -> Result<(), Fault> {
                match self {
                    $(Self::$Kind(source) => source.check(ranks),)*
                }
            }

            /// The communicators of a rank besides
            /// [`COMM_WORLD`](pantala_mpi::COMM_WORLD).
            #[must_use]
            pub fn communicators(&self, rank: &RankContext) -> Vec<Communicator> {
                match self {
                    $(Self::$Kind(source) => source.communicators(rank),)*
                }
            }

            /// The loops of the programs of a job of `ranks` ranks, in their order, and what
            /// their operations say of computing times. Programs whose iterations depend on
            /// what happens have none.
            fn own_loops(&self, ranks: u32) -> (Vec<Loop>, RecordedComputing) {
                let loops = match self {
                    Self::Operations(lists) => return loops::found(lists, anybody(ranks)),
                    Self::OperationFile(file) => return loops::found(file, anybody(ranks)),
                    Self::Motif(motifs) => motifs.loops(),
                    Self::Ncptl(program) => loops::of_repetitions(&program.repetitions(ranks)),
                    Self::Trace(_) => Vec::new(),
                };
                (loops, RecordedComputing::default())
            }

            fn program(&self, rank: RankContext) -> AnyOperations {
                match self {
                    $(Self::$Kind(source) => AnyOperations::$Kind(source.program(rank)),)*
                }
            }
        }

        impl OperationStream for AnyOperations {
            #[inline]
            fn next(&mut self, now: Time, outcome: &Outcome) -> Option<Op> {
                match self {
                    $(Self::$Kind(program) => program.next(now, outcome),)*
                }
            }

            fn summary(&self) -> Option<Vec<(Op, u64)>> {
                match self {
                    $(Self::$Kind(program) => program.summary(),)*
                }
            }

            fn place(&self) -> Option<Place> {
                match self {
                    $(Self::$Kind(program) => program.place(),)*
                }
            }
        }
    };
}

programs! {
    /// A motif.
    Motif(MotifSource),
    /// A list of operations for each rank.
    Operations(OperationLists),
    /// A trace.
    Trace(TraceSpec),
    /// A coNCePTuaL program.
    Ncptl(NcptlSpec),
    /// The operations of a file.
    OperationFile(OperationFile),
}

/// A pass of a program that starts again is a cycle if it has at most so many iterations, or anything
/// but iterations.
const MOST_OF_PASS: u32 = 64;

/// A rank of a job of so many ranks whose operations do not depend on its name or on draws.
fn anybody(ranks: u32) -> RankContext {
    RankContext::new(0, ranks, "", 0)
}

impl JobOperations {
    /// The loops of the programs of a job of `ranks` ranks. Programs that start again when they end
    /// (`repeat`) number their iterations on, so that their loop never ends: its cycle is a pass. If
    /// a pass has nothing but many equal iterations, it is that of its iterations.
    #[must_use]
    pub fn loops(&self, ranks: u32, repeat: bool) -> Vec<Loop> {
        self.recorded_loops(ranks, repeat).0
    }

    /// Returns [`Self::loops`] and the computing times of their iterations, if operations state
    /// them.
    #[must_use]
    pub fn recorded_loops(&self, ranks: u32, repeat: bool) -> (Vec<Loop>, RecordedComputing) {
        let (own, computing) = self.own_loops(ranks);
        if !repeat || own.is_empty() && !self.has_equal_passes() {
            return (own, computing);
        }
        let pass = match self.pass(ranks) {
            Passes::Equal(pass) => pass,
            Passes::Endless => return (own, computing),
            Passes::Unnumbered => return (Vec::new(), computing),
        };
        let period = match own[..] {
            // Only the barrier after a pass is missing.
            [Loop { motif: 0, first: 0, end, period }]
                if end == pass.iterations
                    && pass.has_nothing_else
                    && end > MOST_OF_PASS
                    && end % period == 0 =>
            {
                period
            }
            _ => pass.iterations,
        };
        // Passes are equal, so whole ones need no comparison.
        let computing = match own[..] {
            [Loop { first: 0, end, .. }] if end == pass.iterations => computing.repeated(end),
            _ => RecordedComputing::default(),
        };
        (vec![Loop { motif: 0, first: 0, end: u32::MAX, period }], computing)
    }

    /// Whether passes are equal although the iterations of a pass make no loop.
    fn has_equal_passes(&self) -> bool {
        match self {
            Self::Motif(motif) => motif.has_few_iterations(),
            Self::Operations(_) | Self::OperationFile(_) => true,
            Self::Trace(_) | Self::Ncptl(_) => false,
        }
    }

    /// Returns, by rank, whether it does anything in its iterations.
    #[must_use]
    pub fn ranks_that_work(&self, ranks: u32) -> Vec<bool> {
        let works = |number| {
            let rank = RankContext { rank: number, ..anybody(ranks) };
            // Repetitions of a coNCePTuaL program have no marks yet.
            matches!(self, Self::Ncptl(_)) || loops::works(&mut self.program(rank))
        };
        (0..ranks).map(works).collect()
    }

    /// Returns how long a rank computes in the first `iterations` iterations, at least: a bound of
    /// their duration that is known before the run.
    #[must_use]
    pub fn computing_of(&self, ranks: u32, iterations: u32) -> Time {
        const MOST: u32 = 1_000_000;
        let mut program = self.program(anybody(ranks));
        let (mut sum, mut started) = (0, 0);
        for _ in 0..MOST {
            match program.next(0, &Outcome::Done) {
                Some(Op::Compute(time)) => sum += time,
                Some(Op::IterationStart(_)) if started == iterations => return sum,
                Some(Op::IterationStart(_)) => started += 1,
                Some(_) => {}
                None => return sum,
            }
        }
        sum
    }

    /// A pass of the programs of a job. Motifs have the same iterations on all ranks, so two ranks
    /// are looked at; of other programs all are.
    fn pass(&self, ranks: u32) -> Passes {
        let few = matches!(self, Self::Motif(_)) && ranks > 2;
        let numbers = if few { vec![0, ranks - 1] } else { (0..ranks).collect() };
        let of = |number| {
            loops::pass_of_rank(&mut self.program(RankContext { rank: number, ..anybody(ranks) }))
        };
        numbers.into_iter().map(of).reduce(Passes::and).unwrap_or(Passes::Unnumbered)
    }
}

/// The log of one rank's program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankLog {
    /// The number of the job.
    pub job: u16,
    /// The rank.
    pub rank: u32,
    /// The log.
    pub log: Log,
}

/// The program of one rank, with the noise of its job on its compute times.
#[derive(Clone, Debug)]
pub struct RankOperations {
    program: AnyOperations,
    noise: Noise,
    /// The random stream of the noise.
    draws: Stream,
    /// The time from which the rank starts no operation.
    stops_at: Time,
    /// The iterations that it leaves out next.
    left_out: Option<LeftOut>,
    repetition: Option<Box<Repetition>>,
}

/// A program that starts again when it ends.
#[derive(Clone, Debug)]
struct Repetition {
    programs: JobOperations,
    rank: RankContext,
    /// The time of the first operation of this pass; `None` before it.
    began: Option<Time>,
    /// Whether the program has ended and the barrier before the next pass is next.
    ended: bool,
    /// The number of iterations of earlier passes, from which those of this pass are counted.
    earlier: u32,
    /// The number after the highest iteration so far.
    following: u32,
    /// The communicators that this pass has made and not freed.
    made: Vec<CommunicatorId>,
}

impl Repetition {
    /// Returns an operation of this pass. Iterations are numbered over all passes.
    fn numbered(&mut self, operation: Op) -> Op {
        if let Op::CommFree(freed) = operation {
            self.made.retain(|id| *id != freed);
        }
        let Op::IterationStart(mark) = operation else { return operation };
        let iteration = self.earlier.saturating_add(mark.iteration);
        self.following = self.following.max(iteration.saturating_add(1));
        Op::IterationStart(IterationMark { iteration, ..mark })
    }
}

/// The time between two passes of a program that takes no time, so that simulated time goes on.
const REST: Time = 1_000_000;

impl RankOperations {
    /// The program of `rank` of `ranks` in the job called `job`.
    #[must_use]
    pub fn new(
        programs: &JobOperations,
        rank: u32,
        ranks: u32,
        job: &str,
        seed: u64,
        noise: Noise,
    ) -> Self {
        Self {
            program: programs.program(RankContext::new(rank, ranks, job, seed)),
            noise,
            draws: stream(seed, Purpose::Compute, job, rank),
            stops_at: NEVER,
            left_out: None,
            repetition: None,
        }
    }

    /// The program of a rank of `job`, with the job's end and repetition.
    pub(crate) fn of(job: &JobSpec, programs: &JobOperations, rank: u32, seed: u64) -> Self {
        let ranks = job.nodes.len() as u32;
        let repetition = job.repeat.then(|| {
            let rank = RankContext::new(rank, ranks, &job.name, seed);
            Box::new(Repetition {
                programs: programs.clone(),
                rank,
                began: None,
                ended: false,
                earlier: 0,
                following: 0,
                made: Vec::new(),
            })
        });
        let program = Self::new(programs, rank, ranks, &job.name, seed, job.noise);
        Self { stops_at: job.end, repetition, ..program }
    }

    /// Returns the next operation. A program that starts again does so after a barrier of all its
    /// ranks, so that no rank runs ahead of the others. Then it frees the communicators of the
    /// pass, so that those of the next pass have the same numbers.
    fn operation(&mut self, now: Time, outcome: &Outcome) -> Option<Op> {
        let Some(repetition) = &mut self.repetition else {
            let operation = self.program.next(now, outcome);
            return if self.left_out.is_some() { self.beyond(operation, now) } else { operation };
        };
        let began = *repetition.began.get_or_insert(now);
        if !repetition.ended {
            if let Outcome::Communicator(Some(made)) = outcome {
                repetition.made.push(*made);
            }
            if let Some(operation) = self.program.next(now, outcome) {
                return Some(repetition.numbered(operation));
            }
            repetition.ended = true;
            return Some(Op::Collective(COMM_WORLD, Call::Barrier));
        }
        if let Some(made) = repetition.made.pop() {
            return Some(Op::CommFree(made));
        }
        (repetition.began, repetition.ended) = (None, false);
        repetition.earlier = repetition.following;
        self.program = repetition.programs.program(repetition.rank);
        if began == now {
            return Some(Op::Compute(REST));
        }
        self.operation(now, &Outcome::Done)
    }

    /// Marks repetitions that are no iterations of the program, so that they can be left out.
    pub(crate) fn mark_repetitions(&mut self) {
        if let (AnyOperations::Ncptl(program), None) = (&mut self.program, &self.repetition) {
            program.mark_repetitions();
        }
    }

    /// Leaves out iterations that the rank has not started. They are in one loop of the job
    /// ([`JobOperations::loops`]) and do not reach its end; all ranks leave out the same ones.
    pub(crate) fn leave_out(&mut self, iterations: LeftOut) {
        self.left_out = Some(iterations);
        if let AnyOperations::Motif(motif) = &mut self.program {
            motif.leave_out(iterations);
        }
    }

    /// The first operation that is not left out, from `operation` on.
    #[cold]
    fn beyond(&mut self, operation: Option<Op>, now: Time) -> Option<Op> {
        let left_out = self.left_out?;
        let Some(Op::IterationStart(mark)) = &operation else { return operation };
        if !left_out.has(mark) {
            if mark.motif == left_out.motif && mark.iteration >= left_out.first {
                self.left_out = None;
            }
            return operation;
        }
        self.left_out = None;
        loop {
            match self.program.next(now, &Outcome::Done) {
                Some(Op::IterationStart(mark)) if left_out.has(&mark) => {}
                found @ (None | Some(Op::IterationStart(_))) => return found,
                Some(_) => {}
            }
        }
    }

    /// Time is left out: moves the end that the plan sets for the job earlier, if it is later than
    /// `now`, and the clock that the program sees on.
    pub(crate) fn stop_earlier(&mut self, now: Time, time: Time) {
        if let AnyOperations::Ncptl(program) = &mut self.program {
            program.skip(time);
        }
        if self.stops_at != NEVER && self.stops_at > now {
            self.stops_at -= time;
        }
    }

    /// What the program has logged and printed so far, if it is of a kind that does.
    #[must_use]
    pub fn log(&self) -> Option<Log> {
        match &self.program {
            AnyOperations::Ncptl(program) => program.log(),
            _ => None,
        }
    }

    /// Replaces the operations that are left by others, without noise.
    pub(crate) fn replace(&mut self, operations: Vec<Op>) {
        self.program = AnyOperations::Operations(OperationList::new(operations.into()));
        self.noise = Noise::default();
        self.repetition = None;
    }
}

impl OperationStream for RankOperations {
    #[inline]
    fn next(&mut self, now: Time, outcome: &Outcome) -> Option<Op> {
        match self.operation(now, outcome) {
            Some(Op::Compute(time)) => Some(Op::Compute(self.noise.applied(time, &mut self.draws))),
            Some(Op::Icompute(time, request)) => {
                Some(Op::Icompute(self.noise.applied(time, &mut self.draws), request))
            }
            operation => operation,
        }
    }

    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        if self.repetition.is_some() {
            return None; // nobody knows how often it repeats
        }
        self.program.summary()
    }

    #[inline]
    fn stops_at(&self) -> Time {
        self.stops_at
    }

    fn place(&self) -> Option<Place> {
        self.program.place()
    }
}
