//! Arrivals that reach their rank later: after the way from the NIC to the host, after the way
//! through memory from another rank of the node, or after the copy of a background collective.

use pantala_engine::Time;
use pantala_fabric::Wakes;

use crate::arena::NONE;
use crate::layer::MpiLayer;
use crate::message::{Header, TransmissionKind};
use crate::program::operation::Program;

impl<P: Program> MpiLayer<P> {
    /// Delays a transmission at a NIC's node until `ready`. Transmissions with equal times keep the
    /// order in which they were added.
    pub(crate) fn delay_until(&mut self, nic: usize, handle: u32, ready: Time, wakes: &mut Wakes) {
        self.messages[handle].created = ready;
        self.nics[nic].delayed.insert(&mut self.messages, handle, |other| other.created > ready);
        wakes.timers.push(ready);
    }

    /// Sends a transmission through memory: both its ranks are on one node.
    pub(crate) fn pass_through_memory(&mut self, nic: usize, handle: u32, wakes: &mut Wakes) {
        let header = self.messages[handle].header;
        self.passed_through_memory(&header);
        let payload = match header.kind {
            TransmissionKind::Eager | TransmissionKind::Data => header.bytes,
            // A message of a rank to itself has no other transmission.
            TransmissionKind::RequestToSend if header.source == header.destination => header.bytes,
            TransmissionKind::RequestToSend
            | TransmissionKind::Get
            | TransmissionKind::Acknowledge => 0,
        };
        let ready =
            self.messages[handle].created.saturating_add(self.config.through_memory(payload));
        if header.source != header.destination {
            self.progress_estimate.arrived(header.wire_bytes(&self.config));
        }
        self.delay_until(nic, handle, ready, wakes);
    }

    /// Handles all delayed transmissions that are ready.
    pub(crate) fn release_delayed(&mut self, nic: usize, now: Time, wakes: &mut Wakes) {
        loop {
            let front = self.nics[nic].delayed.front(&self.messages);
            if front == NONE || self.messages[front].created > now {
                return;
            }
            self.nics[nic].delayed.pop_front(&mut self.messages);
            let header = self.messages[front].header;
            if header.kind == TransmissionKind::Eager && header.target != NONE {
                // The message was matched before the delay, and its copy is complete now.
                let r = self.rank_index(header.job, header.destination);
                self.complete_receive(header.target, &header, 0);
                self.messages.remove(front);
                self.proceed(r, now, wakes);
            } else {
                let Header { job, source, destination, .. } = header;
                if header.kind == TransmissionKind::Eager
                    && header.origin != NONE
                    && self.on_same_node(job, source, destination)
                {
                    // Memory has no NIC that the message could leave: the send ends as it arrives.
                    self.last_packet_left(&header, now, wakes);
                }
                self.arrived(front, now, wakes);
            }
        }
    }
}
