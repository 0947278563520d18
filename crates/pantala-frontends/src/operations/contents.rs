//! The contents of an operation file: opened and checked once, then shared by all ranks.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use pantala_mpi::{Communicator, Request};
use sha2::{Digest, Sha256};

use super::fault::FileFault;
use super::format::{
    BLOCK_BYTES, Block, COMMUNICATOR_BYTES, END, FOOTER_BYTES, HASH_OFFSET, HEADER_BYTES,
    LIST_BYTES, MAGIC, NONE, RANK_BYTES, RECORD_BYTES, Record, VERSION, u32_at, u64_at,
};
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
    lists: Vec<List>,
    blocks: Vec<Block>,
    ranks: Vec<RankEntry>,
    communicators: Vec<Communicator>,
    hash: String,
}

/// The bytes of a file.
#[derive(Debug)]
pub(super) enum Bytes {
    Loaded(Vec<u8>),
    Paged(File),
}

impl Bytes {
    /// Fills a buffer from an offset on.
    pub(super) fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), FileFault> {
        match self {
            Self::Paged(file) => Ok(file.read_exact_at(buffer, offset)?),
            Self::Loaded(bytes) => {
                let from = usize::try_from(offset).unwrap_or(usize::MAX);
                let found = bytes.get(from..).and_then(|rest| rest.get(..buffer.len()));
                let found = found.ok_or_else(|| FileFault::at(offset, "it ends here"))?;
                buffer.copy_from_slice(found);
                Ok(())
            }
        }
    }
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
}

/// The first bytes of the sections and the counts of their entries.
struct Layout {
    records: u64,
    words: (u64, u64),
    lists: (u64, u64),
    blocks: (u64, u64),
    ranks: (u64, u64),
    communicators: (u64, u64),
}

impl Layout {
    fn new(footer: &[u8], size: u64) -> Option<Self> {
        let mut at = HEADER_BYTES as u64;
        let mut section = |number: usize, entry: usize| {
            let count = u64_at(footer, 8 * number);
            let first = at;
            at = count.checked_mul(entry as u64).and_then(|bytes| at.checked_add(bytes))?;
            Some((first, count))
        };
        let (_, records) = section(0, RECORD_BYTES)?;
        let layout = Self {
            records,
            words: section(1, 8)?,
            lists: section(2, LIST_BYTES)?,
            blocks: section(3, BLOCK_BYTES)?,
            ranks: section(4, RANK_BYTES)?,
            communicators: section(5, COMMUNICATOR_BYTES)?,
        };
        (at.checked_add(FOOTER_BYTES as u64) == Some(size)).then_some(layout)
    }
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
            return Self::check(Bytes::Paged(file), size);
        }
        let mut bytes = vec![0; size as usize];
        file.read_exact_at(&mut bytes, 0)?;
        Self::check(Bytes::Loaded(bytes), size)
    }

    /// Checks a file that is in memory.
    ///
    /// # Errors
    /// If it is no complete operation file.
    pub fn of_bytes(bytes: Vec<u8>) -> Result<Self, FileFault> {
        let size = bytes.len() as u64;
        Self::check(Bytes::Loaded(bytes), size)
    }

    fn check(bytes: Bytes, size: u64) -> Result<Self, FileFault> {
        let content = |text: &str| Err(FileFault::Content(text.to_owned()));
        let mut header = [0; HEADER_BYTES];
        let mut footer = [0; FOOTER_BYTES];
        let start = size.min(HEADER_BYTES as u64) as usize;
        bytes.read(&mut header[..start], 0)?;
        if header[..8] != MAGIC {
            return content("is no operation file: its first bytes differ");
        }
        let version = u32_at(&header, 8);
        if version == VERSION.swap_bytes() {
            return content("has numbers in big-endian order; the format is little-endian");
        }
        if version != VERSION {
            return content(&format!(
                "has version {version}; this Pantala reads version {VERSION}"
            ));
        }
        if size >= (HEADER_BYTES + FOOTER_BYTES) as u64 {
            bytes.read(&mut footer, size - FOOTER_BYTES as u64)?;
        }
        if footer[FOOTER_BYTES - 8..] != END {
            return content(&format!(
                "is truncated: its {size} bytes do not end with a footer (its writer did not finish)"
            ));
        }
        let Some(layout) = Layout::new(&footer, size) else {
            return content(&format!(
                "is corrupt at byte {}: the sections of the footer do not fill {size} bytes",
                size - FOOTER_BYTES as u64
            ));
        };
        let (job_ranks, first_rank) = (u32_at(&header, 12), u32_at(&header, 16));
        let ranks = u32_at(&header, 20);
        let last = first_rank.checked_add(ranks);
        if u64::from(ranks) != layout.ranks.1 || last.is_none_or(|last| last > job_ranks) {
            return Err(FileFault::at(12, "the numbers of ranks do not fit each other"));
        }
        let mut contents = Self {
            job_ranks,
            first_rank,
            records: layout.records,
            lists: lists(&bytes, &layout)?,
            blocks: blocks(&bytes, &layout)?,
            ranks: Vec::new(),
            communicators: Vec::new(),
            hash: String::new(),
            bytes,
        };
        contents.read_ranks(&layout)?;
        contents.read_all(size, &footer)?;
        Ok(contents)
    }

    fn read_ranks(&mut self, layout: &Layout) -> Result<(), FileFault> {
        let (mut at, count) = layout.ranks;
        let (first, known) = layout.communicators;
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
            let own = (end - u64::from(communicators.1), end);
            let place = first + own.0 * COMMUNICATOR_BYTES as u64;
            let from = self.communicators.len() as u32;
            self.read_communicators(rank, place, communicators.1)?;
            let operations = u64_at(&entry, 16);
            self.ranks.push(RankEntry {
                block,
                communicators: (from, self.communicators.len() as u32),
                operations,
            });
            at += RANK_BYTES as u64;
        }
        Ok(())
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

    /// Reads the file from its start: checks each record, and the hash.
    fn read_all(&mut self, size: u64, footer: &[u8; FOOTER_BYTES]) -> Result<(), FileFault> {
        let mut hash = Sha256::new();
        let hashed = size - (FOOTER_BYTES - HASH_OFFSET) as u64;
        let first = HEADER_BYTES as u64;
        let records = first..first + self.records * RECORD_BYTES as u64;
        let mut at = 0;
        let mut buffer = vec![0; CHUNK_BYTES.min(hashed as usize)];
        while at < hashed {
            let chunk = (hashed - at).min(CHUNK_BYTES as u64) as usize;
            self.bytes.read(&mut buffer[..chunk], at)?;
            hash.update(&buffer[..chunk]);
            for record in buffer[..chunk].chunks_exact(RECORD_BYTES) {
                if let (true, Some(record)) = (records.contains(&at), record.first_chunk()) {
                    let record = Record::from_bytes(record);
                    self.verify(&record).map_err(|text| self.at_record(at, &text))?;
                }
                at += RECORD_BYTES as u64;
            }
            at += (chunk % RECORD_BYTES) as u64;
        }
        let found: [u8; 32] = hash.finalize().into();
        let stored = &footer[HASH_OFFSET..HASH_OFFSET + 32];
        if stored.iter().any(|byte| *byte != 0) && *stored != found {
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
    let (first_word, words) = layout.words;
    let (mut at, count) = layout.lists;
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
    let (mut at, count) = layout.blocks;
    let mut found = Vec::new();
    let mut entry = [0; BLOCK_BYTES];
    for number in 0..count {
        bytes.read(&mut entry, at)?;
        let block = Block { first: u64_at(&entry, 0), count: u64_at(&entry, 8) };
        if block.first.checked_add(block.count).is_none_or(|end| end > layout.records) {
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
