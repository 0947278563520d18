//! The first pass over the files of a trace: process groups, wrong nodes, the summary.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use pantala_engine::counted;

use super::ChakraTrace;
use super::collectives::{self, Signature};
use super::frames::Frames;
use super::messages::Node;
use super::nodes::{Action, action};
use super::rank_file::{Nodes, RankFile, open, visit};
use crate::graph::Task;
use crate::graph::partners::PairSums;
use crate::graph::read_ids::ReadIds;
use crate::graph::summary::Tally;
use crate::trace::blocks::block_size;
use crate::trace::{Position, TraceError, TraceFormat};

/// Reads the files of all ranks once.
pub(super) fn survey(paths: &[PathBuf]) -> Result<ChakraTrace, TraceError> {
    let mut files = Vec::with_capacity(paths.len());
    let mut bytes = 0;
    for (rank, path) in (0..).zip(paths) {
        let file = open(path).map_err(|error| {
            TraceError::new(path, format!("cannot be read: {error}")).of_rank(rank)
        })?;
        bytes += file.bytes;
        files.push(file);
    }
    let mut pass = Pass {
        ranks: files.len() as u32,
        tally: Tally::new(TraceFormat::Chakra, bytes),
        fault: None,
        no_duration: 0,
        sums: PairSums::default(),
    };
    for (rank, file) in (0..).zip(&mut files) {
        pass.rank(rank, file)?;
    }
    let Pass { mut tally, mut fault, no_duration, sums, .. } = pass;
    if no_duration > 0 {
        tally.warn(format!(
            "{no_duration} computations, loads or stores have no duration and take no time; \
             num_ops and tensor_size are not used"
        ));
    }
    let absent: usize = files.iter().map(|file| file.absent.len()).sum();
    if absent > 0 {
        tally.warn(format!(
            "nodes wait for {absent} others that the files do not have, and that count as \
             finished; the files may be cut off"
        ));
    }
    let groups = groups(&files);
    fault = fault.or_else(|| unequal(&files, &groups));
    if fault.is_none() {
        fault = collectives::different(&files, &groups)?;
    }
    if fault.is_none() {
        fault = partners(&files, sums)?;
    }
    if let Some(fault) = &fault {
        tally.warn(format!("a job cannot replay the trace: {fault}"));
    }
    Ok(ChakraTrace { files, groups, summary: tally.finish(), fault })
}

/// The members of the groups: all ranks that name them.
fn groups(files: &[RankFile]) -> BTreeMap<Box<[u8]>, Arc<[u32]>> {
    let mut groups: BTreeMap<Box<[u8]>, Vec<u32>> = BTreeMap::new();
    for (rank, file) in (0..).zip(files) {
        for name in file.groups.keys().filter(|name| !name.is_empty()) {
            groups.entry(name.clone()).or_default().push(rank);
        }
    }
    groups.into_iter().map(|(name, members)| (name, members.into())).collect()
}

/// The fault of a group whose ranks have different numbers of collectives.
fn unequal(files: &[RankFile], groups: &BTreeMap<Box<[u8]>, Arc<[u32]>>) -> Option<TraceError> {
    let all: Arc<[u32]> = (0..files.len() as u32).collect();
    let world: Box<[u8]> = Box::default();
    for (name, members) in std::iter::once((&world, &all)).chain(groups) {
        let count = |rank: u32| files[rank as usize].groups.get(name).copied().unwrap_or(0);
        let (first, expected) = (members[0], count(members[0]));
        if let Some(&other) = members.iter().find(|rank| count(**rank) != expected) {
            let name = match &**name {
                [] => "the group of all ranks".to_owned(),
                name => format!("the process group {}", String::from_utf8_lossy(name)),
            };
            let message = format!(
                "it has {} of {name}, rank {first} has {expected}; the ranks of a \
                 group have equally many",
                counted(count(other).into(), "collective")
            );
            return Some(TraceError::new(&files[other as usize].path, message).of_rank(other));
        }
    }
    None
}

struct Pass {
    ranks: u32,
    tally: Tally,
    fault: Option<TraceError>,
    no_duration: u64,
    sums: PairSums,
}

impl Pass {
    fn rank(&mut self, rank: u32, file: &mut RankFile) -> Result<(), TraceError> {
        self.tally.rank();
        let block = block_size(1);
        let frames = Frames::new(&file.path, file.bytes, file.compressed, block);
        let at = |position, message: String| {
            TraceError::new(&file.path, message).of_rank(rank).at(Position::Byte(position))
        };
        let mut nodes = Nodes { frames, node: Node::default() };
        nodes.begin().map_err(|message| at(0, message))?;
        let mut ids = Ids::new(true);
        let mut groups: BTreeMap<Box<[u8]>, (u32, Signature)> = BTreeMap::new();
        loop {
            let position = nodes.frames.position();
            let wrong = |message| at(position, message);
            let Some(node) = nodes.next().map_err(wrong)? else {
                break;
            };
            let id = node.id;
            let wrong = |message: String| at(position, format!("node {id}: {message}"));
            if node.data_deps.contains(&id) {
                self.fault.get_or_insert_with(|| wrong("it depends on itself".to_owned()));
            }
            ids.add(node);
            match action(node, self.ranks) {
                Ok(Action::Task(task)) => {
                    self.tally.add(&task);
                    self.sums.add(rank, &task);
                }
                Ok(Action::NoDuration) => {
                    self.no_duration += 1;
                    self.tally.add(&Task::Compute { time: 0, processor: 0 });
                }
                Ok(Action::Collective { group, kind, bytes }) => {
                    let communicator = 0;
                    let task = Task::Collective { bytes, number: 0, root: 0, communicator, kind };
                    self.tally.add(&task);
                    match groups.get_mut(group) {
                        Some((count, signature)) => {
                            *count += 1;
                            signature.add(kind, bytes);
                        }
                        None => {
                            groups.insert(group.into(), (1, Signature::of(kind, bytes)));
                        }
                    }
                }
                Err(message) => {
                    self.fault.get_or_insert_with(|| wrong(message));
                }
            }
        }
        if groups.len() > usize::from(u16::MAX) {
            let message = format!("the rank has {} process groups; at most 65535", groups.len());
            return Err(TraceError::new(&file.path, message).of_rank(rank));
        }
        if !ids.ordered {
            ids = Ids::new(false);
            let frames = Frames::new(&file.path, file.bytes, file.compressed, block);
            let mut nodes = Nodes { frames, node: Node::default() };
            nodes.begin().map_err(|message| at(0, message))?;
            while let Some(node) = nodes.next().map_err(|message| at(0, message))? {
                ids.add(node);
            }
        }
        if let Some(id) = ids.repeated {
            let message = format!("two nodes have the id {id}; ids are unique in a file");
            let error = TraceError::new(&file.path, message).of_rank(rank);
            self.fault.get_or_insert(error);
        }
        file.ordered = ids.ordered;
        file.absent = Arc::new(ids.ahead);
        for (name, (count, signature)) in groups {
            file.signatures.insert(name.clone(), signature);
            file.groups.insert(name, count);
        }
        Ok(())
    }
}

/// The first message without a partner, or that does not fit.
fn partners(files: &[RankFile], sums: PairSums) -> Result<Option<TraceError>, TraceError> {
    let ranks = files.len() as u32;
    let mut receivers = sums.receivers();
    for rank in receivers.ranks().clone() {
        let mut place = 0;
        visit(&files[rank as usize], rank, |_, node| {
            if let Ok(Action::Task(task)) = action(node, ranks) {
                receivers.add(rank, &task, place);
            }
            place += 1;
            true
        })?;
    }
    let Some(unmatched) = receivers.unmatched() else { return Ok(None) };
    let (file, mut place, mut found) = (&files[unmatched.rank as usize], 0, None);
    visit(file, unmatched.rank, |position, node| {
        if place == unmatched.place {
            found = Some((position, node.id));
        }
        place += 1;
        found.is_none()
    })?;
    Ok(found.map(|(position, id)| {
        let message = format!("node {id}: {}", unmatched.message);
        TraceError::new(&file.path, message).of_rank(unmatched.rank).at(Position::Byte(position))
    }))
}

/// The ids of a file.
struct Ids {
    read: ReadIds,
    /// Ids that nodes depend on and that have not come yet.
    ahead: BTreeSet<u64>,
    /// Whether the ids increase.
    ordered: bool,
    /// An id that two nodes have.
    repeated: Option<u64>,
}

impl Ids {
    /// No ids. `ordered` says that ids are expected to increase.
    const fn new(ordered: bool) -> Self {
        Self { read: ReadIds::new(ordered), ahead: BTreeSet::new(), ordered, repeated: None }
    }

    /// Adds a node. If its id is too small for an order, the set is void.
    fn add(&mut self, node: &Node) {
        if !self.read.insert(node.id) {
            match self.read {
                ReadIds::UpTo(_) => self.ordered = false,
                ReadIds::Intervals(_) => self.repeated = self.repeated.or(Some(node.id)),
            }
        }
        self.ahead.remove(&node.id);
        for &before in &node.data_deps {
            if !self.read.contains(before) {
                self.ahead.insert(before);
            }
        }
    }
}
