//! What the jobs of a plan will send, from the summaries of their programs. This costs as much as the
//! start of the run, also for long programs. Programs without a summary, such as traces, are walked
//! through without a network if they are short.

use crate::error::PlanError;
use crate::plan::{JobPlan, Plan};
use pantala_engine::NEVER;
use pantala_mpi::{ExpectedTraffic, Recording};
use pantala_workload::communication_volume::bounded;
use pantala_workload::{Endpoints, JobSpec, PatternContext};
use std::collections::BTreeMap;

/// The most operations of programs without a summary that are counted: about a second.
const MOST_OPERATIONS: u64 = 1_000_000;

/// Returns the traffic of each job that has programs, by its name. Jobs are left out whose programs
/// have no summary and are too long to be walked through. A job that repeats counts once.
///
/// # Errors
/// A [`PlanError`] if a job is faulty.
pub fn of_jobs(plan: &Plan) -> Result<BTreeMap<String, ExpectedTraffic>, PlanError> {
    let mut found = of_some(plan, |_| true)?;
    for job in &plan.jobs {
        if found.contains_key(&job.name) || job.workload.is_endless() {
            continue;
        }
        let (spec, collectives) = (spec_of(job), &plan.mpi.collectives);
        if let Some(walked) = bounded(&spec, collectives, plan.seed, MOST_OPERATIONS) {
            let mut traffic = ExpectedTraffic::default();
            for volume in walked.operations.values() {
                traffic.bytes += volume.bytes as f64;
                traffic.messages += volume.messages as f64;
            }
            let calls = walked.ranks.iter().flat_map(|rank| rank.calls.values());
            traffic.calls = calls.sum::<u64>() as f64;
            found.insert(job.name.clone(), traffic);
        }
    }
    Ok(found)
}

/// A job as one that starts at once and ends by itself.
fn spec_of(job: &JobPlan) -> JobSpec {
    JobSpec {
        name: job.name.clone(),
        nodes: (0..job.ranks).map(|rank| rank / job.ranks_per_node.max(1)).collect(),
        start: 0,
        end: NEVER,
        repeat: false,
        noise: job.compute_noise,
        workload: job.workload.clone().into(),
    }
}

/// Returns the traffic of the jobs that `wanted` chooses, if their programs have a summary.
///
/// # Errors
/// A [`PlanError`] if one of them is faulty.
pub(crate) fn of_some(
    plan: &Plan,
    wanted: impl Fn(&JobPlan) -> bool,
) -> Result<BTreeMap<String, ExpectedTraffic>, PlanError> {
    let context = PatternContext {
        packet_bytes: plan.packet_bytes,
        flit_bytes: plan.flit_bytes,
        terminal_bytes_per_second: plan.links.terminal.bandwidth_bytes_per_s,
        group_of_node: Vec::new(),
    };
    let recording = Recording { messages: false, iterations: false, ..Recording::default() };
    let mut found = BTreeMap::new();
    for (number, job) in plan.jobs.iter().enumerate() {
        if job.workload.is_endless() || !wanted(job) {
            continue;
        }
        let endpoints =
            Endpoints::new(vec![spec_of(job)], plan.mpi, recording, &context, job.ranks, plan.seed);
        let endpoints = endpoints.map_err(|error| {
            let part = if error.of_workload { ".workload" } else { "" };
            PlanError::at(&format!("jobs[{number}]{part}"), error.fault)
        })?;
        if let Some(traffic) = endpoints.progress_estimate().total() {
            found.insert(job.name.clone(), traffic);
        }
    }
    Ok(found)
}
