//! The plan of a run: its form, its checks, what it resolves to, and what can be told of it without
//! running it.

pub mod call_order;
mod caught;
pub mod coarsen;
pub mod communication;
pub mod deadlock;
pub mod expected_traffic;
pub mod export;
pub mod fabric_config;
pub mod form;
pub(crate) mod link_class;
pub mod network;
pub mod placement;
pub mod q_tables;
mod random_order;
pub mod ranges;
mod reading;
pub(crate) mod records;
pub mod resolve;
pub mod routings;
pub mod schema;
pub(crate) mod skipping;
mod subset;

pub use form::{
    AriesPlan, CallEventRecord, Derived, DetailPlan, DrawnNumber, FailureFile, JobPlan,
    LatencyFrom, LinkDraw, LinkFailures, LinkFile, LinkPlan, LinksPlan, NamedLink, NicPlan,
    Numbering, PLAN_VERSION, PacketRecord, Place, PlacementPlan, Plan, PortRecord, PortSplit,
    QAdaptivePlan, QTableRecord, RecordPlan, RouterRecord, RoutingPlan, SkipPlan, StopPlan,
    SystemRecord, TopologyKind, TopologyPlan,
};
