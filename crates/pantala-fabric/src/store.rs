//! The state of a partition as plain data: packets, queues of packets, ports and VCs, credit
//! accounts.

pub(crate) mod account;
pub mod packet;
pub(crate) mod port;
pub(crate) mod queue;
