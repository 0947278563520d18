//! [`Nics`]: the transmissions that NICs have to send, and those that they receive.

use std::collections::VecDeque;

use pantala_engine::{NEVER, Time};

use crate::arena::{LinkedQueue, NONE};
use crate::config::NicOrder;
use crate::layer::injection_pacing::InjectionPacer;
use crate::layer::layer_setup::LayerSetup;
use crate::reception::Reception;

/// A NIC: a first-in first-out queue of transmissions, and the ranks of its node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nic {
    pub(crate) node: u32,
    pub(crate) queue: LinkedQueue,
    /// Transmissions that have arrived at the node but not yet at the rank, ordered by the time at
    /// which they will.
    pub(crate) delayed: LinkedQueue,
    pub(crate) first_rank: u32,
}

/// The NICs of a layer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nics {
    pub(crate) list: Vec<Nic>,
    /// By NIC. Empty if injection is not paced.
    pub(crate) pacers: Vec<InjectionPacer>,
    /// By NIC. Empty if NICs send first in, first out.
    pub(crate) engines: Vec<SendEngines>,
    /// By NIC. Empty if buffers for short messages are unlimited.
    pub(crate) receptions: Vec<Reception>,
}

impl Nics {
    /// Adds the NIC of `node`; returns its number.
    pub(crate) fn add(&mut self, setup: &LayerSetup, node: u32) -> u32 {
        if setup.paced {
            self.pacers.push(InjectionPacer::default());
        }
        if setup.config.nic_order == NicOrder::GetsApart {
            self.engines.push(SendEngines::default());
        }
        if setup.limits_buffers() {
            self.receptions.push(Reception::default());
        }
        self.list.push(Nic {
            node,
            queue: LinkedQueue::EMPTY,
            delayed: LinkedQueue::EMPTY,
            first_rank: NONE,
        });
        self.list.len() as u32 - 1
    }
}

/// The engines of one NIC and their output buffer. The NIC's queue holds what waits for the first
/// engine.
#[derive(Clone, Debug)]
pub(crate) struct SendEngines {
    /// Gets that are on their way from the host, by time.
    pub(crate) gets: LinkedQueue,
    /// The transmission of the first engine, or [`NONE`].
    pub(crate) current: u32,
    /// The earliest time at which the first engine can take its next transmission.
    pub(crate) free_at: Time,
    /// Bytes of the current transmission in `prepared`.
    pub(crate) window: u64,
    /// Packets in front of the output buffer.
    pub(crate) prepared: VecDeque<Prepared>,
    /// Packets in the output buffer, with the times at which they entered it.
    pub(crate) buffer: VecDeque<(Prepared, Time)>,
    /// Bytes in the output buffer.
    pub(crate) filled: u64,
    /// The time for which a timer was requested last.
    pub(crate) armed: Time,
}

/// A packet that an engine has prepared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prepared {
    /// The transmission.
    pub(crate) handle: u32,
    pub(crate) bytes: u32,
    /// Whether it is the last packet of its transmission.
    pub(crate) last: bool,
    pub(crate) is_get: bool,
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
