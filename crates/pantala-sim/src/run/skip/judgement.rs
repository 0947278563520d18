//! Whether the present epoch is steady: the samples of all jobs, judged one by one.

use crate::output::recorder::Net;
use crate::run::process_group::ProcessGroup;
use crate::run::skip::epochs::Doing;
use crate::run::skip::series::Sums;
use crate::run::skip::skipper::{Sample, Skipper, estimates};
use crate::run::skip::steady::Mean;

/// Communication times count at least as this share of a cycle: the error of a shorter one does not
/// matter.
const LEAST_COMMUNICATION: f64 = 0.05;

impl Skipper {
    /// Returns the longest sample in which all jobs are steady, and the mean duration of the cycles
    /// of each job that repeats.
    pub(super) fn steady(&mut self) -> Option<(usize, Vec<Option<Mean>>)> {
        let mut reason = None;
        for (at, sample) in self.samples.iter().enumerate() {
            match self.judge(sample) {
                Ok(means) => {
                    self.reason = None;
                    return Some((at, means));
                }
                // That of the longest sample is the last to go.
                Err(found) => reason = reason.or(Some(found)),
            }
        }
        self.reason = reason;
        None
    }

    fn judge(&self, sample: &Sample) -> Result<Vec<Option<Mean>>, String> {
        let all = self.doing.iter().enumerate().map(|(job, doing)| match doing {
            Doing::Repeats(of_loop) => self.judge_job(sample, job, *of_loop).map(Some),
            Doing::Pattern => self.judge_pattern(sample, job).map(|()| None),
            _ => Ok(None),
        });
        all.collect()
    }

    fn judge_job(&self, sample: &Sample, job: usize, of_loop: u16) -> Result<Mean, String> {
        let Self { jobs, plan, .. } = self;
        let (name, ranks) = (&jobs[job].name, jobs[job].ranks);
        let cycles = self.all.complete(job, sample.first[job]);
        let period = jobs[job].loops[usize::from(of_loop)].period;
        let needed = plan.minimum.div_ceil(period).max(2);
        if cycles.len() < needed as usize {
            let (had, needed) = (cycles.len() * period as usize, needed * period);
            return Err(format!(
                "job '{name}' has been watched for {had} of at least {needed} iterations"
            ));
        }
        let tolerance = f64::from(plan.tolerance_millionths) / 1e6;
        let Some(duration) = cycles.mean(|sums| sums.time, ranks) else {
            return Err(format!("job '{name}' has too few iterations"));
        };
        let least = LEAST_COMMUNICATION * duration.value;
        type Of = fn(&Sums) -> u128;
        let all: [(&str, Of, u32); 3] = [
            ("duration", |sums| sums.time, ranks),
            ("communication time", |sums| sums.communication, ranks),
            ("longest communication time of a rank", |sums| sums.longest, 1),
        ];
        for (what, of, by) in all {
            let Some(mean) = cycles.mean(of, by) else { continue };
            // The largest of many ranks varies more than their mean, and matters less.
            let slack = if what.starts_with("longest") { 3.0 } else { 1.0 };
            let scale = mean.value.max(least);
            if !mean.within(slack * tolerance * scale) {
                let (half, drift) = (mean.half_width / scale, mean.drift / scale);
                return Err(format!(
                    "the {what} of the iterations of job '{name}' is known to {:.2} % and changes by {:.2} % (asked: {} %)",
                    100.0 * half,
                    100.0 * drift,
                    percent(slack * tolerance)
                ));
            }
        }
        Ok(duration)
    }

    /// A pattern is steady if it delivers as many bytes in all checks since the sample began.
    fn judge_pattern(&self, sample: &Sample, job: usize) -> Result<(), String> {
        let checks = ((self.checked - sample.at) / self.grid) as usize;
        let series = &self.delivered[job];
        let from = series.len().saturating_sub(checks + 1);
        let watched = &series[from..];
        let windows = watched.len().saturating_sub(1);
        let mean =
            |from: usize, to: usize| (watched[to] - watched[from]) as f64 / (to - from) as f64;
        let name = &self.jobs[job].name;
        let tolerance = f64::from(self.plan.tolerance_millionths) / 1e6;
        match Mean::of_parts(windows, mean) {
            Some(mean) if windows >= self.plan.minimum as usize => {
                if mean.within(tolerance * mean.value) {
                    return Ok(());
                }
                Err(format!(
                    "the delivered bytes of job '{name}' are known to {:.2} % and change by {:.2} % (asked: {} %)",
                    100.0 * mean.half_width / mean.value.max(1.0),
                    100.0 * mean.drift / mean.value.max(1.0),
                    percent(tolerance)
                ))
            }
            _ => Err(format!(
                "job '{name}' has been watched for {windows} of at least {} windows",
                self.plan.minimum
            )),
        }
    }

    /// Whether the estimates of q_adaptive have stayed as they were when a sample began.
    pub(super) fn has_learned<Q: ProcessGroup>(
        &self,
        network: &Net,
        peers: &mut Q,
        at: usize,
    ) -> bool {
        let (before, now) = (self.samples[at].estimates, estimates(network, peers));
        let change = (now as f64 - before as f64).abs();
        change <= before as f64 * f64::from(self.plan.tolerance_millionths) / 1e6
    }
}

/// A share in per cent, without the digits that only its form as a float has.
fn percent(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}
