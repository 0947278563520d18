//! run.json, the last file of a run directory. A directory without it is not a run.

use crate::error::WriteError;
use crate::hex::hex;
use crate::output::columns::Written;
use crate::output::epoch_record::SkipSummary;
use crate::output::results::Results;
use crate::output::tables::{HASHED_WITH_ROWS, Run, complete};
use crate::plan::Plan;
use crate::run::process_group::ProcessGroup;
use crate::run::simulation::Simulation;
use crate::run::termination::End;
use pantala_workload::RankLog;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// run.json. Everything except `provenance` follows from the plan and Pantala's version.
#[derive(Debug, Serialize)]
pub struct Document {
    /// The known error of a coarsened run. Other runs have no such line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coarsened: Option<String>,
    /// What a run with `skip` has skipped. Other runs have no such line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<SkipSummary>,
    /// Pantala's version.
    pub pantala: &'static str,
    /// The resolved plan.
    pub plan: Plan,
    /// Whether the plan ended the run and every finite job has ended.
    pub complete: bool,
    /// Why the run ended: finished, duration, interrupted, stalled or failed.
    pub reason: &'static str,
    /// What the network or the ranks wait for, if the run stalled.
    pub diagnosis: Option<String>,
    /// Simulated time.
    pub simulated_ns: f64,
    /// Totals.
    pub counters: Counters,
    /// The audit at the end.
    pub conservation: Conservation,
    /// SHA-256 of the hashes of all tables in their fixed order, without an empty table of program
    /// logs. The hash of a table is the SHA-256 of the number of columns, the number of rows and
    /// the SHA-256 of each column's values. Names and the layout of files do not change it.
    pub result_hash: String,
    /// Number of rows of each table.
    pub tables: BTreeMap<String, u64>,
    /// The CRC-32 of the file of each table (ISO 3309), in eight hexadecimal digits.
    pub table_crc32: BTreeMap<String, String>,
    /// Host, time and speed. It differs between runs of the same plan.
    pub provenance: serde_json::Value,
}

/// Totals of a run, responses included.
#[derive(Debug, Serialize)]
pub struct Counters {
    /// Packets whose head has entered the network.
    pub packets_injected: u64,
    /// Packets at their destination NIC.
    pub packets_delivered: u64,
    /// Packets injected and not delivered.
    pub packets_in_flight: u64,
    /// Flits of the packets injected.
    pub flits_injected: u64,
    /// Flits of the packets delivered.
    pub flits_delivered: u64,
    /// Link traversals between routers, plus ejections.
    pub packet_hops: u64,
}

/// What the audit at the end found.
#[derive(Debug, Serialize)]
pub struct Conservation {
    /// Every packet injected is delivered or in flight.
    pub packets: bool,
    /// Every flit injected is delivered or in flight.
    pub flits: bool,
    /// Every credit is at its sender, on its way, or stands for a flit downstream.
    pub credits: bool,
}

/// Completes a run directory: first the Parquet tables, then run.json. A simulation without a
/// directory ([`Simulation::write_to`]) writes nothing.
///
/// If the rows of a table could not be written during the run, the run is incomplete: it has
/// failed, and its tables have what was recorded before.
///
/// # Errors
/// A [`WriteError`] that names the file; run.json is not written then.
pub fn write<Q: ProcessGroup>(
    simulation: &mut Simulation<Q>,
    results: &Results,
    end: &End,
    provenance: serde_json::Value,
) -> Result<Document, WriteError> {
    let (tables, fault) = complete_tables(simulation, results)?;
    let failed = fault.map(|fault| {
        let what = fault.of_file();
        End::Failed(format!("{what}; the tables have what was recorded before it"))
    });
    let end = failed.as_ref().unwrap_or(end);
    let (totals, audit) = (results.totals, results.counts.audit());
    let coarsened = simulation.plan.derived.as_ref().and_then(|derived| derived.coarsened.clone());
    let document = Document {
        coarsened,
        skipped: simulation.skip_summary(results),
        pantala: env!("CARGO_PKG_VERSION"),
        plan: simulation.plan.clone(),
        complete: end.planned() && all_ended(&simulation.plan, results),
        reason: end.word(),
        diagnosis: end.diagnosis().map(str::to_owned),
        simulated_ns: crate::output::columns::ns(simulation.simulated()),
        counters: Counters {
            packets_injected: totals.packets_injected,
            packets_delivered: totals.packets_delivered,
            packets_in_flight: results.in_flight,
            flits_injected: totals.flits_injected,
            flits_delivered: totals.flits_delivered,
            packet_hops: totals.packet_hops,
        },
        conservation: Conservation {
            packets: audit.packets,
            flits: audit.flits,
            credits: audit.credits,
        },
        result_hash: hash_of(&tables),
        tables: tables.iter().map(|table| (table.name.to_owned(), table.rows)).collect(),
        table_crc32: tables
            .iter()
            .filter_map(|table| Some((table.name.to_owned(), format!("{:08x}", table.crc32?))))
            .collect(),
        provenance,
    };
    let Some(directory) = simulation.directory() else { return Ok(document) };
    program_logs(&document.plan, results, directory)?;
    let path = directory.join("run.json");
    let file = |source| WriteError::File { path: path.display().to_string(), source };
    let mut text = serde_json::to_string_pretty(&document).map_err(|e| file(e.into()))?;
    text.push('\n');
    let partial = directory.join("run.json.partial");
    std::fs::write(&partial, text).and_then(|()| std::fs::rename(&partial, &path)).map_err(file)?;
    Ok(document)
}

/// Writes what programs have printed and logged as text, if there is anything.
fn program_logs(plan: &Plan, results: &Results, directory: &Path) -> Result<(), WriteError> {
    if results.logs.is_empty() {
        return Ok(());
    }
    let mut logs: Vec<&RankLog> = results.logs.iter().collect();
    logs.sort_unstable_by_key(|log| (log.job, log.rank));
    let mut text = String::new();
    for RankLog { job, rank, log } in logs {
        let name = plan.jobs.get(usize::from(*job)).map_or("", |job| &job.name);
        text += &format!("# job {name}, rank {rank}\n");
        for line in &log.outputs {
            text += line;
            text.push('\n');
        }
        text += &log.text();
        text.push('\n');
    }
    let path = directory.join("program_logs.txt");
    let file = |source| WriteError::File { path: path.display().to_string(), source };
    std::fs::write(&path, text).map_err(file)
}

/// Returns the `result_hash` without writing run.json.
pub(crate) fn result_hash(
    simulation: &mut Simulation,
    results: &Results,
) -> Result<String, WriteError> {
    Ok(hash_of(&complete_tables(simulation, results)?.0))
}

fn complete_tables<Q: ProcessGroup>(
    simulation: &mut Simulation<Q>,
    results: &Results,
) -> Result<(Vec<Written>, Option<WriteError>), WriteError> {
    let (streamed, fault) = simulation.finish_tables()?;
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
    Ok((complete(&run, &streamed, simulation.directory())?, fault))
}

fn hash_of(tables: &[Written]) -> String {
    let mut hash = Sha256::new();
    let counts = |table: &&Written| !HASHED_WITH_ROWS.contains(&table.name) || table.rows > 0;
    tables.iter().filter(counts).for_each(|table| hash.update(table.hash));
    hex(&hash.finalize())
}

/// Whether every job that the run waits for has ended.
fn all_ended(plan: &Plan, results: &Results) -> bool {
    let awaited = plan.awaited();
    let mut reports = results.reports.iter().filter(|rank| awaited[usize::from(rank.job)]);
    reports.all(|rank| rank.end.is_some())
}
