//! What the jobs of a plan will send, from the summaries of their programs. This costs as much as the
//! start of the run, also for long programs.

use crate::error::PlanError;
use crate::plan::{JobPlan, Plan};
use pantala_engine::NEVER;
use pantala_mpi::{ExpectedTraffic, Recording};
use pantala_workload::{Endpoints, JobSpec, PatternContext};
use std::collections::BTreeMap;

/// Returns the traffic of each job that has programs, by its name. Jobs without a summary
/// of their programs are left out. A job that repeats counts once.
///
/// # Errors
/// A [`PlanError`] if a job is faulty.
pub fn of_jobs(plan: &Plan) -> Result<BTreeMap<String, ExpectedTraffic>, PlanError> {
    of_some(plan, |_| true)
}

/// Returns the traffic of the jobs that `wanted` chooses, as [`of_jobs`] does.
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
        let spec = JobSpec {
            name: job.name.clone(),
            nodes: (0..job.ranks).map(|rank| rank / job.ranks_per_node.max(1)).collect(),
            start: 0,
            end: NEVER,
            repeat: false,
            noise: job.compute_noise,
            workload: job.workload.clone().into(),
        };
        let endpoints =
            Endpoints::new(vec![spec], plan.mpi, recording, &context, job.ranks, plan.seed);
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
