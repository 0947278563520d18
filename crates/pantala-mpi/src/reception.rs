//! The buffers of a rank for short messages, and what its NIC receives.

use std::collections::VecDeque;

use pantala_engine::Time;
use pantala_fabric::Delivery;

/// The buffers of one rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShortBuffers {
    /// Buffers that no message has taken.
    pub(crate) free: u32,
    /// Buffers that are posted: free ones, and those of messages that are arriving.
    pub(crate) posted: u32,
    /// Streams whose first packet finds no buffer and is still being matched.
    pub(crate) deciding: u32,
    /// Extra buffers, and messages through memory, that later receives pay back.
    pub(crate) owed: u32,
    pub(crate) through_memory: u32,
    /// Requests for an extra buffer that the host has not answered.
    pub(crate) requests: u32,
    /// The blocked streams, oldest first.
    pub(crate) blocked: VecDeque<Sender>,
}

/// A process that sends: its job and rank.
pub(crate) type Sender = (u16, u32);

/// What a NIC receives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reception {
    /// Streams with a message that is arriving or waits.
    pub(crate) streams: Vec<Stream>,
    /// Packets of streams that could not open yet, in order.
    pub(crate) unopened: VecDeque<Delivery>,
    /// Packets in the NIC that wait for a buffer. Those that wait for a stream do not count: they
    /// must not keep out the packets that end one.
    pub(crate) held: u32,
    /// Packets that the NIC has not taken from the network, in order.
    pub(crate) outside: VecDeque<Delivery>,
    /// Number of streams whose packets are passing on now. Until they have passed, no later packet
    /// of their senders may come in.
    pub(crate) releasing: u32,
}

/// The messages of one sender to a NIC.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) sender: Sender,
    /// Messages that are arriving and need no further buffer.
    pub(crate) arriving: Vec<u32>,
    pub(crate) state: State,
    pub(crate) waiting: VecDeque<Delivery>,
}

impl Stream {
    /// Whether no message is arriving or waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.arriving.is_empty() && self.waiting.is_empty()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Open,
    /// The NIC matches a first packet until this time, and has no buffer for it so far.
    Deciding(Time),
    Blocked,
}
