//! Whether the present epoch is steady: the samples of all jobs, judged one by one.

use crate::output::recorder::Net;
use crate::run::process_group::ProcessGroup;
use crate::run::skip::cycles::Delivered;
use crate::run::skip::epochs::Doing;
use crate::run::skip::series::Sums;
use crate::run::skip::skipper::{Sample, Skipper, estimates};
use crate::run::skip::steady::Mean;

/// Communication times count at least as this share of a cycle: the error of a shorter one does not
/// matter.
pub(super) const LEAST_COMMUNICATION: f64 = 0.05;

/// What a steady sample tells of a job that repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Known {
    /// The duration of a cycle, in ps.
    pub(crate) duration: Mean,
    /// The communication time in a cycle, in ps.
    pub(crate) communication: Mean,
    /// How much later the last rank is in each cycle than in the one before, beside the mean rank,
    /// as a share of the cycle.
    pub(crate) apart: f64,
    /// By how much ranks compute longer or shorter in skipped cycles, as a share of a cycle.
    pub(crate) computing: f64,
}

impl Skipper {
    /// Returns the longest sample in which all jobs are steady, and what it tells of each job that
    /// repeats.
    pub(super) fn steady(&mut self) -> Option<(usize, Vec<Option<Known>>)> {
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

    fn judge(&self, sample: &Sample) -> Result<Vec<Option<Known>>, String> {
        let all = self.doing.iter().enumerate().map(|(job, doing)| match doing {
            Doing::Repeats(of_loop) => self.judge_job(sample, job, *of_loop).map(Some),
            Doing::Pattern => self.judge_pattern(sample, job).map(|()| None),
            _ => Ok(None),
        });
        all.collect()
    }

    fn judge_job(&self, sample: &Sample, job: usize, of_loop: u16) -> Result<Known, String> {
        let Self { jobs, plan, .. } = self;
        let (name, ranks) = (&jobs[job].name, jobs[job].busy);
        let cycles = self.all.complete(job, sample.first[job]);
        let period = jobs[job].loops[usize::from(of_loop)].period;
        let needed = jobs[job].fewest(of_loop, plan.minimum).max(2);
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
        let few = || format!("job '{name}' has too few iterations");
        let communication = cycles.mean(|sums| sums.communication, ranks).ok_or_else(few)?;
        let skew = cycles.mean(|sums| sums.skew, 1).ok_or_else(few)?;
        // The middles of the halves of the sample lie half of it apart.
        let apart = (skew.drift / (cycles.len() as f64 / 2.0) / duration.value).max(0.0);
        if apart > tolerance {
            return Err(format!(
                "ranks of job '{name}' run apart: in each iteration the last one falls behind their \
                 mean by {:.2} % of its duration (asked: {} %)",
                100.0 * apart,
                percent(tolerance)
            ));
        }
        Ok(Known { duration, communication, apart, computing: 0.0 })
    }

    /// A pattern is steady if it delivers as many bytes in all checks since the sample began, and
    /// its packets have waited as long: what the network does not take queues at its sources, and
    /// their latency grows.
    fn judge_pattern(&self, sample: &Sample, job: usize) -> Result<(), String> {
        let checks = ((self.checked - sample.at) / self.grid) as usize;
        let series = &self.delivered[job];
        let from = series.len().saturating_sub(checks + 1);
        let watched = &series[from..];
        let windows = watched.len().saturating_sub(1);
        let mean = |from: usize, to: usize| {
            (watched[to].bytes - watched[from].bytes) as f64 / (to - from) as f64
        };
        let name = &self.jobs[job].name;
        let tolerance = f64::from(self.plan.tolerance_millionths) / 1e6;
        match Mean::of_parts(windows, mean) {
            Some(mean) if windows >= self.plan.minimum as usize => {
                if mean.within(tolerance * mean.value) {
                    return self.judge_latency(job, watched);
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

    /// Whether the packets of a pattern have had the same latency in all these checks. The latency of
    /// packets varies more than their number, so its mean and trend have three times the tolerance.
    fn judge_latency(&self, job: usize, watched: &[Delivered]) -> Result<(), String> {
        let of = |from: usize, to: usize| {
            let packets = watched[to].packets - watched[from].packets;
            let latency = watched[to].latency - watched[from].latency;
            (packets > 0).then(|| latency as f64 / packets as f64)
        };
        let windows = watched.len() - 1;
        // Windows without a packet say nothing.
        let Some(all) = of(0, windows) else { return Ok(()) };
        let Some(mean) = Mean::of_parts(windows, |from, to| of(from, to).unwrap_or(all)) else {
            return Ok(());
        };
        let asked = 3.0 * f64::from(self.plan.tolerance_millionths) / 1e6;
        if mean.within(asked * mean.value) {
            return Ok(());
        }
        let name = &self.jobs[job].name;
        let (half, drift) = (mean.half_width / mean.value, mean.drift / mean.value);
        let grow = if drift > asked { "; the source queues may grow" } else { "" };
        Err(format!(
            "the packet latency of job '{name}' is known to {:.2} % and changes by {:.2} % (asked: {} %){grow}",
            100.0 * half,
            100.0 * drift,
            percent(asked)
        ))
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
