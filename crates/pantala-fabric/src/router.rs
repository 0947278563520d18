//! The stages of a router and a NIC, in the order that a packet passes them.
//!
//! 1. Injection and delivery: `nic`, and `responses` for the packets that a NIC sends by itself.
//! 2. Arrival and route computation: `arrival`, with `congestion` for the queues that routing reads
//!    and `estimates` for `q_adaptive`.
//! 3. Arbitration: `arbitration` with the default round-robin, `arbiters` and `islip` for the other
//!    arbiters.
//! 4. Crossbar: `crossbar`, or `virtual_output` if inputs queue by output.
//! 5. Output buffer and link: `link`, and `booking` for a packet that the link has decided on early.
//! 6. Credits back to the sender: `credits`.
//!
//! `wormhole` has the flits that move one by one. `stages` has the constants of all stages.

mod arbiters;
pub(crate) mod arbitration;
pub(crate) mod arrival;
mod booking;
mod congestion;
mod credits;
pub(crate) mod crossbar;
mod estimates;
pub(crate) mod islip;
mod link;
pub(crate) mod nic;
pub(crate) mod responses;
pub(crate) mod stages;
mod stall;
pub(crate) mod virtual_output;
pub(crate) mod wormhole;
