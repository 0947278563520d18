//! The link table: every directed link between routers, as data.

use crate::columns::Table;
use crate::error::PlanError;
use crate::plan::TopologyPlan;
use crate::resolve::topology;

/// One directed link between routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// `router * ports + port` of the sending end: the number that the tables of a run use.
    pub link: u32,
    /// `local`, `row`, `column` or `global`.
    pub class: &'static str,
    /// Sending end.
    pub source: (u32, u16, u32),
    /// Receiving end.
    pub target: (u32, u16, u32),
    /// Which of the parallel links of its pair of routers or groups.
    pub parallel_index: u32,
}

/// The links of a topology, by router and port; ends are (router, port, group).
///
/// # Errors
/// A [`PlanError`] if there is no such topology.
pub fn link_table(plan: &TopologyPlan) -> Result<Vec<LinkRow>, PlanError> {
    let topology = topology(plan)?;
    let ports = topology.ports_per_router();
    Ok(topology
        .links()
        .map(|l| LinkRow {
            link: l.source_router * ports + u32::from(l.source_port),
            class: l.class.name(),
            source: (l.source_router, l.source_port, topology.group_of(l.source_router)),
            target: (l.target_router, l.target_port, topology.group_of(l.target_router)),
            parallel_index: l.parallel_index,
        })
        .collect())
}

/// The rows as a table.
#[must_use]
pub fn as_table(rows: &[LinkRow]) -> Table {
    let rows = || rows.iter();
    Table::new()
        .u32("link", rows().map(|r| r.link))
        .str("class", rows().map(|r| r.class))
        .u32("source_router", rows().map(|r| r.source.0))
        .u32("source_port", rows().map(|r| u32::from(r.source.1)))
        .u32("source_group", rows().map(|r| r.source.2))
        .u32("target_router", rows().map(|r| r.target.0))
        .u32("target_port", rows().map(|r| u32::from(r.target.1)))
        .u32("target_group", rows().map(|r| r.target.2))
        .u32("parallel_index", rows().map(|r| r.parallel_index))
}
