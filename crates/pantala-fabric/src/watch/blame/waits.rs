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
    /// Places that the latest changes take in turn.
    latest: [Change; PLACES],
    /// The place of the next change.
    place: u8,
    /// The changes that had to give up their place before their time.
    overflow: Option<Box<Overflow>>,
}

const PLACES: usize = 3;

#[derive(Clone, Debug, Default)]
struct Overflow(Vec<Change>);

impl Planned {
    /// Adds a change, and drops some that are not after `charged`.
    #[inline]
    pub(super) fn add(&mut self, change: Change, charged: Time) {
        let place = usize::from(self.place);
        self.place = if place + 1 == PLACES { 0 } else { self.place + 1 };
        let before = std::mem::replace(&mut self.latest[place], change);
        if before.time > charged {
            self.add_to_overflow(before, charged);
        }
    }

    #[inline(never)]
    fn add_to_overflow(&mut self, change: Change, charged: Time) {
        let overflow = &mut self.overflow.get_or_insert_default().0;
        overflow.retain(|change| change.time > charged);
        overflow.push(change);
    }

    fn all(&self) -> impl Iterator<Item = &Change> {
        self.latest.iter().chain(self.overflow.iter().flat_map(|overflow| &overflow.0))
    }

    /// Returns the time of the next change after `from` and before `until`.
    pub(super) fn next(&self, from: Time, until: Time) -> Option<Time> {
        self.all().map(|change| change.time).filter(|time| (from + 1..until).contains(time)).min()
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
        self.latest.iter().for_each(&mut see);
        if let Some(overflow) = &self.overflow {
            overflow.0.iter().for_each(see);
        }
        any
    }

    pub(super) fn memory(&self) -> usize {
        self.overflow.as_ref().map_or(0, |overflow| {
            size_of::<Overflow>() + overflow.0.capacity() * size_of::<Change>()
        })
    }
}

/// `count` times `time` modulo 2^64.
#[inline(always)]
pub(super) fn product(count: i64, time: Time) -> Time {
    (count as u64).wrapping_mul(time)
}
