//! The record of learning: sums of all feedback per window and kind of port.
//!
//! Feedback is applied when a table is read, not when it arrives, so it comes here out of order. It
//! counts in the window of its arrival. All sums are integers, so the order of addition does not
//! matter.

use pantala_engine::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The kind of port that a packet left by, with respect to its destination group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Via {
    /// A port to another router of the group.
    Local,
    /// A global link to the destination's group.
    Direct,
    /// A global link to any other group.
    Detour,
}

impl Via {
    /// All kinds, in the order of [`LearningWindow::via`].
    pub const ALL: [Self; 3] = [Self::Local, Self::Direct, Self::Detour];

    /// Returns its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Direct => "direct",
            Self::Detour => "detour",
        }
    }
}

/// Sums over the feedback of one window and one kind of port; times in ps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearningSums {
    /// Feedback applied.
    pub updates: u64,
    /// Sum of feedback: the hop plus the estimate at its end.
    pub feedback: u64,
    /// Sum of the estimates after their correction.
    pub estimate: u64,
    /// Sum of the absolute errors of the estimates before.
    pub error: u64,
}

/// The sums of one window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearningWindow {
    /// The window's number, from 0.
    pub number: u64,
    /// Per [`Via`].
    pub via: [LearningSums; 3],
}

impl LearningWindow {
    /// Sums the windows of several records by their numbers.
    #[must_use]
    pub fn summed<'a>(windows: impl Iterator<Item = &'a Self>) -> Vec<Self> {
        let mut by_number = BTreeMap::new();
        for window in windows {
            let sums: &mut Self = by_number
                .entry(window.number)
                .or_insert(Self { number: window.number, ..Self::default() });
            for (sum, more) in sums.via.iter_mut().zip(window.via) {
                sum.updates += more.updates;
                sum.feedback += more.feedback;
                sum.estimate += more.estimate;
                sum.error += more.error;
            }
        }
        by_number.into_values().collect()
    }
}

/// The windows in which any feedback arrived, in order of time.
#[derive(Debug)]
pub(super) struct Record {
    window: Time,
    windows: Vec<LearningWindow>,
}

impl Record {
    /// A record by windows of this length, in ps.
    pub(super) fn new(window: Time) -> Self {
        Self { window: window.max(1), windows: Vec::new() }
    }

    /// The windows so far.
    pub(super) fn windows(&self) -> &[LearningWindow] {
        &self.windows
    }

    /// Feedback of `time` has changed an estimate (`before`, all in ns) to `after`.
    pub(super) fn note(&mut self, time: Time, via: Via, before: f32, target: f32, after: f32) {
        let sums = &mut self.at(time / self.window).via[via as usize];
        sums.updates += 1;
        sums.feedback += ps(target);
        sums.estimate += ps(after);
        sums.error += ps(target).abs_diff(ps(before));
    }

    /// The window of that number: as a rule the last, or one shortly before it.
    fn at(&mut self, number: u64) -> &mut LearningWindow {
        let after = self.windows.iter().rposition(|window| window.number <= number);
        let index = match after {
            Some(index) if self.windows[index].number == number => index,
            before => {
                let index = before.map_or(0, |index| index + 1);
                self.windows.insert(index, LearningWindow { number, ..LearningWindow::default() });
                index
            }
        };
        &mut self.windows[index]
    }
}

/// Nanoseconds in whole picoseconds.
fn ps(ns: f32) -> u64 {
    (f64::from(ns) * 1_000.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feedback_counts_in_the_window_of_its_time_whatever_its_order() {
        let notes = [
            (950, Via::Local),
            (120, Via::Direct),
            (980, Via::Local),
            (130, Via::Detour),
            (500, Via::Local),
        ];
        let summed = |order: &[usize]| {
            let mut record = Record::new(100);
            for &i in order {
                record.note(notes[i].0, notes[i].1, 300.0, 320.5, 304.0);
            }
            record.windows().to_vec()
        };
        let windows = summed(&[0, 1, 2, 3, 4]);
        assert_eq!(windows.iter().map(|w| w.number).collect::<Vec<_>>(), [1, 5, 9]);
        assert_eq!(windows, summed(&[4, 3, 2, 1, 0]));
        let local = windows[2].via[Via::Local as usize];
        assert_eq!(
            local,
            LearningSums { updates: 2, feedback: 641_000, estimate: 608_000, error: 41_000 }
        );
    }
}
