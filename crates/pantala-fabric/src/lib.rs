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
mod network;
mod nic;
pub mod packet;
mod pending;
mod port;
pub mod probe;
mod response;
pub mod routing;
mod slab;
mod stages;
mod voq;

pub use audit::{Audit, Diagnosis};
pub use config::FabricConfig;
pub use host::{Delivery, Host, PacketOffer, Pull, TrafficClass, Wakes};
pub use network::{Network, Totals};
pub use port::LinkCounters;
pub use probe::Probe;
