//! The fabric: NIC, router, link, virtual channel, credit, routing.

mod arbitration;
pub mod audit;
mod blocks;
pub mod config;
mod construct;
mod crossbar;
pub mod host;
mod islip;
mod learning;
mod link;
mod messages;
mod network;
mod nic;
pub mod packet;
mod partition;
pub mod partition_map;
mod pending;
mod port;
pub mod probe;
mod queue;
mod response;
mod stages;
mod threads;
mod voq;
mod wormhole;

pub use audit::{Audit, ConservationCounts, Diagnosis, Held};
pub use config::FabricConfig;
pub use host::{Delivery, Host, PacketOffer, Pull, TrafficClass, Wakes};
pub use messages::PartitionMessages;
pub use network::Network;
pub use partition::{Partition, Totals};
pub use partition_map::{PartitionMap, PartitionShare};
pub use port::LinkCounters;
pub use probe::Probe;
pub use threads::Transport;
