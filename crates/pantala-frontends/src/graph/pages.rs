//! The graphs of all ranks as bytes: in memory, or in a temporary file if they are large.
//!
//! A rank's part holds its nodes (`Record`, in the order of the file), the dependents of all
//! nodes one after the other (u32), and its roots (u32). All numbers are little-endian.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use pantala_mpi::CommunicatorId;
use strum::VariantArray;
use tempfile::{SpooledData, SpooledTempFile, spooled_tempfile};

use super::stored::{AT_START, StoredGraph};
use super::task::{NO_PROCESSOR, Operation, Task};

/// Graphs up to this size stay in memory.
const LOADED_BYTES: usize = 64 << 20;
/// Nodes that are read at once.
const BLOCK: u32 = 64;
/// The kind of a one-sided send in a record.
const ONE_SIDED: u8 = u8::MAX;
/// Blocks in memory for each rank.
const BLOCKS: usize = 8;

#[derive(Debug)]
enum Bytes {
    Loaded(Vec<u8>),
    /// A temporary file without a name.
    Paged(File),
}

/// Where the part of a rank begins, and what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    offset: u64,
    nodes: u32,
    dependents: u32,
    roots: u32,
}

/// The graphs of all ranks of a job.
#[derive(Debug)]
pub struct Graphs {
    bytes: Bytes,
    ranks: Vec<Place>,
}

impl Graphs {
    /// Number of ranks.
    #[must_use]
    pub fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }

    /// Calls `each` with the tasks of a rank, in the order of the file.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn tasks(&self, rank: u32, mut each: impl FnMut(&Task)) -> io::Result<()> {
        let place = self.place(rank);
        let mut bytes = Vec::new();
        let mut first = 0;
        while first < place.nodes {
            let count = (place.nodes - first).min(1 << 14);
            self.read(place.node(first), count as usize * Record::BYTES, &mut bytes)?;
            bytes.chunks_exact(Record::BYTES).for_each(|record| each(&Record::of(record).task));
            first += count;
        }
        Ok(())
    }

    fn place(&self, rank: u32) -> Place {
        self.ranks.get(rank as usize).copied().unwrap_or_default()
    }

    fn read(&self, offset: u64, length: usize, into: &mut Vec<u8>) -> io::Result<()> {
        into.resize(length, 0);
        match &self.bytes {
            Bytes::Paged(file) => file.read_exact_at(into, offset),
            Bytes::Loaded(bytes) => {
                into.copy_from_slice(&bytes[offset as usize..offset as usize + length]);
                Ok(())
            }
        }
    }

    fn words(&self, offset: u64, count: u32, bytes: &mut Vec<u8>) -> io::Result<Vec<u32>> {
        self.read(offset, 4 * count as usize, bytes)?;
        Ok(bytes.chunks_exact(4).map(|word| u32_at(word, 0)).collect())
    }
}

impl PartialEq for Graphs {
    fn eq(&self, other: &Self) -> bool {
        self.ranks == other.ranks
            && self.ranks.iter().all(|place| {
                let (mut bytes, mut others) = (Vec::new(), Vec::new());
                let length = (place.end() - place.offset) as usize;
                self.read(place.offset, length, &mut bytes).is_ok()
                    && other.read(place.offset, length, &mut others).is_ok()
                    && bytes == others
            })
    }
}

impl Place {
    const fn node(&self, node: u32) -> u64 {
        self.offset + node as u64 * Record::BYTES as u64
    }

    const fn dependent(&self, number: u32) -> u64 {
        self.node(self.nodes) + 4 * number as u64
    }

    const fn root(&self) -> u64 {
        self.dependent(self.dependents)
    }

    const fn end(&self) -> u64 {
        self.root() + 4 * self.roots as u64
    }
}

/// Takes the graphs rank by rank.
#[derive(Debug)]
pub struct GraphsWriter {
    spool: SpooledTempFile,
    buffer: Vec<u8>,
    at: u64,
    ranks: Vec<Place>,
}

impl Default for GraphsWriter {
    fn default() -> Self {
        Self::up_to(LOADED_BYTES)
    }
}

impl GraphsWriter {
    /// A writer that holds graphs in memory up to a size in bytes.
    #[must_use]
    pub fn up_to(loaded_bytes: usize) -> Self {
        let spool = spooled_tempfile(loaded_bytes);
        Self { spool, buffer: Vec::new(), at: 0, ranks: Vec::new() }
    }

    /// Adds the graph of the next rank.
    ///
    /// # Errors
    /// The temporary file cannot be written, in words.
    pub fn add(&mut self, graph: &StoredGraph) -> Result<(), String> {
        let mut place = Place { offset: self.at, nodes: graph.len() as u32, ..Place::default() };
        for node in 0..place.nodes {
            let dependents = graph.dependents(node);
            place.dependents += dependents.len() as u32;
            let prerequisites = graph.prerequisites(node);
            place.roots += u32::from(prerequisites == 0);
            Record {
                task: graph.tasks()[node as usize],
                prerequisites,
                end: place.dependents,
                frees_at_start: dependents.iter().any(|edge| edge & AT_START != 0),
            }
            .write(&mut self.buffer);
            self.flush_beyond(1 << 20)?;
        }
        for node in 0..place.nodes {
            for edge in graph.dependents(node) {
                self.buffer.extend_from_slice(&edge.to_le_bytes());
            }
            self.flush_beyond(1 << 20)?;
        }
        for node in (0..place.nodes).filter(|node| graph.prerequisites(*node) == 0) {
            self.buffer.extend_from_slice(&node.to_le_bytes());
        }
        self.ranks.push(place);
        self.flush_beyond(0)
    }

    fn flush_beyond(&mut self, length: usize) -> Result<(), String> {
        if self.buffer.len() > length {
            self.spool.write_all(&self.buffer).map_err(|error| {
                format!(
                    "the temporary file of its graphs cannot be written in {}: {error}; let TMPDIR \
                     name a directory with more room",
                    std::env::temp_dir().display()
                )
            })?;
            self.at += self.buffer.len() as u64;
            self.buffer.clear();
        }
        Ok(())
    }

    /// The graphs.
    #[must_use]
    pub fn finish(self) -> Graphs {
        let bytes = match self.spool.into_inner() {
            SpooledData::InMemory(cursor) => Bytes::Loaded(cursor.into_inner()),
            SpooledData::OnDisk(file) => Bytes::Paged(file),
        };
        Graphs { bytes, ranks: self.ranks }
    }
}

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) task: Task,
    /// Number of prerequisites.
    pub(super) prerequisites: u32,
    /// Where its dependents end among those of the rank.
    end: u32,
    /// Whether a dependent may start when the node has started.
    pub(super) frees_at_start: bool,
}

impl Record {
    /// u64 size or time, u32 peer, u32 tag, u32 prerequisites, u32 end, u16 processor, u8 kind, u8
    /// flags; for a collective u64 size, u32 root, u32 number, ..., u16 communicator, and the kind
    /// holds the operation.
    const BYTES: usize = 28;

    fn write(&self, into: &mut Vec<u8>) {
        let (kind, long, peer, tag, processor) = match self.task {
            Task::Nothing => (0, 0, 0, 0, NO_PROCESSOR),
            Task::Compute { time, processor } => (1, time, 0, 0, processor),
            Task::Send { bytes, peer, tag, processor, one_sided } => {
                (if one_sided { ONE_SIDED } else { 2 }, bytes, peer, tag as u32, processor)
            }
            Task::Receive { bytes, peer, tag, processor } => {
                (3, bytes, peer, tag as u32, processor)
            }
            Task::Collective { bytes, number, root, communicator, kind } => {
                (4 + kind as u8, bytes, root, number, communicator)
            }
        };
        into.extend_from_slice(&long.to_le_bytes());
        for word in [peer, tag, self.prerequisites, self.end] {
            into.extend_from_slice(&word.to_le_bytes());
        }
        into.extend_from_slice(&processor.to_le_bytes());
        into.extend_from_slice(&[kind, u8::from(self.frees_at_start)]);
    }

    fn of(bytes: &[u8]) -> Self {
        let long = u64::from(u32_at(bytes, 0)) | u64::from(u32_at(bytes, 4)) << 32;
        let (peer, tag) = (u32_at(bytes, 8), u32_at(bytes, 12));
        let processor = u16::from_le_bytes([bytes[24], bytes[25]]);
        let task = match bytes[26] {
            0 => Task::Nothing,
            1 => Task::Compute { time: long, processor },
            kind @ (2 | ONE_SIDED) => {
                let one_sided = kind == ONE_SIDED;
                Task::Send { bytes: long, peer, tag: tag as i32, processor, one_sided }
            }
            3 => Task::Receive { bytes: long, peer, tag: tag as i32, processor },
            kind => Task::Collective {
                bytes: long,
                number: tag,
                root: peer,
                communicator: CommunicatorId::from(processor),
                kind: Operation::VARIANTS[usize::from(kind - 4)],
            },
        };
        Self {
            task,
            prerequisites: u32_at(bytes, 16),
            end: u32_at(bytes, 20),
            frees_at_start: bytes[27] != 0,
        }
    }
}

/// Some nodes of a rank that follow each other, with their dependents.
#[derive(Clone, Debug, Default)]
struct Block {
    /// The number of the block plus one; 0 if there is none.
    number: u32,
    nodes: Vec<Record>,
    /// The place of the first dependent among those of the rank.
    first: u32,
    dependents: Vec<u32>,
}

/// Reads the nodes of one rank, with a few blocks in memory.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    graphs: Arc<Graphs>,
    place: Place,
    blocks: Box<[Block]>,
    bytes: Vec<u8>,
}

impl Pages {
    pub(super) fn new(graphs: Arc<Graphs>, rank: u32) -> Self {
        let place = graphs.place(rank);
        let blocks = vec![Block::default(); BLOCKS].into();
        Self { graphs, place, blocks, bytes: Vec::new() }
    }

    /// Number of nodes.
    pub(super) const fn len(&self) -> u32 {
        self.place.nodes
    }

    /// The nodes without prerequisites, in the order of the file.
    pub(super) fn roots(&mut self) -> io::Result<Vec<u32>> {
        self.graphs.words(self.place.root(), self.place.roots, &mut self.bytes)
    }

    /// A node.
    #[inline]
    pub(super) fn node(&mut self, node: u32) -> io::Result<Record> {
        Ok(self.block(node)?.nodes[(node % BLOCK) as usize])
    }

    /// The edges to the dependents of a node.
    pub(super) fn dependents(&mut self, node: u32) -> io::Result<&[u32]> {
        let (block, index) = (self.block(node)?, (node % BLOCK) as usize);
        let start = index.checked_sub(1).map_or(block.first, |before| block.nodes[before].end);
        let end = block.nodes[index].end;
        Ok(&block.dependents[(start - block.first) as usize..(end - block.first) as usize])
    }

    /// The block of a node, in memory.
    #[inline]
    fn block(&mut self, node: u32) -> io::Result<&Block> {
        let number = node / BLOCK;
        let place = number as usize % BLOCKS;
        if self.blocks[place].number != number + 1 {
            self.read(number, place)?;
        }
        Ok(&self.blocks[place])
    }

    #[cold]
    fn read(&mut self, number: u32, place: usize) -> io::Result<()> {
        let block = &mut self.blocks[place];
        block.number = 0;
        // The node before the block says where the dependents of the block begin.
        let first = number * BLOCK;
        let before = u32::from(first > 0);
        let count = BLOCK.min(self.place.nodes - first) + before;
        let offset = self.place.node(first - before);
        self.graphs.read(offset, count as usize * Record::BYTES, &mut self.bytes)?;
        block.nodes.clear();
        block.nodes.extend(self.bytes.chunks_exact(Record::BYTES).map(Record::of));
        block.first = if before > 0 { block.nodes.remove(0).end } else { 0 };
        let end = block.nodes.last().map_or(block.first, |node| node.end);
        let offset = self.place.dependent(block.first);
        block.dependents = self.graphs.words(offset, end - block.first, &mut self.bytes)?;
        block.number = number + 1;
        Ok(())
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
