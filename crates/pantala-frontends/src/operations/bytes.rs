//! The bytes of an operation file: in memory, in a plain file, or in a packed one.

use std::fs::File;
use std::os::unix::fs::FileExt;

use super::fault::FileFault;
use super::format::HEADER_BYTES;
use super::packed::Chunks;

/// The bytes of a file. Those of a packed file are its content: the sections one after the other,
/// after a header, as in a plain file.
#[derive(Debug)]
pub(super) enum Bytes {
    Loaded(Vec<u8>),
    Paged(File),
    Packed(Box<Packed>),
}

/// The bytes of a packed file, and the places of its chunks.
#[derive(Debug)]
pub(super) struct Packed {
    file: Bytes,
    chunks: Chunks,
}

impl Bytes {
    /// Fills a buffer from an offset on.
    pub(super) fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), FileFault> {
        match self {
            Self::Paged(file) => Ok(file.read_exact_at(buffer, offset)?),
            Self::Packed(packed) => {
                let Packed { file, chunks } = &**packed;
                chunks.read(buffer, offset, |buffer, offset| file.read(buffer, offset))
            }
            Self::Loaded(bytes) => {
                let from = usize::try_from(offset).unwrap_or(usize::MAX);
                let found = bytes.get(from..).and_then(|rest| rest.get(..buffer.len()));
                let found = found.ok_or_else(|| FileFault::at(offset, "it ends here"))?;
                buffer.copy_from_slice(found);
                Ok(())
            }
        }
    }

    /// The content of a packed file, in memory if it has at most `most` bytes.
    pub(super) fn unpacked(self, chunks: Chunks, most: u64) -> Result<Self, FileFault> {
        let size = chunks.bytes();
        let packed = Self::Packed(Box::new(Packed { file: self, chunks }));
        if size > most {
            return Ok(packed);
        }
        let mut content = vec![0; HEADER_BYTES + size as usize];
        packed.read(&mut content[HEADER_BYTES..], HEADER_BYTES as u64)?;
        Ok(Self::Loaded(content))
    }
}
