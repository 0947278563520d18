//! The interface of an algorithm: the steps of a member and the blocks that they move.
//!
//! An algorithm is a pure function from a [`Point`] (the member, the number of members, the
//! position) to a [`Turn`]. It holds no state, so a running collective is a few words for every
//! algorithm. Steps name the blocks that they move, so that a test can move real data. The
//! simulation reads the bytes only.

use super::layout::{Blocks, Task};

/// One step of one member of a collective. Peers are members of the communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Start to send blocks as the member holds them now.
    Isend {
        /// Destination.
        peer: u32,
        /// Payload bytes.
        bytes: u64,
        /// The member's blocks to send.
        blocks: Blocks,
    },
    /// Start to receive.
    Irecv {
        /// Source.
        peer: u32,
        /// Payload bytes.
        bytes: u64,
        /// The member's blocks that the data belong to.
        blocks: Blocks,
        /// What the member does with the data.
        fold: Fold,
    },
    /// Wait for all started sends and receives.
    Waitall,
}

impl Step {
    /// Whether it is a message without bytes.
    pub(super) const fn is_empty(&self) -> bool {
        matches!(self, Self::Isend { bytes: 0, .. } | Self::Irecv { bytes: 0, .. })
    }
}

/// What a member does with received data after the wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Combine them with the own data (a reduction).
    Combine,
    /// Replace the own data.
    Replace,
    /// Store them as a result, beside the own data, which other members may still need.
    Keep,
    /// Combine them with the data to pass on and with the result (a scan, from a lower member).
    Prefix,
}

/// The position of a member in an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The own member number.
    pub me: u32,
    /// Number of members.
    pub size: u32,
    /// The round. A member waits for all starts of a round together.
    pub round: u32,
    /// Number of steps of the round that are done.
    pub at: u32,
}

impl Point {
    /// The member `distance < size` places after this one, around the ring of all members.
    #[inline]
    #[must_use]
    pub const fn after(self, distance: u32) -> u32 {
        let room = self.size - self.me;
        if distance < room { self.me + distance } else { distance - room }
    }

    /// The member `distance < size` places before this one.
    #[inline]
    #[must_use]
    pub const fn before(self, distance: u32) -> u32 {
        if distance <= self.me { self.me - distance } else { self.size - (distance - self.me) }
    }

    /// The own number, counted from `root`.
    #[inline]
    #[must_use]
    pub const fn from_root(self, root: u32) -> u32 {
        self.before(root)
    }

    /// The member with the number `place < size`, counted from `root`.
    #[inline]
    #[must_use]
    pub const fn member(self, root: u32, place: u32) -> u32 {
        Self { me: root, ..self }.after(place)
    }

    /// 2^round, if that is less than `bound`.
    #[inline]
    #[must_use]
    pub const fn doubled(self, bound: u32) -> Option<u32> {
        if self.round < 32 && (1 << self.round) < bound { Some(1 << self.round) } else { None }
    }
}

/// The next action of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A step. A wait ends the round.
    Step(Step),
    /// No step in this round.
    Skip,
    /// The end of the algorithm.
    End,
}

/// A round of at most `N` starts, followed by a wait. Skips a round without starts.
#[inline]
pub(super) fn round<const N: usize>(point: Point, starts: [Option<Step>; N]) -> Turn {
    match starts.into_iter().flatten().nth(point.at as usize) {
        Some(step) => Turn::Step(step),
        None if point.at == 0 => Turn::Skip,
        None => Turn::Step(Step::Waitall),
    }
}

/// A round of `count` starts, followed by a wait. `start(at)` is the `at`-th start.
#[inline]
pub(super) fn burst(point: Point, count: u32, start: impl FnOnce(u32) -> Step) -> Turn {
    match point.at {
        at if at < count => Turn::Step(start(at)),
        0 => Turn::Skip,
        _ => Turn::Step(Step::Waitall),
    }
}

impl Task {
    /// Starts to send `blocks` to `peer`.
    #[inline]
    pub(super) fn send(&self, point: Point, peer: u32, blocks: Blocks) -> Step {
        Step::Isend { peer, bytes: self.layout.bytes(blocks, point.size), blocks }
    }

    /// Starts to receive `blocks` from `peer`.
    #[inline]
    pub(super) fn receive(&self, point: Point, peer: u32, blocks: Blocks, fold: Fold) -> Step {
        Step::Irecv { peer, bytes: self.layout.bytes(blocks, point.size), blocks, fold }
    }
}
