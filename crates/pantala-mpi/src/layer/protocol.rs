//! The eager and rendezvous protocols: sends, receives and arrivals.

use pantala_engine::Time;
use pantala_fabric::Wakes;

use crate::accounting::records::MessageRecord;
use crate::arena::NONE;
use crate::collectives::kind::CollectiveKind;
use crate::config::{EagerCompletion, GetService, RendezvousCompletion};
use crate::layer::MpiLayer;
use crate::layer::partition_outbox::MpiMessage;
use crate::message::{CollectiveInstance, Header, Message, Protocol, TransmissionKind};
use crate::program::error::OperationFault;
use crate::program::identifiers::{MAX_REQUESTS, Source, TagSelect};
use crate::program::operation::{Incoming, OperationStream, Outgoing};
use crate::rank::matching::PostedReceive;
use crate::rank::posting::{Expected, Mode, Outbound};
use crate::rank::{Activity, CALL, DETACHED, PendingSend};

impl<P: OperationStream> MpiLayer<P> {
    /// Checks the arguments of a program's send.
    pub(crate) fn outbound(
        &self,
        r: usize,
        outgoing: &Outgoing,
    ) -> Result<Outbound, OperationFault> {
        let communicator = self.ranks[r].communicator(outgoing.communicator)?;
        let size = communicator.size();
        let Outgoing { destination: peer, tag, bytes, .. } = *outgoing;
        let no_peer = OperationFault::NoPeer { peer, size, tag: Some(tag), bytes };
        let destination = communicator.rank(peer).ok_or(no_peer)?;
        if outgoing.tag < 0 {
            return Err(OperationFault::NegativeTag { tag: outgoing.tag });
        }
        let context = communicator.user_context();
        let (instance, mode) = (CollectiveInstance::default(), Mode::Standard);
        Ok(Outbound {
            destination,
            context,
            tag: outgoing.tag,
            bytes: outgoing.bytes,
            instance,
            value: 0,
            mode,
        })
    }

    /// Checks the arguments of a program's receive.
    pub(crate) fn expected(
        &self,
        r: usize,
        incoming: &Incoming,
    ) -> Result<Expected, OperationFault> {
        let communicator = self.ranks[r].communicator(incoming.communicator)?;
        let source = match incoming.source {
            Source::Any => NONE,
            Source::Rank(peer) => {
                let (size, bytes) = (communicator.size(), incoming.bytes);
                let tag = match incoming.tag {
                    TagSelect::Is(tag) => Some(tag),
                    TagSelect::Any => None,
                };
                communicator.rank(peer).ok_or(OperationFault::NoPeer { peer, size, tag, bytes })?
            }
        };
        match incoming.tag {
            TagSelect::Is(tag) if tag < 0 => Err(OperationFault::NegativeTag { tag }),
            tag => {
                let (context, instance) =
                    (communicator.user_context(), CollectiveInstance::default());
                Ok(Expected { source, context, tag, bytes: incoming.bytes, instance })
            }
        }
    }

    /// Starts a send for `owner`: the present call or an open request.
    pub(crate) fn post_send(
        &mut self,
        r: usize,
        outbound: Outbound,
        owner: u32,
        now: Time,
        wakes: &mut Wakes,
    ) -> Result<(), OperationFault> {
        let Outbound { destination, context, tag, bytes, instance, value, mode } = outbound;
        let short = bytes <= self.setup.config.eager_threshold_bytes;
        let eager = (short || mode == Mode::Eager) && mode != Mode::Synchronous;
        let rank = &mut self.ranks[r];
        let local = destination == rank.number;
        let header = Header {
            posted: now,
            bytes,
            source: rank.number,
            destination,
            context,
            tag,
            sequence: rank.matcher.next_sequence(destination, context),
            instance,
            value,
            origin: NONE,
            target: NONE,
            job: self.jobs.list[rank.job as usize].id,
            kind: if eager { TransmissionKind::Eager } else { TransmissionKind::RequestToSend },
            unexpected: false,
        };
        rank.begin(owner);
        if !local {
            rank.post(owner, bytes);
        }
        // A rank is busy until it hands the message to the NIC. A collective in the background
        // occupies no rank.
        let mut handed = now;
        if self.setup.costly_sends {
            let by_nic = !self.on_same_node(header.job, header.source, destination);
            handed = self.prepare_send(
                r,
                bytes,
                eager && short,
                by_nic,
                owner == CALL || owner < MAX_REQUESTS,
                now,
            );
        }
        let rank = &mut self.ranks[r];
        let buffered = mode == Mode::Buffered;
        let copied = short && self.setup.config.eager_completion == EagerCompletion::Posted;
        let at_once = eager && (local || buffered || copied);
        let mut owner = owner;
        if buffered && !at_once {
            rank.complete(owner);
            owner = DETACHED;
        }
        let mut message = Message::new(header, handed, &self.setup.config);
        if at_once {
            rank.complete(owner);
        } else {
            rank.call_sends += u32::from(owner == CALL);
            let synchronous = mode == Mode::Synchronous;
            let send = PendingSend {
                bytes,
                rank: r as u32,
                owner,
                destination,
                tag,
                matched: eager,
                synchronous,
            };
            message.header.origin = self.transfers.sends.insert(send);
        }
        let handle = self.transfers.messages.insert(message);
        let through_memory = local && handed == now && self.setup.config.through_memory(bytes) == 0;
        if through_memory && !self.in_calls() {
            self.passed_through_memory(&header);
            return self.present(r, handle, now, wakes);
        }
        self.transmit(handle, wakes);
        Ok(())
    }

    /// Starts a receive for `owner`.
    pub(crate) fn post_receive(
        &mut self,
        r: usize,
        expected: Expected,
        owner: u32,
        now: Time,
        wakes: &mut Wakes,
    ) -> Result<(), OperationFault> {
        let Expected { source, context, tag, bytes, instance } = expected;
        if self.setup.limits_buffers() {
            self.post_receive_buffer(r, now, wakes);
        }
        let rank = &mut self.ranks[r];
        rank.begin(owner);
        rank.end_run_of_sends(owner);
        let mut receive = PostedReceive::new(r as u32, owner, source, context, tag, bytes);
        receive.instance = instance;
        let handle = self.transfers.receives.insert(receive);
        let taken =
            rank.matcher.post(handle, &mut self.transfers.messages, &mut self.transfers.receives);
        if !self.setup.costly_posts {
            return taken.map_or(Ok(()), |message| self.matched(r, message, handle, now, wakes));
        }
        let mut inspected = 0;
        if self.setup.config.inspects() {
            inspected = rank.matcher.unexpected_inspected(taken, &self.transfers.messages);
            if taken.is_none() {
                rank.matcher.inspected.push(handle);
            }
        }
        let ready = self.prepare_receive(r, source, bytes, inspected, now);
        let Some(message) = taken else { return Ok(()) };
        if !self.in_calls() {
            return self.matched(r, message, handle, ready, wakes);
        }
        self.ranks[r].busy_until = self.match_in_call(r, message, handle, ready, wakes)?;
        Ok(())
    }

    /// Handles the last byte of a transmission.
    pub(crate) fn arrived(&mut self, handle: u32, now: Time, wakes: &mut Wakes) {
        let header = self.transfers.messages[handle].header;
        self.jobs.of_mut(header.job).in_transit -= 1;
        let r = self.jobs.rank_index(header.job, header.addressee());
        let payload = match header.kind {
            TransmissionKind::Eager if header.source != header.destination => Some(Protocol::Eager),
            TransmissionKind::Data => Some(Protocol::Rendezvous),
            _ => None,
        };
        if self.setup.tells_unexpected {
            self.note_unexpected(r, handle);
        }
        if let Some(protocol) = payload {
            self.delivered(r, handle, protocol, now);
        }
        if self.in_calls() {
            return self.arrived_in_calls(r, handle, &header, now, wakes);
        }
        match header.kind {
            TransmissionKind::Eager | TransmissionKind::RequestToSend => {
                if let Err(fault) = self.present(r, handle, now, wakes) {
                    self.fail(r, fault, now);
                    return;
                }
            }
            TransmissionKind::Get => {
                self.answer_get(handle, now, wakes);
            }
            TransmissionKind::Data => {
                let work = self.deregistration(&header);
                let work = work.saturating_add(self.setup.config.receive_overhead_ps);
                self.complete_receive(header.target, &header, work);
                self.acknowledge(handle, now, wakes);
            }
            TransmissionKind::Acknowledge => {
                self.complete_send(header.origin);
                self.transfers.messages.remove(handle);
            }
        }
        self.proceed(r, now, wakes);
    }

    /// Matches an envelope that has arrived, and the envelopes that waited for it.
    fn present(
        &mut self,
        r: usize,
        handle: u32,
        now: Time,
        wakes: &mut Wakes,
    ) -> Result<(), OperationFault> {
        let mut matches = std::mem::take(&mut self.transfers.matches);
        self.ranks[r].matcher.arrive(
            handle,
            &mut self.transfers.messages,
            &mut self.transfers.receives,
            &mut matches,
        );
        let result = matches
            .iter()
            .try_for_each(|(message, receive)| self.matched(r, *message, *receive, now, wakes));
        matches.clear();
        self.transfers.matches = matches;
        if self.ranks[r].activity == Activity::Ended {
            return result.and(self.nothing_unreceived(r));
        }
        result
    }

    /// Continues a message whose receive has been found.
    fn matched(
        &mut self,
        r: usize,
        handle: u32,
        receive: u32,
        now: Time,
        wakes: &mut Wakes,
    ) -> Result<(), OperationFault> {
        let header = self.transfers.messages[handle].header;
        self.check_match(&header, receive)?;
        let owner = self.transfers.receives[receive].owner;
        let mut matching = self.setup.config.match_delay_ps;
        if self.setup.config.inspects() {
            let entries = self.ranks[r].matcher.inspected.remove(receive);
            matching = matching.saturating_add(self.inspection(entries));
        }
        let local = header.source == self.ranks[r].number;
        if header.kind == TransmissionKind::RequestToSend && !local {
            let ready =
                now.saturating_add(matching).saturating_add(self.registration_at_match(&header));
            self.reply(
                handle,
                Header { kind: TransmissionKind::Get, target: receive, ..header },
                ready,
                wakes,
            );
            return Ok(());
        }
        if header.kind == TransmissionKind::RequestToSend {
            self.complete_send(header.origin);
        }
        let mut work = 0;
        if self.setup.costly_receives {
            let copy = if header.kind == TransmissionKind::Eager {
                self.setup.config.receive_copy(header.bytes)
            } else {
                0
            };
            work = matching.saturating_add(copy);
            if work > 0 && owner != CALL && owner >= MAX_REQUESTS {
                // Until the copy is complete, something can still wake the rank.
                self.jobs.of_mut(header.job).in_transit += 1;
                self.transfers.messages[handle].header.target = receive;
                self.nics.delay_until(
                    &mut self.transfers.messages,
                    (self.ranks[r].nic as usize, handle),
                    now.saturating_add(work),
                    wakes,
                );
                return Ok(());
            }
            work = work.saturating_add(self.setup.config.receive_overhead_ps);
        }
        self.complete_receive(receive, &header, work);
        self.transfers.messages.remove(handle);
        Ok(())
    }

    /// Checks that a message fits the receive that it matches.
    pub(crate) fn check_match(&self, header: &Header, receive: u32) -> Result<(), OperationFault> {
        let PostedReceive { bytes: room, tag, instance, .. } = self.transfers.receives[receive];
        if header.is_collective() && (tag, instance) != (TagSelect::Is(header.tag), header.instance)
        {
            let kind = match tag {
                TagSelect::Is(tag) => CollectiveKind::of_tag(tag),
                TagSelect::Any => None,
            };
            return Err(OperationFault::mismatch(
                (kind.unwrap_or(CollectiveKind::Barrier), instance.root),
                header,
            ));
        }
        let Header { source, tag, bytes, .. } = *header;
        if bytes > room {
            return Err(OperationFault::Truncated { source, tag, bytes, room });
        }
        Ok(())
    }

    /// Replaces a transmission that has arrived by the message's next one. The host hands it over
    /// at `ready`.
    pub(crate) fn reply(&mut self, handle: u32, header: Header, ready: Time, wakes: &mut Wakes) {
        self.transfers.messages[handle] = Message::new(header, ready, &self.setup.config);
        self.transmit(handle, wakes);
    }

    /// Answers a get with the data, which the NIC can queue at `ready`.
    pub(crate) fn answer_get(&mut self, handle: u32, ready: Time, wakes: &mut Wakes) {
        let header = self.transfers.messages[handle].header;
        self.transfers.sends[header.origin].matched = true;
        self.reply(handle, Header { kind: TransmissionKind::Data, ..header }, ready, wakes);
    }

    /// Acknowledges a payload that has arrived, if its sender waits for that.
    pub(crate) fn acknowledge(&mut self, handle: u32, now: Time, wakes: &mut Wakes) {
        if self.setup.config.rendezvous_completion == RendezvousCompletion::Injected {
            self.transfers.messages.remove(handle);
            return;
        }
        let header = self.transfers.messages[handle].header;
        self.reply(handle, Header { kind: TransmissionKind::Acknowledge, ..header }, now, wakes);
    }

    /// Returns whether the send of a transmission is complete when its last packet has left.
    #[inline]
    pub(crate) fn completes_at_injection(&self, header: &Header) -> bool {
        match header.kind {
            TransmissionKind::Eager => header.origin != NONE,
            TransmissionKind::Data => {
                self.setup.config.rendezvous_completion == RendezvousCompletion::Injected
            }
            _ => false,
        }
    }

    /// Adds a transmission to its NIC's queue, after all that were handed over before it.
    /// Transmissions between ranks of one node pass through memory instead.
    fn transmit(&mut self, handle: u32, wakes: &mut Wakes) {
        let header = self.transfers.messages[handle].header;
        self.jobs.of_mut(header.job).in_transit += 1;
        let from = self.jobs.rank_index(header.job, header.transmitter());
        let nic = self.ranks[from].nic as usize;
        let node = self.jobs.location(header.job, header.addressee()).node;
        if node == self.nics.list[nic].node {
            let handed = self.transfers.messages[handle].created;
            self.acknowledgement_left(&header, handed, wakes);
            return self.pass_through_memory(nic, handle, wakes);
        }
        let overhead = header.wire_bytes(&self.setup.config) - header.payload();
        self.jobs.of_mut(header.job).ways.overhead += overhead;
        let destination = self.setup.nodes.first_nic(node);
        self.transfers.messages[handle].nic = destination;
        let way = self.way_to_queue(&header);
        self.transfers.messages[handle].created =
            self.transfers.messages[handle].created.saturating_add(way);
        if let Some(part) = self.outbox.elsewhere(destination) {
            let Message { header, created, .. } = self.transfers.messages[handle];
            self.outbox.put(part, MpiMessage::Announced { handle, header, created });
        }
        let created = self.transfers.messages[handle].created;
        if !self.nics.engines.is_empty() {
            return self.nics.enqueue_at_engines(
                &self.setup,
                &mut self.transfers.messages,
                (nic, handle),
                wakes,
            );
        }
        self.nics.list[nic]
            .queue
            .insert(&mut self.transfers.messages, handle, |other| other.created > created);
        wakes.nic = true;
    }

    /// Time from the hand-over of a transmission until its NIC can send it.
    #[inline]
    fn way_to_queue(&self, header: &Header) -> Time {
        let config = &self.setup.config;
        match header.kind {
            TransmissionKind::Get => config.host_to_nic_ps,
            TransmissionKind::Data if config.get_service == GetService::Nic => {
                self.setup.nic_transmit
            }
            TransmissionKind::Eager => {
                config.host_to_nic(header.bytes).saturating_add(self.setup.nic_transmit)
            }
            _ => config.host_to_nic_ps.saturating_add(self.setup.nic_transmit),
        }
    }

    pub(crate) fn complete_send(&mut self, handle: u32) {
        let PendingSend { rank, owner, .. } = self.transfers.sends[handle];
        self.transfers.sends.remove(handle);
        let rank = &mut self.ranks[rank as usize];
        rank.call_sends -= u32::from(owner == CALL);
        rank.complete(owner);
    }

    /// Completes a receive. Its rank is busy with it for `work`.
    pub(crate) fn complete_receive(&mut self, handle: u32, header: &Header, work: Time) {
        let PostedReceive { rank, owner, .. } = self.transfers.receives[handle];
        self.transfers.receives.remove(handle);
        let rank = &mut self.ranks[rank as usize];
        rank.receive(owner, header, work);
        rank.complete(owner);
    }

    /// Counts and records a payload that has arrived.
    fn delivered(&mut self, r: usize, handle: u32, protocol: Protocol, now: Time) {
        let header = &self.transfers.messages[handle].header;
        let rank = &mut self.ranks[r];
        rank.totals.received(header.bytes);
        let job = &mut self.jobs.list[rank.job as usize];
        job.statistics.record(now - header.posted);
        let unexpected = self.setup.tells_unexpected.then_some(header.unexpected);
        if self.setup.summarizes {
            if self.setup.recording.rank_messages {
                job.messages.delivered(header, unexpected.unwrap_or(false), now);
            }
            if self.setup.recording.latency_window > 0 {
                let length = self.setup.recording.latency_window;
                job.latency_windows.record(length, now - header.posted, now);
            }
        }
        if self.setup.recording.messages {
            self.records.message_records.push(MessageRecord {
                number: header.number(),
                posted: header.posted,
                delivered: now,
                bytes: header.bytes,
                source: header.source,
                destination: header.destination,
                tag: header.tag,
                job: header.job,
                protocol,
                unexpected: unexpected.filter(|_| self.setup.recording.unexpected),
            });
        }
    }

    /// Notes whether a message is unexpected whose first transmission has arrived. Its other
    /// transmissions keep the note.
    fn note_unexpected(&mut self, r: usize, handle: u32) {
        let header = &mut self.transfers.messages[handle].header;
        if matches!(header.kind, TransmissionKind::Eager | TransmissionKind::RequestToSend) {
            header.unexpected = !self.ranks[r].matcher.awaits(header, &self.transfers.receives);
        }
    }
}
