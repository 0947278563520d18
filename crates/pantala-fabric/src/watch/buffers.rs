//! The buffers behind links, as far as a record asks for them.

use crate::store::account::VcCredits;
use crate::watch::crowding::CrowdedLinks;
use crate::watch::downstream::{DownstreamFlits, DownstreamOccupancy};
use crate::watch::ports::LinkCount;
use pantala_engine::Time;

/// The buffers behind the links.
#[derive(Debug)]
pub(crate) enum Buffers {
    /// Nobody asks for them.
    Unwatched,
    /// Whether they lack room.
    Full(CrowdedLinks),
    /// Per link: all. `None`: they never run out of room.
    Vcs(Vec<Option<DownstreamFlits>>),
}

impl Buffers {
    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::Unwatched => 0,
            Self::Full(links) => links.memory(),
            Self::Vcs(links) => {
                links.capacity() * size_of::<Option<DownstreamFlits>>()
                    + links.iter().flatten().map(DownstreamFlits::memory).sum::<usize>()
            }
        }
    }

    /// A packet takes `room` flits of a link's VC, which leaves `left` credits, at `time`, which is
    /// `now` or later. `credits` reads the account of a VC after that.
    #[inline]
    pub(crate) fn take(
        &mut self,
        (link, vc): (usize, u8),
        (room, left): (u32, i32),
        (time, now): (Time, Time),
        credits: impl Fn(u8) -> Option<VcCredits>,
    ) {
        match self {
            Self::Unwatched => {}
            Self::Full(links) => links.take((link, vc), (room, left), (time, now), credits),
            Self::Vcs(links) => {
                debug_assert_eq!(time, now, "packets of a record of VCs are not sent ahead");
                if let Some(link) = &mut links[link] {
                    link.take(vc, room, now);
                }
            }
        }
    }

    /// Returns whether credits that come back to a link count.
    #[inline]
    pub(crate) fn hears_of(&self, link: usize) -> bool {
        match self {
            Self::Unwatched => false,
            Self::Full(links) => links.counts(link),
            Self::Vcs(links) => links[link].is_some(),
        }
    }

    /// Credits for `room` flits come back to a link at `time`. Only if [`Self::hears_of`].
    pub(crate) fn give(&mut self, link: usize, vc: u8, room: u32, time: Time) {
        match self {
            Self::Unwatched => {}
            Self::Full(links) => links.give(link, vc, room, time),
            Self::Vcs(links) => {
                if let Some(link) = &mut links[link] {
                    link.give(vc, room, time);
                }
            }
        }
    }

    /// Returns whether the record is right if a packet that leaves `left` credits of its VC is sent
    /// ahead of a busy link.
    #[inline]
    pub(crate) fn allows_ahead(&self, link: usize, left: i32) -> bool {
        match self {
            Self::Unwatched => true,
            Self::Full(links) => links.leaves_room(link, left),
            Self::Vcs(_) => false,
        }
    }

    /// Ends a window of a link: calls `tell` with what it has; returns whether there are flits
    /// beyond the link.
    pub(crate) fn close(
        &mut self,
        link: usize,
        now: Time,
        mut tell: impl FnMut(LinkCount),
    ) -> bool {
        match self {
            Self::Unwatched => false,
            Self::Full(links) => {
                let (full, crowded) = links.close(link, now);
                if full > 0 {
                    tell(LinkCount::Full(full));
                }
                crowded || full > 0
            }
            Self::Vcs(links) => links[link].as_mut().is_some_and(|link| {
                let mut goes_on = false;
                let mut tell = |vc, counted: DownstreamOccupancy| {
                    let DownstreamOccupancy { integral, most, full } = counted;
                    if most > 0 {
                        goes_on = true;
                        tell(LinkCount::Downstream { vc, integral, most, full });
                    }
                };
                let all = link.close(now, |vc, counted| tell(Some(vc), counted));
                tell(None, all);
                goes_on
            }),
        }
    }
}
