//! The table `program_logs`: its columns and how a run fills them.

use super::source::Run;
use crate::output::columns::table;

use pantala_workload::{Log, LoggedColumn, RankLog};

table! {
    /// One row per value that a coNCePTuaL program logs and per line that it prints, by job and
    /// rank, then in the order of the program: first the lines, then the tables by column.
    pub(super) program_logs: ProgramLogRow {
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Rank that logs.
        rank: u32,
        /// Number of the table in the rank's log, from 0. Null for a line of OUTPUTS.
        table: Option<u32>,
        /// Number of the column in the table, from 0. Null for a line of OUTPUTS.
        column: Option<u32>,
        /// Title of the column that the program gives. Empty for a line of OUTPUTS.
        description: String,
        /// Aggregate of the column: `all data`, `only value`, `mean`, `median` and so on; `output`
        /// for a line of OUTPUTS.
        aggregate: String,
        /// Number of the value in the column, or of the line, from 0.
        row: u32,
        /// Value. Null for a line of OUTPUTS.
        value: Option<f64>,
        /// Line of OUTPUTS. Empty for a value.
        text: String,
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = ProgramLogRow> {
    let mut logs: Vec<&RankLog> = run.results.logs.iter().collect();
    logs.sort_unstable_by_key(|log| (log.job, log.rank));
    logs.into_iter().flat_map(|RankLog { job, rank, log }| {
        let (job, rank) = (*job, *rank);
        lines(log, job, rank).chain(values(log, job, rank))
    })
}

fn lines(log: &Log, job: u16, rank: u32) -> impl Iterator<Item = ProgramLogRow> {
    log.outputs.iter().zip(0..).map(move |(line, row)| ProgramLogRow {
        job,
        rank,
        table: None,
        column: None,
        description: String::new(),
        aggregate: "output".to_owned(),
        row,
        value: None,
        text: line.clone(),
    })
}

fn values(log: &Log, job: u16, rank: u32) -> impl Iterator<Item = ProgramLogRow> {
    let columns = log.tables.iter().zip(0..).flat_map(|(table, number)| {
        table.columns.iter().zip(0..).map(move |(column, place)| (number, place, column))
    });
    columns.flat_map(move |(table, place, column): (u32, u32, &LoggedColumn)| {
        column.values.iter().zip(0..).map(move |(value, row)| ProgramLogRow {
            job,
            rank,
            table: Some(table),
            column: Some(place),
            description: column.title.clone(),
            aggregate: column.aggregate.clone(),
            row,
            value: Some(*value),
            text: String::new(),
        })
    })
}
