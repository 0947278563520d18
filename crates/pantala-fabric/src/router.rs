//! The stages of a router and a NIC, in the order that a packet passes them.
//!
//! | stage | file |
//! | --- | --- |
//! | injection and delivery | `nic`; `responses` for the packets that a NIC sends by itself |
//! | arrival and route computation | `arrival`; `congestion` for the queues that routing reads, `estimates` for `q_adaptive` |
//! | arbitration | `arbitration` with the default round-robin; `arbiters` and `islip` for the other arbiters |
//! | crossbar | `crossbar`; `virtual_output` instead, if inputs queue by output |
//! | output buffer and link | `link` |
//! | credits back to the sender | `credits` |
//! | flits that move one by one | `wormhole` |

mod arbiters;
pub(crate) mod arbitration;
pub(crate) mod arrival;
mod congestion;
mod credits;
pub(crate) mod crossbar;
mod estimates;
pub(crate) mod islip;
mod link;
pub(crate) mod nic;
pub(crate) mod responses;
pub(crate) mod stages;
pub(crate) mod virtual_output;
pub(crate) mod wormhole;
