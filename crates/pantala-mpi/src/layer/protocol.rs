//! The eager and rendezvous protocols: sends, receives and arrivals.

use pantala_engine::Time;
use pantala_fabric::Wakes;

use crate::accounting::records::MessageRecord;
use crate::arena::NONE;
use crate::collectives::kind::CollectiveKind;
use crate::config::EagerCompletion;
use crate::layer::MpiLayer;
use crate::layer::partition_outbox::MpiMessage;
use crate::message::{CollectiveInstance, Header, Message, Protocol, TransmissionKind};
use crate::program::error::ProgramFault;
use crate::program::identifiers::{MAX_REQUESTS, Source, TagSelect};
use crate::program::operation::{Incoming, Outgoing, Program};
use crate::rank::matching::PostedReceive;
use crate::rank::posting::{Expected, Mode, Outbound};
use crate::rank::{Activity, CALL, DETACHED, PendingSend};

impl<P: Program> MpiLayer<P> {
    /// Checks the arguments of a program's send.
    pub(crate) fn outbound(&self, r: usize, outgoing: &Outgoing) -> Result<Outbound, ProgramFault> {
        let communicator = self.ranks[r].communicator(outgoing.communicator)?;
        let size = communicator.size();
        let Outgoing { destination: peer, tag, bytes, .. } = *outgoing;
        let no_peer = ProgramFault::NoPeer { peer, size, tag: Some(tag), bytes };
        let destination = communicator.rank(peer).ok_or(no_peer)?;
        if outgoing.tag < 0 {
            return Err(ProgramFault::NegativeTag { tag: outgoing.tag });
        }
        let context = communicator.user_context();
        let (instance, mode) = (CollectiveInstance::default(), Mode::Standard);
        Ok(Outbound {
            destination,
            context,
            tag: outgoing.tag,
            bytes: outgoing.bytes,
            instance,
            mode,
        })
    }

    /// Checks the arguments of a program's receive.
    pub(crate) fn expected(&self, r: usize, incoming: &Incoming) -> Result<Expected, ProgramFault> {
        let communicator = self.ranks[r].communicator(incoming.communicator)?;
        let source = match incoming.source {
            Source::Any => NONE,
            Source::Rank(peer) => {
                let (size, bytes) = (communicator.size(), incoming.bytes);
                let tag = match incoming.tag {
                    TagSelect::Is(tag) => Some(tag),
                    TagSelect::Any => None,
                };
                communicator.rank(peer).ok_or(ProgramFault::NoPeer { peer, size, tag, bytes })?
            }
        };
        match incoming.tag {
            TagSelect::Is(tag) if tag < 0 => Err(ProgramFault::NegativeTag { tag }),
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
    ) -> Result<(), ProgramFault> {
        let Outbound { destination, context, tag, bytes, instance, mode } = outbound;
        let eager = bytes <= self.config.eager_threshold_bytes && mode != Mode::Synchronous;
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
            origin: NONE,
            target: NONE,
            job: self.jobs[rank.job as usize].id,
            kind: if eager { TransmissionKind::Eager } else { TransmissionKind::RequestToSend },
        };
        rank.begin(owner);
        if !local {
            rank.post(owner, bytes);
        }
        // A rank is busy until it hands the message to the NIC. A collective in the background
        // occupies no rank.
        let mut handed = now;
        if self.costly_sends {
            let by_nic = !self.on_same_node(header.job, header.source, destination);
            handed = self.prepare_send(
                r,
                bytes,
                eager,
                by_nic,
                owner == CALL || owner < MAX_REQUESTS,
                now,
            );
        }
        let rank = &mut self.ranks[r];
        let buffered = mode == Mode::Buffered;
        let at_once =
            eager && (local || buffered || self.config.eager_completion == EagerCompletion::Posted);
        let mut owner = owner;
        if buffered && !at_once {
            rank.complete(owner);
            owner = DETACHED;
        }
        let mut message = Message::new(header, handed, self.config.control_bytes);
        if at_once {
            rank.complete(owner);
        } else {
            let send =
                PendingSend { bytes, rank: r as u32, owner, destination, tag, matched: eager };
            message.header.origin = self.sends.insert(send);
        }
        let handle = self.messages.insert(message);
        if local && handed == now && self.config.through_memory(bytes) == 0 {
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
    ) -> Result<(), ProgramFault> {
        let Expected { source, context, tag, bytes, instance } = expected;
        let rank = &mut self.ranks[r];
        rank.begin(owner);
        let mut receive = PostedReceive::new(r as u32, owner, source, context, tag, bytes);
        receive.instance = instance;
        let handle = self.receives.insert(receive);
        match rank.matcher.post(handle, &mut self.messages, &mut self.receives) {
            Some(message) => self.matched(r, message, handle, now, wakes),
            None => Ok(()),
        }
    }

    /// Handles the last byte of a transmission.
    pub(crate) fn arrived(&mut self, handle: u32, now: Time, wakes: &mut Wakes) {
        let header = self.messages[handle].header;
        let r = self.rank_index(header.job, header.addressee());
        match header.kind {
            TransmissionKind::Eager | TransmissionKind::RequestToSend => {
                if header.kind == TransmissionKind::Eager && header.source != header.destination {
                    self.delivered(r, &header, Protocol::Eager, now);
                }
                if let Err(fault) = self.present(r, handle, now, wakes) {
                    self.fail(r, fault, now);
                    return;
                }
            }
            TransmissionKind::Get => {
                self.sends[header.origin].matched = true;
                self.reply(handle, Header { kind: TransmissionKind::Data, ..header }, now, wakes);
            }
            TransmissionKind::Data => {
                self.delivered(r, &header, Protocol::Rendezvous, now);
                self.complete_receive(header.target, &header, self.config.receive_overhead_ps);
                self.reply(
                    handle,
                    Header { kind: TransmissionKind::Acknowledge, ..header },
                    now,
                    wakes,
                );
            }
            TransmissionKind::Acknowledge => {
                self.complete_send(header.origin);
                self.messages.remove(handle);
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
    ) -> Result<(), ProgramFault> {
        let mut matches = std::mem::take(&mut self.matches);
        self.ranks[r].matcher.arrive(handle, &mut self.messages, &mut self.receives, &mut matches);
        let result = matches
            .iter()
            .try_for_each(|(message, receive)| self.matched(r, *message, *receive, now, wakes));
        matches.clear();
        self.matches = matches;
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
    ) -> Result<(), ProgramFault> {
        let header = self.messages[handle].header;
        let PostedReceive { bytes: room, tag, instance, owner, .. } = self.receives[receive];
        if header.is_collective() && (tag, instance) != (TagSelect::Is(header.tag), header.instance)
        {
            let kind = match tag {
                TagSelect::Is(tag) => CollectiveKind::of_tag(tag),
                TagSelect::Any => None,
            };
            return Err(ProgramFault::mismatch(
                (kind.unwrap_or(CollectiveKind::Barrier), instance.root),
                &header,
            ));
        }
        if header.bytes > room {
            let Header { source, tag, bytes, .. } = header;
            return Err(ProgramFault::Truncated { source, tag, bytes, room });
        }
        let local = header.source == self.ranks[r].number;
        if header.kind == TransmissionKind::RequestToSend && !local {
            let mut ready = now.saturating_add(self.config.match_delay_ps);
            if self.config.registers()
                && !self.on_same_node(header.job, header.source, header.destination)
            {
                ready = ready.saturating_add(self.config.registration(header.bytes));
            }
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
        if self.costly_receives {
            let copy = if header.kind == TransmissionKind::Eager {
                self.config.copy(header.bytes)
            } else {
                0
            };
            work = self.config.match_delay_ps.saturating_add(copy);
            if work > 0 && owner != CALL && owner >= MAX_REQUESTS {
                self.messages[handle].header.target = receive;
                self.delay_until(
                    self.ranks[r].nic as usize,
                    handle,
                    now.saturating_add(work),
                    wakes,
                );
                return Ok(());
            }
            work = work.saturating_add(self.config.receive_overhead_ps);
        }
        self.complete_receive(receive, &header, work);
        self.messages.remove(handle);
        Ok(())
    }

    /// Replaces a transmission that has arrived by the message's next one. The host hands it over
    /// at `ready`.
    fn reply(&mut self, handle: u32, header: Header, ready: Time, wakes: &mut Wakes) {
        self.messages[handle] = Message::new(header, ready, self.config.control_bytes);
        self.transmit(handle, wakes);
    }

    /// Adds a transmission to its NIC's queue, after all that were handed over before it.
    /// Transmissions between ranks of one node pass through memory instead.
    fn transmit(&mut self, handle: u32, wakes: &mut Wakes) {
        let header = self.messages[handle].header;
        let from = self.rank_index(header.job, header.transmitter());
        let nic = self.ranks[from].nic as usize;
        let node = self.location(header.job, header.addressee()).node;
        if node == self.nics[nic].node {
            return self.pass_through_memory(nic, handle, wakes);
        }
        self.messages[handle].node = node;
        self.messages[handle].created =
            self.messages[handle].created.saturating_add(self.config.host_to_nic_ps);
        if let Some(part) = self.outbox.elsewhere(node) {
            let Message { header, created, .. } = self.messages[handle];
            self.outbox.put(part, MpiMessage::Announced { handle, header, created });
        }
        let created = self.messages[handle].created;
        self.nics[nic].queue.insert(&mut self.messages, handle, |other| other.created > created);
        wakes.nic = true;
    }

    pub(crate) fn complete_send(&mut self, handle: u32) {
        let PendingSend { rank, owner, .. } = self.sends[handle];
        self.sends.remove(handle);
        self.ranks[rank as usize].complete(owner);
    }

    /// Completes a receive. Its rank is busy with it for `work`.
    pub(crate) fn complete_receive(&mut self, handle: u32, header: &Header, work: Time) {
        let PostedReceive { rank, owner, .. } = self.receives[handle];
        self.receives.remove(handle);
        let rank = &mut self.ranks[rank as usize];
        rank.receive(owner, header, work);
        rank.complete(owner);
    }

    /// Counts and records a payload that has arrived.
    fn delivered(&mut self, r: usize, header: &Header, protocol: Protocol, now: Time) {
        let rank = &mut self.ranks[r];
        rank.account.received(header.bytes);
        self.jobs[rank.job as usize].statistics.record(now - header.posted);
        if self.recording.messages {
            self.message_records.push(MessageRecord {
                posted: header.posted,
                delivered: now,
                bytes: header.bytes,
                source: header.source,
                destination: header.destination,
                tag: header.tag,
                job: header.job,
                protocol,
            });
        }
    }
}
