//! Messages of the MPI layer to other partitions, until they are sent.

use pantala_engine::Time;
use pantala_fabric::{PartitionMap, PartitionShare};

use crate::message::Header;
use serde::Deserialize;
use serde::Serialize;

/// A word from one part of a machine to another.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum MpiMessage {
    /// A transmission will come: the sender's handle of it, and what its packets do not say.
    Announced {
        /// The sender's handle, which the packets carry.
        handle: u32,
        /// The message.
        header: Header,
        /// When the transmission entered the NIC's queue.
        created: Time,
    },
    /// All of a transmission has arrived.
    Arrived {
        /// The sender's handle.
        handle: u32,
    },
}

/// What goes to other parts, and what has been heard of them; nothing where the machine is in one
/// piece.
#[derive(Clone, Debug)]
pub(crate) struct PartitionOutbox {
    share: Option<PartitionShare>,
    /// By part.
    pub(crate) outgoing: Vec<Vec<MpiMessage>>,
    /// By part and handle there: the handle here.
    pub(crate) known: Vec<Vec<u32>>,
}

impl PartitionOutbox {
    pub(crate) fn new(share: Option<PartitionShare>) -> Self {
        let parts = share.as_ref().map_or(0, |share| PartitionMap::count(&share.partitions).into());
        Self { share, outgoing: vec![Vec::new(); parts], known: vec![Vec::new(); parts] }
    }

    /// The part that a node belongs to, if it is another one.
    #[inline]
    pub(crate) fn elsewhere(&self, node: u32) -> Option<u16> {
        self.share.as_ref().and_then(|share| share.elsewhere(node))
    }

    /// The handle here of a transmission from another part.
    #[inline]
    pub(crate) fn local_handle(&self, part: u16, handle: u32) -> u32 {
        self.known[usize::from(part)][handle as usize]
    }

    pub(crate) fn put(&mut self, part: u16, messages: MpiMessage) {
        self.outgoing[usize::from(part)].push(messages);
    }
}
