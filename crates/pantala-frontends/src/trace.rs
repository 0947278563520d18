//! Traces: recorded MPI calls or dependency graphs of a program, replayed by the ranks of a job.
//!
//! [`TraceSpec`] is the plan's form of every format. [`TraceFormat`] lists the formats and tells
//! which one a path has. [`OpenedTrace`] is a trace whose files have been read and checked.
//! [`TraceSummary`] is the result of `pantala trace info`, which each format fills.
//!
//! To add a format, add a variant to [`TraceFormat`], a line to the list `formats!` in
//! `trace/job.rs`, its files to `trace/find.rs`, and a type that implements [`TraceFile`].

mod amplified;
pub mod blocks;
pub(crate) mod bounds;
pub mod collectives;
mod compute;
mod error;
mod file;
mod find;
mod format;
mod hash;
mod job;
mod spec;
mod summary;

pub use amplified::Amplified;
pub(crate) use amplified::{is_unamplified, unamplified};
pub use compute::{ComputeScale, ComputeTimes};
pub(crate) use compute::{is_one, one};
pub use error::{Position, TraceError};
pub use file::TraceFile;
pub use format::TraceFormat;
pub use hash::hash_of;
pub use job::{OpenedTrace, TraceRank, identify};
pub use spec::TraceSpec;
pub(crate) use spec::recorded_calls;
pub use summary::{PairSummary, RankSummary, TraceSummary};
