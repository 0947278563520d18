//! The link table: every directed link between routers, as data.

use crate::error::PlanError;
use crate::output::columns::table;
use crate::plan::TopologyPlan;
use crate::plan::network::topology;

table! {
    /// One row per directed link between routers.
    pub link_table: LinkRow {
        /// Number of the link, as in the table `links` of a run: `source_router` times the ports
        /// per router, plus `source_port`.
        link: u32,
        /// `local`, `row`, `column` or `global`.
        class: &'static str,
        /// Router at the sending end.
        source_router: u32,
        /// Port of that router.
        source_port: u32,
        /// Group of that router.
        source_group: u32,
        /// Router at the receiving end.
        target_router: u32,
        /// Port of that router.
        target_port: u32,
        /// Group of that router.
        target_group: u32,
        /// Number of the link among the parallel links between the same routers (or groups, for a
        /// global link), from 0.
        parallel_index: u32,
    }
}

/// Returns the links of a topology, by router and port.
///
/// # Errors
/// A [`PlanError`] if the parameters give no topology.
pub fn link_table(plan: &TopologyPlan) -> Result<Vec<LinkRow>, PlanError> {
    let topology = topology(plan)?;
    let ports = topology.ports_per_router();
    Ok(topology
        .links()
        .map(|l| LinkRow {
            link: l.source_router * ports + u32::from(l.source_port),
            class: l.class.name(),
            source_router: l.source_router,
            source_port: l.source_port.into(),
            source_group: topology.group_of(l.source_router),
            target_router: l.target_router,
            target_port: l.target_port.into(),
            target_group: topology.group_of(l.target_router),
            parallel_index: l.parallel_index,
        })
        .collect())
}
