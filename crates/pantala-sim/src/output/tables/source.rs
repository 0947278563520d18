//! The data of the tables that a run writes at its end.

use crate::output::results::Results;
use crate::plan::Plan;
use pantala_engine::Time;
use pantala_fabric::FabricConfig;
use pantala_mpi::RankReport;
use pantala_topology::Topology;

/// The data of the tables that a run writes at its end.
pub(crate) struct Run<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) topology: &'a Topology,
    pub(crate) config: &'a FabricConfig,
    pub(crate) simulated: Time,
    pub(crate) results: &'a Results,
    /// The reports of ranks, by job and rank.
    pub(crate) reports: Vec<RankReport>,
}
