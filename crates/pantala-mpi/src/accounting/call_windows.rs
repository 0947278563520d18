//! The time that ranks are blocked in MPI calls, over time: sums by job, window and call, whose size
//! does not grow with ranks or calls.

use pantala_engine::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The time of a job's ranks in the calls of one name in one window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallWindow {
    /// The job's number in the plan.
    pub job: u16,
    /// The window's number, from 0.
    pub window: u64,
    /// The call's name; see [`crate::Op::name`].
    pub call: String,
    /// Time blocked in the call inside the window, in ps, summed over ranks.
    pub time: Time,
}

impl CallWindow {
    /// Sums the windows of several partitions, in order of window, job and call.
    #[must_use]
    pub fn summed(windows: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut sums: BTreeMap<(u64, u16, String), Time> = BTreeMap::new();
        for Self { job, window, call, time } in windows {
            *sums.entry((window, job, call)).or_default() += time;
        }
        let of = |((window, job, call), time)| Self { job, window, call, time };
        sums.into_iter().map(of).collect()
    }
}

/// The windows of all jobs of a layer.
#[derive(Clone, Debug)]
pub(crate) struct CallWindows {
    /// The length of a window; zero: nothing is recorded.
    length: Time,
    /// By job: the calls by name, with the time of each window.
    jobs: Vec<Vec<(&'static str, Vec<Time>)>>,
}

impl CallWindows {
    /// Returns no windows of this length, of no job; zero: nothing is recorded.
    pub(crate) fn new(length: Time) -> Self {
        Self { length, jobs: Vec::new() }
    }

    /// Adds a job, as the next number.
    pub(crate) fn add_job(&mut self) {
        self.jobs.push(Vec::new());
    }

    /// Counts the time from `from` to `until` in a call, each part in its window.
    #[inline]
    pub(crate) fn took(&mut self, job: u32, call: &'static str, from: Time, until: Time) {
        if self.length > 0 && from < until {
            self.divide(job, call, from, until);
        }
    }

    fn divide(&mut self, job: u32, call: &'static str, mut from: Time, until: Time) {
        let calls = &mut self.jobs[job as usize];
        let at = calls.iter().position(|(name, _)| *name == call).unwrap_or_else(|| {
            calls.push((call, Vec::new()));
            calls.len() - 1
        });
        let windows = &mut calls[at].1;
        let last = ((until - 1) / self.length) as usize;
        if windows.len() <= last {
            windows.resize(last + 1, 0);
        }
        while from < until {
            let number = from / self.length;
            let end = (number + 1).saturating_mul(self.length).min(until);
            windows[number as usize] += end - from;
            from = end;
        }
    }

    /// Returns the windows with time of the job with this number, which the plan numbers `id`.
    pub(crate) fn windows(&self, job: usize, id: u16) -> impl Iterator<Item = CallWindow> + '_ {
        self.jobs[job].iter().flat_map(move |(call, windows)| {
            let timed = (0..).zip(windows).filter(|(_, time)| **time > 0);
            timed.map(move |(window, &time)| CallWindow {
                job: id,
                window,
                call: (*call).to_owned(),
                time,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(pantala_testing::cases(100))]

        /// Each picosecond of a call is in the window in which it lies.
        #[test]
        fn calls_are_divided_among_windows(
            calls in proptest::collection::vec((0u32..2, 0usize..2, 0u64..500, 0u64..200), 1..20),
            length in 1u64..80,
        ) {
            let mut windows = CallWindows::new(length);
            (0..2).for_each(|_| windows.add_job());
            let mut expected: BTreeMap<(u64, u16, String), Time> = BTreeMap::new();
            for &(job, name, start, time) in &calls {
                let name = ["send", "wait"][name];
                windows.took(job, name, start, start + time);
                for now in start..start + time {
                    *expected.entry((now / length, job as u16, name.to_owned())).or_default() += 1;
                }
            }
            let all = (0..2).flat_map(|job| windows.windows(job, job as u16));
            let told: BTreeMap<_, _> = CallWindow::summed(all)
                .into_iter()
                .map(|each| ((each.window, each.job, each.call), each.time))
                .collect();
            prop_assert_eq!(told, expected);
        }
    }
}
