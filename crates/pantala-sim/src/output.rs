//! The run directory: what a run records, and the tables made of it.

pub(crate) mod blamed_places;
pub mod columns;
pub mod epoch_record;
pub(crate) mod latency_record;
pub(crate) mod link_record;
pub mod link_table;
pub(crate) mod link_traffic;
pub(crate) mod nic_record;
pub mod packet_record;
pub mod recorder;
pub mod results;
pub mod routing_record;
pub mod span_counts;
pub(crate) mod streamed_tables;
pub mod tables;
