//! The packets that wait for an output, as sums, and changes of their number to come.

use pantala_engine::Time;

/// The packets of one job that wait for one output.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waits {
    /// The number of packets, with planned changes.
    pub(super) count: i64,
    /// Ends less starts of the waits since the last charge, modulo 2^64.
    pub(super) sum: Time,
}

/// A change of the packets that wait for an output.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    pub(super) time: Time,
    pub(super) count: i32,
    pub(super) job: u16,
}

/// The changes of an output whose time has perhaps not come, in no order. An output has few at a
/// time. It takes one cache line.
#[repr(align(64))]
#[derive(Clone, Debug, Default)]
pub(super) struct Planned {
    /// Places for changes. A change whose time has come gives up its place.
    first: [Change; 2],
    more: Vec<Change>,
}

impl Planned {
    /// Adds a change, and drops some that are not after `charged`.
    #[inline]
    pub(super) fn add(&mut self, change: Change, charged: Time) {
        match self.first.iter_mut().find(|place| place.time <= charged) {
            Some(place) => *place = change,
            None => self.add_more(change, charged),
        }
    }

    #[inline(never)]
    fn add_more(&mut self, change: Change, charged: Time) {
        self.more.retain(|change| change.time > charged);
        self.more.push(change);
    }

    /// Returns the time of the next change after `from` and before `until`.
    pub(super) fn next(&self, from: Time, until: Time) -> Option<Time> {
        let all = self.first.iter().chain(&self.more);
        all.map(|change| change.time).filter(|time| (from + 1..until).contains(time)).min()
    }

    /// Calls `each` with the changes after a time; returns whether there are any.
    #[inline]
    pub(super) fn after(&self, time: Time, mut each: impl FnMut(&Change)) -> bool {
        let mut any = false;
        let mut see = |change: &Change| {
            if change.time > time {
                each(change);
                any = true;
            }
        };
        self.first.iter().for_each(&mut see);
        if !self.more.is_empty() {
            self.more.iter().for_each(see);
        }
        any
    }

    pub(super) fn memory(&self) -> usize {
        self.more.capacity() * size_of::<Change>()
    }
}

/// `count` times `time` modulo 2^64.
#[inline(always)]
pub(super) fn product(count: i64, time: Time) -> Time {
    (count as u64).wrapping_mul(time)
}
