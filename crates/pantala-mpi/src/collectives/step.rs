//! What an algorithm says: the steps of a member, and the blocks of data that they move.
//!
//! An algorithm is a pure function from a [`Point`] (who asks, how many members there are, how far
//! he is) to a [`Turn`]. It holds no state, so a running collective is a few words, whatever the
//! algorithm. Steps name the blocks of data that they move, so that a test can move real data by
//! them; the simulation reads the bytes only.

use super::layout::{Blocks, Task};

/// One step of one member of a collective. Peers are members of the communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Start sending what the member holds now.
    Isend {
        /// Destination.
        peer: u32,
        /// Payload bytes.
        bytes: u64,
        /// Which of the member's blocks.
        blocks: Blocks,
    },
    /// Start receiving.
    Irecv {
        /// Source.
        peer: u32,
        /// Payload bytes.
        bytes: u64,
        /// Which of the member's blocks the data are for.
        blocks: Blocks,
        /// What becomes of the data.
        fold: Fold,
    },
    /// Wait for everything started.
    Waitall,
}

/// What a member does with data that it receives, once it has waited for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Combines it with its own (a reduction).
    Combine,
    /// Has it instead of its own.
    Replace,
    /// Has it as its result, beside its own, which others may still want (a block that travels no
    /// further).
    Keep,
    /// Combines it with what it passes on, and with its result as well (a scan, from a lower
    /// member).
    Prefix,
}

/// How far a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its number among the members.
    pub me: u32,
    /// How many members there are.
    pub size: u32,
    /// The round: what is started in one is waited for together.
    pub round: u32,
    /// How many steps of the round are behind.
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

    /// The own number if members are counted from `root`.
    #[inline]
    #[must_use]
    pub const fn from_root(self, root: u32) -> u32 {
        self.before(root)
    }

    /// The member that has number `place < size` if members are counted from `root`.
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

/// What a member does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// This; a wait ends the round.
    Step(Step),
    /// Nothing in this round.
    Skip,
    /// Nothing any more.
    End,
}

/// A round of at most `N` starts and the wait for them; a round without any is skipped.
#[inline]
pub(super) fn round<const N: usize>(point: Point, starts: [Option<Step>; N]) -> Turn {
    match starts.into_iter().flatten().nth(point.at as usize) {
        Some(step) => Turn::Step(step),
        None if point.at == 0 => Turn::Skip,
        None => Turn::Step(Step::Waitall),
    }
}

/// A round of `count` starts, the `at`-th of which is `start(at)`, and the wait for them.
#[inline]
pub(super) fn burst(point: Point, count: u32, start: impl FnOnce(u32) -> Step) -> Turn {
    match point.at {
        at if at < count => Turn::Step(start(at)),
        0 => Turn::Skip,
        _ => Turn::Step(Step::Waitall),
    }
}

impl Task {
    /// Start sending `blocks` to `peer`.
    #[inline]
    pub(super) fn send(&self, point: Point, peer: u32, blocks: Blocks) -> Step {
        Step::Isend { peer, bytes: self.layout.bytes(blocks, point.size), blocks }
    }

    /// Start receiving `blocks` from `peer`.
    #[inline]
    pub(super) fn receive(&self, point: Point, peer: u32, blocks: Blocks, fold: Fold) -> Step {
        Step::Irecv { peer, bytes: self.layout.bytes(blocks, point.size), blocks, fold }
    }
}
