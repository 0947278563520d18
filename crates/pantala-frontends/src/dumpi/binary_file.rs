//! The parts of a binary file: index, header, footer, sizes of data types.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::functions::Function;
use crate::trace::blocks::Blocks;
use crate::trace::{Position, TraceError};

/// The first eight bytes of a file, and of its index.
pub(super) const MAGIC: [u8; 8] = [0xFF, 0xAA, 0xDD, 0x44, 0x55, 0x4D, 0x50, 0x49];
/// The first number of a footer.
const FOOTER_MAGIC: u64 = 0xF007_FEE7;
/// Numbers of a footer: one per function and the total.
const COUNTS: usize = Function::COUNTED + 1;

/// A version of sst-dumpi.
pub type Version = [u8; 3];

/// The counts of calls in a footer, by number of the function. The last is the total.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footer {
    /// Calls.
    pub called: Vec<u32>,
    /// Calls that were not recorded because profiling was off.
    pub ignored: Vec<u32>,
}

/// A binary file whose parts have been found.
#[derive(Clone, Debug)]
pub struct BinaryFile {
    pub(super) path: Arc<Path>,
    /// The version of the library that wrote the file.
    pub version: Version,
    /// The bytes of the records, with the biases.
    pub(super) body: Range<u64>,
    /// The footer, if the file has one.
    pub footer: Option<Footer>,
    /// Bytes of each data type, by number; empty if the file has no such table.
    pub sizes: Vec<u32>,
    /// Size of the file.
    pub length: u64,
}

/// The offsets of an index. 0 marks an absent part.
#[derive(Clone, Copy, Debug, Default)]
struct Index {
    sizes: u64,
    addresses: u64,
    counters: u64,
    header: u64,
    body: u64,
    footer: u64,
    keyvals: u64,
}

impl BinaryFile {
    /// Opens a file and reads everything but its records.
    ///
    /// # Errors
    /// A [`TraceError`] if the file cannot be read, is truncated or is no DUMPI file.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let length = std::fs::metadata(path)
            .map_err(|error| TraceError::new(path, format!("cannot be read: {error}")))?
            .len();
        let path: Arc<Path> = Arc::from(path);
        let part = |range: Range<u64>| Part(Blocks::new(Arc::clone(&path), range, 4096));
        if length == 0 {
            return Err(TraceError::new(&path, "is empty; copy it again"));
        }
        let mut start = part(0..length);
        let magic = start.array::<8>()?;
        if magic != MAGIC {
            let mut reversed = magic;
            reversed.reverse();
            let message = if reversed == MAGIC {
                "is in little-endian order; DUMPI files are big-endian"
            } else {
                "is no DUMPI file: it does not start with FF AA DD 44 55 4D 50 49"
            };
            return Err(TraceError::new(&path, message).at(Position::Byte(0)));
        }
        let (index, index_at) = find_index(&path, length)?;
        let offsets = [
            index.sizes,
            index.addresses,
            index.counters,
            index.header,
            index.body,
            index.footer,
            index.keyvals,
        ];
        if let Some(wrong) = offsets.iter().find(|offset| **offset > index_at) {
            let message = format!("the index names byte {wrong}, outside of the file");
            return Err(TraceError::new(&path, message).at(Position::Byte(index_at)));
        }
        for (name, offset) in [("records", index.body), ("header", index.header)] {
            if offset == 0 {
                let message = format!("the index names no {name}");
                return Err(TraceError::new(&path, message).at(Position::Byte(index_at)));
            }
        }
        let end = offsets.iter().copied().filter(|offset| *offset > index.body).min();
        let version = part(index.header..index_at).array::<3>()?;
        let footer = match index.footer {
            0 => None,
            offset => Some(part(offset..index_at).footer()?),
        };
        let sizes = match index.sizes {
            0 => Vec::new(),
            offset => part(offset..index_at).numbers()?,
        };
        let body = index.body..end.unwrap_or(index_at);
        Ok(Self { path, version, body, footer, sizes, length })
    }
}

/// Finds the index at a file's end. Older versions have fewer offsets.
fn find_index(path: &Arc<Path>, length: u64) -> Result<(Index, u64), TraceError> {
    for count in [7_u64, 6, 5, 4] {
        let Some(at) = length.checked_sub(8 * (count + 1)) else { continue };
        let mut part = Part(Blocks::new(Arc::clone(path), at..length, 64));
        if at < 8 || part.array::<8>()? != MAGIC {
            continue;
        }
        let mut next = |present| if present { part.number::<8>() } else { Ok(0) };
        let index = Index {
            sizes: next(count > 6)?,
            addresses: next(count > 5)?,
            counters: next(count > 4)?,
            header: next(true)?,
            body: next(true)?,
            footer: next(true)?,
            keyvals: next(true)?,
        };
        return Ok((index, at));
    }
    let message = "has no index at its end, so it is truncated; copy it again, or let the traced \
                   program reach MPI_Finalize";
    Err(TraceError::new(path, message).at(Position::Byte(length)))
}

/// A part of a file, with errors in words.
struct Part(Blocks);

impl Part {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], TraceError> {
        let position = self.0.position();
        match self.0.take(N) {
            Ok(bytes) => Ok(std::array::from_fn(|place| bytes[place])),
            Err(error) => Err(read_error(self.0.path(), position, &error)),
        }
    }

    fn number<const N: usize>(&mut self) -> Result<u64, TraceError> {
        Ok(self.array::<N>()?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn footer(mut self) -> Result<Footer, TraceError> {
        let position = self.0.position();
        if self.number::<8>()? != FOOTER_MAGIC {
            let message = "the footer does not start with F007FEE7; the file is corrupt";
            return Err(TraceError::new(self.0.path(), message).at(Position::Byte(position)));
        }
        let mut counts = || (0..COUNTS).map(|_| Ok(self.number::<4>()? as u32)).collect();
        let called: Result<Vec<u32>, TraceError> = counts();
        Ok(Footer { called: called?, ignored: counts()? })
    }

    fn numbers(mut self) -> Result<Vec<u32>, TraceError> {
        let position = self.0.position();
        let count = self.number::<4>()?;
        if count * 4 > self.0.remaining() {
            let message = format!("the table of {count} sizes is longer than the file");
            return Err(TraceError::new(self.0.path(), message).at(Position::Byte(position)));
        }
        (0..count).map(|_| Ok(self.number::<4>()? as u32)).collect()
    }
}

/// The error of a read at a place of a file.
pub(super) fn read_error(path: &Path, position: u64, error: &io::Error) -> TraceError {
    let message = if error.kind() == io::ErrorKind::UnexpectedEof {
        "ends in the middle of a record or table; the file is truncated or corrupt".to_owned()
    } else {
        format!("cannot be read: {error}")
    };
    TraceError::new(path, message).at(Position::Byte(position))
}
