//! The writer of operation files: one pass, flat memory, equal blocks once.

use std::collections::HashMap;
use std::io::{self, Write};

use pantala_mpi::Communicator;
use sha2::{Digest as _, Sha256};

use super::contents::hexadecimal;
use super::digest::{Digest, digest};
use super::fault::WriteFault;
use super::format::{Block, END, NONE, PACKED_VERSION, RECORDS, Record, TIMES, VERSION, header};
use super::lists::Lists;
use super::packed::Packer;
use super::rank_stream::RankStream;

/// Blocks that the writer remembers. Later blocks can equal only these.
const REMEMBERED_BLOCKS: usize = 1 << 20;

/// A finished file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The SHA-256 of the content, in hexadecimal digits.
    pub hash: String,
    /// Number of operations of all ranks.
    pub operations: u64,
    /// Number of records in the file.
    pub records: u64,
    /// Size of the file.
    pub bytes: u64,
    /// Number of iterations of each rank that were found in its calls; 0 if none were.
    pub iterations: u64,
}

/// The place of a rank's operations and communicators.
#[derive(Clone, Copy, Debug)]
struct RankEntry {
    block: u32,
    communicators: (u32, u32),
    operations: u64,
    first_time: u64,
}

/// How the sections lie in the file.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one per file")]
enum Form {
    /// One after the other, plain: their hash and their size so far.
    Plain(Sha256, u64),
    /// In compressed chunks.
    Packed(Packer),
}

/// Writes an operation file into a writer. Ranks may come in any order, and several at a time.
#[derive(Debug)]
pub struct Writer<W> {
    sink: W,
    form: Form,
    records: u64,
    times: u64,
    pub(super) lists: Lists,
    blocks: Vec<Block>,
    known: HashMap<Digest, u32>,
    first_rank: u32,
    ranks: Vec<Option<RankEntry>>,
    communicators: Vec<[u32; 6]>,
    /// The list with the notes, plus 1; 0 without notes.
    notes: u32,
    scratch: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Starts a plain file with all ranks of a job.
    ///
    /// # Errors
    /// If the header cannot be written.
    pub fn new(sink: W, ranks: u32) -> Result<Self, WriteFault> {
        Self::of_ranks(sink, ranks, 0..ranks)
    }

    /// Starts a plain file with some ranks of a job of `job_ranks` ranks.
    ///
    /// # Errors
    /// If the header cannot be written.
    pub fn of_ranks(
        mut sink: W,
        job_ranks: u32,
        ranks: std::ops::Range<u32>,
    ) -> Result<Self, WriteFault> {
        let header = header(VERSION, job_ranks, &ranks);
        sink.write_all(&header)?;
        let form = Form::Plain(Sha256::new_with_prefix(header), header.len() as u64);
        Ok(Self::in_form(sink, form, ranks))
    }

    /// Starts a packed file with all ranks of a job. Times of computing are stored apart from the
    /// records, so ranks must come one after another.
    ///
    /// # Errors
    /// If the header cannot be written.
    pub fn packed(mut sink: W, ranks: u32) -> Result<Self, WriteFault> {
        let packer = Packer::new(header(PACKED_VERSION, ranks, &(0..ranks)), &mut sink)?;
        Ok(Self::in_form(sink, Form::Packed(packer), 0..ranks))
    }

    fn in_form(sink: W, form: Form, ranks: std::ops::Range<u32>) -> Self {
        Self {
            sink,
            form,
            records: 0,
            times: 0,
            lists: Lists::default(),
            blocks: Vec::new(),
            known: HashMap::new(),
            first_rank: ranks.start,
            ranks: vec![None; ranks.len()],
            communicators: Vec::new(),
            notes: 0,
            scratch: Vec::new(),
        }
    }

    /// Stores what the file lacks of the program that it was captured from, a line per note.
    pub fn note(&mut self, notes: &[String]) {
        if !notes.is_empty() {
            self.notes = self.lists.text(&notes.join("\n")).0 as u32 + 1;
        }
    }

    /// Writes entries of a section. The sections of a plain file come in their order.
    fn write(&mut self, section: usize, bytes: &[u8]) -> io::Result<()> {
        match &mut self.form {
            Form::Plain(hash, written) => {
                hash.update(bytes);
                *written += bytes.len() as u64;
                self.sink.write_all(bytes)
            }
            Form::Packed(packer) => packer.add(section, bytes, &mut self.sink),
        }
    }

    /// The number of times so far; `None` for a plain file, whose records hold the times.
    pub(super) const fn times(&self) -> Option<u64> {
        match self.form {
            Form::Plain(..) => None,
            Form::Packed(_) => Some(self.times),
        }
    }

    /// Writes a time of computing of a packed file.
    pub(super) fn time(&mut self, time: u64) -> io::Result<()> {
        self.times += 1;
        self.write(TIMES, &time.to_le_bytes())
    }

    /// Writes records as a block, unless an equal one is there. Returns its number.
    pub(super) fn block(&mut self, records: &[Record]) -> Result<u32, WriteFault> {
        let mut bytes = std::mem::take(&mut self.scratch);
        bytes.clear();
        bytes.extend(records.iter().flat_map(|record| record.to_bytes()));
        let key = digest(&bytes);
        if let Some(known) = self.known.get(&key) {
            self.scratch = bytes;
            return Ok(*known);
        }
        let number = u32::try_from(self.blocks.len()).ok().filter(|number| *number != NONE);
        let number = number.ok_or_else(|| WriteFault::Ranks("more than 2^32 blocks".into()))?;
        self.write(RECORDS, &bytes)?;
        self.scratch = bytes;
        self.blocks.push(Block { first: self.records, count: records.len() as u64 });
        self.records += records.len() as u64;
        if self.known.len() < REMEMBERED_BLOCKS {
            self.known.insert(key, number);
        }
        Ok(number)
    }

    /// Ends a rank: writes the rest of its operations. `communicators` are those that the rank has
    /// from the start, besides `COMM_WORLD`.
    ///
    /// # Errors
    /// If the file cannot be written, or the rank is not of this file or is there already.
    pub fn end_rank(
        &mut self,
        stream: RankStream,
        communicators: &[Communicator],
    ) -> Result<(), WriteFault> {
        let (rank, operations) = (stream.rank(), stream.operations());
        let first_time = stream.first_time();
        let place = rank.wrapping_sub(self.first_rank) as usize;
        if self.ranks.get(place).is_none_or(Option::is_some) {
            return Err(WriteFault::Ranks(format!("rank {rank} is outside, or is there twice")));
        }
        let block = stream.finish(self)?;
        let first = self.communicators.len() as u32;
        for communicator in communicators {
            let entry = self.communicator(communicator);
            self.communicators.push(entry);
        }
        let communicators = (first, communicators.len() as u32);
        self.ranks[place] = Some(RankEntry { block, communicators, operations, first_time });
        Ok(())
    }

    fn communicator(&mut self, communicator: &Communicator) -> [u32; 6] {
        let members: Vec<u32> =
            (0..communicator.size()).filter_map(|member| communicator.rank(member)).collect();
        let (context, me) = (communicator.context(), communicator.me());
        let first = members.first().copied().unwrap_or(0);
        let stride = members.get(1).map_or(1, |second| second.wrapping_sub(first));
        let regular = members.windows(2).all(|pair| pair[0].checked_add(stride) == Some(pair[1]));
        if regular {
            return [context, me, NONE, first, stride, members.len() as u32];
        }
        let list = self.lists.index(members.into_iter().map(u64::from));
        [context, me, list as u32, 0, 0, 0]
    }

    /// Writes the tables and the footer.
    ///
    /// # Errors
    /// If the file cannot be written, or a rank is missing.
    pub fn finish(mut self) -> Result<Written, WriteFault> {
        let missing = self.ranks.iter().position(Option::is_none);
        if let Some(missing) = missing {
            let rank = self.first_rank + missing as u32;
            return Err(WriteFault::Ranks(format!("rank {rank} is missing")));
        }
        let ranks: Vec<RankEntry> = self.ranks.iter().flatten().copied().collect();
        let lists = std::mem::take(&mut self.lists);
        let blocks = std::mem::take(&mut self.blocks);
        let communicators = std::mem::take(&mut self.communicators);
        for words in lists.words.chunks(1 << 13) {
            self.numbers(1, words)?;
        }
        for (first, count) in &lists.table {
            self.numbers(2, &[*first, *count])?;
        }
        for block in &blocks {
            self.numbers(3, &[block.first, block.count])?;
        }
        let mut notes = self.notes; // in the entry of the first rank
        for RankEntry { block, communicators: (first, count), operations, first_time } in &ranks {
            let low = u64::from(*block) | u64::from(*first) << 32;
            let high = u64::from(*count) | u64::from(std::mem::take(&mut notes)) << 32;
            self.numbers(4, &[low, high, *operations, *first_time])?;
        }
        for [context, me, list, first, stride, count] in &communicators {
            let pair = |low: &u32, high: &u32| u64::from(*low) | u64::from(*high) << 32;
            let words = [pair(context, me), pair(list, first), pair(stride, count), 0];
            self.numbers(5, &words)?;
        }
        let (hash, size) = match self.form {
            Form::Packed(packer) => packer.finish(&mut self.sink)?,
            Form::Plain(mut hash, written) => {
                let counts = [
                    self.records,
                    lists.words.len() as u64,
                    lists.table.len() as u64,
                    blocks.len() as u64,
                    ranks.len() as u64,
                    communicators.len() as u64,
                    0,
                ];
                let counts = counts.map(u64::to_le_bytes).concat();
                self.sink.write_all(&counts)?;
                hash.update(&counts);
                (hash.finalize().into(), written + counts.len() as u64)
            }
        };
        self.sink.write_all(&hash)?;
        self.sink.write_all(&END)?;
        self.sink.flush()?;
        Ok(Written {
            hash: hexadecimal(&hash),
            operations: ranks.iter().map(|rank| rank.operations).sum(),
            records: self.records,
            bytes: size + (hash.len() + END.len()) as u64,
            iterations: 0,
        })
    }

    fn numbers(&mut self, section: usize, numbers: &[u64]) -> io::Result<()> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.write(section, &bytes)
    }
}
