//! The writer of operation files: one pass, flat memory, equal blocks once.

use std::collections::HashMap;
use std::io::{self, Write};

use pantala_mpi::Communicator;
use sha2::{Digest as _, Sha256};

use super::contents::hexadecimal;
use super::digest::{Digest, digest};
use super::fault::WriteFault;
use super::format::{Block, END, HASH_OFFSET, MAGIC, NONE, Record, VERSION};
use super::lists::Lists;
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
}

/// The place of a rank's operations and communicators.
#[derive(Clone, Copy, Debug)]
struct RankEntry {
    block: u32,
    communicators: (u32, u32),
    operations: u64,
}

/// Writes an operation file into a writer. Ranks may come in any order, and several at a time.
#[derive(Debug)]
pub struct Writer<W> {
    sink: W,
    hash: Sha256,
    written: u64,
    records: u64,
    pub(super) lists: Lists,
    blocks: Vec<Block>,
    known: HashMap<Digest, u32>,
    first_rank: u32,
    ranks: Vec<Option<RankEntry>>,
    communicators: Vec<[u32; 6]>,
    scratch: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Starts a file with all ranks of a job.
    ///
    /// # Errors
    /// If the header cannot be written.
    pub fn new(sink: W, ranks: u32) -> Result<Self, WriteFault> {
        Self::of_ranks(sink, ranks, 0..ranks)
    }

    /// Starts a file with some ranks of a job of `job_ranks` ranks.
    ///
    /// # Errors
    /// If the header cannot be written.
    pub fn of_ranks(
        sink: W,
        job_ranks: u32,
        ranks: std::ops::Range<u32>,
    ) -> Result<Self, WriteFault> {
        let mut writer = Self {
            sink,
            hash: Sha256::new(),
            written: 0,
            records: 0,
            lists: Lists::default(),
            blocks: Vec::new(),
            known: HashMap::new(),
            first_rank: ranks.start,
            ranks: vec![None; ranks.len()],
            communicators: Vec::new(),
            scratch: Vec::new(),
        };
        let mut header = MAGIC.to_vec();
        for number in [VERSION, job_ranks, ranks.start, ranks.len() as u32, 0, 0] {
            header.extend(number.to_le_bytes());
        }
        writer.write(&header)?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.written += bytes.len() as u64;
        self.sink.write_all(bytes)
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
        self.write(&bytes)?;
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
        self.ranks[place] = Some(RankEntry { block, communicators, operations });
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
            self.numbers(words)?;
        }
        for (first, count) in &lists.table {
            self.numbers(&[*first, *count])?;
        }
        for block in &blocks {
            self.numbers(&[block.first, block.count])?;
        }
        for RankEntry { block, communicators: (first, count), operations } in &ranks {
            let low = u64::from(*block) | u64::from(*first) << 32;
            self.numbers(&[low, u64::from(*count), *operations, 0])?;
        }
        for [context, me, list, first, stride, count] in &communicators {
            let pair = |low: &u32, high: &u32| u64::from(*low) | u64::from(*high) << 32;
            let words = [pair(context, me), pair(list, first), pair(stride, count), 0];
            self.numbers(&words)?;
        }
        let counts = [
            self.records,
            lists.words.len() as u64,
            lists.table.len() as u64,
            blocks.len() as u64,
            ranks.len() as u64,
            communicators.len() as u64,
            0,
        ];
        debug_assert_eq!(8 * counts.len(), HASH_OFFSET);
        self.numbers(&counts)?;
        let hash: [u8; 32] = self.hash.finalize().into();
        self.sink.write_all(&hash)?;
        self.sink.write_all(&END)?;
        self.sink.flush()?;
        Ok(Written {
            hash: hexadecimal(&hash),
            operations: ranks.iter().map(|rank| rank.operations).sum(),
            records: self.records,
            bytes: self.written + (hash.len() + END.len()) as u64,
        })
    }

    fn numbers(&mut self, numbers: &[u64]) -> io::Result<()> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.write(&bytes)
    }
}
