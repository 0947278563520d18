//! The file of one rank, in either form.

use std::path::{Path, PathBuf};

use super::binary_file::{BinaryFile, Footer};
use super::binary_records::BinaryRecords;
use super::files::is_binary;
use super::record::Record;
use super::text_records::TextRecords;
use crate::trace::TraceError;

/// The file of one rank.
#[derive(Clone, Debug)]
pub enum RankFile {
    /// A binary file.
    Binary(Box<BinaryFile>),
    /// A text file of dumpi2ascii.
    Text(PathBuf),
}

/// A reader of the records of a file.
#[derive(Clone, Debug)]
pub enum Records {
    /// Of a binary file.
    Binary(BinaryRecords),
    /// Of a text file.
    Text(Box<TextRecords>),
}

impl RankFile {
    /// Opens the file of a rank.
    ///
    /// # Errors
    /// A [`TraceError`] if the file cannot be read or is no DUMPI file.
    pub fn open(path: &Path, rank: u32) -> Result<Self, TraceError> {
        let is_text = path.extension().is_some_and(|end| end == "txt" || end == "ascii");
        if is_text && !is_binary(path) {
            return Ok(Self::Text(path.to_owned()));
        }
        BinaryFile::open(path)
            .map(|file| Self::Binary(Box::new(file)))
            .map_err(|error| error.of_rank(rank))
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Binary(file) => &file.path,
            Self::Text(path) => path,
        }
    }

    /// The footer of a binary file. The counts in a text are known at its end only.
    #[must_use]
    pub fn footer(&self) -> Option<&Footer> {
        match self {
            Self::Binary(file) => file.footer.as_ref(),
            Self::Text(_) => None,
        }
    }

    /// The table of the sizes of data types; empty if there is none.
    #[must_use]
    pub fn sizes(&self) -> &[u32] {
        match self {
            Self::Binary(file) => &file.sizes,
            Self::Text(_) => &[],
        }
    }

    /// A reader of the records, in blocks of `block` bytes.
    ///
    /// # Errors
    /// A [`TraceError`] if the file cannot be read.
    pub fn records(&self, block: usize) -> Result<Records, TraceError> {
        Ok(match self {
            Self::Binary(file) => Records::Binary(BinaryRecords::new(file, block)),
            Self::Text(path) => Records::Text(Box::new(TextRecords::new(path, block)?)),
        })
    }
}

impl Records {
    /// Reads the next record. Returns whether there was one.
    ///
    /// # Errors
    /// A [`TraceError`] if the file cannot be read or is corrupt.
    #[inline]
    pub fn read(&mut self, record: &mut Record) -> Result<bool, TraceError> {
        match self {
            Self::Binary(records) => records.read(record),
            Self::Text(records) => records.read(record),
        }
    }
}
