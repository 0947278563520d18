//! The flits beyond a link: sent by its VCs and not yet credited. They are on the link, in the
//! buffer behind it, or on their way back as credits.

use pantala_engine::Time;
use std::collections::VecDeque;

/// The window of one VC of a link, or of all.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    /// The time up to which the window's counts go.
    at: Time,
    /// Of the current window: the integral of the flits over time in flit ps, their maximum, and
    /// the time in which the buffer lacked room for a full packet.
    integral: u128,
    most: u32,
    full: Time,
}

impl Level {
    /// Counts the time up to `now`, in which `flits` were beyond the link.
    #[inline]
    fn pass(&mut self, now: Time, flits: u32, full: bool) {
        let time = now - self.at;
        self.integral += u128::from(flits) * u128::from(time);
        if full {
            self.full += time;
        }
        self.at = now;
    }

    /// Ends a window, and returns what it has counted. The next one begins with `flits`.
    fn taken(&mut self, flits: u32) -> DownstreamOccupancy {
        let counted =
            DownstreamOccupancy { integral: self.integral, most: self.most, full: self.full };
        (self.integral, self.most, self.full) = (0, flits, 0);
        counted
    }
}

/// The counts of a window, of one VC or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DownstreamOccupancy {
    /// The integral over time, in flit ps.
    pub(crate) integral: u128,
    /// The most flits at a time.
    pub(crate) most: u32,
    /// The time in which the buffer of the VC, or of any VC, lacked room for a full packet.
    pub(crate) full: Time,
}

/// The flits beyond one link. All of their events up to a time are in the state; later ones wait.
///
/// A VC counts the time since its own last event, so an event costs the same whatever the number of
/// VCs.
#[derive(Clone, Debug)]
pub(crate) struct DownstreamFlits {
    /// By VC, and their sum.
    flits: Vec<u32>,
    sum: u32,
    /// The windows of VCs; empty if nobody asks for them.
    vcs: Vec<Level>,
    all: Level,
    /// The VCs that lack room for a full packet.
    crowded: u32,
    /// What is known of later times, in their order.
    later: VecDeque<Later>,
    /// Flits beyond the link from which on a full packet lacks room.
    lacks_from: u32,
}

/// Flits that leave, or whose credits come back, at a later time.
#[derive(Clone, Copy, Debug)]
struct Later {
    time: Time,
    flits: u32,
    vc: u8,
    leaves: bool,
}

impl DownstreamFlits {
    /// Returns the bytes of memory held besides the value itself.
    pub(crate) fn memory(&self) -> usize {
        self.flits.capacity() * size_of::<u32>()
            + self.vcs.capacity() * size_of::<Level>()
            + self.later.capacity() * size_of::<Later>()
    }

    /// Makes the counts of VCs with `room` flits behind the link and packets of up to `packet`
    /// flits. `by_vc`: each VC has windows of its own.
    pub(crate) fn new(vcs: usize, by_vc: bool, room: u32, packet: u32) -> Self {
        Self {
            flits: vec![0; vcs],
            sum: 0,
            vcs: vec![Level::default(); if by_vc { vcs } else { 0 }],
            all: Level::default(),
            crowded: 0,
            later: VecDeque::new(),
            lacks_from: room.saturating_sub(packet).saturating_add(1),
        }
    }

    /// Takes credits for `flits` at `time`, which is `now` or later.
    pub(crate) fn take(&mut self, vc: u8, flits: u32, (time, now): (Time, Time)) {
        if time > now {
            self.insert(Later { time, flits, vc, leaves: true });
            return;
        }
        self.catch_up(now);
        self.leave(vc, flits, now);
    }

    /// Credits for `flits` come back at `time`.
    pub(crate) fn give(&mut self, vc: u8, flits: u32, time: Time) {
        self.insert(Later { time, flits, vc, leaves: false });
    }

    fn insert(&mut self, event: Later) {
        insert_in_time(&mut self.later, event, |event| event.time);
    }

    /// Ends a window at `now`: returns what it has counted of each VC, if they have windows, and of
    /// all.
    pub(crate) fn close(
        &mut self,
        now: Time,
        mut each: impl FnMut(u8, DownstreamOccupancy),
    ) -> DownstreamOccupancy {
        self.catch_up(now);
        let now = now.max(self.all.at);
        self.all.pass(now, self.sum, self.crowded > 0);
        for (number, (vc, &flits)) in self.vcs.iter_mut().zip(&self.flits).enumerate() {
            vc.pass(now, flits, flits >= self.lacks_from);
            each(number as u8, vc.taken(flits));
        }
        self.all.taken(self.sum)
    }

    /// Takes what has happened up to `now`.
    fn catch_up(&mut self, now: Time) {
        while let Some(&Later { time, flits, vc, leaves }) = self.later.front() {
            if time > now {
                break;
            }
            self.later.pop_front();
            if leaves {
                self.leave(vc, flits, time);
            } else {
                self.change(vc, time, |beyond| beyond - flits);
            }
        }
    }

    fn leave(&mut self, vc: u8, flits: u32, now: Time) {
        self.change(vc, now, |beyond| beyond + flits);
        self.all.most = self.all.most.max(self.sum);
        if let Some(own) = self.vcs.get_mut(usize::from(vc)) {
            own.most = own.most.max(self.flits[usize::from(vc)]);
        }
    }

    /// Changes the flits of a VC at `now`, or at the latest event if that is later.
    #[inline]
    fn change(&mut self, vc: u8, now: Time, to: impl Fn(u32) -> u32) {
        let now = now.max(self.all.at);
        self.all.pass(now, self.sum, self.crowded > 0);
        let flits = &mut self.flits[usize::from(vc)];
        let was = *flits;
        *flits = to(was);
        self.sum = self.sum - was + *flits;
        self.crowded =
            self.crowded + u32::from(*flits >= self.lacks_from) - u32::from(was >= self.lacks_from);
        if let Some(own) = self.vcs.get_mut(usize::from(vc)) {
            own.pass(now, was, was >= self.lacks_from);
        }
    }
}

/// Inserts an event behind those of the same time and before later ones. It is nearly always the
/// last one.
pub(super) fn insert_in_time<T>(queue: &mut VecDeque<T>, event: T, time: impl Fn(&T) -> Time) {
    let later = queue.iter().rev().take_while(|other| time(other) > time(&event)).count();
    queue.insert(queue.len() - later, event);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flits_count_until_their_credits_are_back() {
        let mut flits = DownstreamFlits::new(2, true, 10, 4);
        flits.take(0, 4, (100, 100));
        flits.take(0, 4, (140, 140));
        flits.give(0, 4, 160);
        flits.take(1, 2, (150, 150));
        let mut vcs = Vec::new();
        let all = flits.close(200, |vc, counted| vcs.push((vc, counted)));
        // VC 0: 4 flits for 40 ps, 8 for 20 ps (2 flits of room: too few), 4 for 40 ps.
        let first = DownstreamOccupancy { integral: 4 * 40 + 8 * 20 + 4 * 40, most: 8, full: 20 };
        let second = DownstreamOccupancy { integral: 2 * 50, most: 2, full: 0 };
        assert_eq!(vcs, [(0, first), (1, second)]);
        assert_eq!(all, DownstreamOccupancy { integral: first.integral + 100, most: 10, full: 20 });
        // A window starts with what is there.
        let all = flits.close(300, |_, _| {});
        assert_eq!(all, DownstreamOccupancy { integral: 600, most: 6, full: 0 });
    }

    #[test]
    fn the_order_of_events_of_one_time_does_not_matter() {
        let mut one = DownstreamFlits::new(1, false, 8, 4);
        one.take(0, 4, (10, 10));
        let mut other = one.clone();
        one.give(0, 4, 30);
        one.take(0, 4, (20, 20));
        other.take(0, 4, (20, 20));
        other.give(0, 4, 30);
        assert_eq!(one.close(50, |_, _| {}), other.close(50, |_, _| {}));
    }
}
