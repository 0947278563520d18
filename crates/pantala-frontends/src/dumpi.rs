//! DUMPI: traces of the MPI calls of each rank, as sst-dumpi writes them.
//!
//! A trace is a .meta file and a binary file per rank, or the text that dumpi2ascii writes of each.
//! The readers yield records ([`Record`]) one by one. The interpreter turns them into steps: sends,
//! receives, waits for exactly the requests that completed, collectives, computing. A survey of all
//! files precedes the run (`survey.rs`). The replay of a rank then reads its file again, block by
//! block.
//!
//! | file | content |
//! | --- | --- |
//! | `functions.rs` | all functions: number, arguments, meaning |
//! | `files.rs`, `rank_file.rs` | the files of a trace |
//! | `binary_file.rs`, `binary_records.rs`, `text_records.rs` | the readers |
//! | `interpreter.rs`, `steps.rs` | the meaning of records |
//! | `survey.rs`, `communicators.rs`, `matching.rs` | the pass over all files before a run |
//! | `replay.rs` | the program of a rank |
//! | `summary.rs` | `pantala trace info` |

pub mod binary_file;
pub mod binary_records;
mod collective_order;
mod communicators;
mod data_types;
mod files;
pub mod functions;
mod given;
mod handles;
mod interpreter;
mod matching;
pub mod rank_file;
pub mod record;
mod replay;
mod requests;
mod steps;
mod summary;
mod survey;
pub mod text_records;
mod trace;

pub use files::{Files, recognizes};
pub use functions::{Function, Meaning};
pub use record::Record;
pub use replay::DumpiRank;
pub use trace::DumpiTrace;
