//! The time that a run shows, from the time that its core counts.
//!
//! The core never jumps: its clock, its packets and its events go on as if nothing were skipped. A
//! jump of `by` at the core's time `at` means that everything from `at` on is shown later by `by`.

use pantala_engine::Time;

/// A jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Jump {
    /// The core's time.
    pub(crate) at: Time,
    /// The skipped time.
    pub(crate) by: Time,
}

/// The jumps of a run, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    jumps: Vec<Jump>,
}

impl Timeline {
    /// Adds a jump after all others.
    pub(crate) fn jump(&mut self, at: Time, by: Time) {
        debug_assert!(self.jumps.last().is_none_or(|last| last.at < at), "in order");
        self.jumps.push(Jump { at, by });
    }

    /// Returns the time skipped until the core's time `time`, inclusive.
    pub(crate) fn skipped_at(&self, time: Time) -> Time {
        self.jumps.iter().take_while(|jump| jump.at <= time).map(|jump| jump.by).sum()
    }

    /// Returns the time skipped in all.
    pub(crate) fn skipped(&self) -> Time {
        self.jumps.iter().map(|jump| jump.by).sum()
    }

    /// Returns the shown time of the core's time `time`.
    pub(crate) fn shown(&self, time: Time) -> Time {
        time.saturating_add(self.skipped_at(time))
    }

    /// Returns whether nothing was skipped.
    pub(crate) fn is_empty(&self) -> bool {
        self.jumps.is_empty()
    }

    /// Returns the number of jumps.
    pub(crate) fn len(&self) -> usize {
        self.jumps.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shown_later_from_each_jump_on() {
        let mut timeline = Timeline::default();
        timeline.jump(100, 1_000);
        timeline.jump(250, 70);
        let shown = [0, 99, 100, 249, 250, 300].map(|time| timeline.shown(time));
        assert_eq!(shown, [0, 99, 1_100, 1_249, 1_320, 1_370]);
        assert_eq!((timeline.skipped(), timeline.skipped_at(249)), (1_070, 1_000));
    }
}
