//! A file as blocks: a reader that keeps no file open.
//!
//! A trace can have a file for each of 10,000 ranks, and a process may have 1,024 open files. So a
//! reader opens its file for each block, reads the block and closes the file.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::input;

/// The largest block, in bytes.
const LARGEST: u64 = 64 * 1024;
/// The smallest block, in bytes.
const SMALLEST: u64 = 4 * 1024;
/// Bytes of the blocks of all ranks.
const ALL: u64 = 64 << 20;

/// The size of a block if each of `files` files has one in memory.
#[must_use]
pub fn block_size(files: usize) -> usize {
    (ALL / (files as u64).max(1)).clamp(SMALLEST, LARGEST) as usize
}

/// A part of a file, read from its start to its end.
#[derive(Clone, Debug)]
pub struct Blocks {
    path: Arc<Path>,
    buffer: Vec<u8>,
    /// Number of bytes of the buffer that have been taken.
    taken: usize,
    /// The offset in the file of the end of the buffer.
    offset: u64,
    end: u64,
    size: usize,
}

impl Blocks {
    /// A reader of the bytes `range` of a file, in blocks of `size` bytes.
    #[must_use]
    pub const fn new(path: Arc<Path>, range: Range<u64>, size: usize) -> Self {
        Self { path, buffer: Vec::new(), taken: 0, offset: range.start, end: range.end, size }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The offset of the next byte in the file.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.offset - (self.buffer.len() - self.taken) as u64
    }

    /// Number of bytes that are left.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.end - self.position()
    }

    /// Takes the next `count` bytes, at most the size of a block.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if fewer bytes are left, or the error of the read.
    #[inline]
    pub fn take(&mut self, count: usize) -> io::Result<&[u8]> {
        if self.buffer.len() - self.taken < count {
            self.fill(count)?;
        }
        let start = self.taken;
        self.taken += count;
        Ok(&self.buffer[start..self.taken])
    }

    /// Passes over the next `count` bytes.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn skip(&mut self, count: u64) -> io::Result<()> {
        if count > self.remaining() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let held = (self.buffer.len() - self.taken) as u64;
        if count <= held {
            self.taken += count as usize;
        } else {
            self.buffer.clear();
            self.taken = 0;
            self.offset += count - held;
        }
        Ok(())
    }

    /// The bytes in memory that have not been taken; reads a block if there are none. Empty at the
    /// end.
    ///
    /// # Errors
    /// The error of the read.
    pub fn peek(&mut self) -> io::Result<&[u8]> {
        if self.taken == self.buffer.len() && self.remaining() > 0 {
            self.fill(1)?;
        }
        Ok(&self.buffer[self.taken..])
    }

    #[cold]
    fn fill(&mut self, count: usize) -> io::Result<()> {
        if count as u64 > self.remaining() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.buffer.drain(..self.taken);
        self.taken = 0;
        let held = self.buffer.len();
        let wanted = (self.size.max(count) - held).min((self.end - self.offset) as usize);
        let mut file = input::open(&*self.path)?;
        file.seek(SeekFrom::Start(self.offset))?;
        self.buffer.resize(held + wanted, 0);
        if let Err(error) = file.read_exact(&mut self.buffer[held..]) {
            self.buffer.truncate(held);
            return Err(error);
        }
        self.offset += wanted as u64;
        Ok(())
    }

    /// Gives the memory of the block back, once nothing will be read any more.
    pub fn close(&mut self) {
        self.offset = self.position();
        self.end = self.offset;
        (self.buffer, self.taken) = (Vec::new(), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_in_blocks() {
        let path = std::env::temp_dir().join(format!("pantala-blocks-{}", std::process::id()));
        let bytes: Vec<u8> = (0..=255).collect();
        std::fs::write(&path, &bytes).unwrap();
        let mut blocks = Blocks::new(Arc::from(path.as_path()), 10..200, 16);
        assert_eq!(blocks.take(3).unwrap(), &bytes[10..13]);
        assert_eq!(blocks.take(16).unwrap(), &bytes[13..29]);
        blocks.skip(100).unwrap();
        assert_eq!((blocks.position(), blocks.remaining()), (129, 71));
        assert_eq!(blocks.take(16).unwrap(), &bytes[129..145]);
        assert_eq!(blocks.peek().unwrap()[0], 145);
        blocks.skip(2).unwrap();
        assert_eq!(blocks.take(1).unwrap(), &[147]);
        assert_eq!(blocks.skip(53).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        blocks.skip(52).unwrap();
        assert!(blocks.peek().unwrap().is_empty());
        assert_eq!(blocks.take(1).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn many_files_have_small_blocks() {
        assert_eq!(block_size(1), 65_536);
        assert_eq!(block_size(10_000), 6_710);
        assert_eq!(block_size(1_000_000), 4_096);
    }
}
