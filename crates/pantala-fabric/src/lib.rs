//! The fabric: NIC, router, link, virtual channel, credit, routing.

mod arbitration;
pub mod audit;
mod blocks;
pub mod config;
mod construct;
mod crossbar;
pub mod dependencies;
mod due;
pub mod host;
pub mod learning;
mod link;
mod machine;
mod mail;
mod network;
mod nic;
pub mod packet;
pub mod partition;
mod pending;
mod port;
pub mod probe;
mod response;
pub mod routing;
mod slab;
mod stages;
mod threads;
mod voq;

pub use audit::{Audit, Books, Diagnosis, Held};
pub use config::FabricConfig;
pub use host::{Delivery, Host, PacketOffer, Pull, TrafficClass, Wakes};
pub use machine::Machine;
pub use mail::Mail;
pub use network::{Network, Totals};
pub use partition::{Partitions, Share};
pub use port::LinkCounters;
pub use probe::Probe;
pub use threads::Courier;
