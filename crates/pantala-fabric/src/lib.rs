//! The fabric: NICs, routers, links, virtual channels (VCs) and credits, packet by packet.
//!
//! - [`config`] holds the parameters, [`Host`] and [`Probe`] are what a user of the crate provides.
//! - `store` holds the state of packets, ports and credits in flat arrays.
//! - `router` holds the stages that a packet passes, in the order that it passes them.
//! - `partition` holds the event loop, and the partitions of a network on threads or processes.
//!
//! [`pantala_routing`] decides on paths.

pub mod config;
mod fabric;
pub mod host;
mod observer;
mod partition;
pub mod probe;
mod router;
mod store;
mod variant;
mod watch;

pub use config::FabricConfig;
pub use host::{Delivery, Host, MessageLabel, PacketOffer, Pull, TrafficClass, Wakes};
pub use partition::audit::{Audit, ConservationCounts, Diagnosis, Held};
pub use partition::build::routing_stream;
pub use partition::messages::PartitionMessages;
pub use partition::network::Network;
pub use partition::partition_map::{PartitionMap, PartitionShare};
pub use partition::threads::Transport;
pub use partition::{Partition, Totals};
pub use probe::Probe;
pub use store::counters::JobTraffic;
pub use store::packet;
pub use store::port::LinkCounters;
pub use watch::blame::{
    BlameCell, BlameDetail, MOST_GROUP_CELLS, MOST_LINK_CELLS, PlaceCell, Places, longest,
};
pub use watch::paths::{PacketChoice, PathHop};
pub use watch::ports::{BufferDetail, LinkCount, TrafficCount, TrafficDetail, WatchedLink};
