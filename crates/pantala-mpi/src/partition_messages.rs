//! What the ranks of one part of a machine tell those of another.
//!
//! A packet carries the sender's handle of its message. Where the receiver is in another part, that
//! part hears of the message before its first packet can be there, and keeps a copy under a handle
//! of its own. When all of it has arrived, the sender's part hears that its handle is free.

use pantala_engine::Time;
use pantala_fabric::{PartitionMap, PartitionShare};

use crate::handles::NONE;
use crate::layer::MpiLayer;
use crate::message::{Header, Message};
use crate::op::Program;
use serde::{Deserialize, Serialize};

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
pub(crate) struct Post {
    share: Option<PartitionShare>,
    /// By part.
    outgoing: Vec<Vec<MpiMessage>>,
    /// By part and handle there: the handle here.
    known: Vec<Vec<u32>>,
}

impl Post {
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
    pub(crate) fn known_as(&self, part: u16, handle: u32) -> u32 {
        self.known[usize::from(part)][handle as usize]
    }

    pub(crate) fn put(&mut self, part: u16, messages: MpiMessage) {
        self.outgoing[usize::from(part)].push(messages);
    }
}

impl<P: Program> MpiLayer<P> {
    /// Moves what `part` must hear to the end of `mail`.
    pub fn send_messages(&mut self, part: u16, messages: &mut Vec<MpiMessage>) {
        if let Some(outgoing) = self.post.outgoing.get_mut(usize::from(part)) {
            messages.append(outgoing);
        }
    }

    /// Hears what `part` says.
    pub fn receive_message(&mut self, part: u16, messages: MpiMessage) {
        match messages {
            MpiMessage::Announced { handle, header, created } => {
                let mut message = Message::new(header, created, self.config.control_bytes);
                message.to_send = 0;
                let here = self.messages.insert(message);
                let known = &mut self.post.known[usize::from(part)];
                let there = handle as usize;
                if known.len() <= there {
                    known.resize(there + 1, NONE);
                }
                known[there] = here;
            }
            MpiMessage::Arrived { handle } => self.messages.remove(handle),
        }
    }
}
