//! How many threads a simulation is worth: the rule of `--threads auto`.
//!
//! Threads wait for each other once per window, so a thread must have enough work in a window.
//! docs/scaling.md has the measurements behind the numbers.

use crate::error::PlanError;
use crate::plan::Plan;
use crate::plan::network::topology;
use pantala_workload::WorkloadSpec;

/// A thread pays if it has at least this many packet-hops per window.
pub const PACKET_HOPS_PER_THREAD: f64 = 2_000.0;

/// Share of the terminal bandwidth that a job of ranks is expected to use: `apps-1056` uses 0.16,
/// jobs that compute more use less.
const LOAD_OF_RANKS: f64 = 0.1;

/// Links between routers, plus the ejection, of a packet on a minimal path: 3.6 on 1,056 nodes.
const HOPS: f64 = 3.6;

/// Returns the packet-hops that the jobs of a plan are expected to make in one window, if all of
/// them run.
#[must_use]
pub fn packet_hops_per_window(plan: &Plan) -> f64 {
    let bytes: f64 =
        plan.jobs.iter().map(|job| f64::from(job.node_count()) * load(&job.workload)).sum::<f64>()
            * plan.links.terminal.bandwidth_bytes_per_s as f64;
    let window = plan.router.lookahead(plan.links.global.latency_ps) as f64 / 1e12;
    HOPS * bytes * window / f64::from(plan.packet_bytes.max(1))
}

fn load(workload: &WorkloadSpec) -> f64 {
    match workload {
        WorkloadSpec::Pattern(pattern) => pattern.load.clamp(0.0, 1.0),
        _ => LOAD_OF_RANKS,
    }
}

/// Returns the number of threads that pay: at most `processors`, at most one per group, at least
/// one.
///
/// # Errors
/// A [`PlanError`] if the plan's topology cannot be built.
pub fn worth(plan: &Plan, processors: u32) -> Result<u32, PlanError> {
    let groups = topology(&plan.topology)?.groups();
    // A float becomes the nearest u32.
    let paid = (packet_hops_per_window(plan) / PACKET_HOPS_PER_THREAD) as u32;
    let most = paid.min(processors).min(groups).max(1);
    // The thread with the most groups is the slowest: fewer threads are as fast if they have no
    // more groups than it has.
    Ok(groups.div_ceil(groups.div_ceil(most)))
}
