//! Inter-partition messages of the MPI layer.
//!
//! A packet carries the sender's handle of its message. If the receiver is in another partition,
//! that partition learns of the message before the first packet can arrive. It keeps a copy under a
//! handle of its own. When the last byte has arrived, it tells the sender's partition that the
//! handle is free.

use crate::arena::NONE;
use crate::layer::MpiLayer;
use crate::layer::partition_outbox::MpiMessage;
use crate::message::Message;
use crate::program::operation::OperationStream;

impl<P: OperationStream> MpiLayer<P> {
    /// Moves the messages to partition `part` to the end of `messages`.
    pub fn send_messages(&mut self, part: u16, messages: &mut Vec<MpiMessage>) {
        if let Some(outgoing) = self.outbox.outgoing.get_mut(usize::from(part)) {
            messages.append(outgoing);
        }
    }

    /// Handles a message from partition `part`.
    pub fn receive_message(&mut self, part: u16, messages: MpiMessage) {
        match messages {
            MpiMessage::Announced { handle, header, created } => {
                let mut message = Message::new(header, created, &self.setup.config);
                message.to_send = 0;
                let here = self.transfers.messages.insert(message);
                let known = &mut self.outbox.known[usize::from(part)];
                let there = handle as usize;
                if known.len() <= there {
                    known.resize(there + 1, NONE);
                }
                known[there] = here;
            }
            MpiMessage::Arrived { handle } => self.transfers.messages.remove(handle),
        }
    }
}
