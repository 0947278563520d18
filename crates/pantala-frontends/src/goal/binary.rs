//! The binary form of GOAL, which `txt2bin` makes of the text. Little-endian.
//!
//! | part | content |
//! | --- | --- |
//! | header | u64 magic number, u32 ranks, u8 largest CPU, u8 largest NIC |
//! | table | for each rank u64 start and u64 end of its part, counted from byte 8 of the file |
//! | a rank | u32 nodes, u32 roots, the roots (u32), the nodes (39 B), the dependents (u32) |
//! | a node | u32 prerequisites, u8 type, u32 peer, u64 size or time, u32 tag, u8 CPU, u8 NIC, u32 count and u32 first place of the dependents after its end, the same for those after its start |

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use super::GoalSchedule;
use super::operations::{ANY, Tags, calc, receive, send};
use crate::graph::pages::GraphsWriter;
use crate::graph::stored::{Dependency, MAX_TASKS, StoredGraph};
use crate::trace::TraceError;

const MAGIC: u64 = 4_223;
/// The magic number of a file that a run of LogGOPSim with `--save-mem` has used up.
const CONSUMED: u64 = 2_342;
/// The place from which offsets count.
const BASE: u64 = 8;
const HEADER: u64 = 14;
const NODE: u64 = 39;

/// Whether a file that begins with these bytes is a schedule in binary form, whole or not.
pub(super) fn is_binary(start: &[u8]) -> bool {
    let magic = |number: u64| {
        let bytes = number.to_le_bytes();
        start.starts_with(&bytes)
            || start.starts_with(&number.to_be_bytes())
            || start.len() > 1 && bytes.starts_with(start)
    };
    magic(MAGIC) || magic(CONSUMED)
}

/// Reads a schedule in binary form. `file` is its name in messages.
///
/// # Errors
/// What is wrong with the file, and where.
pub fn read_binary(file: &Path, source: impl Read + Seek) -> Result<GoalSchedule, TraceError> {
    let source = BufReader::with_capacity(1 << 16, source);
    let mut reader = Reader { source, length: 0, tags: Tags::default() };
    reader.schedule().map_err(|(rank, message)| {
        let error = TraceError::new(file, message);
        match rank {
            Some(rank) => error.of_rank(rank),
            None => error,
        }
    })
}

struct Reader<R> {
    source: BufReader<R>,
    /// Length of the file.
    length: u64,
    tags: Tags,
}

/// The rank, if the fault concerns one, and what is wrong.
type Wrong = (Option<u32>, String);

impl<R: Read + Seek> Reader<R> {
    fn schedule(&mut self) -> Result<GoalSchedule, Wrong> {
        let whole = |message: String| (None, message);
        self.length = self.source.seek(SeekFrom::End(0)).map_err(|e| whole(e.to_string()))?;
        if self.length < HEADER {
            return Err(whole(format!(
                "the file ends after {} bytes, in its header of {HEADER}; it is truncated",
                self.length
            )));
        }
        self.seek(0).map_err(whole)?;
        match self.u64().map_err(whole)? {
            MAGIC => {}
            CONSUMED => {
                return Err(whole(
                    "a run with --save-mem has used up this schedule; make it again with txt2bin"
                        .to_owned(),
                ));
            }
            magic if magic == MAGIC.swap_bytes() => {
                return Err(whole(
                    "the schedule is big-endian; make it with txt2bin on a little-endian machine"
                        .to_owned(),
                ));
            }
            magic => {
                return Err(whole(format!(
                    "the magic number is {magic}, not {MAGIC}; the file is not a GOAL schedule"
                )));
            }
        }
        let ranks = self.u32().map_err(whole)?;
        let table = HEADER + 16 * u64::from(ranks);
        if ranks == 0 || table > self.length {
            return Err(whole(format!(
                "the header names {ranks} ranks, whose table does not fit in {} bytes",
                self.length
            )));
        }
        let mut graphs = GraphsWriter::default();
        for rank in 0..ranks {
            let graph = self.rank(rank, ranks, table).map_err(|(node, message)| {
                let node = node.map_or_else(String::new, |node| format!("node {node}: "));
                (Some(rank), format!("{node}{message}"))
            })?;
            graphs.add(&graph).map_err(|message| (Some(rank), message))?;
        }
        Ok(GoalSchedule {
            graphs: Arc::new(graphs.finish()),
            file_bytes: 0,
            renumbered_tags: self.tags.numbered(),
            fault: None,
        })
    }

    fn rank(
        &mut self,
        rank: u32,
        ranks: u32,
        table: u64,
    ) -> Result<StoredGraph, (Option<u64>, String)> {
        let whole = |message: String| (None, message);
        self.seek(HEADER + 16 * u64::from(rank)).map_err(whole)?;
        let (start, end) = (self.u64().map_err(whole)?, self.u64().map_err(whole)?);
        let (start, end) = (start.saturating_add(BASE), end.saturating_add(BASE));
        if start < table || end > self.length || end < start.saturating_add(8) {
            return Err(whole(format!(
                "its part goes from byte {start} to {end}, but the file has parts from byte {table} \
                 to {}; the file is truncated or corrupt",
                self.length
            )));
        }
        self.seek(start).map_err(whole)?;
        let (nodes, roots) = (self.u32().map_err(whole)?, self.u32().map_err(whole)?);
        let (nodes, roots) = (u64::from(nodes), u64::from(roots));
        let appendix = 8 + 4 * roots + NODE * nodes;
        let places = (end - start).checked_sub(appendix).ok_or_else(|| {
            whole(format!(
                "its part of {} bytes cannot hold {nodes} nodes and {roots} roots",
                end - start
            ))
        })? / 4;
        if nodes > MAX_TASKS as u64 || places > MAX_TASKS as u64 {
            return Err(whole(format!("a rank has at most {MAX_TASKS} nodes and dependencies")));
        }
        self.seek(start + 8 + 4 * roots).map_err(whole)?;
        let (mut tasks, mut lists, mut open) = (Vec::new(), Vec::new(), Vec::new());
        let mut total = 0;
        for node in 0..nodes {
            let at = |message: String| (Some(node), message);
            let raw = self.node().map_err(at)?;
            let any = |number: u32| (number != ANY).then_some(number);
            let (peer, tag) = (any(raw.peer), any(raw.tag));
            let task = match raw.kind {
                1 => send(raw.size, peer, tag, raw.cpu.into(), (ranks, &mut self.tags)),
                2 => receive(raw.size, peer, tag, raw.cpu.into(), (ranks, &mut self.tags)),
                3 => calc(raw.size, raw.cpu.into()),
                kind => Err(format!("the type {kind} is unknown; types are 1, 2 and 3")),
            };
            tasks.push(task.map_err(at)?);
            for (count, first, at_start) in
                [(raw.finish.0, raw.finish.1, false), (raw.start.0, raw.start.1, true)]
            {
                if count > 0 && u64::from(first) + u64::from(count) > places {
                    return Err(at(format!(
                        "its dependents are at {first} to {}, but the rank has {places}",
                        u64::from(first) + u64::from(count)
                    )));
                }
                total += u64::from(count);
                if count > 0 {
                    lists.push((node as u32, first, count, at_start));
                }
            }
            if total > places {
                return Err(at(format!("the nodes have more dependents than the {places} listed")));
            }
            open.push(raw.open);
        }
        let mut listed = Vec::new();
        for _ in 0..places {
            listed.push(self.u32().map_err(whole)?);
        }
        let mut dependencies = Vec::with_capacity(total as usize);
        for (prerequisite, first, count, at_start) in lists {
            for &dependent in &listed[first as usize..(first + count) as usize] {
                let wrong = |message: String| (Some(u64::from(prerequisite)), message);
                let missing = open.get_mut(dependent as usize).ok_or_else(|| {
                    wrong(format!("its dependent {dependent} does not exist; nodes: {nodes}"))
                })?;
                *missing = missing.checked_sub(1).ok_or_else(|| {
                    wrong(format!("node {dependent} has more prerequisites than its count says"))
                })?;
                dependencies.push(Dependency { dependent, prerequisite, at_start });
            }
        }
        if let Some(node) = open.iter().position(|missing| *missing > 0) {
            let message = "it waits for more nodes than name it; the file is corrupt";
            return Err((Some(node as u64), message.to_owned()));
        }
        StoredGraph::new(tasks, &dependencies).map_err(|cycle| {
            let mut nodes: Vec<String> = cycle.iter().take(20).map(u32::to_string).collect();
            nodes.push(if cycle.len() > 20 { "...".to_owned() } else { nodes[0].clone() });
            whole(format!("nodes wait for each other: {}", nodes.join(" requires ")))
        })
    }

    fn node(&mut self) -> Result<Node, String> {
        let bytes: [u8; NODE as usize] = self.bytes()?;
        let u32_at = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let size = u64::from(u32_at(9)) | u64::from(u32_at(13)) << 32;
        Ok(Node {
            open: u32_at(0),
            kind: bytes[4],
            peer: u32_at(5),
            size,
            tag: u32_at(17),
            cpu: bytes[21],
            finish: (u32_at(23), u32_at(27)),
            start: (u32_at(31), u32_at(35)),
        })
    }

    fn u32(&mut self) -> Result<u32, String> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, String> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let mut bytes = [0; N];
        self.source.read_exact(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
        Ok(bytes)
    }

    fn seek(&mut self, to: u64) -> Result<(), String> {
        self.source
            .seek(SeekFrom::Start(to))
            .map(|_| ())
            .map_err(|error| format!("cannot be read: {error}"))
    }
}

/// A node of the file.
struct Node {
    open: u32,
    kind: u8,
    peer: u32,
    size: u64,
    tag: u32,
    cpu: u8,
    /// Number and first place of the dependents after the node's end.
    finish: (u32, u32),
    /// Number and first place of the dependents after the node's start.
    start: (u32, u32),
}
