//! The fabric: NIC, router, link, virtual channel, credit, routing.

pub mod host;

pub use host::{Delivery, Host, Pull, PacketOffer, Wakes};
