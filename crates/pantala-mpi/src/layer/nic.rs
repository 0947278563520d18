//! The calls of a NIC: start, timers, packets to send and packets that arrive.

use pantala_engine::{NEVER, Time};
use pantala_fabric::{Delivery, MessageLabel, PacketOffer, Pull, Wakes};

use crate::arena::NONE;
use crate::config::GetService;
use crate::layer::MpiLayer;
use crate::layer::partition_outbox::MpiMessage;
use crate::message::{Header, TransmissionKind};
use crate::program::operation::OperationStream;
use crate::rank::{Activity, Rank};
use crate::reception::packet_number;

impl<P: OperationStream> MpiLayer<P> {
    /// Starts a NIC: requests a timer at the start of each of its ranks that has not started.
    pub fn start(&mut self, nic: u32, wakes: &mut Wakes) {
        let mut r = self.nics.list[nic as usize].first_rank;
        while r != NONE {
            let rank = &self.ranks[r as usize];
            if rank.activity == Activity::Waiting {
                wakes.timers.push(rank.until);
            }
            r = rank.next;
        }
    }

    /// Lets the ranks that have not started do so earlier by `time`. Returns the node of each, and
    /// when it was to start, if no rank has started on its NIC: then nothing else is due at that
    /// time. The owner then starts their NICs again.
    pub fn start_earlier(&mut self, time: Time) -> Vec<(u32, Option<Time>)> {
        let waits = |rank: &Rank<P>| rank.activity == Activity::Waiting;
        let mut found = Vec::new();
        for r in 0..self.ranks.len() {
            if !waits(&self.ranks[r]) {
                continue;
            }
            let nic = &self.nics.list[self.ranks[r].nic as usize];
            let next = |&r: &u32| Some(self.ranks[r as usize].next).filter(|&next| next != NONE);
            let mut of_nic = std::iter::successors(Some(nic.first_rank), next);
            let alone = of_nic.all(|r| waits(&self.ranks[r as usize]));
            found.push((nic.node, alone.then_some(self.ranks[r].until)));
            let rank = &mut self.ranks[r];
            rank.until -= time;
            rank.since = rank.until;
        }
        found
    }

    /// Handles a timer of a NIC: a rank starts, ends its compute phase or its host work, or a
    /// delayed arrival is ready.
    pub fn timer(&mut self, nic: u32, now: Time, wakes: &mut Wakes) {
        if !self.nics.list[nic as usize].delayed.is_empty() {
            self.release_delayed(nic as usize, now, wakes);
        }
        if !self.nics.engines.is_empty() {
            self.run_engines(nic as usize, now, wakes);
        }
        if self.setup.limits_buffers() {
            self.decide(nic as usize, now, wakes);
        }
        let in_calls = self.in_calls();
        let mut r = self.nics.list[nic as usize].first_rank;
        while r != NONE {
            if in_calls {
                self.deliver_notices(r as usize, now, wakes);
            }
            if !self.ranks[r as usize].computations.is_empty() {
                self.end_computations(r as usize, now, wakes);
            }
            let rank = &mut self.ranks[r as usize];
            let next = rank.next;
            if rank.until <= now {
                let busy = rank.activity == Activity::Busy;
                if busy && in_calls && self.resume_call(r as usize, now, wakes) {
                    r = next;
                    continue;
                }
                let rank = &mut self.ranks[r as usize];
                match rank.activity {
                    Activity::Waiting => {
                        rank.start = Some(now);
                        self.initialize(r as usize, now);
                        self.run(r as usize, now, wakes);
                    }
                    Activity::Computing => {
                        rank.totals.compute += now - rank.since;
                        self.run(r as usize, now, wakes);
                    }
                    Activity::Busy => {
                        self.records.blocked(&mut self.ranks[r as usize], now);
                        self.run(r as usize, now, wakes);
                    }
                    _ => {}
                }
            }
            r = next;
        }
    }

    /// Returns the next packet of the front transmission.
    ///
    /// If sends complete at injection, the last packet of the payload completes its send, and the
    /// rank continues at once. `wakes` then holds the timers that the rank requests.
    #[inline]
    pub fn pull(&mut self, nic: u32, now: Time, wakes: &mut Wakes) -> Pull {
        if !self.nics.engines.is_empty() {
            return self.pull_from_engines(nic as usize, now, wakes);
        }
        let queue = &mut self.nics.list[nic as usize].queue;
        let front = queue.front(&self.transfers.messages);
        if front == NONE {
            return Pull::Idle;
        }
        let message = &mut self.transfers.messages[front];
        if message.created > now {
            return Pull::Later(message.created);
        }
        let bytes = message.to_send.min(u64::from(self.setup.packet_bytes));
        if self.setup.paced {
            let (feed, handed, last) =
                (&mut self.nics.pacers[nic as usize], message.created, bytes == message.to_send);
            let ready =
                feed.ready(handed, bytes, self.setup.coarse_packets.as_ref(), &self.setup.config);
            if ready > now {
                return Pull::Later(ready);
            }
            feed.leaves(handed, bytes, last, &self.setup.config);
        }
        message.to_send -= bytes;
        let (left, header) = (message.to_send, message.header);
        let packet = PacketOffer {
            destination: message.nic,
            bytes: bytes as u32,
            created: message.created,
            message: front,
            number: packet_number(&mut self.nics.receptions, nic as usize, message.nic),
            job: header.job,
            class: header.class(),
        };
        if left == 0 {
            queue.pop_front(&mut self.transfers.messages);
            self.last_packet_left(&header, now, wakes);
        }
        Pull::Packet(packet)
    }

    /// Handles the departure of a transmission's last packet: it can complete a send.
    #[inline]
    pub(crate) fn last_packet_left(&mut self, header: &Header, now: Time, wakes: &mut Wakes) {
        if self.completes_at_injection(header) {
            let r = self.jobs.rank_index(header.job, header.source);
            self.complete_send(header.origin);
            if self.in_calls() {
                self.signal(r, now, wakes);
            } else {
                self.proceed(r, now, wakes);
            }
        }
        if self.nics.engines.is_empty() {
            self.acknowledgement_left(header, now, wakes);
        }
    }

    /// Tells the host that its NIC has sent an acknowledgement, if progress depends on it.
    #[inline]
    pub(crate) fn acknowledgement_left(&mut self, header: &Header, now: Time, wakes: &mut Wakes) {
        if self.in_calls() && header.kind == TransmissionKind::Acknowledge {
            let r = self.jobs.rank_index(header.job, header.destination);
            let time = now.saturating_add(self.setup.config.nic_to_host_ps);
            self.note_acknowledged(r, time, wakes);
        }
    }

    /// The earliest time at which the NIC has a packet: a past time (or 0) for at once, a later
    /// time if the host is still busy with it, [`NEVER`] if the queue is empty.
    #[inline]
    #[must_use]
    pub fn next_at(&self, nic: u32) -> Time {
        if !self.nics.engines.is_empty() {
            return self.nics.engines_next_at(&self.setup, &self.transfers.messages, nic as usize);
        }
        let front = self.nics.list[nic as usize].queue.front(&self.transfers.messages);
        if front == NONE {
            return NEVER;
        }
        let message = &self.transfers.messages[front];
        if self.setup.paced {
            let bytes = message.to_send.min(u64::from(self.setup.packet_bytes));
            return self.nics.pacers[nic as usize].ready(
                message.created,
                bytes,
                self.setup.coarse_packets.as_ref(),
                &self.setup.config,
            );
        }
        message.created
    }

    /// Returns the message of a packet that has arrived and has not been delivered yet.
    #[must_use]
    pub fn message_of(&self, packet: &Delivery) -> MessageLabel {
        let handle = match self.outbox.elsewhere(packet.source) {
            None => packet.message,
            Some(part) => self.outbox.local_handle(part, packet.message),
        };
        let header = &self.transfers.messages[handle].header;
        MessageLabel {
            number: header.number(),
            source: header.transmitter(),
            destination: header.addressee(),
        }
    }

    /// Handles a packet that has arrived at the NIC.
    #[inline]
    pub fn deliver(&mut self, nic: u32, packet: &Delivery, now: Time, wakes: &mut Wakes) {
        self.records.progress_estimate.arrived(packet.bytes.into());
        if self.setup.limits_buffers() {
            return self.receive_packet(nic as usize, packet, now, wakes);
        }
        self.process_packet(nic as usize, packet, now, wakes);
    }

    /// Counts a packet of a message, and hands the message to the host if it is the last one.
    #[inline]
    pub(crate) fn process_packet(
        &mut self,
        nic: usize,
        packet: &Delivery,
        now: Time,
        wakes: &mut Wakes,
    ) {
        let from = self.outbox.elsewhere(packet.source);
        let handle = match from {
            None => packet.message,
            Some(part) => self.outbox.local_handle(part, packet.message),
        };
        let message = &mut self.transfers.messages[handle];
        if self.setup.config.nic_match_ps > 0 && message.nic_matched == 0 {
            message.nic_matched = now.saturating_add(self.setup.config.nic_match_ps);
        }
        message.to_arrive -= u64::from(packet.bytes);
        if message.to_arrive == 0 {
            if let Some(part) = from {
                self.outbox.put(part, MpiMessage::Arrived { handle: packet.message });
            }
            let behind = self
                .setup
                .coarse_packets
                .map_or(0, |coarse_packets| coarse_packets.delivery(packet.bytes.into()));
            let (header, matched) = (message.header, message.nic_matched);
            let kind = header.kind;
            let here = now.saturating_add(behind);
            if kind == TransmissionKind::Get && self.setup.config.get_service == GetService::Nic {
                let ready = here.saturating_add(self.setup.config.nic_read_ps);
                self.jobs.of_mut(header.job).in_transit -= 1;
                return self.answer_get(handle, ready, wakes);
            }
            let ready = match kind {
                TransmissionKind::Get | TransmissionKind::Data => here,
                _ => here.max(matched),
            };
            match ready.saturating_add(self.setup.config.nic_to_host_ps) {
                time if time == now => self.arrived(handle, now, wakes),
                time => {
                    self.nics.delay_until(&mut self.transfers.messages, (nic, handle), time, wakes)
                }
            }
            if self.setup.limits_buffers() {
                self.message_is_here(nic, handle, &header, now, wakes);
            }
        }
    }
}
