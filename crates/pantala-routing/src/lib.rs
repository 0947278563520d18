//! Routing on a Dragonfly: from the packet at the head of an input buffer to an output port and a
//! virtual channel (VC).
//!
//! Each algorithm is one file below [`algorithms`]: its [`Descriptor`] with its VC map ([`VcMap`]),
//! and its decision. The decision sets the packet's [`RouteState`]: minimal or non-minimal, the
//! intermediate, the gateway link. [`RoutingConfig::decide`] makes the decision,
//! [`RoutingConfig::follow`] follows the path hop by hop. All algorithms share that code.
//!
//! A path has one or two segments. A segment ends at a router or in a group. Inside a group the
//! packet goes to the router that owns its global link (its *gateway*), then over that link.
//! Traffic inside a group takes minimal paths, except under `merlin_ugal` and where
//! [`IntraGroup`] says otherwise.
//!
//! A plan has a table of routings, because the packets of two jobs can have different routings.
//! [`RouteState::routing`] is the packet's place in that table.
//!
//! [`dependencies`] builds the channel-dependency graph of a table of routings and searches it for
//! cycles. [`learning`] holds the tables of `q_adaptive` and their feedback.
//!
//! This crate knows no buffers, no credits and no events. It reads queues through
//! [`CongestionView`].

mod algorithm;
pub mod algorithms;
mod candidates;
mod config;
mod decide;
pub mod dependencies;
mod descriptor;
mod draws;
mod follow;
mod gateways;
pub mod learning;
mod paths;
mod refusal;
mod rule;
mod state;
mod ugal;
mod vc_map;
mod view;

pub use algorithm::Algorithm;
pub use config::{
    AriesConfig, GatewayChoice, IntermediateChoice, IntraGroup, QAdaptiveConfig, QueueScope,
    RoutingConfig, Tie, UgalConfig,
};
pub use descriptor::{Descriptor, Information, Intermediate, Mode, RoutingKey, Setting};
pub use follow::Hop;
pub use gateways::Gateways;
pub use paths::{Paths, Segment, Target};
pub use refusal::Refusal;
pub use state::{NONE, Phase, RouteState};
pub use vc_map::{MAX_VIRTUAL_CHANNELS, SegmentVcs, VcMap, VcMapName};
pub use view::{Blind, CongestionView, QueueMeasure};
