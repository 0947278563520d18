//! The order of transmissions in a NIC that sends gets apart from all others.
//!
//! After the NIC of SST's firefly (`Nic::SendMachine`, SST elements 11). One engine sends whole
//! transmissions, first in, first out: eager messages, requests, data, acknowledgements. It needs
//! `nic_transmit` before the first packet of each. It prepares up to `nic_window` bytes of its
//! transmission in front of the output buffer. The next transmission begins when the last packet of
//! the previous one has entered that buffer. A second engine sends gets at once. The packets of
//! both enter the output buffer in the order in which they were prepared. So a get waits at most
//! for the window and the buffer, and an acknowledgement waits for all data before it.

use pantala_engine::{NEVER, Time};
use pantala_fabric::{PacketOffer, Pull, Wakes};

use crate::arena::{Arena, LinkedQueue, NONE};
use crate::layer::MpiLayer;
use crate::layer::layer_setup::LayerSetup;
use crate::layer::nics::{Nics, Prepared};
use crate::message::{Header, Message, TransmissionKind};
use crate::program::operation::OperationStream;
use crate::reception::packet_number;

impl Nics {
    /// Adds a transmission that its NIC gets at the time `created`.
    pub(crate) fn enqueue_at_engines(
        &mut self,
        setup: &LayerSetup,
        messages: &mut Arena<Message>,
        (nic, handle): (usize, u32),
        wakes: &mut Wakes,
    ) {
        let (created, kind) = (messages[handle].created, messages[handle].header.kind);
        let queue = match kind {
            TransmissionKind::Get => &mut self.engines[nic].gets,
            _ => &mut self.list[nic].queue,
        };
        queue.insert(messages, handle, |other| other.created > created);
        self.arm(nic, self.next_start(setup, messages, nic), wakes);
    }

    /// Requests a timer for the next start of an engine, at `time`. The link may be busy then, but
    /// what the engines do takes place at its own time.
    #[inline]
    fn arm(&mut self, nic: usize, time: Time, wakes: &mut Wakes) {
        if time < NEVER && self.engines[nic].armed != time {
            self.engines[nic].armed = time;
            wakes.timers.push(time);
        }
    }

    /// The time at which the next transmission of either engine begins.
    fn next_start(&self, setup: &LayerSetup, messages: &Arena<Message>, nic: usize) -> Time {
        let [first, get] = self.next_starts(setup, messages, nic);
        first.min(get)
    }

    /// The time at which an engine has its next transmission: that of the first engine, and that
    /// of the second.
    #[inline]
    fn next_starts(&self, setup: &LayerSetup, messages: &Arena<Message>, nic: usize) -> [Time; 2] {
        let engines = &self.engines[nic];
        let arrival = |queue: LinkedQueue| match queue.front(messages) {
            NONE => NEVER,
            front => messages[front].created,
        };
        let first = match arrival(self.list[nic].queue) {
            time if time < NEVER && engines.current == NONE => {
                time.max(engines.free_at).saturating_add(setup.config.nic_transmit_ps)
            }
            _ => NEVER,
        };
        [first, arrival(engines.gets)]
    }

    /// Prepares the next packet of a transmission.
    fn prepare(
        &mut self,
        setup: &LayerSetup,
        messages: &mut Arena<Message>,
        nic: usize,
        (handle, is_get): (u32, bool),
    ) {
        let message = &mut messages[handle];
        let bytes = message.to_send.min(u64::from(setup.packet_bytes));
        message.to_send -= bytes;
        let last = message.to_send == 0;
        let packet = Prepared { handle, bytes: bytes as u32, last, is_get };
        self.engines[nic].prepared.push_back(packet);
    }

    /// Prepares packets of the current transmission until the window is full.
    fn prepare_window(&mut self, setup: &LayerSetup, messages: &mut Arena<Message>, nic: usize) {
        let (window, handle) =
            (u64::from(setup.config.nic_window_bytes), self.engines[nic].current);
        while handle != NONE && messages[handle].to_send > 0 && self.engines[nic].window < window {
            let left = messages[handle].to_send;
            self.prepare(setup, messages, nic, (handle, false));
            self.engines[nic].window += left - messages[handle].to_send;
        }
    }

    /// The earliest time at which a NIC with engines has a packet.
    pub(crate) fn engines_next_at(
        &self,
        setup: &LayerSetup,
        messages: &Arena<Message>,
        nic: usize,
    ) -> Time {
        match self.engines[nic].buffer.front() {
            Some((_, entered)) => *entered,
            None => self.next_start(setup, messages, nic),
        }
    }
}

impl<P: OperationStream> MpiLayer<P> {
    /// Runs the engines of a NIC until `now`.
    pub(crate) fn run_engines(&mut self, nic: usize, now: Time, wakes: &mut Wakes) {
        loop {
            let [first, get] = self.nics.next_starts(&self.setup, &self.transfers.messages, nic);
            let time = first.min(get);
            if time > now {
                self.nics.arm(nic, time, wakes);
                break;
            }
            if first <= get {
                let handle = self.nics.list[nic].queue.pop_front(&mut self.transfers.messages);
                self.nics.engines[nic].current = handle;
                self.nics.prepare_window(&self.setup, &mut self.transfers.messages, nic);
            } else {
                let handle = self.nics.engines[nic].gets.pop_front(&mut self.transfers.messages);
                self.nics.prepare(&self.setup, &mut self.transfers.messages, nic, (handle, true));
            }
            self.fill_buffer(nic, time, wakes);
        }
        wakes.nic |= !self.nics.engines[nic].buffer.is_empty();
    }

    /// Moves prepared packets into the output buffer at `time`, as long as it has room.
    fn fill_buffer(&mut self, nic: usize, time: Time, wakes: &mut Wakes) {
        let room = u64::from(self.setup.config.nic_buffer_bytes);
        loop {
            let engines = &mut self.nics.engines[nic];
            let Some(&packet) = engines.prepared.front() else { return };
            let bytes = u64::from(packet.bytes);
            if engines.filled > 0 && engines.filled + bytes > room {
                return;
            }
            engines.prepared.pop_front();
            engines.buffer.push_back((packet, time));
            engines.filled += bytes;
            if packet.is_get {
                continue;
            }
            engines.window -= bytes;
            if packet.last {
                engines.current = NONE;
                engines.free_at = time;
                let header = self.transfers.messages[packet.handle].header;
                self.acknowledgement_left(&header, time, wakes);
            } else {
                self.nics.prepare_window(&self.setup, &mut self.transfers.messages, nic);
            }
        }
    }

    /// Returns the next packet of the output buffer.
    pub(crate) fn pull_from_engines(&mut self, nic: usize, now: Time, wakes: &mut Wakes) -> Pull {
        self.run_engines(nic, now, wakes);
        let Some((packet, created)) = self.nics.engines[nic].buffer.pop_front() else {
            return match self.nics.engines_next_at(&self.setup, &self.transfers.messages, nic) {
                NEVER => Pull::Idle,
                time => Pull::Later(time),
            };
        };
        self.nics.engines[nic].filled -= u64::from(packet.bytes);
        let message = &self.transfers.messages[packet.handle];
        let (destination, header): (u32, Header) = (message.nic, message.header);
        let offer = PacketOffer {
            destination,
            bytes: packet.bytes,
            created,
            message: packet.handle,
            number: packet_number(&mut self.nics.receptions, nic, destination),
            job: header.job,
            class: header.class(),
        };
        self.fill_buffer(nic, now, wakes);
        if self.nics.engines[nic].current == NONE {
            self.run_engines(nic, now, wakes);
        }
        if packet.last {
            self.last_packet_left(&header, now, wakes);
        }
        Pull::Packet(offer)
    }
}
