//! The tables of a run: `tables/` has one file per table, which declares its columns and fills
//! them.

mod calls;
mod iterations;
mod job_windows;
mod jobs;
mod link_jobs;
mod link_windows;
mod links;
mod messages;
mod packets;
mod q_learning;
mod q_tables;
mod ranks;

pub use q_tables::EstimateRow;

use crate::columns::{Row, Table, TableDescriptor};
use crate::peers::ProcessGroup;
use crate::plan::Plan;
use crate::results::Results;
use crate::simulation::Simulation;
use pantala_engine::Time;
use pantala_fabric::FabricConfig;
use pantala_mpi::RankReport;
use pantala_topology::Topology;

/// The source of all tables.
struct Run<'a> {
    plan: &'a Plan,
    topology: &'a Topology,
    config: &'a FabricConfig,
    simulated: Time,
    results: &'a Results,
    /// The reports of ranks, by job and rank.
    reports: Vec<RankReport>,
}

/// Fills a table.
type Fill = fn(&Run<'_>) -> Table;

/// Every table and the function that fills it, in the fixed order of files and hashes.
const TABLES: [(TableDescriptor, Fill); 12] = [
    (jobs::JobRow::TABLE, jobs::table),
    (ranks::RankRow::TABLE, ranks::table),
    (calls::CallRow::TABLE, calls::table),
    (iterations::IterationRow::TABLE, iterations::table),
    (messages::MessageRow::TABLE, messages::table),
    (packets::PacketRow::TABLE, packets::table),
    (links::LinkRow::TABLE, links::table),
    (link_jobs::LinkJobRow::TABLE, link_jobs::table),
    (link_windows::LinkWindowRow::TABLE, link_windows::table),
    (job_windows::JobWindowRow::TABLE, job_windows::table),
    (EstimateRow::TABLE, q_tables::table),
    (q_learning::LearningRow::TABLE, q_learning::table),
];

/// The descriptors of all tables, in their order.
pub fn descriptors() -> impl Iterator<Item = &'static TableDescriptor> {
    TABLES.iter().map(|(descriptor, _)| descriptor)
}

/// Every table of a simulation, in their order; each is filled when the iterator reaches it.
pub fn tables<'a, Q: ProcessGroup>(
    simulation: &'a Simulation<Q>,
    results: &'a Results,
) -> impl Iterator<Item = Table> + 'a {
    let mut reports = results.reports.clone();
    reports.sort_unstable_by_key(|report| (report.job, report.rank));
    let run = Run {
        plan: &simulation.plan,
        topology: simulation.network.topology(),
        config: simulation.network.config(),
        simulated: simulation.simulated(),
        results,
        reports,
    };
    TABLES.iter().map(move |(_, fill)| fill(&run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_column_has_a_sentence_and_the_unit_of_its_name() {
        for table in descriptors() {
            assert!(table.text.ends_with('.'), "{}", table.name);
            for column in table.columns {
                let place = format!("{}.{}", table.name, column.name);
                assert!(column.text.ends_with('.'), "{place}: {:?}", column.text);
                let unit = match column.name {
                    name if name.ends_with("_ns") => "ns",
                    name if name.split('_').any(|word| word == "bytes") => "bytes",
                    name if name == "utilization" || name.ends_with("_share") => "1",
                    _ => "",
                };
                assert_eq!(column.unit, unit, "{place}");
            }
        }
    }

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = descriptors().map(|table| table.name).collect();
        assert_eq!(names.len(), TABLES.len());
        for table in descriptors() {
            let names: BTreeSet<&str> = table.columns.iter().map(|column| column.name).collect();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
        }
    }
}
