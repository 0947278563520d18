//! The time in which the buffer behind a link lacks room for a full packet: what is left of
//! [`downstream`](super::downstream) if nothing else of it is wanted.
//!
//! Most buffers are far from full. The links' own accounts of credits say so whenever a packet
//! takes credits, so such a link has no state here. When a VC begins to lack room, the flits beyond
//! its link and the credits that are on their way back are read from the accounts. From then on
//! each event counts, until there is plenty of room again.
//!
//! A packet that is sent ahead of a busy link takes its credits from the account now, and from the
//! buffer when it starts. The difference must not matter: [`CrowdedLinks::leaves_room`] says
//! whether the packet leaves so much room that no VC can lack any before it starts.

use crate::store::account::VcCredits;
use crate::watch::downstream::insert_in_time;
use pantala_engine::{Time, prefetch};
use pantala_routing::MAX_VIRTUAL_CHANNELS;
use std::collections::VecDeque;

/// What decides whether links lack room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thresholds {
    /// VCs of a link.
    pub(crate) vcs: usize,
    /// Flits beyond a link from which on a full packet lacks room.
    pub(crate) lacks_from: i32,
    /// Flits of a full packet.
    pub(crate) full: i32,
    /// The most flits that may take credits of a link between the grant of a packet that is sent
    /// ahead and its start.
    pub(crate) before_start: i32,
}

/// The links of a partition.
#[derive(Debug)]
pub(crate) struct CrowdedLinks {
    thresholds: Thresholds,
    /// Per link, the credits of each VC at first; [`NEVER_CROWDED`] if it never lacks room.
    initial: Vec<i32>,
    /// Per link, whether its events count now.
    counts: Vec<bool>,
    /// Per link, its state, once it has had one.
    links: Vec<Option<Box<Link>>>,
}

/// So few credits at first that the flits beyond the link are always below zero.
pub(crate) const NEVER_CROWDED: i32 = i32::MIN / 2;

/// A link with a VC that lacks room, or lacked some lately.
#[derive(Clone, Debug, Default)]
struct Link {
    /// Flits beyond the link, by VC.
    beyond: [i32; MAX_VIRTUAL_CHANNELS as usize],
    /// Credits on their way back, in the order of time: time, VC and flits.
    back: VecDeque<(Time, u8, u32)>,
    /// The VCs that lack room, and since when their time is counted.
    crowded: u32,
    at: Time,
    /// The time in which any VC lacked room, in this window.
    full: Time,
}

impl CrowdedLinks {
    /// Makes the record of links whose VCs have these credits at first.
    pub(crate) fn new(thresholds: Thresholds, initial: Vec<i32>) -> Self {
        let (counts, links) = (vec![false; initial.len()], vec![None; initial.len()]);
        Self { thresholds, initial, counts, links }
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        let each = size_of::<i32>() + size_of::<bool>() + size_of::<Option<Box<Link>>>();
        let held =
            self.links.iter().flatten().map(|link| {
                size_of::<Link>() + link.back.capacity() * size_of::<(Time, u8, u32)>()
            });
        self.initial.capacity() * each + held.sum::<usize>()
    }

    /// Returns whether events of a link count now.
    #[inline(always)]
    pub(crate) fn counts(&self, link: usize) -> bool {
        self.counts[link]
    }

    /// Prefetches the state of a link, if its events count.
    #[inline(always)]
    pub(crate) fn prefetch(&self, link: usize) {
        if let Some(link) = &self.links[link] {
            let line = (&raw const **link).cast::<[u8; 64]>();
            prefetch(line);
            prefetch(line.wrapping_add(1));
        }
    }

    /// Returns whether a packet that leaves `left` credits of its VC can be sent ahead.
    #[inline]
    pub(crate) fn leaves_room(&self, link: usize, left: i32) -> bool {
        let Thresholds { lacks_from, before_start, .. } = self.thresholds;
        self.initial[link] - left + before_start < lacks_from
    }

    /// A packet takes `room` flits of a VC, which leaves `left` credits. It starts at `time`, now
    /// or later. `credits` reads the account of a VC after that.
    #[inline]
    pub(crate) fn take(
        &mut self,
        (link, vc): (usize, u8),
        (room, left): (u32, i32),
        (time, now): (Time, Time),
        credits: impl Fn(u8) -> Option<VcCredits>,
    ) {
        if self.counts[link] {
            self.count(link, vc, (room, left), (time, now));
        } else if self.initial[link] - left >= self.thresholds.lacks_from {
            self.begin(link, now, credits);
        }
    }

    #[inline(never)]
    fn count(&mut self, number: usize, vc: u8, (room, left): (u32, i32), times: (Time, Time)) {
        let Thresholds { lacks_from, full, .. } = self.thresholds;
        let (time, now) = times;
        let Some(link) = &mut self.links[number] else { return };
        link.catch_up(now, lacks_from);
        if time > now {
            // There is room, before it starts and after.
            link.beyond[usize::from(vc)] += room as i32;
            return;
        }
        link.change(vc, now, room as i32, lacks_from);
        if link.crowded == 0 && self.initial[number] - left + 2 * full < lacks_from {
            self.counts[number] = false;
        }
    }

    #[inline(never)]
    fn begin(&mut self, number: usize, now: Time, credits: impl Fn(u8) -> Option<VcCredits>) {
        let Thresholds { vcs, lacks_from, .. } = self.thresholds;
        self.counts[number] = true;
        let link = self.links[number].get_or_insert_default();
        link.beyond = [0; MAX_VIRTUAL_CHANNELS as usize];
        link.back.clear();
        let mut back = Vec::new();
        for vc in 0..vcs as u8 {
            let Some(VcCredits { left, pending }) = credits(vc) else { continue };
            let beyond = &mut link.beyond[usize::from(vc)];
            *beyond = self.initial[number] - left;
            for (time, flits) in pending {
                if time <= now {
                    *beyond -= flits as i32;
                } else {
                    back.push((time, vc, flits));
                }
            }
        }
        back.sort_by_key(|(time, ..)| *time);
        link.back.extend(back);
        link.crowded =
            link.beyond[..vcs].iter().filter(|beyond| **beyond >= lacks_from).count() as u32;
        link.at = now;
    }

    /// Credits for `flits` come back at `time` to a link whose events count.
    pub(crate) fn give(&mut self, link: usize, vc: u8, flits: u32, time: Time) {
        let Some(link) = &mut self.links[link] else { return };
        insert_in_time(&mut link.back, (time, vc, flits), |(time, ..)| *time);
    }

    /// Ends a window of a link at `now`: returns the time without room in it, and whether it lacks
    /// room still.
    pub(crate) fn close(&mut self, number: usize, now: Time) -> (Time, bool) {
        let Some(link) = self.links[number].as_mut().filter(|_| self.counts[number]) else {
            // What was counted before its events stopped to count.
            let link = self.links[number].as_mut();
            return (link.map_or(0, |link| std::mem::take(&mut link.full)), false);
        };
        link.catch_up(now, self.thresholds.lacks_from);
        link.pass(now);
        (std::mem::take(&mut link.full), link.crowded > 0)
    }
}

impl Link {
    /// Takes the credits that are back at `now`.
    fn catch_up(&mut self, now: Time, lacks_from: i32) {
        while let Some(&(time, vc, flits)) = self.back.front() {
            if time > now {
                break;
            }
            self.back.pop_front();
            self.change(vc, time, -(flits as i32), lacks_from);
        }
    }

    /// Changes the flits of a VC at `now`, or at the latest change if that is later.
    #[inline]
    fn change(&mut self, vc: u8, now: Time, by: i32, lacks_from: i32) {
        self.pass(now);
        let beyond = &mut self.beyond[usize::from(vc)];
        let was = *beyond >= lacks_from;
        *beyond += by;
        self.crowded = self.crowded + u32::from(*beyond >= lacks_from) - u32::from(was);
    }

    /// Counts the time up to `now`, in which nothing has changed.
    #[inline]
    fn pass(&mut self, now: Time) {
        let now = now.max(self.at);
        if self.crowded > 0 {
            self.full += now - self.at;
        }
        self.at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::account::{Credits, Repayment, pending_pool};
    use crate::watch::downstream::DownstreamFlits;
    use proptest::prelude::*;

    const VCS: usize = 3;

    proptest! {
        /// The time without room is that of the account that counts each event, whatever starts at
        /// once or is sent ahead.
        #[test]
        fn the_time_is_that_of_every_event(
            room in 1u32..40, full in 1u32..6,
            steps in prop::collection::vec(
                (0..VCS, 0u64..40, 0u64..400, 1u64..12, any::<bool>()), 1..300,
            ),
        ) {
            let room = room.max(full);
            // At most four packets before a start.
            let before_start = 4 * full as i32;
            let lacks_from = (room - full + 1) as i32;
            let thresholds =
                Thresholds { vcs: VCS, lacks_from, full: full as i32, before_start };
            let mut links = CrowdedLinks::new(thresholds, vec![room as i32]);
            let mut every = DownstreamFlits::new(VCS, false, room, full);
            let mut pool = pending_pool();
            let mut credits = [Credits::new(room as i32); VCS];
            let (mut now, mut back_before) = (0, [0; VCS]);
            // What is sent ahead: when it starts, its VC, and when its credits are back; and how
            // many packets may still take credits before.
            let mut ahead: Option<(Time, usize, Time)> = None;
            let mut before = 0;
            for (vc, gap, away, later, closes) in steps {
                now += gap;
                if let Some((time, vc, back)) = ahead.filter(|(time, ..)| *time <= now) {
                    every.take(vc as u8, full, (time, time));
                    every.give(vc as u8, full, back);
                    ahead = None;
                }
                if closes {
                    prop_assert_eq!(links.close(0, now).0, every.close(now, |_, _| {}).full);
                }
                if credits[vc].at(&mut pool, now) < full as i32 || (ahead.is_some() && before == 0) {
                    continue;
                }
                before -= i32::from(ahead.is_some());
                credits[vc].take(full);
                let left = credits[vc].left();
                let time = if ahead.is_none() && links.leaves_room(0, left) {
                    before = 3;
                    now + later
                } else {
                    now
                };
                let read = |vc: u8| Some(credits[usize::from(vc)].state(&pool));
                links.take((0, vc as u8), (full, left), (time, now), read);
                // Credits of a VC come back in order.
                let back = (time + 1 + away).max(back_before[vc]);
                back_before[vc] = back;
                credits[vc].give(&mut pool, back, full);
                if links.counts(0) {
                    links.give(0, vc as u8, full, back);
                }
                if time > now {
                    ahead = Some((time, vc, back));
                } else {
                    every.take(vc as u8, full, (now, now));
                    every.give(vc as u8, full, back);
                }
            }
        }
    }

    #[test]
    fn a_link_that_never_lacks_room_never_counts() {
        let thresholds = Thresholds { vcs: 1, lacks_from: 1, full: 4, before_start: 8 };
        let mut links = CrowdedLinks::new(thresholds, vec![NEVER_CROWDED]);
        links.take((0, 0), (4, -1_000), (5, 5), |_| unreachable!());
        assert!(links.leaves_room(0, -1_000));
        assert_eq!(links.close(0, 100), (0, false));
    }
}
