//! The flits beyond a link: sent by its VCs and not yet credited. They are on the link, in the
//! buffer behind it, or on their way back as credits.

use pantala_engine::Time;

/// One VC of a link.
#[derive(Clone, Copy, Debug, Default)]
struct Vc {
    /// Flits beyond the link.
    downstream: u32,
    /// Of the current window: the integral of `downstream` over time in flit ps, its maximum, and the
    /// time in which the buffer lacked room for a full packet.
    integral: u128,
    most: u32,
    full: Time,
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
#[derive(Clone, Debug)]
pub(crate) struct DownstreamFlits {
    vcs: Vec<Vc>,
    /// Of all VCs.
    all: Vc,
    /// The time of the state.
    at: Time,
    /// Credits on their way back: time, VC and flits. Unordered, because a VC has few.
    back: Vec<(Time, u8, u32)>,
    /// Flits beyond the link from which on a full packet lacks room.
    lacks_from: u32,
}

impl DownstreamFlits {
    /// Returns the bytes of memory held besides the value itself.
    pub(crate) fn memory(&self) -> usize {
        self.vcs.capacity() * size_of::<Vc>() + self.back.capacity() * size_of::<(Time, u8, u32)>()
    }

    /// Makes the counts of VCs with `room` flits behind the link and packets of up to `packet`
    /// flits.
    pub(crate) fn new(vcs: usize, room: u32, packet: u32) -> Self {
        Self {
            vcs: vec![Vc::default(); vcs],
            all: Vc::default(),
            at: 0,
            back: Vec::new(),
            lacks_from: room.saturating_sub(packet).saturating_add(1),
        }
    }

    /// Takes credits for `flits` at `now`.
    pub(crate) fn take(&mut self, vc: u8, flits: u32, now: Time) {
        self.catch_up(now);
        let own = &mut self.vcs[usize::from(vc)];
        own.downstream += flits;
        own.most = own.most.max(own.downstream);
        self.all.downstream += flits;
        self.all.most = self.all.most.max(self.all.downstream);
    }

    /// Credits for `flits` come back at `time`.
    pub(crate) fn give(&mut self, vc: u8, flits: u32, time: Time) {
        self.back.push((time, vc, flits));
    }

    /// Ends a window at `now`: returns what it has counted of each VC, and of all.
    pub(crate) fn close(
        &mut self,
        now: Time,
        mut each: impl FnMut(u8, DownstreamOccupancy),
    ) -> DownstreamOccupancy {
        self.catch_up(now);
        let taken = |vc: &mut Vc| {
            let counted =
                DownstreamOccupancy { integral: vc.integral, most: vc.most, full: vc.full };
            (vc.integral, vc.most, vc.full) = (0, vc.downstream, 0);
            counted
        };
        for (number, vc) in self.vcs.iter_mut().enumerate() {
            each(number as u8, taken(vc));
        }
        taken(&mut self.all)
    }

    /// Moves the state to `now`.
    fn catch_up(&mut self, now: Time) {
        while let Some(next) = self.back.iter().map(|(time, ..)| *time).filter(|t| *t <= now).min()
        {
            self.pass(next);
            let Self { back, vcs, all, .. } = self;
            back.retain(|&(time, vc, flits)| {
                if time == next {
                    vcs[usize::from(vc)].downstream -= flits;
                    all.downstream -= flits;
                }
                time != next
            });
        }
        self.pass(now);
    }

    /// Counts the time up to `now`, in which nothing changes.
    fn pass(&mut self, now: Time) {
        let time = now.saturating_sub(self.at);
        if time == 0 {
            return;
        }
        let mut full = false;
        for vc in &mut self.vcs {
            vc.integral += u128::from(vc.downstream) * u128::from(time);
            if vc.downstream >= self.lacks_from {
                vc.full += time;
                full = true;
            }
        }
        self.all.integral += u128::from(self.all.downstream) * u128::from(time);
        self.all.full += if full { time } else { 0 };
        self.at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flits_count_until_their_credits_are_back() {
        let mut flits = DownstreamFlits::new(2, 10, 4);
        flits.take(0, 4, 100);
        flits.take(0, 4, 140);
        flits.give(0, 4, 160);
        flits.take(1, 2, 150);
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
        let mut one = DownstreamFlits::new(1, 8, 4);
        one.take(0, 4, 10);
        let mut other = one.clone();
        one.give(0, 4, 30);
        one.take(0, 4, 20);
        other.take(0, 4, 20);
        other.give(0, 4, 30);
        assert_eq!(one.close(50, |_, _| {}), other.close(50, |_, _| {}));
    }
}
