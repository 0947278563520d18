//! The buffers behind links, as far as a record asks for them.

use crate::store::account::VcCredits;
use crate::watch::crowding::CrowdedLinks;
use crate::watch::downstream::{DownstreamFlits, DownstreamOccupancy};
use crate::watch::ports::{BufferDetail, LinkCount};
use pantala_engine::Time;

/// The buffers behind the links.
#[derive(Debug)]
pub(crate) struct Buffers {
    /// Per link.
    details: Vec<BufferDetail>,
    /// The links of [`BufferDetail::Full`].
    crowded: CrowdedLinks,
    /// Per link, its counts in more detail. `None`: it needs none, or its buffer never runs out of
    /// room.
    counted: Vec<Option<Box<DownstreamFlits>>>,
}

impl Buffers {
    /// Makes the records of links in these details.
    pub(crate) fn new(
        details: Vec<BufferDetail>,
        crowded: CrowdedLinks,
        counted: Vec<Option<Box<DownstreamFlits>>>,
    ) -> Self {
        Self { details, crowded, counted }
    }

    pub(crate) fn memory(&self) -> usize {
        let counted = self.counted.iter().flatten();
        self.details.capacity() * size_of::<BufferDetail>()
            + self.crowded.memory()
            + self.counted.capacity() * size_of::<Option<Box<DownstreamFlits>>>()
            + counted.map(|flits| size_of::<DownstreamFlits>() + flits.memory()).sum::<usize>()
    }

    /// A packet takes `room` flits of a link's VC, which leaves `left` credits, at `time`, which is
    /// `now` or later. `credits` reads the account of a VC after that.
    #[inline]
    pub(crate) fn take(
        &mut self,
        (link, vc): (usize, u8),
        (room, left): (u32, i32),
        times: (Time, Time),
        credits: impl Fn(u8) -> Option<VcCredits>,
    ) {
        match self.details[link] {
            BufferDetail::Nothing => {}
            BufferDetail::Full => self.crowded.take((link, vc), (room, left), times, credits),
            BufferDetail::All | BufferDetail::Vcs => {
                if let Some(flits) = &mut self.counted[link] {
                    flits.take(vc, room, times);
                }
            }
        }
    }

    /// Returns whether credits that come back to a link count.
    #[inline]
    pub(crate) fn hears_of(&self, link: usize) -> bool {
        match self.details[link] {
            BufferDetail::Nothing => false,
            BufferDetail::Full => self.crowded.counts(link),
            BufferDetail::All | BufferDetail::Vcs => self.counted[link].is_some(),
        }
    }

    /// Credits for `room` flits come back to a link at `time`. Only if [`Self::hears_of`].
    pub(crate) fn give(&mut self, link: usize, vc: u8, room: u32, time: Time) {
        if self.details[link] == BufferDetail::Full {
            self.crowded.give(link, vc, room, time);
        } else if let Some(flits) = &mut self.counted[link] {
            flits.give(vc, room, time);
        }
    }

    /// Prefetches the state of a link.
    #[inline(always)]
    pub(crate) fn prefetch(&self, link: usize) {
        self.crowded.prefetch(link);
    }

    /// Returns whether the record is right if a packet that leaves `left` credits of its VC is sent
    /// ahead of a busy link.
    #[inline]
    pub(crate) fn allows_ahead(&self, link: usize, left: i32) -> bool {
        self.details[link] != BufferDetail::Full || self.crowded.leaves_room(link, left)
    }

    /// Ends a window of a link: calls `tell` with what it has; returns whether there are flits
    /// beyond the link.
    pub(crate) fn close(
        &mut self,
        link: usize,
        now: Time,
        mut tell: impl FnMut(LinkCount),
    ) -> bool {
        if let Some(flits) = &mut self.counted[link] {
            let mut goes_on = false;
            let mut tell = |vc, counted: DownstreamOccupancy| {
                let DownstreamOccupancy { integral, most, full } = counted;
                if most > 0 {
                    goes_on = true;
                    tell(LinkCount::Downstream { vc, integral, most, full });
                }
            };
            let all = flits.close(now, |vc, counted| tell(Some(vc), counted));
            tell(None, all);
            return goes_on;
        }
        let (full, crowded) = self.crowded.close(link, now);
        if full > 0 {
            tell(LinkCount::Full(full));
        }
        crowded || full > 0
    }
}
