//! Arrivals that reach their rank later: after the way from the NIC to the host, after the way
//! through memory from another rank of the node, or after the copy of a background collective.

use pantala_engine::Time;
use pantala_fabric::Wakes;

use crate::arena::{Arena, NONE};
use crate::layer::MpiLayer;
use crate::layer::nics::Nics;
use crate::message::{Header, Message, TransmissionKind};
use crate::program::operation::OperationStream;

impl Nics {
    /// Delays a transmission at a NIC's node until `ready`. Transmissions with equal times keep the
    /// order in which they were added.
    pub(crate) fn delay_until(
        &mut self,
        messages: &mut Arena<Message>,
        (nic, handle): (usize, u32),
        ready: Time,
        wakes: &mut Wakes,
    ) {
        messages[handle].created = ready;
        self.list[nic].delayed.insert(messages, handle, |other| other.created > ready);
        wakes.timers.push(ready);
    }
}

impl<P: OperationStream> MpiLayer<P> {
    /// Sends a transmission through memory: both its ranks are on one node.
    pub(crate) fn pass_through_memory(&mut self, nic: usize, handle: u32, wakes: &mut Wakes) {
        let header = self.transfers.messages[handle].header;
        self.passed_through_memory(&header);
        let payload = match header.kind {
            // A message of a rank to itself has no other transmission.
            TransmissionKind::RequestToSend if header.source == header.destination => header.bytes,
            _ => header.payload(),
        };
        self.jobs.of_mut(header.job).ways.memory += payload;
        let ready = self.transfers.messages[handle]
            .created
            .saturating_add(self.setup.config.through_memory(payload));
        if header.source != header.destination {
            self.records.progress_estimate.arrived(header.wire_bytes(&self.setup.config));
        }
        self.nics.delay_until(&mut self.transfers.messages, (nic, handle), ready, wakes);
    }

    /// Handles all delayed transmissions that are ready.
    pub(crate) fn release_delayed(&mut self, nic: usize, now: Time, wakes: &mut Wakes) {
        loop {
            let front = self.nics.list[nic].delayed.front(&self.transfers.messages);
            if front == NONE || self.transfers.messages[front].created > now {
                return;
            }
            self.nics.list[nic].delayed.pop_front(&mut self.transfers.messages);
            let header = self.transfers.messages[front].header;
            if header.kind == TransmissionKind::Eager && header.target != NONE {
                // The message was matched before the delay, and its copy is complete now.
                let r = self.jobs.rank_index(header.job, header.destination);
                self.jobs.of_mut(header.job).in_transit -= 1;
                self.complete_receive(header.target, &header, 0);
                self.transfers.messages.remove(front);
                self.proceed(r, now, wakes);
            } else {
                let Header { job, source, destination, .. } = header;
                if self.completes_at_injection(&header)
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
