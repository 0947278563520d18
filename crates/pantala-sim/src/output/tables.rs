//! The tables of a run: each file of `tables/` declares the columns of one table and fills them.

mod blame;
mod blame_groups;
mod blame_links;
mod call_events;
mod call_windows;
mod calls;
mod epochs;
mod iterations;
mod job_windows;
mod jobs;
mod latency_windows;
mod link_jobs;
mod link_windows;
mod links;
mod messages;
mod nic_windows;
mod packet_hops;
mod packets;
mod port_windows;
mod program_logs;
mod q_learning;
mod q_tables;
mod rank_calls;
mod rank_messages;
mod ranks;
mod router_windows;
mod routing_windows;
mod source;
mod streamed;
mod system_windows;

pub(crate) use call_events::CallEventRow;
pub(crate) use iterations::IterationRow;
pub(crate) use latency_windows::LatencyWindowRow;
pub(crate) use link_windows::LinkWindowRow;
pub(crate) use messages::MessageRow;
pub(crate) use nic_windows::NicWindowRow;
pub(crate) use packet_hops::PacketHopRow;
pub use packets::PacketRow;
pub(crate) use port_windows::PortWindowRow;
pub use q_tables::EstimateRow;
pub(crate) use router_windows::RouterWindowRow;
pub(crate) use source::Run;
pub(crate) use streamed::Streamed;
pub(crate) use system_windows::SystemWindowRow;

use crate::error::WriteError;
use crate::output::columns::{Row, TableDescriptor, TableWriter, Written};
use std::path::Path;

/// Writes a table at the end of a run, or only hashes it without a directory.
type Fill = fn(&Run<'_>, Option<&Path>) -> Result<Written, WriteError>;

/// When a run writes the rows of a table.
enum Rows {
    /// At the end of the run.
    AtEnd(Fill),
    /// During the run ([`StreamedTables`](crate::output::streamed_tables::StreamedTables)).
    Streamed,
}

/// The names of the tables that count in the hash of a run only if they have rows. Every table that
/// is added belongs here, so that a run without it keeps its hash. Columns that a switch adds
/// ([`TableDescriptor`]) count in the same way.
pub(crate) const HASHED_WITH_ROWS: [&str; 16] = [
    program_logs::ProgramLogRow::TABLE.name,
    PortWindowRow::TABLE.name,
    SystemWindowRow::TABLE.name,
    RouterWindowRow::TABLE.name,
    blame::BlameRow::TABLE.name,
    PacketHopRow::TABLE.name,
    routing_windows::RoutingWindowRow::TABLE.name,
    LatencyWindowRow::TABLE.name,
    rank_messages::RankMessageRow::TABLE.name,
    rank_calls::RankCallRow::TABLE.name,
    CallEventRow::TABLE.name,
    epochs::EpochRow::TABLE.name,
    NicWindowRow::TABLE.name,
    blame_groups::BlameGroupRow::TABLE.name,
    blame_links::BlameLinkRow::TABLE.name,
    call_windows::CallWindowRow::TABLE.name,
];

/// All tables, in the order of their hashes.
const TABLES: [(TableDescriptor, Rows); 28] = [
    (jobs::JobRow::TABLE, Rows::AtEnd(|run, into| write(jobs::rows(run), into))),
    (ranks::RankRow::TABLE, Rows::AtEnd(|run, into| write(ranks::rows(run), into))),
    (calls::CallRow::TABLE, Rows::AtEnd(|run, into| write(calls::rows(run), into))),
    (IterationRow::TABLE, Rows::Streamed),
    (MessageRow::TABLE, Rows::Streamed),
    (PacketRow::TABLE, Rows::Streamed),
    (links::LinkRow::TABLE, Rows::AtEnd(|run, into| write(links::rows(run), into))),
    (link_jobs::LinkJobRow::TABLE, Rows::AtEnd(|run, into| write(link_jobs::rows(run), into))),
    (LinkWindowRow::TABLE, Rows::Streamed),
    (PortWindowRow::TABLE, Rows::Streamed),
    (SystemWindowRow::TABLE, Rows::Streamed),
    (RouterWindowRow::TABLE, Rows::Streamed),
    (
        job_windows::JobWindowRow::TABLE,
        Rows::AtEnd(|run, into| write(job_windows::rows(run), into)),
    ),
    (EstimateRow::TABLE, Rows::AtEnd(|run, into| write(q_tables::rows(run), into))),
    (q_learning::LearningRow::TABLE, Rows::AtEnd(|run, into| write(q_learning::rows(run), into))),
    (
        program_logs::ProgramLogRow::TABLE,
        Rows::AtEnd(|run, into| write(program_logs::rows(run), into)),
    ),
    (blame::BlameRow::TABLE, Rows::AtEnd(|run, into| write(blame::rows(run), into))),
    (PacketHopRow::TABLE, Rows::Streamed),
    (
        routing_windows::RoutingWindowRow::TABLE,
        Rows::AtEnd(|run, into| write(routing_windows::rows(run), into)),
    ),
    (LatencyWindowRow::TABLE, Rows::Streamed),
    (
        rank_messages::RankMessageRow::TABLE,
        Rows::AtEnd(|run, into| write(rank_messages::rows(run), into)),
    ),
    (rank_calls::RankCallRow::TABLE, Rows::AtEnd(|run, into| write(rank_calls::rows(run), into))),
    (CallEventRow::TABLE, Rows::Streamed),
    (epochs::EpochRow::TABLE, Rows::AtEnd(|run, into| write(epochs::rows(run), into))),
    (NicWindowRow::TABLE, Rows::Streamed),
    (
        blame_groups::BlameGroupRow::TABLE,
        Rows::AtEnd(|run, into| write(blame_groups::rows(run), into)),
    ),
    (
        blame_links::BlameLinkRow::TABLE,
        Rows::AtEnd(|run, into| write(blame_links::rows(run), into)),
    ),
    (
        call_windows::CallWindowRow::TABLE,
        Rows::AtEnd(|run, into| write(call_windows::rows(run), into)),
    ),
];

fn write<R: Row>(
    rows: impl Iterator<Item = R>,
    directory: Option<&Path>,
) -> Result<Written, WriteError> {
    let mut table = TableWriter::within(directory)?;
    table.append(rows);
    table.complete()
}

/// Returns the descriptors of all tables, in order.
pub fn descriptors() -> impl Iterator<Item = &'static TableDescriptor> {
    TABLES.iter().map(|(descriptor, _)| descriptor)
}

/// Completes all tables of a run. The run has written the `streamed` tables already. The function
/// writes the others to `directory`, or only hashes them without a directory.
pub(crate) fn complete(
    run: &Run<'_>,
    streamed: &[Written],
    directory: Option<&Path>,
) -> Result<Vec<Written>, WriteError> {
    let written = |(descriptor, rows): &(TableDescriptor, Rows)| match rows {
        Rows::AtEnd(fill) => fill(run, directory),
        Rows::Streamed => {
            let table = streamed.iter().find(|table| table.name == descriptor.name);
            Ok(*table.unwrap_or_else(|| unreachable!("{} is streamed", descriptor.name)))
        }
    };
    TABLES.iter().map(written).collect()
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
