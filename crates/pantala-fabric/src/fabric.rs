//! [`Fabric`]: the NICs, routers and links of one partition, in parts.
//!
//! A stage below [`router`](crate::router) is a method of the smallest struct that has all state
//! that it touches: one part, or the [`Fabric`]. Only a [`Partition`](crate::partition::Partition)
//! has hosts and a probe, so a method of [`Fabric`] cannot touch them.

use crate::observer::Observer;
use crate::partition::agenda::Agenda;
use crate::partition::messages::FabricMessages;
use crate::partition::setup::Setup;
use crate::store::arbiter_state::ArbiterState;
use crate::store::bookings::Bookings;
use crate::store::counters::Counters;
use crate::store::nics::Nics;
use crate::store::packet::Packets;
use crate::store::port::Ports;
use crate::store::requests::Requests;
use crate::store::worms::Worms;
use pantala_routing::learning::Learning;

/// The NICs, routers and links of one partition.
#[derive(Debug)]
pub(crate) struct Fabric {
    /// Everything that does not change during a run.
    pub(crate) setup: Setup,
    /// The events, and the time.
    pub(crate) agenda: Agenda,
    /// The packets in flight.
    pub(crate) packets: Packets,
    /// The ports and VCs of routers, with their buffers and credits.
    pub(crate) ports: Ports,
    /// The packets in output buffers whose start is decided.
    pub(crate) bookings: Bookings,
    /// The requests of routed packets for outputs.
    pub(crate) requests: Requests,
    /// The state of arbiters.
    pub(crate) arbiters: ArbiterState,
    /// The injection links, and the packets that wait for them.
    pub(crate) nics: Nics,
    /// The packets whose flits move one by one.
    pub(crate) worms: Worms,
    /// The tables of `q_adaptive` and their feedback.
    pub(crate) learning: Learning,
    /// Deliveries, and bytes per job.
    pub(crate) counters: Counters,
    /// What the stages tell about packets, for the records beside the counters.
    pub(crate) observer: Observer,
    /// Per partition, the messages to send there.
    pub(crate) outbox: Vec<FabricMessages>,
}
