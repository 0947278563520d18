//! The contents of an operation file: opened and checked once, then shared by all ranks.

use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use pantala_engine::LONGEST_TIME;
use pantala_mpi::{Communicator, Request};

use super::bytes::Bytes;
use super::fault::FileFault;
use super::format::{
    BLOCK_BYTES, Block, COMMUNICATOR_BYTES, HEADER_BYTES, LIST_BYTES, NONE, RANK_BYTES,
    RECORD_BYTES, RECORDS, Record, SECTIONS, TIME_BYTES, TIMES, u32_at, u64_at,
};
use super::layout::{Layout, Section};
use crate::input;

/// Files up to this size are held in memory. Ranks read larger ones in small blocks.
const LOADED_BYTES: u64 = 64 << 20;
/// Bytes read at once by the check of a file; a multiple of the size of a record.
const CHUNK_BYTES: usize = 1 << 20;

/// An operation file.
#[derive(Debug)]
pub struct Contents {
    bytes: Bytes,
    job_ranks: u32,
    first_rank: u32,
    records: u64,
    /// The times of computing: the first byte, and the number of times.
    times: Section,
    lists: Vec<List>,
    blocks: Vec<Block>,
    ranks: Vec<RankEntry>,
    communicators: Vec<Communicator>,
    /// What the file lacks of a captured program, a line per note.
    notes: Vec<String>,
    hash: String,
}

/// A list, with its forms that operations share.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) words: Vec<u64>,
    counts: OnceLock<Arc<[u64]>>,
    requests: OnceLock<Option<Arc<[Request]>>>,
}

impl List {
    /// The list as sizes in bytes.
    pub(super) fn counts(&self) -> Arc<[u64]> {
        Arc::clone(self.counts.get_or_init(|| self.words.as_slice().into()))
    }

    /// The list as requests or ranks; `None` if a word is too large.
    pub(super) fn numbers(&self) -> Option<Arc<[u32]>> {
        let narrow = || self.words.iter().map(|word| u32::try_from(*word).ok()).collect();
        self.requests.get_or_init(narrow).clone()
    }
}

/// The place of a rank's operations and communicators.
#[derive(Clone, Copy, Debug)]
struct RankEntry {
    block: u32,
    communicators: (u32, u32),
    operations: u64,
    first_time: u64,
}

impl Contents {
    /// Opens a file and checks all of it.
    ///
    /// # Errors
    /// If the file cannot be read, or is no complete operation file.
    pub fn open(path: &Path) -> Result<Self, FileFault> {
        Self::open_up_to(path, LOADED_BYTES)
    }

    /// As [`open`](Self::open), but holds the file in memory up to another size.
    ///
    /// # Errors
    /// If the file cannot be read, or is no complete operation file.
    pub fn open_up_to(path: &Path, loaded_bytes: u64) -> Result<Self, FileFault> {
        let file = input::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(std::io::Error::other("it is no file").into());
        }
        let size = metadata.len();
        if size > loaded_bytes {
            return Self::check(Bytes::Paged(file), size, loaded_bytes);
        }
        let mut bytes = vec![0; size as usize];
        file.read_exact_at(&mut bytes, 0)?;
        Self::check(Bytes::Loaded(bytes), size, loaded_bytes)
    }

    /// Checks a file that is in memory.
    ///
    /// # Errors
    /// If it is no complete operation file.
    pub fn of_bytes(bytes: Vec<u8>) -> Result<Self, FileFault> {
        let size = bytes.len() as u64;
        Self::check(Bytes::Loaded(bytes), size, LOADED_BYTES)
    }

    fn check(bytes: Bytes, size: u64, loaded_bytes: u64) -> Result<Self, FileFault> {
        let (layout, bytes) = Layout::read(bytes, size, loaded_bytes)?;
        let mut contents = Self {
            job_ranks: layout.job_ranks,
            first_rank: layout.first_rank,
            records: layout.sections[RECORDS].count,
            times: layout.sections[TIMES],
            lists: lists(&bytes, &layout)?,
            blocks: blocks(&bytes, &layout)?,
            ranks: Vec::new(),
            communicators: Vec::new(),
            notes: Vec::new(),
            hash: String::new(),
            bytes,
        };
        contents.read_ranks(&layout)?;
        contents.read_all(&layout)?;
        Ok(contents)
    }

    fn read_ranks(&mut self, layout: &Layout) -> Result<(), FileFault> {
        let Section { first: mut at, count } = layout.sections[4];
        let Section { first, count: known } = layout.sections[5];
        self.ranks.reserve(count as usize);
        let mut entry = [0; RANK_BYTES];
        for rank in self.first_rank..self.first_rank + count as u32 {
            self.bytes.read(&mut entry, at)?;
            let block = u32_at(&entry, 0);
            let communicators = (u32_at(&entry, 4), u32_at(&entry, 8));
            let end = u64::from(communicators.0) + u64::from(communicators.1);
            if block as usize >= self.blocks.len() || end > known {
                let text = format!("rank {rank} names a block or a communicator that is not there");
                return Err(FileFault::at(at, text));
            }
            let notes = u32_at(&entry, 12);
            if notes > 0 {
                self.notes = self.read_notes(notes - 1).ok_or_else(|| {
                    FileFault::at(at, format!("rank {rank} names a list that is not there"))
                })?;
            }
            let own = (end - u64::from(communicators.1), end);
            let place = first + own.0 * COMMUNICATOR_BYTES as u64;
            let from = self.communicators.len() as u32;
            self.read_communicators(rank, place, communicators.1)?;
            let operations = u64_at(&entry, 16);
            self.ranks.push(RankEntry {
                block,
                communicators: (from, self.communicators.len() as u32),
                operations,
                first_time: u64_at(&entry, 24),
            });
            at += RANK_BYTES as u64;
        }
        Ok(())
    }

    /// The lines of the text in a list.
    fn read_notes(&self, list: u32) -> Option<Vec<String>> {
        let words = &self.lists.get(list as usize)?.words;
        let text: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let text = String::from_utf8_lossy(&text);
        Some(text.trim_end_matches('\0').lines().map(str::to_owned).collect())
    }

    fn read_communicators(&mut self, rank: u32, mut at: u64, count: u32) -> Result<(), FileFault> {
        let own = self.communicators.len();
        let mut entry = [0; COMMUNICATOR_BYTES];
        for _ in 0..count {
            self.bytes.read(&mut entry, at)?;
            let [context, me, list, first, stride, count] =
                [0, 4, 8, 12, 16, 20].map(|offset| u32_at(&entry, offset));
            let found = if list == NONE {
                let last = u64::from(count).saturating_sub(1) * u64::from(stride);
                let inside = u64::from(first) + last < u64::from(self.job_ranks);
                inside.then(|| Communicator::strided(context, first, stride, count, me))
            } else {
                let members = self.lists.get(list as usize).and_then(List::numbers);
                let members = members.filter(|m| m.iter().all(|member| *member < self.job_ranks));
                members.map(|members| Communicator::list(context, members, me))
            };
            let sound = found.filter(|found| {
                context > 0
                    && context <= Communicator::MAX_CONTEXT / 2
                    && found.rank(me) == Some(rank)
                    && self.communicators[own..].iter().all(|other| other.context() != context)
            });
            let Some(sound) = sound else {
                let text = format!(
                    "communicator {} of rank {rank} lacks the rank, has ranks outside the job or the context of another one",
                    self.communicators.len() - own + 1
                );
                return Err(FileFault::at(at, text));
            };
            self.communicators.push(sound);
            at += COMMUNICATOR_BYTES as u64;
        }
        Ok(())
    }

    /// Reads all sections: checks each record and each time, and the hash.
    fn read_all(&mut self, layout: &Layout) -> Result<(), FileFault> {
        let mut hash = layout.start_hash();
        let mut buffer = Vec::new();
        for (number, (section, entry)) in layout.sections.iter().zip(SECTIONS).enumerate() {
            let mut at = section.first;
            let end = at + section.count * entry as u64;
            while at < end {
                buffer.resize((end - at).min(CHUNK_BYTES as u64) as usize, 0);
                self.bytes.read(&mut buffer, at)?;
                hash.update(&buffer);
                if number == RECORDS {
                    for (record, offset) in buffer.chunks_exact(entry).zip((at..).step_by(entry)) {
                        let Some(record) = record.first_chunk() else { continue };
                        self.verify(&Record::from_bytes(record))
                            .map_err(|text| self.at_record(offset, &text))?;
                    }
                } else if number == TIMES {
                    let long = |time: &[u8]| u64_at(time, 0) > LONGEST_TIME;
                    if let Some(long) = buffer.chunks_exact(entry).position(long) {
                        let offset = at + (long * entry) as u64;
                        return Err(FileFault::at(offset, "a time is longer than any run"));
                    }
                }
                at += buffer.len() as u64;
            }
            hash.end_section();
        }
        let found = layout.end_hash(hash);
        if layout.hash != [0; 32] && layout.hash != found {
            return Err(FileFault::Content("is corrupt: its content does not fit its hash".into()));
        }
        self.hash = hexadecimal(&found);
        Ok(())
    }

    /// A fault of the record at an offset, with a rank that executes it.
    fn at_record(&self, offset: u64, text: &str) -> FileFault {
        let record = (offset - HEADER_BYTES as u64) / RECORD_BYTES as u64;
        let holds = |block: &Block| record.wrapping_sub(block.first) < block.count;
        let owner = self.ranks.iter().position(|rank| holds(&self.blocks[rank.block as usize]));
        match owner {
            Some(rank) => {
                let rank = self.first_rank + rank as u32;
                FileFault::at(offset, format_args!("rank {rank}: {text}"))
            }
            None => FileFault::at(offset, text),
        }
    }

    /// What the file lacks of the program that it was captured from.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The SHA-256 of the content, in hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Number of ranks of the job.
    #[must_use]
    pub const fn job_ranks(&self) -> u32 {
        self.job_ranks
    }

    /// The ranks in the file.
    #[must_use]
    pub fn ranks(&self) -> std::ops::Range<u32> {
        self.first_rank..self.first_rank + self.ranks.len() as u32
    }

    /// Number of operations of all ranks; 0 if the writer did not count them.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.ranks.iter().fold(0, |sum, rank| sum.saturating_add(rank.operations))
    }

    /// Number of records in the file.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// The communicators of a rank in the file, besides `COMM_WORLD`.
    #[must_use]
    pub fn communicators(&self, rank: u32) -> &[Communicator] {
        let (first, end) = self.entry(rank).map_or((0, 0), |entry| entry.communicators);
        &self.communicators[first as usize..end as usize]
    }

    fn entry(&self, rank: u32) -> Option<&RankEntry> {
        self.ranks.get(rank.checked_sub(self.first_rank)? as usize)
    }

    /// The block with the operations of a rank.
    pub(super) fn block_of(&self, rank: u32) -> Option<u32> {
        self.entry(rank).map(|entry| entry.block)
    }

    /// The number of the first time of computing of a rank.
    pub(super) fn first_time(&self, rank: u32) -> u64 {
        self.entry(rank).map_or(0, |entry| entry.first_time)
    }

    /// Number of times of computing of all ranks.
    pub(super) const fn times(&self) -> u64 {
        self.times.count
    }

    /// The offset of a time of computing, if it is there.
    pub(super) fn time_offset(&self, number: u64) -> Option<u64> {
        (number < self.times.count).then(|| self.times.first + number * TIME_BYTES as u64)
    }

    /// The records of a block.
    pub(super) fn block(&self, number: u32) -> Option<Block> {
        self.blocks.get(number as usize).copied()
    }

    pub(super) fn list(&self, index: u64) -> Option<&List> {
        self.lists.get(usize::try_from(index).ok()?)
    }

    pub(super) const fn bytes(&self) -> &Bytes {
        &self.bytes
    }
}

fn lists(bytes: &Bytes, layout: &Layout) -> Result<Vec<List>, FileFault> {
    let Section { first: first_word, count: words } = layout.sections[1];
    let Section { first: mut at, count } = layout.sections[2];
    let mut found = Vec::new();
    let mut entry = [0; LIST_BYTES];
    // Lists may overlap, but all together are not longer than the file: memory follows its size.
    let mut left = words;
    for number in 0..count {
        bytes.read(&mut entry, at)?;
        let (first, length) = (u64_at(&entry, 0), u64_at(&entry, 8));
        let inside = first.checked_add(length).is_some_and(|end| end <= words);
        let Some(rest) = left.checked_sub(length).filter(|_| inside) else {
            return Err(FileFault::at(at, format!("list {number} is longer than its section")));
        };
        left = rest;
        let mut content = vec![0; 8 * length as usize];
        bytes.read(&mut content, first_word + 8 * first)?;
        let words = (0..length as usize).map(|word| u64_at(&content, 8 * word)).collect();
        found.push(List { words, ..List::default() });
        at += LIST_BYTES as u64;
    }
    Ok(found)
}

fn blocks(bytes: &Bytes, layout: &Layout) -> Result<Vec<Block>, FileFault> {
    let Section { first: mut at, count } = layout.sections[3];
    let mut found = Vec::new();
    let mut entry = [0; BLOCK_BYTES];
    for number in 0..count {
        bytes.read(&mut entry, at)?;
        let block = Block { first: u64_at(&entry, 0), count: u64_at(&entry, 8) };
        if block
            .first
            .checked_add(block.count)
            .is_none_or(|end| end > layout.sections[RECORDS].count)
        {
            return Err(FileFault::at(at, format!("block {number} ends beyond the last record")));
        }
        found.push(block);
        at += BLOCK_BYTES as u64;
    }
    Ok(found)
}

/// Bytes as hexadecimal digits.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
