//! The collectives that a rank executes, blocking or in the background.

use crate::collectives::Collective;
use crate::collectives::kind::CollectiveKind;
use crate::communicators::communicator::Communicator;
use crate::message::CollectiveInstance;
use crate::program::identifiers::{CommunicatorId, Request};

/// A collective that the rank is in.
#[derive(Clone, Debug)]
pub(crate) struct RunningCollective {
    pub(crate) machine: Collective,
    pub(crate) communicator: CommunicatorId,
    pub(crate) kind: CollectiveKind,
    pub(crate) instance: CollectiveInstance,
    /// The communicator that comes of it, if it is for one.
    pub(crate) creation: Option<CommunicatorCreation>,
}

/// A communicator that the rank is in.
#[derive(Clone, Debug)]
pub(crate) struct Membership {
    pub(crate) communicator: Communicator,
    /// Collectives called on it so far.
    pub(crate) calls: u32,
    /// Communicators made of it so far.
    pub(crate) made: u32,
}

impl Membership {
    pub(crate) const fn new(communicator: Communicator) -> Self {
        Self { communicator, calls: 0, made: 0 }
    }
}

/// A collective under way in the background.
#[derive(Clone, Debug)]
pub(crate) struct BackgroundCollective {
    pub(crate) running: RunningCollective,
    /// The request that it completes.
    pub(crate) request: Request,
    /// Sends and receives that are not complete.
    pub(crate) pending: u32,
    /// Whether it waits for them.
    pub(crate) waiting: bool,
    /// Payload posted since it last waited.
    pub(crate) ingress: u64,
}

impl BackgroundCollective {
    /// Whether it can go on.
    pub(crate) const fn ready(&self) -> bool {
        self.waiting && self.pending == 0
    }
}

/// A communicator under way.
#[derive(Clone, Debug)]
pub(crate) struct CommunicatorCreation {
    /// The new one; `None` for a rank that will not be in it.
    pub(crate) made: Option<Communicator>,
    /// Whether ranks have yet to agree on a context.
    pub(crate) agree: bool,
}
