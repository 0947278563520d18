//! The epochs of a run: what each job does now, and the rows of the table of epochs.

use crate::output::epoch_record::EpochRow;
use crate::run::rank_reports::Status;
use crate::run::skip::cycles::AllCycles;
use crate::run::skip::steady::Mean;
use pantala_engine::Time;
use pantala_workload::programs::{Loop, RecordedComputing};

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// It has not started.
    Waits,
    /// All its ranks are in this loop.
    Repeats(u16),
    /// It is a pattern.
    Pattern,
    /// It runs, but does not repeat.
    Other,
    /// It has ended.
    Over,
}

impl Doing {
    const fn name(self) -> &'static str {
        match self {
            Self::Waits => "waits",
            Self::Repeats(_) => "repeats",
            Self::Pattern => "pattern",
            Self::Other => "other",
            Self::Over => "over",
        }
    }
}

/// A job, as far as epochs need it.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) name: String,
    pub(crate) ranks: u32,
    /// By rank: whether it does anything in its iterations; and how many do.
    pub(crate) works: Vec<bool>,
    pub(crate) busy: u32,
    /// Start and end that the plan sets; `NEVER` without an end.
    pub(crate) start: Time,
    pub(crate) end: Time,
    pub(crate) is_pattern: bool,
    pub(crate) loops: Vec<Loop>,
    /// What the operations of the loops say of computing times.
    pub(crate) computing: RecordedComputing,
}

impl Job {
    /// The fewest cycles of a loop that are watched before a jump, and that are simulated after it.
    pub(crate) fn fewest(&self, of_loop: u16, minimum: u32) -> u32 {
        minimum.div_ceil(self.loops[usize::from(of_loop)].period)
    }

    /// What the job does before the first look at a run.
    pub(crate) const fn first(&self) -> Doing {
        match (self.start > 0, self.is_pattern) {
            (true, _) => Doing::Waits,
            (false, true) => Doing::Pattern,
            (false, false) => Doing::Other,
        }
    }
}

/// Returns what each job does at `shown`.
pub(crate) fn doing(jobs: &[Job], cycles: &AllCycles, status: &Status, shown: Time) -> Vec<Doing> {
    let of = |(number, job): (u16, &Job)| {
        if shown >= job.end || status.is_over(number) {
            return Doing::Over;
        }
        if shown < job.start {
            return Doing::Waits;
        }
        if job.is_pattern {
            return Doing::Pattern;
        }
        let all = |of_loop: &u16| cycles.inside.get(&(number, *of_loop)) == Some(&job.busy);
        match (0..job.loops.len() as u16).find(all) {
            Some(of_loop) if !last_cycles(job, cycles, number, of_loop) => Doing::Repeats(of_loop),
            _ => Doing::Other,
        }
    };
    (0..).zip(jobs).map(of).collect()
}

/// Why a job that runs is in no loop.
pub(crate) fn why_other(job: &Job) -> String {
    let name = &job.name;
    if job.loops.is_empty() {
        return format!("job '{name}' does not repeat");
    }
    format!("the {} ranks of job '{name}' are not all in one loop at a time", job.ranks)
}

/// Whether a rank is in the last iteration of a finite loop, which need not equal the others.
fn last_cycles(job: &Job, cycles: &AllCycles, number: u16, of_loop: u16) -> bool {
    let shape = job.loops[usize::from(of_loop)];
    let latest = cycles.latest.get(&(number, of_loop)).copied().unwrap_or(0);
    !shape.is_endless() && latest.saturating_add(1) >= shape.end
}

/// The rows of a stretch of time that ends.
pub(crate) struct Stretch<'a> {
    pub(crate) number: u32,
    pub(crate) start: Time,
    pub(crate) end: Time,
    pub(crate) doing: &'a [Doing],
    pub(crate) skipped: bool,
}

impl Stretch<'_> {
    /// Returns the row of each job: `of` gives the number of its iterations and their mean.
    pub(crate) fn rows(&self, of: impl Fn(usize) -> Option<(u64, Option<Mean>)>) -> Vec<EpochRow> {
        let row = |(job, doing): (usize, &Doing)| {
            let known = of(job);
            let mean = known.and_then(|(_, mean)| mean);
            EpochRow {
                number: self.number,
                start: self.start,
                end: self.end,
                skipped: self.skipped,
                job: job as u16,
                state: doing.name().to_owned(),
                iterations: known.map(|(iterations, _)| iterations),
                mean: mean.map(|mean| mean.value),
                error: mean.map(|mean| mean.half_width / 1.96),
                change: None,
            }
        };
        self.doing.iter().enumerate().map(row).collect()
    }
}
