//! The operation file: the operations of all ranks of a job, in records of 32 bytes.
//!
//! `docs/reference/operation-file.md` describes the file byte by byte. [`Writer`] writes one rank
//! after the other in flat memory and stores equal iterations once. [`merge`](merge::merge) makes
//! the file of a job from those of its ranks, and marks the iterations that it finds. [`OperationFile`] replays a
//! file. [`export`](export::export) writes the programs of any source whose operations do not
//! depend on the run.

mod agreement;
mod bytes;
mod contents;
mod decode;
mod digest;
mod encode;
pub mod export;
pub mod fault;
pub mod format;
mod iterations;
mod layout;
mod lists;
pub mod merge;
mod packed;
pub mod prediction;
mod rank_stream;
pub mod recorder;
mod replay;
mod source;
pub mod summary;
mod writer;

pub use agreement::{Checked, agreement};
pub use contents::Contents;
pub use export::export;
pub use fault::{FileFault, WriteFault};
pub use merge::{Iterations, merge};
pub use prediction::Prediction;
pub use rank_stream::RankStream;
pub use recorder::Recorder;
pub use replay::Replay;
pub use source::OperationFile;
pub use summary::{FileSummary, summary};
pub use writer::{Writer, Written};
