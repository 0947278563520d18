//! What the ranks of one part of a machine tell those of another.
//!
//! A packet carries the sender's handle of its message. Where the receiver is in another part, that
//! part hears of the message before its first packet can be there, and keeps a copy under a handle
//! of its own. When all of it has arrived, the sender's part hears that its handle is free.

use crate::arena::NONE;
use crate::layer::MpiLayer;
use crate::layer::partition_outbox::MpiMessage;
use crate::message::Message;
use crate::program::operation::Program;

impl<P: Program> MpiLayer<P> {
    /// Moves what `part` must hear to the end of `mail`.
    pub fn send_messages(&mut self, part: u16, messages: &mut Vec<MpiMessage>) {
        if let Some(outgoing) = self.outbox.outgoing.get_mut(usize::from(part)) {
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
                let known = &mut self.outbox.known[usize::from(part)];
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
