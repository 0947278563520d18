//! Buffers for short messages, and the packets that a NIC holds for want of one.
//!
//! After SST's firefly (`ctrlMsgProcessQueuesState`, `nicRecvMachine` and `nicMsgStream` of SST
//! elements, branch `df_interference_rl`). An eager message or a request takes a buffer that its
//! rank has posted: some at the start, and one at each receive. If its first packet finds none, the
//! stream of its sender to this NIC is blocked, and the packets of the stream stay in the NIC. The
//! blocked streams of a rank wait in one queue for the next buffers. Each also asks the host for an
//! extra buffer, which a later receive pays back. A NIC that holds too many packets takes no more
//! from the network: the ejection link backs up into the router.
//!
//! Gets pass without a buffer: the NIC answers them.

use std::collections::VecDeque;

use pantala_engine::Time;
use pantala_fabric::{Delivery, Wakes};

use crate::layer::MpiLayer;
use crate::message::{Header, TransmissionKind};
use crate::program::operation::OperationStream;
use crate::rank::Activity;
use crate::reception::{Sender, ShortBuffers, State, Stream};

impl<P: OperationStream> MpiLayer<P> {
    /// Takes a packet that has arrived at a NIC whose ranks have limited buffers.
    pub(crate) fn receive_packet(
        &mut self,
        nic: usize,
        packet: &Delivery,
        now: Time,
        wakes: &mut Wakes,
    ) {
        let reception = &mut self.nics.receptions[nic];
        if !reception.outside.is_empty() || reception.held >= self.setup.config.nic_pending {
            reception.outside.push_back(*packet);
            wakes.held = true;
            return;
        }
        self.take_packet(nic, *packet, now, wakes);
    }

    /// Passes a packet to its stream, which it opens if necessary.
    fn take_packet(&mut self, nic: usize, packet: Delivery, now: Time, wakes: &mut Wakes) {
        let header = self.transfers.messages[self.handle_of(&packet)].header;
        if header.kind == TransmissionKind::Get {
            return self.process_packet(nic, &packet, now, wakes);
        }
        let sender = (header.job, header.transmitter());
        let reception = &mut self.nics.receptions[nic];
        let found = reception.streams.iter().position(|stream| stream.sender == sender);
        if found.is_none() {
            if reception.streams.len() >= self.setup.config.nic_streams as usize {
                reception.unopened.push_back(packet);
                return;
            }
            let (arriving, waiting) = (Vec::new(), VecDeque::new());
            reception.streams.push(Stream { sender, arriving, state: State::Open, waiting });
        }
        self.advance_stream(nic, sender, packet, now, wakes);
    }

    /// Passes a packet through its open stream, or lets it wait there.
    fn advance_stream(
        &mut self,
        nic: usize,
        sender: Sender,
        packet: Delivery,
        now: Time,
        wakes: &mut Wakes,
    ) {
        let handle = self.handle_of(&packet);
        let header = self.transfers.messages[handle].header;
        let Some(stream) = self.stream(nic, sender) else { return };
        if !stream.arriving.contains(&handle) {
            if stream.state == State::Open && self.admits(&header) {
                if let Some(stream) = self.stream(nic, sender) {
                    stream.arriving.push(handle);
                }
            } else {
                return self.hold_packet(nic, sender, packet, now, wakes);
            }
        }
        self.process_packet(nic, &packet, now, wakes);
    }

    /// Lets a packet wait in its stream. The first one blocks the stream after its match.
    fn hold_packet(
        &mut self,
        nic: usize,
        sender: Sender,
        packet: Delivery,
        now: Time,
        wakes: &mut Wakes,
    ) {
        let matched = now.saturating_add(self.setup.config.nic_match_ps);
        let r = self.receiver_of(&packet);
        self.nics.receptions[nic].held += 1;
        let Some(stream) = self.stream(nic, sender) else { return };
        stream.waiting.push_back(packet);
        if stream.state != State::Open {
            return;
        }
        stream.state = State::Deciding(matched);
        let handle = self.handle_of(&packet);
        self.transfers.messages[handle].nic_matched = matched;
        self.hosts.buffers[r].deciding += 1;
        if matched > now {
            wakes.timers.push(matched);
        } else {
            self.decide_streams(nic, now, wakes);
        }
    }

    /// Whether a message that begins to arrive needs no buffer, or gets one.
    fn admits(&mut self, header: &Header) -> bool {
        if !matches!(header.kind, TransmissionKind::Eager | TransmissionKind::RequestToSend) {
            return true;
        }
        let r = self.jobs.rank_index(header.job, header.destination);
        if self.never_waits(r) {
            return true;
        }
        let buffers = &mut self.hosts.buffers[r];
        let free = buffers.free > buffers.deciding;
        buffers.free -= u32::from(free);
        free
    }

    /// Whether a rank takes messages without buffers: its program has ended, so every message is an
    /// error.
    fn never_waits(&self, r: usize) -> bool {
        matches!(self.ranks[r].activity, Activity::Ended | Activity::Stopped | Activity::Failed)
    }

    /// Ends the matches of first packets: each takes a buffer, or blocks its stream.
    pub(crate) fn decide_streams(&mut self, nic: usize, now: Time, wakes: &mut Wakes) {
        loop {
            let due = self.nics.receptions[nic]
                .streams
                .iter()
                .find(|stream| matches!(stream.state, State::Deciding(time) if time <= now));
            let Some(stream) = due else { return };
            let (sender, first) = (stream.sender, stream.waiting[0]);
            let r = self.receiver_of(&first);
            self.hosts.buffers[r].deciding -= 1;
            if self.never_waits(r) || self.hosts.buffers[r].free > 0 {
                self.hosts.buffers[r].free = self.hosts.buffers[r].free.saturating_sub(1);
                self.release_stream(nic, sender, now, wakes);
                continue;
            }
            if let Some(stream) = self.stream(nic, sender) {
                stream.state = State::Blocked;
            }
            self.hosts.buffers[r].blocked.push_back(sender);
            self.hosts.buffers[r].requests += 1;
            if self.in_calls() {
                let time = now.saturating_add(self.setup.config.nic_to_host_ps);
                self.note_acknowledged(r, time, wakes);
            } else {
                self.answer_requests(r, now, wakes);
            }
        }
    }

    /// Posts the extra buffers that blocked streams have asked the host of rank `r` for.
    pub(crate) fn answer_requests(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        if !self.setup.limits_buffers() {
            return;
        }
        let requests = std::mem::take(&mut self.hosts.buffers[r].requests);
        for _ in 0..requests {
            if self.hosts.buffers[r].owed < self.setup.config.extra_buffers {
                self.hosts.buffers[r].owed += 1;
                self.post_buffer(r, now, wakes);
            }
        }
    }

    /// Posts the buffer of a receive call, or pays an extra one back.
    pub(crate) fn post_receive_buffer(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        let most = self.setup.config.short_buffers_limit;
        let buffers = &mut self.hosts.buffers[r];
        if buffers.owed > 0 {
            buffers.owed -= 1;
        } else if buffers.through_memory > 0 {
            buffers.through_memory -= 1;
        } else if buffers.posted < most {
            self.post_buffer(r, now, wakes);
        }
    }

    /// Notes a short message through memory: its receive posts no buffer.
    pub(crate) fn passed_through_memory(&mut self, header: &Header) {
        if self.setup.limits_buffers()
            && matches!(header.kind, TransmissionKind::Eager | TransmissionKind::RequestToSend)
        {
            let r = self.jobs.rank_index(header.job, header.destination);
            self.hosts.buffers[r].through_memory += 1;
        }
    }

    /// Posts one buffer: the oldest blocked stream takes it.
    fn post_buffer(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        self.hosts.buffers[r].posted += 1;
        match self.hosts.buffers[r].blocked.pop_front() {
            None => self.hosts.buffers[r].free += 1,
            Some(sender) => {
                let nic = self.ranks[r].nic as usize;
                self.release_stream(nic, sender, now, wakes);
            }
        }
    }

    /// Lets the first message of a stream arrive, which has its buffer now, and the packets after
    /// it.
    fn release_stream(&mut self, nic: usize, sender: Sender, now: Time, wakes: &mut Wakes) {
        let Some(stream) = self.stream(nic, sender) else { return };
        let waiting = std::mem::take(&mut stream.waiting);
        stream.state = State::Open;
        let Some(first) = waiting.front() else { return };
        let handle = self.handle_of(first);
        if let Some(stream) = self.stream(nic, sender) {
            stream.arriving.push(handle);
        }
        let reception = &mut self.nics.receptions[nic];
        reception.held -= waiting.len() as u32;
        reception.releasing += 1;
        for packet in waiting {
            self.take_packet(nic, packet, now, wakes);
        }
        self.nics.receptions[nic].releasing -= 1;
        self.refill(nic, now, wakes);
    }

    /// Closes idle streams, and takes packets that wait for a stream or outside of the NIC, as long
    /// as there is room. Packets of one sender keep their order.
    fn refill(&mut self, nic: usize, now: Time, wakes: &mut Wakes) {
        while self.nics.receptions[nic].releasing == 0 {
            let reception = &mut self.nics.receptions[nic];
            reception.streams.retain(|stream| !stream.is_idle());
            let room = reception.streams.len() < self.setup.config.nic_streams as usize;
            let unopened =
                if room { std::mem::take(&mut reception.unopened) } else { VecDeque::new() };
            let before = unopened.len();
            reception.releasing += 1;
            for packet in unopened {
                self.take_packet(nic, packet, now, wakes);
            }
            let reception = &mut self.nics.receptions[nic];
            reception.releasing -= 1;
            if before > 0 && reception.unopened.len() < before {
                continue;
            }
            if reception.held >= self.setup.config.nic_pending {
                return;
            }
            let Some(packet) = reception.outside.pop_front() else { return };
            wakes.released += 1;
            wakes.timers.push(now);
            reception.releasing += 1;
            self.take_packet(nic, packet, now, wakes);
            self.nics.receptions[nic].releasing -= 1;
        }
    }

    /// Handles the last packet of a message from the network: its buffer is used up.
    pub(crate) fn message_is_here(
        &mut self,
        nic: usize,
        handle: u32,
        header: &Header,
        now: Time,
        wakes: &mut Wakes,
    ) {
        if matches!(header.kind, TransmissionKind::Eager | TransmissionKind::RequestToSend) {
            let r = self.jobs.rank_index(header.job, header.destination);
            self.hosts.buffers[r].posted = self.hosts.buffers[r].posted.saturating_sub(1);
        }
        let sender = (header.job, header.transmitter());
        let Some(stream) = self.stream(nic, sender) else { return };
        stream.arriving.retain(|other| *other != handle);
        if !stream.is_idle() || self.nics.receptions[nic].releasing > 0 {
            return;
        }
        let reception = &mut self.nics.receptions[nic];
        reception.streams.retain(|stream| stream.sender != sender);
        if !reception.unopened.is_empty() {
            self.refill(nic, now, wakes);
        }
    }

    /// Lets all messages arrive that wait for a buffer of a rank whose program has ended.
    pub(crate) fn release_all(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        if !self.setup.limits_buffers() {
            return;
        }
        let nic = self.ranks[r].nic as usize;
        while let Some(sender) = self.hosts.buffers[r].blocked.pop_front() {
            self.release_stream(nic, sender, now, wakes);
        }
    }

    /// Number of messages that wait for a buffer of rank `r`.
    pub(crate) fn waits_for_buffers(&self, r: usize) -> usize {
        self.hosts.buffers.get(r).map_or(0, |buffers| buffers.blocked.len())
    }

    /// The buffers of a rank before its first operation.
    pub(crate) fn add_buffers(&mut self) {
        let (free, posted) = (self.setup.config.short_buffers, self.setup.config.short_buffers);
        self.hosts.buffers.push(ShortBuffers { free, posted, ..ShortBuffers::default() });
    }

    fn stream(&mut self, nic: usize, sender: Sender) -> Option<&mut Stream> {
        self.nics.receptions[nic].streams.iter_mut().find(|stream| stream.sender == sender)
    }

    /// The index of the rank that receives a packet.
    fn receiver_of(&self, packet: &Delivery) -> usize {
        let header = &self.transfers.messages[self.handle_of(packet)].header;
        self.jobs.rank_index(header.job, header.addressee())
    }

    /// This partition's handle of a packet's message.
    pub(crate) fn handle_of(&self, packet: &Delivery) -> u32 {
        match self.outbox.elsewhere(packet.source) {
            None => packet.message,
            Some(part) => self.outbox.local_handle(part, packet.message),
        }
    }
}
