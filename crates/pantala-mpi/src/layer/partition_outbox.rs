//! The MPI layer's messages to other partitions, until they are sent, and the handles of
//! transmissions from there.

use pantala_engine::Time;
use pantala_fabric::{PartitionMap, PartitionShare};

use crate::message::Header;
use serde::Deserialize;
use serde::Serialize;

/// A message from the MPI layer of one partition to that of another.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum MpiMessage {
    /// Announces a transmission: the sender's handle and all that its packets do not carry.
    Announced {
        /// The sender's handle. The packets carry it.
        handle: u32,
        /// The message's header.
        header: Header,
        /// When the transmission entered the NIC's queue.
        created: Time,
    },
    /// The last byte of a transmission has arrived.
    Arrived {
        /// The sender's handle.
        handle: u32,
    },
}

/// Messages to other partitions, and the local handles of their transmissions. Empty if the network
/// is in one partition.
#[derive(Clone, Debug)]
pub(crate) struct PartitionOutbox {
    share: Option<PartitionShare>,
    /// By partition.
    pub(crate) outgoing: Vec<Vec<MpiMessage>>,
    /// By partition and handle there: the local handle.
    pub(crate) known: Vec<Vec<u32>>,
}

impl PartitionOutbox {
    pub(crate) fn new(share: Option<PartitionShare>) -> Self {
        let parts = share.as_ref().map_or(0, |share| PartitionMap::count(&share.partitions).into());
        Self { share, outgoing: vec![Vec::new(); parts], known: vec![Vec::new(); parts] }
    }

    /// The partition of a NIC of the network, if it is another one.
    #[inline]
    pub(crate) fn elsewhere(&self, nic: u32) -> Option<u16> {
        self.share.as_ref().and_then(|share| share.elsewhere(nic))
    }

    /// The local handle of a transmission from another partition.
    #[inline]
    pub(crate) fn local_handle(&self, part: u16, handle: u32) -> u32 {
        self.known[usize::from(part)][handle as usize]
    }

    pub(crate) fn put(&mut self, part: u16, messages: MpiMessage) {
        self.outgoing[usize::from(part)].push(messages);
    }
}
