//! Faults of operation files.

use std::io;

/// A fault of an operation file that is read.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The content is wrong.
    #[error("{0}")]
    Content(String),
    /// The calls of the ranks do not fit together.
    #[error("{0}")]
    Calls(String),
}

impl FileFault {
    /// A fault at an offset in bytes.
    pub(super) fn at(offset: u64, text: impl std::fmt::Display) -> Self {
        Self::Content(format!("is corrupt at byte {offset}: {text}"))
    }

    /// The instruction that corrects the fault.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Io(_) => "name a readable operation file",
            Self::Content(_) => "write the file again",
            Self::Calls(_) => "complete the calls in what wrote the file, and write it again",
        }
    }
}

/// A fault in writing an operation file.
#[derive(Debug, thiserror::Error)]
pub enum WriteFault {
    /// The file cannot be written.
    #[error("cannot be written: {0}")]
    Io(#[from] io::Error),
    /// A file that is read for it has a fault.
    #[error("{path}: {fault}")]
    Read {
        /// The file's name.
        path: String,
        /// The fault.
        fault: FileFault,
    },
    /// The operation has no place in a file.
    #[error("rank {rank}: operation {number} ({name}): {reason}")]
    Operation {
        /// The rank.
        rank: u32,
        /// The number of the operation in the rank's program, from 0.
        number: u64,
        /// The operation's name.
        name: &'static str,
        /// The reason.
        reason: String,
    },
    /// The ranks are not complete.
    #[error("{0}")]
    Ranks(String),
}
