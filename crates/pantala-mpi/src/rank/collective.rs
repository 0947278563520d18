//! The collectives that a rank executes, blocking or in the background.

use crate::collectives::Collective;
use crate::collectives::kind::CollectiveKind;
use crate::communicators::communicator::Communicator;
use crate::message::CollectiveInstance;
use crate::program::identifiers::{CommunicatorId, Request};
use crate::program::value::Contribution;

/// A collective that the rank executes.
#[derive(Clone, Debug)]
pub(crate) struct RunningCollective {
    pub(crate) machine: Collective,
    pub(crate) communicator: CommunicatorId,
    pub(crate) kind: CollectiveKind,
    pub(crate) instance: CollectiveInstance,
    /// The communicator that the collective creates, if it creates one.
    pub(crate) creation: Option<CommunicatorCreation>,
    /// The value that goes along with the collective: the rank's own, combined with those that
    /// have arrived.
    pub(crate) contribution: Option<Contribution>,
}

impl RunningCollective {
    /// The value that goes along with a message of the collective.
    pub(crate) const fn value(&self) -> u64 {
        match self.contribution {
            Some(contribution) => contribution.value,
            None => 0,
        }
    }

    /// Takes in the value of a message that has arrived.
    pub(crate) fn take_value(&mut self, value: u64) {
        if let Some(contribution) = &mut self.contribution {
            contribution.combine(value);
        }
    }
}

/// A communicator of the rank.
#[derive(Clone, Debug)]
pub(crate) struct Membership {
    pub(crate) communicator: Communicator,
    /// Number of collectives called on it.
    pub(crate) calls: u32,
    /// Number of communicators made from it.
    pub(crate) made: u32,
}

impl Membership {
    pub(crate) const fn new(communicator: Communicator) -> Self {
        Self { communicator, calls: 0, made: 0 }
    }
}

/// A collective in the background.
#[derive(Clone, Debug)]
pub(crate) struct BackgroundCollective {
    pub(crate) running: RunningCollective,
    /// The request that the collective completes.
    pub(crate) request: Request,
    /// Number of sends and receives that are not complete.
    pub(crate) pending: u32,
    /// Whether the collective waits for them.
    pub(crate) waiting: bool,
    /// Payload of the present run of sends, in bytes.
    pub(crate) ingress: u64,
}

impl BackgroundCollective {
    /// Whether the collective can continue.
    pub(crate) const fn ready(&self) -> bool {
        self.waiting && self.pending == 0
    }
}

/// A communicator that is being created.
#[derive(Clone, Debug)]
pub(crate) struct CommunicatorCreation {
    /// The new communicator; `None` if the rank will not be in it.
    pub(crate) made: Option<Communicator>,
    /// Whether the ranks still have to agree on a context.
    pub(crate) agree: bool,
    /// The communicator, if it is there already and its ranks only agree on it.
    pub(crate) joined: Option<CommunicatorId>,
}
