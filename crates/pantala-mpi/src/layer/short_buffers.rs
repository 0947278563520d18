//! Buffers for short messages, and the packets that a NIC holds for want of one.
//!
//! After SST's firefly (`ctrlMsgProcessQueuesState`, `nicRecvMachine` and `nicMsgStream` of SST
//! elements, 2021) and merlin (`ReorderLinkControl`). The packets of a pair of NICs come in the order
//! of their sending, from a queue without a limit. An eager message or a request takes a buffer that
//! its rank has posted: some at the start, and one at each receive. If its first packet finds none,
//! the message waits for one of the next buffers, oldest first, and asks the host for an extra
//! buffer, which a later receive pays back. The later packets of a longer message, and all that its
//! sender sends to the rank after it, wait behind it. A NIC that holds too many such packets, or
//! receives too many messages, takes in no more.
//!
//! Gets pass without a buffer: the NIC answers them.

use pantala_engine::Time;
use pantala_fabric::{Delivery, Wakes};

use crate::config::MpiConfig;
use crate::layer::MpiLayer;
use crate::message::{Header, TransmissionKind};
use crate::program::operation::OperationStream;
use crate::rank::Activity;
use crate::reception::{Pair, Reception, ShortBuffers, Stream};

impl<P: OperationStream> MpiLayer<P> {
    /// Takes a packet that has arrived at a NIC whose ranks have limited buffers.
    pub(crate) fn receive_packet(
        &mut self,
        nic: usize,
        packet: &Delivery,
        now: Time,
        wakes: &mut Wakes,
    ) {
        let most = self.setup.config.nic_pending;
        let Reception { order, outside, held, passing, .. } = &mut self.nics.receptions[nic];
        // Most packets are next in order, and nothing waits before them.
        if outside.is_empty() && !*passing && *held < most && order.is_next(packet) {
            return self.take_in(nic, packet, now, wakes);
        }
        order.arrive(packet, outside);
        self.pass_packets(nic, now, wakes);
    }

    /// Passes on all packets that can go on now: first those that wait in the NIC, then those in
    /// front of it.
    fn pass_packets(&mut self, nic: usize, now: Time, wakes: &mut Wakes) {
        let MpiConfig { nic_streams, nic_pending, .. } = self.setup.config;
        if std::mem::replace(&mut self.nics.receptions[nic].passing, true) {
            return;
        }
        loop {
            let reception = &mut self.nics.receptions[nic];
            if let Some(packet) = reception.next_waiting(nic_streams) {
                self.go_on(nic, &packet, now, wakes);
                continue;
            }
            if reception.held >= nic_pending {
                break;
            }
            let Some(packet) = reception.outside.pop_front() else { break };
            self.take_in(nic, &packet, now, wakes);
        }
        self.nics.receptions[nic].passing = false;
    }

    /// Takes a packet into the NIC. It goes on, or waits there.
    fn take_in(&mut self, nic: usize, packet: &Delivery, now: Time, wakes: &mut Wakes) {
        let header = &self.transfers.messages[self.handle_of(packet)].header;
        if header.kind == TransmissionKind::Get {
            return self.process_packet(nic, packet, now, wakes);
        }
        let pair = pair_of(header);
        let reception = &mut self.nics.receptions[nic];
        let room = reception.open < self.setup.config.nic_streams;
        match reception.stream(pair) {
            Some(stream) if stream.blocked => {
                stream.waiting.push_back(*packet);
                reception.held += 1;
            }
            Some(stream) if !stream.waiting.is_empty() => stream.waiting.push_back(*packet),
            Some(stream) if stream.current.is_some() => {
                self.process_packet(nic, packet, now, wakes);
            }
            _ if room => self.begin_message(nic, packet, now, wakes),
            _ => reception.add_stream(pair).waiting.push_back(*packet),
        }
    }

    /// Passes on a packet that has waited for its turn: the next one of its message, or the first.
    fn go_on(&mut self, nic: usize, packet: &Delivery, now: Time, wakes: &mut Wakes) {
        let pair = pair_of(&self.transfers.messages[self.handle_of(packet)].header);
        let stream = self.nics.receptions[nic].stream(pair);
        if stream.is_some_and(|stream| stream.current.is_some()) {
            self.process_packet(nic, packet, now, wakes);
        } else {
            self.begin_message(nic, packet, now, wakes);
        }
    }

    /// Passes on the first packet of a message, which needs a buffer.
    fn begin_message(&mut self, nic: usize, packet: &Delivery, now: Time, wakes: &mut Wakes) {
        let handle = self.handle_of(packet);
        let message = &self.transfers.messages[handle];
        let (header, alone) = (message.header, message.to_arrive == u64::from(packet.bytes));
        let admitted = self.admits(&header);
        let reception = &mut self.nics.receptions[nic];
        reception.open += 1;
        if !alone {
            let stream = reception.add_stream(pair_of(&header));
            stream.current = Some(handle);
            stream.blocked = !admitted;
            reception.held += if admitted { 0 } else { stream.waiting.len() as u32 };
        }
        if admitted {
            return self.process_packet(nic, packet, now, wakes);
        }
        let matched = now.saturating_add(self.setup.config.nic_match_ps);
        self.transfers.messages[handle].nic_matched = matched;
        self.nics.receptions[nic].deciding.push((matched, *packet));
        let r = self.receiver_of(packet);
        self.hosts.buffers[r].deciding += 1;
        if matched > now {
            wakes.timers.push(matched);
        } else {
            self.decide(nic, now, wakes);
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

    /// Ends the matches of first packets: each takes a buffer, or waits for one.
    pub(crate) fn decide(&mut self, nic: usize, now: Time, wakes: &mut Wakes) {
        loop {
            let deciding = &mut self.nics.receptions[nic].deciding;
            let due = deciding.iter().position(|(matched, _)| *matched <= now);
            let Some(due) = due else { return };
            let (_, packet) = deciding.remove(due);
            let r = self.receiver_of(&packet);
            self.hosts.buffers[r].deciding -= 1;
            if self.never_waits(r) || self.hosts.buffers[r].free > 0 {
                self.hosts.buffers[r].free = self.hosts.buffers[r].free.saturating_sub(1);
                self.release(nic, packet, now, wakes);
                continue;
            }
            self.hosts.buffers[r].blocked.push_back(packet);
            self.hosts.buffers[r].requests += 1;
            if self.in_calls() {
                let time = now.saturating_add(self.setup.config.nic_to_host_ps);
                self.note_acknowledged(r, time, wakes);
            } else {
                self.answer_requests(r, now, wakes);
            }
        }
    }

    /// Posts the extra buffers that messages without one have asked the host of rank `r` for.
    pub(crate) fn answer_requests(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        if !self.setup.limits_buffers() {
            return;
        }
        while self.hosts.buffers[r].requests > 0
            && self.hosts.buffers[r].owed < self.setup.config.extra_buffers
        {
            self.hosts.buffers[r].requests -= 1;
            self.hosts.buffers[r].owed += 1;
            self.post_buffer(r, now, wakes);
        }
    }

    /// Posts the buffer of a receive call, or pays an extra one back.
    pub(crate) fn post_receive_buffer(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        let most = self.setup.config.short_buffers_limit;
        let buffers = &mut self.hosts.buffers[r];
        if buffers.owed > 0 {
            buffers.owed -= 1;
            if !self.in_calls() {
                self.answer_requests(r, now, wakes);
            }
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

    /// Posts one buffer: the message that has waited longest takes it.
    fn post_buffer(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        self.hosts.buffers[r].posted += 1;
        match self.hosts.buffers[r].blocked.pop_front() {
            None => self.hosts.buffers[r].free += 1,
            Some(packet) => self.release(self.ranks[r].nic as usize, packet, now, wakes),
        }
    }

    /// Lets a message arrive that has its buffer now, from its first packet on.
    fn release(&mut self, nic: usize, packet: Delivery, now: Time, wakes: &mut Wakes) {
        let handle = self.handle_of(&packet);
        let pair = pair_of(&self.transfers.messages[handle].header);
        let reception = &mut self.nics.receptions[nic];
        if let Some(stream) = reception.stream(pair).filter(|own| own.current == Some(handle)) {
            stream.blocked = false;
            reception.held -= stream.waiting.len() as u32;
        }
        self.process_packet(nic, &packet, now, wakes);
        self.pass_packets(nic, now, wakes);
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
        match header.kind {
            TransmissionKind::Get => return,
            TransmissionKind::Eager | TransmissionKind::RequestToSend => {
                let r = self.jobs.rank_index(header.job, header.destination);
                self.hosts.buffers[r].posted = self.hosts.buffers[r].posted.saturating_sub(1);
            }
            TransmissionKind::Data | TransmissionKind::Acknowledge => {}
        }
        let reception = &mut self.nics.receptions[nic];
        reception.open -= 1;
        let pair = pair_of(header);
        if let Some(stream) = reception.stream(pair) {
            stream.current = stream.current.filter(|current| *current != handle);
            reception.streams.retain(|own| own.current.is_some() || !own.waiting.is_empty());
        }
        if !reception.outside.is_empty() || !reception.streams.is_empty() {
            self.pass_packets(nic, now, wakes);
        }
    }

    /// Lets all messages arrive that wait for a buffer of a rank whose program has ended.
    pub(crate) fn release_all(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        if !self.setup.limits_buffers() {
            return;
        }
        let nic = self.ranks[r].nic as usize;
        while let Some(packet) = self.hosts.buffers[r].blocked.pop_front() {
            self.release(nic, packet, now, wakes);
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

impl Reception {
    /// Takes out the next packet that waits in the NIC and can go on.
    fn next_waiting(&mut self, most: u32) -> Option<Delivery> {
        let room = self.open < most;
        let goes_on = |stream: &&mut Stream| {
            !stream.waiting.is_empty() && !stream.blocked && (room || stream.current.is_some())
        };
        self.streams.iter_mut().find(goes_on)?.waiting.pop_front()
    }

    fn stream(&mut self, pair: Pair) -> Option<&mut Stream> {
        self.streams.iter_mut().find(|stream| stream.pair == pair)
    }

    /// The stream of a pair, which begins if there is none.
    fn add_stream(&mut self, pair: Pair) -> &mut Stream {
        let at = self.streams.iter().position(|stream| stream.pair == pair);
        let at = at.unwrap_or_else(|| {
            self.streams.push(Stream::new(pair));
            self.streams.len() - 1
        });
        &mut self.streams[at]
    }
}

/// The ranks between which a message travels.
fn pair_of(header: &Header) -> Pair {
    (header.job, header.transmitter(), header.addressee())
}
