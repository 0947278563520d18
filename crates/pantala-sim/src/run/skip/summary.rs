//! What a run with `skip` says of itself: rows of epochs, errors of jobs and a sentence.

use crate::output::epoch_record::{EpochRow, JobError, SkipSummary};
use crate::output::results::Results;
use crate::plan::Plan;
use crate::run::skip::judgement::{Known, LEAST_COMMUNICATION};
use crate::run::skip::skipper::Skipper;
use pantala_engine::{NEVER, Time};
use pantala_mpi::RankReport;

impl Skipper {
    /// Ends the last epoch at the end of the run, in the core's time.
    pub(crate) fn end(&mut self, now: Time) {
        self.close(now);
        for promise in &self.promises {
            let rows = self.rows.iter_mut().filter(|row| row.number == promise.stretch);
            for row in rows {
                row.change = promise.change[usize::from(row.job)].map(|of| of.duration);
            }
        }
    }

    /// Adds what was skipped to the results of the local partitions, and gives them the times that
    /// the run shows.
    pub(crate) fn complete(&mut self, plan: &Plan, results: &mut Results) {
        std::mem::take(&mut self.skipped).complete(results);
        results.epochs = self.rows.clone();
        let timeline = &self.timeline;
        let later = |number: &mut u64, length: Time| {
            let skipped = timeline.skipped_at(*number * length);
            *number += skipped.checked_div(length).unwrap_or(0);
        };
        let (window, routing) = (plan.record.window_ps, plan.record.routing_windows_ps);
        for job in &mut results.jobs {
            job.windows.iter_mut().for_each(|of| later(&mut of.number, window));
            job.routing.iter_mut().for_each(|of| later(&mut of.number, routing));
        }
        results.learning.iter_mut().for_each(|of| later(&mut of.number, window));
        let blame = plan.record.blame.map_or(0, |blame| blame.window_ps);
        results.blame.iter_mut().for_each(|cell| later(&mut cell.window, blame));
        let calls = plan.record.call_windows_ps;
        results.call_windows.iter_mut().for_each(|of| later(&mut of.window, calls));
        results.blame_groups.shift(|time| timeline.shown(time));
        results.blame_links.shift(|time| timeline.shown(time));
        for report in &mut results.reports {
            report.start = report.start.map(|time| timeline.shown(time));
            report.end = report.end.map(|time| timeline.shown(time));
        }
    }

    /// Returns the summary of a run that has ended at `simulated` of the core's time, with the
    /// reports of its ranks.
    pub(crate) fn summary(&self, simulated: Time, reports: &[RankReport]) -> SkipSummary {
        let skipped = self.timeline.skipped();
        let whole = (simulated + skipped).max(1) as f64;
        let share = simulated as f64 / whole;
        let jobs: Vec<JobError> =
            (0..self.jobs.len()).filter_map(|job| self.error_of(job, whole, reports)).collect();
        let text = if self.timeline.is_empty() {
            let why = self.longest.clone().map_or_else(|| self.why_nothing(), |(_, why)| why);
            format!("skip: no time was skipped, all of it was simulated: {why}")
        } else {
            let times = if self.timeline.len() == 1 { "once" } else { "several times" };
            format!(
                "skipped: {} % of the time was simulated; the run jumped {times} while its jobs \
                 repeated; {}",
                per_cent(share),
                in_words(&jobs)
            )
        };
        SkipSummary { text, simulated_share: share, jumps: self.timeline.len() as u32, jobs }
    }

    /// The errors of a job's run time and communication time. Of each jump: the skipped time times the
    /// half width of the mean of the skipped cycles, what chance does not explain of the change after
    /// it, and half of the tolerance (as independent errors); what the last rank falls behind the mean
    /// and what skipped cycles compute more or less; plus the rest to whole iterations; together over
    /// the job's time. Whoever accepts a sample whose halves differ by the tolerance cannot see a
    /// change of half of it in skipped time.
    fn error_of(&self, job: usize, whole: f64, reports: &[RankReport]) -> Option<JobError> {
        let of_job: Vec<&EpochRow> =
            self.rows.iter().filter(|row| usize::from(row.job) == job).collect();
        // Nobody looks at a job between two events, so an epoch can last longer than the job.
        let of_ranks = || reports.iter().filter(|report| usize::from(report.job) == job);
        let end = of_ranks().map(|report| report.end.unwrap_or(NEVER)).max().unwrap_or(NEVER);
        let start = self.jobs[job].start;
        let all = (end.min(self.jobs[job].end).min(whole as Time)).saturating_sub(start) as f64;
        let time = |row: &&EpochRow| row.end.min(end).saturating_sub(row.start) as f64;
        let runs = |row: &&&EpochRow| !matches!(row.state.as_str(), "waits" | "over");
        let jumped: f64 = of_job.iter().filter(|row| row.skipped).filter(runs).map(time).sum();
        let iterations =
            of_job.iter().filter(|row| row.skipped).filter_map(|row| row.iterations).sum();
        let unseen = f64::from(self.plan.tolerance_millionths) / 1e6 / 2.0;
        let (mut of_time, mut of_communication) = (0.0, 0.0);
        let mut known = false;
        for promise in &self.promises {
            let Some((before, rest)) = promise.jobs[job] else { continue };
            known = true;
            let change = promise.change[job].unwrap_or_default();
            let Known { duration, communication, apart, computing } = before;
            let cycles = promise.jump as f64 / duration.value;
            let chance = duration.half_width_of(cycles) / duration.value;
            let relative = chance.hypot(change.between).hypot(unseen) + apart + computing;
            of_time += promise.jump as f64 * relative + rest;
            let least = communication.value.max(LEAST_COMMUNICATION * duration.value);
            let between = change.communication * communication.value;
            let each = communication.half_width_of(cycles).hypot(between).hypot(unseen * least);
            of_communication += cycles * (each + apart * duration.value) + rest;
        }
        let communicated: f64 = of_ranks().map(|of| of.totals.communication() as f64).sum();
        let communicated = communicated / f64::from(self.jobs[job].busy.max(1));
        known.then(|| JobError {
            job: self.jobs[job].name.clone(),
            simulated_share: (all - jumped) / all.max(1.0),
            skipped_iterations: iterations,
            run_time_error: of_time / all.max(1.0),
            communication_time_error: (communicated > 0.0)
                .then_some(of_communication / communicated),
        })
    }

    /// Why no sample was ever judged.
    fn why_nothing(&self) -> String {
        let never = |job: &&crate::run::skip::epochs::Job| job.loops.is_empty() && !job.is_pattern;
        match self.jobs.iter().find(never) {
            Some(job) => format!("job '{}' does not repeat", job.name),
            None if self.grid > self.longest_window => format!(
                "no epoch lasted long enough to be judged: a run jumps at times that all windows of \
                 the record divide, the least of which is {} us; choose windows that divide each \
                 other",
                self.grid as f64 / 1e6
            ),
            None => "no epoch lasted long enough to be judged".to_owned(),
        }
    }
}

/// The errors of jobs, of their run times and of their communication times.
fn in_words(jobs: &[JobError]) -> String {
    let list = |of: fn(&JobError) -> Option<f64>| {
        let each = jobs.iter().filter_map(|job| of(job).map(|error| (&job.job, error)));
        each.map(|(name, error)| format!("{name} {:.2} %", 100.0 * error))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let of_time = list(|job| Some(job.run_time_error));
    let of_time = if of_time.is_empty() { "no job has a run time" } else { &of_time };
    let mut words = format!("estimated error of run times (95 %): {of_time}");
    let of_communication = list(|job| job.communication_time_error);
    if !of_communication.is_empty() {
        words.push_str(&format!("; of communication times: {of_communication}"));
    }
    words
}

/// A share of which something is simulated, in per cent.
fn per_cent(share: f64) -> String {
    if share < 5e-6 { "less than 0.001".to_owned() } else { format!("{:.3}", 100.0 * share) }
}
