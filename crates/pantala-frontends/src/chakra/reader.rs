//! The tasks of a rank, read from its file while the rank runs.

use std::collections::HashMap;
use std::sync::Arc;

use pantala_mpi::{COMM_WORLD, CommunicatorId};

use super::ChakraTrace;
use super::frames::Frames;
use super::messages::Node;
use super::nodes::{Action, action, call_bytes};
use crate::graph::Task;
use crate::graph::window::{ReadTask, TaskReader};
use crate::trace::blocks::block_size;
use crate::trace::{Position, TraceError};

/// The group of a rank's collectives.
#[derive(Clone, Copy, Debug)]
struct Group {
    communicator: CommunicatorId,
    members: u32,
    /// Number of the group's collectives that have been read.
    read: u32,
}

/// The tasks of a rank of a trace.
#[derive(Clone, Debug)]
pub(super) struct ChakraReader {
    trace: Arc<ChakraTrace>,
    rank: u32,
    frames: Frames,
    node: Node,
    /// Whether the first message of the file has been read.
    begun: bool,
    /// The groups of the rank by name; all ranks have the empty name.
    groups: HashMap<Box<[u8]>, Group>,
}

impl ChakraReader {
    pub(super) fn new(trace: Arc<ChakraTrace>, rank: u32) -> Self {
        let file = &trace.files[rank as usize];
        let block = block_size(trace.files.len());
        let frames = Frames::new(&file.path, file.bytes, file.compressed, block);
        let world = Group { communicator: COMM_WORLD, members: trace.files.len() as u32, read: 0 };
        let named = trace.groups_of(rank).map(|(communicator, _, name, members)| {
            (name.into(), Group { communicator, members: members.len() as u32, read: 0 })
        });
        let groups = std::iter::once((Box::default(), world)).chain(named).collect();
        Self { trace, rank, frames, node: Node::default(), begun: false, groups }
    }

    fn next(&mut self, into: &mut ReadTask) -> Result<bool, String> {
        if !std::mem::replace(&mut self.begun, true) {
            self.frames.next()?;
        }
        let Some(message) = self.frames.next()? else {
            return Ok(false);
        };
        let ranks = self.trace.files.len() as u32;
        let node = &mut self.node;
        node.read(message).map_err(|error| error.to_string())?;
        into.id = node.id;
        into.task = match action(node, ranks)? {
            Action::Task(task) => task,
            Action::NoDuration => Task::Nothing,
            Action::Collective { group, kind, bytes } => {
                let group = self.groups.get_mut(group).ok_or("the process group is unknown")?;
                let number = group.read;
                group.read += 1;
                let bytes = call_bytes(kind, bytes, group.members);
                Task::Collective { bytes, number, root: 0, communicator: group.communicator, kind }
            }
        };
        std::mem::swap(&mut into.prerequisites, &mut node.data_deps);
        Ok(true)
    }
}

impl TaskReader for ChakraReader {
    fn read(&mut self, into: &mut ReadTask) -> Result<bool, Arc<str>> {
        let position = self.frames.position();
        self.next(into).map_err(|message| {
            let path = &self.trace.files[self.rank as usize].path;
            let error = TraceError::new(path, message).of_rank(self.rank);
            error.at(Position::Byte(position)).to_string().into()
        })
    }

    fn place(&self) -> String {
        let path = self.trace.files[self.rank as usize].path.display();
        format!("{path}, rank {}", self.rank)
    }
}
