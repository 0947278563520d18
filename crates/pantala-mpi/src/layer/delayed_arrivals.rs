//! What has come to a node and is on its way through it: from the NIC to the host, through memory
//! from another rank of the node, or through the copying of a collective in the background.

use pantala_engine::Time;
use pantala_fabric::Wakes;

use crate::arena::NONE;
use crate::layer::MpiLayer;
use crate::message::TransmissionKind;
use crate::program::operation::Program;

impl<P: Program> MpiLayer<P> {
    /// Puts a transmission into the inbox of a NIC's node until `ready`; those that are ready at
    /// one time come out in the order in which they were put in.
    pub(crate) fn delay_until(&mut self, nic: usize, handle: u32, ready: Time, wakes: &mut Wakes) {
        self.messages[handle].created = ready;
        self.nics[nic].delayed.insert(&mut self.messages, handle, |other| other.created > ready);
        wakes.timers.push(ready);
    }

    /// Lets a transmission pass through the memory of the node on which both its ranks are.
    pub(crate) fn pass_through_memory(&mut self, nic: usize, handle: u32, wakes: &mut Wakes) {
        let header = &self.messages[handle].header;
        let payload = match header.kind {
            TransmissionKind::Eager | TransmissionKind::Data => header.bytes,
            // A rank to itself: there is no other transmission.
            TransmissionKind::RequestToSend if header.source == header.destination => header.bytes,
            TransmissionKind::RequestToSend
            | TransmissionKind::Get
            | TransmissionKind::Acknowledge => 0,
        };
        let ready =
            self.messages[handle].created.saturating_add(self.config.through_memory(payload));
        if header.source != header.destination {
            self.progress_estimate.arrived(header.wire_bytes(self.config.control_bytes));
        }
        self.delay_until(nic, handle, ready, wakes);
    }

    /// Takes out of the inbox what is ready.
    pub(crate) fn release_delayed(&mut self, nic: usize, now: Time, wakes: &mut Wakes) {
        loop {
            let front = self.nics[nic].delayed.front(&self.messages);
            if front == NONE || self.messages[front].created > now {
                return;
            }
            self.nics[nic].delayed.pop_front(&mut self.messages);
            let header = self.messages[front].header;
            if header.kind == TransmissionKind::Eager && header.target != NONE {
                // Matched, and copied by now.
                let r = self.rank_index(header.job, header.destination);
                self.complete_receive(header.target, &header, 0);
                self.messages.remove(front);
                self.proceed(r, now, wakes);
            } else {
                self.arrived(front, now, wakes);
            }
        }
    }
}
