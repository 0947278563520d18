//! The operations of one rank on their way into a file: equal iterations become one block.
//!
//! An iteration, from its start to the start of the next one, is a block. A rank's list of blocks
//! and of operations outside iterations is cut into blocks as well when it grows. So a rank holds a
//! bounded number of records, whatever the length of its program.

use std::io::Write;

use pantala_mpi::Op;

use super::encode::encode;
use super::fault::WriteFault;
use super::format::{NEXT, Record, SAME, TIMED, code};
use super::writer::Writer;

/// A rank holds at most this many records of each level.
const HELD_RECORDS: usize = 4096;

/// The operations of one rank.
#[derive(Debug)]
pub struct RankStream {
    rank: u32,
    operations: u64,
    /// The number of the rank's first time of computing in a packed file.
    first_time: u64,
    /// The number of the last iteration.
    iteration: Option<u32>,
    /// The records of the present iteration, if there is one.
    body: Vec<Record>,
    in_body: bool,
    /// The records before, with runs of earlier iterations; above, runs of earlier parts.
    levels: [Vec<Record>; 3],
}

impl RankStream {
    /// The stream of a rank without operations.
    #[must_use]
    pub fn new(rank: u32) -> Self {
        Self {
            rank,
            operations: 0,
            first_time: 0,
            iteration: None,
            body: Vec::new(),
            in_body: false,
            levels: Default::default(),
        }
    }

    /// The rank.
    #[must_use]
    pub const fn rank(&self) -> u32 {
        self.rank
    }

    /// Number of operations so far.
    #[must_use]
    pub const fn operations(&self) -> u64 {
        self.operations
    }

    /// The number of the rank's first time of computing.
    pub(super) const fn first_time(&self) -> u64 {
        self.first_time
    }

    /// Adds an operation.
    ///
    /// # Errors
    /// If a file cannot hold the operation, or cannot be written.
    pub fn push<W: Write>(&mut self, op: &Op, writer: &mut Writer<W>) -> Result<(), WriteFault> {
        let (mut record, more) =
            encode(op, &mut writer.lists, &mut self.iteration).map_err(|reason| {
                WriteFault::Operation {
                    rank: self.rank,
                    number: self.operations,
                    name: op.name(),
                    reason: reason.to_owned(),
                }
            })?;
        if let Some(times) = writer.times() {
            if self.operations == 0 {
                self.first_time = times;
            }
            if record.code == code::COMPUTE {
                writer.time(record.first)?;
                (record.flags, record.first) = (TIMED, 0);
            }
        }
        self.operations += 1;
        if record.code == code::ITERATION_START && record.tag != SAME {
            self.end_body(writer)?;
            // An iteration with a number of its own equals no other.
            self.in_body = record.tag == NEXT;
        }
        if self.in_body {
            self.body.push(record);
            self.body.extend(more);
            if self.body.len() >= HELD_RECORDS {
                self.end_body(writer)?;
                self.in_body = true;
            }
            return Ok(());
        }
        self.levels[0].push(record);
        self.levels[0].extend(more);
        self.bound(0, writer)
    }

    /// Makes a block of the present iteration.
    fn end_body<W: Write>(&mut self, writer: &mut Writer<W>) -> Result<(), WriteFault> {
        self.in_body = false;
        if self.body.is_empty() {
            return Ok(());
        }
        let block = writer.block(&self.body)?;
        self.body.clear();
        self.run(0, block, writer)
    }

    /// Adds a run of a block to a level.
    fn run<W: Write>(
        &mut self,
        level: usize,
        block: u32,
        writer: &mut Writer<W>,
    ) -> Result<(), WriteFault> {
        match self.levels[level].last_mut() {
            Some(last) if last.code == code::RUN && last.request == block => {
                last.first += 1;
                Ok(())
            }
            _ => {
                let run = Record { code: code::RUN, request: block, first: 1, ..Record::default() };
                self.levels[level].push(run);
                self.bound(level, writer)
            }
        }
    }

    /// Moves the records of a full level into a block of the level above.
    fn bound<W: Write>(&mut self, level: usize, writer: &mut Writer<W>) -> Result<(), WriteFault> {
        if self.levels[level].len() < HELD_RECORDS || level + 1 == self.levels.len() {
            return Ok(());
        }
        let block = writer.block(&self.levels[level])?;
        self.levels[level].clear();
        self.run(level + 1, block, writer)
    }

    /// Gives up memory: writes the records that are held, if they are many. For a rank that waits.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn park<W: Write>(&mut self, writer: &mut Writer<W>) -> Result<(), WriteFault> {
        const FEW: usize = 256;
        if self.body.len() > FEW {
            let inside = self.in_body;
            self.end_body(writer)?;
            self.in_body = inside;
        }
        self.body.shrink_to_fit();
        self.levels[0].shrink_to_fit();
        Ok(())
    }

    /// Writes the rest. Returns the rank's block.
    pub(super) fn finish<W: Write>(mut self, writer: &mut Writer<W>) -> Result<u32, WriteFault> {
        self.end_body(writer)?;
        for level in 0..self.levels.len() - 1 {
            if self.levels[level + 1].is_empty() {
                return writer.block(&self.levels[level]);
            }
            if !self.levels[level].is_empty() {
                let block = writer.block(&self.levels[level])?;
                self.run(level + 1, block, writer)?;
            }
        }
        writer.block(&self.levels[2])
    }
}
