//! The order of transmissions in a NIC that sends gets apart from all others.
//!
//! After the NIC of SST's firefly (`Nic::SendMachine`, SST elements 11). One engine sends whole
//! transmissions, first in, first out: eager messages, requests, data, acknowledgements. It needs
//! `nic_transmit` before the first packet of each. It prepares up to `nic_window` bytes of its
//! transmission in front of the output buffer. The next transmission begins when the last packet of
//! the previous one has entered that buffer. A second engine sends gets at once. The packets of both
//! enter the output buffer in the order in which they were prepared. So a get waits at most for the
//! window and the buffer, and an acknowledgement waits for all data before it.

use std::collections::VecDeque;

use pantala_engine::{NEVER, Time};
use pantala_fabric::{PacketOffer, Pull, Wakes};

use crate::arena::{LinkedQueue, NONE};
use crate::layer::MpiLayer;
use crate::message::{Header, TransmissionKind};
use crate::program::operation::Program;

/// The engines of one NIC and their output buffer. The NIC's queue holds what waits for the first
/// engine.
#[derive(Clone, Debug)]
pub(crate) struct SendEngines {
    /// Gets that are on their way from the host, by time.
    gets: LinkedQueue,
    /// The transmission of the first engine, or [`NONE`].
    current: u32,
    /// The earliest time at which the first engine can take its next transmission.
    free_at: Time,
    /// Bytes of the current transmission in `prepared`.
    window: u64,
    /// Packets in front of the output buffer.
    prepared: VecDeque<Prepared>,
    /// Packets in the output buffer, with the times at which they entered it.
    buffer: VecDeque<(Prepared, Time)>,
    /// Bytes in the output buffer.
    filled: u64,
    /// The time for which a timer was requested last.
    armed: Time,
}

/// A packet that an engine has prepared.
#[derive(Clone, Copy, Debug)]
struct Prepared {
    /// The transmission.
    handle: u32,
    bytes: u32,
    /// Whether it is the last packet of its transmission.
    last: bool,
    is_get: bool,
}

impl Default for SendEngines {
    fn default() -> Self {
        Self {
            gets: LinkedQueue::EMPTY,
            current: NONE,
            free_at: 0,
            window: 0,
            prepared: VecDeque::new(),
            buffer: VecDeque::new(),
            filled: 0,
            armed: NEVER,
        }
    }
}

impl<P: Program> MpiLayer<P> {
    /// Adds a transmission that its NIC gets at the time `created`.
    pub(crate) fn enqueue_at_engines(&mut self, nic: usize, handle: u32, wakes: &mut Wakes) {
        let (created, kind) = (self.messages[handle].created, self.messages[handle].header.kind);
        let queue = match kind {
            TransmissionKind::Get => &mut self.engines[nic].gets,
            _ => &mut self.nics[nic].queue,
        };
        queue.insert(&mut self.messages, handle, |other| other.created > created);
        self.arm(nic, wakes);
    }

    /// Requests a timer for the next start of an engine. The link may be busy then, but what the
    /// engines do takes place at its own time.
    fn arm(&mut self, nic: usize, wakes: &mut Wakes) {
        let time = self.next_starts(nic).into_iter().min().unwrap_or(NEVER);
        if time < NEVER && self.engines[nic].armed != time {
            self.engines[nic].armed = time;
            wakes.timers.push(time);
        }
    }

    /// The time at which an engine has its next transmission: that of the first engine, and that
    /// of the second.
    fn next_starts(&self, nic: usize) -> [Time; 2] {
        let engines = &self.engines[nic];
        let arrival = |queue: LinkedQueue| match queue.front(&self.messages) {
            NONE => NEVER,
            front => self.messages[front].created,
        };
        let first = match arrival(self.nics[nic].queue) {
            time if time < NEVER && engines.current == NONE => {
                time.max(engines.free_at).saturating_add(self.config.nic_transmit_ps)
            }
            _ => NEVER,
        };
        [first, arrival(engines.gets)]
    }

    /// Runs the engines of a NIC until `now`.
    pub(crate) fn run_engines(&mut self, nic: usize, now: Time, wakes: &mut Wakes) {
        loop {
            let [first, get] = self.next_starts(nic);
            let time = first.min(get);
            if time > now {
                self.arm(nic, wakes);
                break;
            }
            if first <= get {
                let handle = self.nics[nic].queue.pop_front(&mut self.messages);
                self.engines[nic].current = handle;
                self.prepare_window(nic);
            } else {
                let handle = self.engines[nic].gets.pop_front(&mut self.messages);
                self.prepare(nic, handle, true);
            }
            self.fill_buffer(nic, time, wakes);
        }
        wakes.nic |= !self.engines[nic].buffer.is_empty();
    }

    /// Prepares the next packet of a transmission.
    fn prepare(&mut self, nic: usize, handle: u32, is_get: bool) {
        let message = &mut self.messages[handle];
        let bytes = message.to_send.min(u64::from(self.packet_bytes));
        message.to_send -= bytes;
        let last = message.to_send == 0;
        let packet = Prepared { handle, bytes: bytes as u32, last, is_get };
        self.engines[nic].prepared.push_back(packet);
    }

    /// Prepares packets of the current transmission until the window is full.
    fn prepare_window(&mut self, nic: usize) {
        let (window, handle) = (u64::from(self.config.nic_window_bytes), self.engines[nic].current);
        while handle != NONE
            && self.messages[handle].to_send > 0
            && self.engines[nic].window < window
        {
            let left = self.messages[handle].to_send;
            self.prepare(nic, handle, false);
            self.engines[nic].window += left - self.messages[handle].to_send;
        }
    }

    /// Moves prepared packets into the output buffer at `time`, as long as it has room.
    fn fill_buffer(&mut self, nic: usize, time: Time, wakes: &mut Wakes) {
        let room = u64::from(self.config.nic_buffer_bytes);
        loop {
            let engines = &mut self.engines[nic];
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
                let header = self.messages[packet.handle].header;
                self.acknowledgement_left(&header, time, wakes);
            } else {
                self.prepare_window(nic);
            }
        }
    }

    /// Returns the next packet of the output buffer.
    pub(crate) fn pull_from_engines(&mut self, nic: usize, now: Time, wakes: &mut Wakes) -> Pull {
        self.run_engines(nic, now, wakes);
        let Some((packet, created)) = self.engines[nic].buffer.pop_front() else {
            return match self.engines_next_at(nic) {
                NEVER => Pull::Idle,
                time => Pull::Later(time),
            };
        };
        self.engines[nic].filled -= u64::from(packet.bytes);
        let message = &self.messages[packet.handle];
        let (destination, header): (u32, Header) = (message.node, message.header);
        let offer = PacketOffer {
            destination,
            bytes: packet.bytes,
            created,
            message: packet.handle,
            job: header.job,
            class: header.class(),
        };
        self.fill_buffer(nic, now, wakes);
        if self.engines[nic].current == NONE {
            self.run_engines(nic, now, wakes);
        }
        if packet.last {
            self.last_packet_left(&header, now, wakes);
        }
        Pull::Packet(offer)
    }

    /// The earliest time at which a NIC with engines has a packet.
    pub(crate) fn engines_next_at(&self, nic: usize) -> Time {
        match self.engines[nic].buffer.front() {
            Some((_, entered)) => *entered,
            None => self.next_starts(nic).into_iter().min().unwrap_or(NEVER),
        }
    }
}
