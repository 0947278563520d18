//! The check of `skip`: whether a plan has jobs that repeat, and time to skip.

use crate::error::PlanError;
use crate::plan::{JobPlan, PacketRecord, Plan, SkipPlan};
use pantala_workload::Workload;
use pantala_workload::programs::Loop;

/// How many times `skip.minimum` iterations a run of one job simulates: to the end of the warm-up, in
/// the sample, after a jump and at the end. The median over the runs of the page of measured errors
/// (docs/explanation/made-skipping.md) is 4.7.
const ALONE: u32 = 5;
/// How many times `skip.minimum` iterations of its jobs a run of several jobs simulates. It is more
/// than [`ALONE`], because the iterations of jobs side by side vary more and have no common period;
/// the median over the runs of that page is 9.0.
const TOGETHER: u32 = 9;

/// The loops of a job; `None` for a pattern.
fn loops(job: &JobPlan) -> Option<Vec<Loop>> {
    match Workload::from(job.workload.clone()) {
        Workload::Pattern(_) => None,
        Workload::Programs(programs) => Some(programs.loops(job.ranks, job.repeat)),
    }
}

/// Whether iterations of the job can be skipped: it is a pattern, or has a loop of equal ones.
pub(crate) fn repeats(job: &JobPlan) -> bool {
    loops(job).is_none_or(|loops| !loops.is_empty())
}

/// Checks the key `skip`, after the check of the jobs, and removes it if it is for runs only that it
/// is worth. Returns the share of time that will be simulated, about; or why nothing is skipped.
pub(crate) fn resolve(plan: &mut Plan) -> Result<(Option<f64>, Option<String>), PlanError> {
    let Some(skip) = plan.skip else {
        let resolved = plan.derived.as_ref();
        return Ok((None, resolved.and_then(|derived| derived.skip_declined.clone())));
    };
    let (promised, least) = promised(plan, skip);
    let checked = check(plan, skip);
    if !skip.if_worth {
        return checked.map(|()| (Some(promised), None));
    }
    let declined = match checked {
        Err(error) => Some(error.message),
        Ok(()) if promised > 0.5 => Some(match least {
            Some(job) if !repeats(job) => format!("job '{}' does not repeat", job.name),
            _ => format!(
                "about {:.0} % of the time of job '{}' would have to be simulated, more than half",
                100.0 * promised,
                least.map_or("", |job| &job.name)
            ),
        }),
        Ok(()) => None,
    };
    plan.skip = declined.is_none().then_some(SkipPlan { if_worth: false, ..skip });
    Ok((declined.is_none().then_some(promised), declined))
}

/// The share of the time of a plan that a run simulates in the median: that of the job which repeats
/// least, and this job. How much the iterations vary is not known before the run, so four of five
/// runs need between half and three times as much.
fn promised(plan: &Plan, skip: SkipPlan) -> (f64, Option<&JobPlan>) {
    let simulated = if plan.jobs.len() > 1 { TOGETHER } else { ALONE };
    let of = |job: &JobPlan| match loops(job) {
        None => of_pattern(plan, job, skip.minimum.saturating_mul(simulated)),
        Some(loops) => loops
            .iter()
            .map(|each| of_loop(plan, job, each, simulated.saturating_mul(fewest(skip, each))))
            .reduce(f64::max)
            .unwrap_or(1.0),
    };
    let all = plan.jobs.iter().map(|job| (of(job).min(1.0), Some(job)));
    all.reduce(|one, other| if other.0 > one.0 { other } else { one }).unwrap_or((0.0, None))
}

/// The fewest cycles of a loop that are watched.
fn fewest(skip: SkipPlan, each: &Loop) -> u32 {
    skip.minimum.div_ceil(each.period).max(1)
}

/// The time that the plan sets for a job, in ps; `None` if it ends by itself.
fn set_time(plan: &Plan, job: &JobPlan) -> Option<u64> {
    let ends = [plan.stop.duration_ps, job.end_ps].into_iter().filter(|end| *end > 0);
    ends.min().map(|end| end.saturating_sub(job.start_ps))
}

/// The share of a pattern's time that so many windows take.
fn of_pattern(plan: &Plan, job: &JobPlan, windows: u32) -> f64 {
    let needed = f64::from(windows) * plan.record.window_ps as f64;
    set_time(plan, job).map_or(0.0, |time| needed / (time as f64).max(1.0))
}

/// The share of a job's time that so many cycles of a loop take. If the plan sets the time, they
/// take at least as long as a rank computes in them.
fn of_loop(plan: &Plan, job: &JobPlan, each: &Loop, cycles: u32) -> f64 {
    let iterations = cycles.saturating_mul(each.period);
    let of_all = f64::from(iterations) / f64::from(each.end - each.first);
    let Some(time) = set_time(plan, job) else { return of_all };
    let Workload::Programs(programs) = Workload::from(job.workload.clone()) else { return of_all };
    let computing = if each.is_endless() {
        u64::from(cycles).saturating_mul(programs.computing_of(job.ranks, each.period))
    } else {
        programs.computing_of(job.ranks, each.first.saturating_add(iterations))
    };
    of_all.max(computing as f64 / (time as f64).max(1.0))
}

fn check(plan: &Plan, skip: SkipPlan) -> Result<(), PlanError> {
    let tolerance = format!("{} %", f64::from(skip.tolerance_millionths) / 1e4);
    let record = &plan.record;
    if record.packets == PacketRecord::All && record.packet_until_ps == 0 {
        return Err(PlanError::new(
            "skip",
            tolerance,
            "record.packets is all, so every packet must be simulated",
            "set record.packet_until, or record.packets to sampled or off",
        ));
    }
    let duration = plan.stop.duration_ps;
    let shortest = record.window_ps.saturating_mul(u64::from(skip.minimum) + 1);
    if duration > 0 && duration <= shortest {
        let message = format!(
            "the run of {duration} ps is not longer than {} windows of {} ps (record.window), \
             which the run simulates before it skips any",
            skip.minimum + 1,
            record.window_ps
        );
        let remedy = "lengthen stop.duration, shorten record.window, or leave skip out";
        return Err(PlanError::new("skip", tolerance, message, remedy));
    }
    if plan.jobs.iter().any(repeats) {
        return Ok(());
    }
    let once = |job: &JobPlan| job.repeat && repeats(&JobPlan { repeat: false, ..job.clone() });
    let (message, remedy) = if plan.jobs.iter().any(once) {
        (
            "no job repeats: a pass of several motifs, or with other iterations on each rank, is no \
             cycle",
            "leave skip out, or let jobs with repeat = true have one motif",
        )
    } else {
        (
            "no job repeats: none has a loop of at least three equal iterations",
            "leave skip out, or mark iterations (mpi.iteration() in a program)",
        )
    };
    Err(PlanError::new("skip", tolerance, message, remedy))
}
