//! Whether the windows of several partitions run on a thread each or all on one.
//!
//! A window takes microseconds to milliseconds. Threads pay where it has much work, but it ends with
//! a wait for the slowest thread: where there is little to do the wait is longer than the work, and
//! where other processes use the processors a thread may wait for milliseconds until it runs. Both
//! change in the course of a run, so it is measured. Time is divided into slices. Now and then a
//! slice runs the other way, and if it handles more events per time than the slice before, the run
//! goes on like this. Results are the same either way.

use std::time::{Duration, Instant};

/// The least duration of a slice. Checked builds change after each few windows.
const SLICE: Duration =
    if cfg!(debug_assertions) { Duration::ZERO } else { Duration::from_millis(1) };
/// The fewest windows of a slice of that duration, and of a shorter one.
const WINDOWS: (u32, u32) = (2, 8);
/// How many slices run one way before the other way is tried: after a change, and at most. Each
/// trial that fails makes it eight times as many. A change by chance is soon undone.
const PATIENCE: (u32, u32) = (2, 1_024);
/// How much more events per time the other way must handle.
const CLEARLY: f64 = 1.05;

/// How the windows of several partitions run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// All on one thread, one partition after the other.
    OneThread,
    /// On a thread per partition.
    Threads,
}

impl Mode {
    const fn other(self) -> Self {
        match self {
            Self::OneThread => Self::Threads,
            Self::Threads => Self::OneThread,
        }
    }
}

/// A slice of time in one mode, over one or more stretches of windows.
#[derive(Clone, Copy, Debug, Default)]
struct Slice {
    /// The least duration.
    least: Duration,
    windows: u32,
    spent: Duration,
    events: u64,
}

impl Slice {
    const fn new(least: Duration) -> Self {
        Self { least, windows: 0, spent: Duration::ZERO, events: 0 }
    }

    /// Returns whether so many windows in such a time are enough.
    fn suffices(&self, windows: u32, spent: Duration) -> bool {
        spent >= self.least.max(SLICE) && windows >= WINDOWS.0
            || spent >= self.least && windows >= WINDOWS.1
    }

    /// Returns the events per second.
    fn rate(&self) -> f64 {
        self.events as f64 / self.spent.as_secs_f64().max(1e-9)
    }
}

/// Windows that run one after the other in one mode: a slice or a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    slice: Slice,
    since: Instant,
}

impl Stretch {
    /// Returns whether the slice is long enough with `windows` of this stretch.
    pub(super) fn is_enough(&self, windows: u32) -> bool {
        let Self { slice, since } = self;
        slice.suffices(slice.windows + windows, slice.spent + since.elapsed())
    }
}

/// What a slice is for.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// To go on: a long one, because threads end with it.
    Long,
    /// To know the rate just before a trial.
    Sample,
    /// To try the other way; with the rate before.
    Trial(f64),
}

/// The mode of the windows to come, and what the latest slices have shown.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    mode: Mode,
    slice: Slice,
    step: Step,
    /// How many slices are between the last trial and the next one.
    patience: u32,
}

impl Default for Pace {
    /// The first slice runs on one thread, the second is a trial of threads. Both end after a few
    /// windows, so a short run starts few threads, and each run of some windows has both modes.
    fn default() -> Self {
        Self {
            mode: Mode::OneThread,
            slice: Slice::new(Duration::ZERO),
            step: Step::Sample,
            patience: 1,
        }
    }
}

impl Pace {
    /// Begins a stretch of windows now, and returns how they run.
    pub(super) fn begin(&self) -> (Mode, Stretch) {
        (self.mode, Stretch { slice: self.slice, since: Instant::now() })
    }

    /// Ends a stretch after so many windows with so many events.
    pub(super) fn end(&mut self, stretch: &Stretch, windows: u32, events: u64) {
        self.note(windows, stretch.since.elapsed(), events);
    }

    fn note(&mut self, windows: u32, spent: Duration, events: u64) {
        self.slice.windows += windows;
        self.slice.spent += spent;
        self.slice.events += events;
        if !self.slice.suffices(self.slice.windows, self.slice.spent) {
            return;
        }
        let (rate, Slice { least, .. }) = (self.slice.rate(), self.slice);
        self.slice = Slice::new(SLICE);
        self.step = match self.step {
            Step::Long => Step::Sample,
            Step::Sample => {
                self.mode = self.mode.other();
                self.slice.least = least;
                Step::Trial(rate)
            }
            Step::Trial(before) => {
                if rate > CLEARLY * before {
                    self.patience = PATIENCE.0;
                } else {
                    self.mode = self.mode.other();
                    self.patience = (8 * self.patience).min(PATIENCE.1);
                }
                self.slice.least = SLICE * self.patience;
                Step::Long
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs slices of two modes at these rates, in events per us, and returns the share of the time
    /// that is spent on threads.
    fn share(rates: impl Fn(u64) -> [u64; 2]) -> f64 {
        let mut pace = Pace::default();
        let mut spent = [Duration::ZERO; 2];
        for step in 0..200_000_u64 {
            let mode = pace.mode;
            let time = Duration::from_micros(50);
            pace.note(1, time, 50 * rates(step)[usize::from(mode == Mode::Threads)]);
            spent[usize::from(mode == Mode::Threads)] += time;
        }
        spent[1].as_secs_f64() / (spent[0] + spent[1]).as_secs_f64()
    }

    #[test]
    fn a_run_soon_goes_on_as_it_is_faster() {
        if cfg!(debug_assertions) {
            assert!((0.3..0.7).contains(&share(|_| [10, 19])), "checked builds alternate");
            return;
        }
        assert!(share(|_| [10, 19]) > 0.98);
        assert!(share(|_| [10, 3]) < 0.01);
        assert!(share(|_| [10, 10]) < 0.01, "one thread, if two are no faster");
    }

    #[test]
    fn it_changes_when_the_machine_does() {
        if !cfg!(debug_assertions) {
            let half = share(|step| if step < 100_000 { [10, 19] } else { [10, 2] });
            assert!((0.4..0.65).contains(&half), "{half}");
        }
    }
}
