//! The fabric's tests. One binary, one file per behaviour.

mod blame;
mod choices;
mod conservation;
mod deadlock;
mod dependencies;
mod failed_links;
mod forged_packets;
mod mixed;
mod partitions;
mod q_adaptive;
mod responses;
mod router_models;
mod stalls;
mod support;
mod virtual_output;
mod zero_load;
