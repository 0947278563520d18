//! Flits that come back together: one entry of an account.

use pantala_engine::{NEVER, Time};

/// Flits that come back: all at the time of the entry, or one by one, evenly spread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lot {
    pub(super) flits: u16,
    /// Of flits that come back one by one: how many are back, and the time from the first to the
    /// last in ps. The entry has the time of the next one.
    pub(super) back: u16,
    pub(super) span: u32,
}

impl Lot {
    /// Returns when flit `number` comes back, if the lot is the entry of `time`.
    #[inline]
    pub(super) fn time_of(self, time: Time, number: u32) -> Time {
        let after = |number: u32| {
            Time::from(self.span) * Time::from(number) / Time::from(self.flits.max(2) - 1)
        };
        time - after(self.back.into()) + after(number)
    }

    /// Takes what is back at `now`. Returns the number of flits, and when the next one comes back;
    /// [`NEVER`] if none is left. `now` is not before `time`, that of the entry.
    #[inline(always)]
    pub(super) fn take(&mut self, time: Time, now: Time) -> (i32, Time) {
        if self.span == 0 { (self.flits.into(), NEVER) } else { self.take_one_by_one(time, now) }
    }

    #[inline(never)]
    fn take_one_by_one(&mut self, time: Time, now: Time) -> (i32, Time) {
        let first = self.time_of(time, 0);
        if now - first >= Time::from(self.span) {
            return (self.left(), NEVER);
        }
        // The flits whose time, rounded down, is not after now.
        let steps = Time::from(self.flits) - 1;
        let back = ((now - first + 1) * steps).div_ceil(Time::from(self.span)) as u16;
        let next = self.time_of(time, back.into());
        let taken = back - std::mem::replace(&mut self.back, back);
        (taken.into(), next)
    }

    /// Returns the number of flits that are not back.
    #[inline]
    pub(super) fn left(self) -> i32 {
        i32::from(self.flits - self.back)
    }
}
