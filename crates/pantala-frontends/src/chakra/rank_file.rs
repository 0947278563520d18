//! The file of a rank: its facts and its nodes in order.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use prost::Message;

use super::collectives::Signature;
use super::frames::Frames;
use super::messages::{GlobalMetadata, Node};
use crate::input;
use crate::trace::blocks::block_size;
use crate::trace::{Position, TraceError};

const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The file of a rank.
#[derive(Clone, Debug)]
pub(super) struct RankFile {
    pub(super) path: Arc<Path>,
    pub(super) bytes: u64,
    pub(super) compressed: bool,
    /// Whether the ids of the nodes increase.
    pub(super) ordered: bool,
    /// Ids that nodes wait for before they would have come, but that the file does not have.
    pub(super) absent: Arc<BTreeSet<u64>>,
    /// The process groups of the rank's collectives, with their numbers of collectives.
    pub(super) groups: BTreeMap<Box<[u8]>, u32>,
    /// The signature of the rank's collectives by process group.
    pub(super) signatures: BTreeMap<Box<[u8]>, Signature>,
}

/// A file that has not been read yet.
pub(super) fn open(path: &Path) -> std::io::Result<RankFile> {
    let mut file = input::open(path)?;
    let bytes = file.metadata()?.len();
    let mut start = Vec::new();
    (&mut file).take(2).read_to_end(&mut start)?;
    Ok(RankFile {
        path: Arc::from(path),
        bytes,
        compressed: start == GZIP,
        ordered: true,
        absent: Arc::default(),
        groups: BTreeMap::new(),
        signatures: BTreeMap::new(),
    })
}

/// Calls `each` with the position and the node of each node of a file, until it returns false.
pub(super) fn visit(
    file: &RankFile,
    rank: u32,
    mut each: impl FnMut(u64, &Node) -> bool,
) -> Result<(), TraceError> {
    let frames = Frames::new(&file.path, file.bytes, file.compressed, block_size(1));
    let mut nodes = Nodes { frames, node: Node::default() };
    let at = |position, message: String| {
        TraceError::new(&file.path, message).of_rank(rank).at(Position::Byte(position))
    };
    nodes.begin().map_err(|message| at(0, message))?;
    loop {
        let position = nodes.frames.position();
        match nodes.next().map_err(|message| at(position, message))? {
            Some(node) if each(position, node) => {}
            _ => return Ok(()),
        }
    }
}

/// The nodes of a file.
pub(super) struct Nodes {
    pub(super) frames: Frames,
    pub(super) node: Node,
}

impl Nodes {
    /// Reads the first message.
    pub(super) fn begin(&mut self) -> Result<(), String> {
        let Some(message) = self.frames.next()? else {
            return Err("the file is empty; a rank's file begins with GlobalMetadata".to_owned());
        };
        let metadata = GlobalMetadata::decode(message).map_err(|_| no_trace())?;
        if metadata.version.iter().all(|byte| byte.is_ascii_graphic()) {
            Ok(())
        } else {
            Err(no_trace())
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<&Node>, String> {
        let Some(message) = self.frames.next()? else {
            return Ok(None);
        };
        self.node.read(message).map_err(|error| format!("a node is corrupt: {error}"))?;
        Ok(Some(&self.node))
    }
}

fn no_trace() -> String {
    "the file does not begin with GlobalMetadata; it is no Chakra trace".to_owned()
}
