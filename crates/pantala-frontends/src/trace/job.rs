//! A trace as the programs of a job: it is opened and checked once, and all ranks share it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::{
    Communicator, Fault, Op, OperationSource, OperationStream, Outcome, RankContext,
};

use super::{
    Amplified, ComputeScale, TraceError, TraceFile, TraceFormat, TraceSpec, TraceSummary, hash_of,
};
use crate::{chakra, dumpi, goal};

/// Declares the formats: [`OpenedTrace`] with a variant for each, and the enum of programs.
macro_rules! formats {
    ($($Format:ident($File:ty),)*) => {
        /// A trace whose files have been read and checked.
        #[derive(Clone, Debug)]
        pub enum OpenedTrace {
            $(#[doc = concat!("A trace of the format ", stringify!($Format), ".")] $Format(Arc<$File>),)*
        }

        /// The program of one rank of a trace.
        #[derive(Clone, Debug)]
        #[expect(clippy::large_enum_variant, reason = "a box would cost an indirection per call")]
        pub enum TraceRank {
            $(#[doc = concat!("A rank of the format ", stringify!($Format), ".")]
            $Format(<$File as TraceFile>::Operations),)*
        }

        impl TraceFormat {
            /// The files of the trace at `path`, in a fixed order.
            ///
            /// # Errors
            /// A [`TraceError`] if a file is missing.
            pub fn files(self, path: &Path) -> Result<Vec<PathBuf>, TraceError> {
                match self {
                    $(Self::$Format => <$File as TraceFile>::files(path),)*
                }
            }

            /// Opens the trace at `path`.
            ///
            /// # Errors
            /// A [`TraceError`] if a file is missing or wrong.
            pub fn open(self, path: &Path) -> Result<OpenedTrace, TraceError> {
                match self {
                    $(Self::$Format => {
                        Ok(OpenedTrace::$Format(Arc::new(<$File as TraceFile>::open(path)?)))
                    })*
                }
            }
        }

        impl OpenedTrace {
            /// Number of ranks.
            #[must_use]
            pub fn ranks(&self) -> u32 {
                match self {
                    $(Self::$Format(file) => file.ranks(),)*
                }
            }

            /// Checks that a job can replay the trace.
            ///
            /// # Errors
            /// A [`TraceError`] with the call that cannot be replayed.
            pub fn check(&self) -> Result<(), TraceError> {
                match self {
                    $(Self::$Format(file) => file.check(),)*
                }
            }

            /// The summary of the trace.
            ///
            /// # Errors
            /// A [`TraceError`] if a file is wrong.
            pub fn summary(&self) -> Result<TraceSummary, TraceError> {
                match self {
                    $(Self::$Format(file) => file.summary(),)*
                }
            }

            fn communicators(&self, rank: &RankContext) -> Vec<Communicator> {
                match self {
                    $(Self::$Format(file) => file.communicators(rank),)*
                }
            }

            fn program(&self, scale: ComputeScale, rank: u32) -> TraceRank {
                match self {
                    $(Self::$Format(file) => TraceRank::$Format(file.program(scale, rank)),)*
                }
            }
        }

        impl OperationStream for TraceRank {
            #[inline]
            fn next(&mut self, now: Time, outcome: &Outcome) -> Option<Op> {
                match self {
                    $(Self::$Format(program) => program.next(now, outcome),)*
                }
            }

            fn summary(&self) -> Option<Vec<(Op, u64)>> {
                match self {
                    $(Self::$Format(program) => program.summary(),)*
                }
            }
        }
    };
}

formats! {
    Dumpi(dumpi::DumpiTrace),
    Goal(goal::GoalSchedule),
    Chakra(chakra::ChakraTrace),
}

/// The format, the hash and the number of ranks of the trace at `path`, as a plan states them.
///
/// # Errors
/// A [`TraceError`] if the path is no trace, or a file is missing or wrong.
pub fn identify(path: &Path) -> Result<(TraceFormat, String, u32), TraceError> {
    let format = TraceFormat::find(path)?;
    let hash = hash_of(&format.files(path)?)?;
    let opened = format.open(path)?;
    opened.check()?;
    Ok((format, hash, opened.ranks()))
}

/// Opens the trace of a plan and compares its content with the plan's hash.
fn open(spec: &TraceSpec) -> Result<OpenedTrace, Fault> {
    let path = Path::new(&spec.path);
    let fault = |error: TraceError| {
        let remedy = "give the path of a complete trace; `pantala trace info` reads it by itself";
        Fault::new("path", &spec.path, error.to_string(), remedy)
    };
    let hash = hash_of(&spec.format.files(path).map_err(fault)?).map_err(fault)?;
    if hash != spec.hash {
        let message = format!("the plan's hash of the content is {}", spec.hash);
        return Err(Fault::new("hash", hash, message, "make the plan again from the scenario"));
    }
    let opened = spec.format.open(path).map_err(fault)?;
    opened.check().map_err(fault)?;
    Ok(opened)
}

impl OperationSource for TraceSpec {
    type Operations = Box<Amplified<TraceRank>>;

    fn check(&self, ranks: u32) -> Result<(), Fault> {
        let recorded = self.opened.or_open(|| open(self))?.ranks();
        if recorded == ranks {
            return Ok(());
        }
        Err(Fault::new(
            "path",
            &self.path,
            format!("the trace has {recorded} ranks, the job has {ranks}"),
            format!("give the job {recorded} ranks"),
        ))
    }

    fn communicators(&self, rank: &RankContext) -> Vec<Communicator> {
        self.opened.get().map_or_else(Vec::new, |trace| trace.communicators(rank))
    }

    fn program(&self, rank: RankContext) -> Self::Operations {
        let trace = self.opened.get().expect("a trace is checked before it runs");
        let program = trace.program(self.compute_scale(), rank.rank);
        Box::new(Amplified::new(program, self.amplification))
    }
}
