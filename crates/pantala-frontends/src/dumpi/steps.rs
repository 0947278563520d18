//! The steps of a rank: what its records mean, in terms of the simulation.

use pantala_engine::Time;
use pantala_mpi::{Call, Request};

/// A communicator of a rank: 0 is `COMM_WORLD`, 1 is `COMM_SELF`, then all that its calls make, in
/// their order. Unlike the numbers of the trace, these are never reused.
pub(super) type Local = u32;

/// [`Local`] of `COMM_WORLD`.
pub(super) const WORLD: Local = 0;
/// [`Local`] of `COMM_SELF`.
pub(super) const SELF: Local = 1;
/// [`Local`] of the first communicator that a call makes.
pub(super) const FIRST_MADE: Local = 2;

/// A mode of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Standard,
    Synchronous,
    Ready,
    Buffered,
}

/// A message that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sending {
    pub(super) communicator: Local,
    pub(super) destination: u32,
    pub(super) tag: i32,
    pub(super) bytes: u64,
    /// The number among the rank's sends and receives.
    pub(super) ordinal: u64,
}

/// A message that is received; `None` stands for any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Receiving {
    pub(super) communicator: Local,
    pub(super) source: Option<u32>,
    pub(super) tag: Option<i32>,
    pub(super) bytes: u64,
    pub(super) ordinal: u64,
}

/// A step of a rank.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// Computing, in ps of the traced machine.
    Compute(Time),
    /// A send; blocking if it has no request.
    Send(Mode, Sending, Option<Request>),
    /// A receive; blocking if it has no request.
    Receive(Receiving, Option<Request>),
    /// A send and a receive at once.
    Sendrecv(Sending, Receiving),
    /// A probe that has found a message.
    Probe(Receiving),
    /// A wait for these requests, each active.
    Wait(Vec<Request>),
    /// The source and tag of a receive with wildcards, by its ordinal.
    Resolved(u64, u32, i32),
    /// A receive that the program tries to cancel, by its ordinal; then, if a status says so,
    /// whether it was cancelled.
    Cancelled(u64, Option<bool>),
    /// A collective.
    Collective(Local, Call),
    /// A Gatherv or Scatterv with its root. Only the root knows the bytes of each rank.
    Vector {
        communicator: Local,
        scatter: bool,
        root: u32,
        counts: Option<Vec<u64>>,
        /// The bytes that the rank sends.
        given: u64,
    },
    /// A call that makes a communicator or a group.
    Communicator(Event),
    /// A communicator is freed.
    Free(Local),
    /// The end of the program.
    Finalize,
}

/// How a group comes from two others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combination {
    Union,
    Intersection,
    Difference,
}

/// A call that makes a communicator or a group. Groups have the numbers of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    GroupOf {
        communicator: Local,
        new: u16,
    },
    Combine {
        how: Combination,
        one: u16,
        other: u16,
        new: u16,
    },
    /// A group of the members at these places, or of all others.
    Pick {
        group: u16,
        places: Vec<u32>,
        keep: bool,
        new: u16,
    },
    Dup {
        old: Local,
    },
    Split {
        old: Local,
        color: Option<u32>,
        key: i32,
    },
    Create {
        old: Local,
        group: u16,
    },
    /// A Cartesian grid of the first ranks.
    Cart {
        old: Local,
        extents: Vec<u32>,
    },
    /// Lower-dimensional grids: the dimensions that stay.
    CartSub {
        old: Local,
        stay: Vec<bool>,
    },
    /// A graph of the first ranks.
    Graph {
        old: Local,
        nodes: u32,
    },
}

impl Event {
    /// The old communicator, if the call makes a new one.
    pub(super) const fn old(&self) -> Option<Local> {
        match self {
            Self::GroupOf { .. } | Self::Combine { .. } | Self::Pick { .. } => None,
            Self::Dup { old }
            | Self::Split { old, .. }
            | Self::Create { old, .. }
            | Self::Cart { old, .. }
            | Self::CartSub { old, .. }
            | Self::Graph { old, .. } => Some(*old),
        }
    }
}
