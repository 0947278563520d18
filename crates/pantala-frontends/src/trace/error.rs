//! Errors of traces: one line with the file, the rank and the place in the file.

use std::fmt;
use std::path::{Path, PathBuf};

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The offset of a byte, from 0.
    Byte(u64),
    /// The number of a line, from 1.
    Line(u64),
}

/// A fault of a trace's files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct TraceError {
    /// The file.
    pub file: PathBuf,
    /// The rank, if the fault concerns one.
    pub rank: Option<u32>,
    /// The place in the file, if the fault has one.
    pub position: Option<Position>,
    /// The fault and its remedy.
    pub message: String,
}

impl TraceError {
    /// A fault of a file.
    #[must_use]
    pub fn new(file: &Path, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), rank: None, position: None, message: message.into() }
    }

    /// Adds the place in the file to the fault.
    #[must_use]
    pub fn at(mut self, position: Position) -> Self {
        self.position = Some(position);
        self
    }

    /// Adds the rank whose file has the fault.
    #[must_use]
    pub fn of_rank(mut self, rank: u32) -> Self {
        self.rank = Some(rank);
        self
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(rank) = self.rank {
            write!(f, ", rank {rank}")?;
        }
        match self.position {
            Some(Position::Byte(offset)) => write!(f, ", byte {offset}")?,
            Some(Position::Line(line)) => write!(f, ", line {line}")?,
            None => {}
        }
        write!(f, ": {}", self.message)
    }
}
