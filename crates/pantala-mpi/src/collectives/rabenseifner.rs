//! Rabenseifner's allreduce and reduce for long vectors: a reduce-scatter, then an allgather or a
//! gather.
//!
//! Rabenseifner, Optimization of Collective Reduction Operations, ICCS 2004 (LNCS 3036); Thakur,
//! Rabenseifner and Gropp (IJHPCA 19(1), 2005), section 4.5. Let `p` be the largest power of two
//! not above `n`, and `r = n - p`. The vector has `p` blocks. Members are counted from the root.
//!
//! Folding: of the first `2r` members, each odd one sends its whole vector to the even one before
//! it and does not take part. The root always takes part. Halving: at distances 1, 2, 4, ... two
//! members exchange halves of their common blocks and combine them, until each has one block of the
//! sum. Then, at distances ..., 4, 2, 1: in an allreduce both members exchange all their blocks; in
//! a reduce the farther one sends its blocks and is done.
//!
//! For a vector of `s` bytes, halving moves `s (p - 1)` bytes in `p log2 p` messages, and so does
//! doubling. Folding moves `r s` bytes in `r` messages, and so does the unfolding of an allreduce.
//! Collecting takes `p - 1` messages; a block travels as often as its holder's number has bits set.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// The numbers of members that take part and that do not, counted from the root.
struct FoldedMembers<'a> {
    task: &'a Task,
    point: Point,
    power: u32,
    rest: u32,
}

impl<'a> FoldedMembers<'a> {
    const fn new(task: &'a Task, point: Point) -> Self {
        let power = 1 << point.size.ilog2();
        Self { task, point, power, rest: point.size - power }
    }

    const fn rounds(&self) -> u32 {
        self.power.ilog2()
    }

    /// The member's number among those that take part, its neighbour if one of the pair does not
    /// take part, and whether that one is the member itself.
    fn role(&self) -> (u32, Option<u32>, bool) {
        let from_root = self.point.from_root(self.task.root);
        if from_root >= 2 * self.rest {
            return (from_root - self.rest, None, false);
        }
        (from_root / 2, Some(self.point.member(self.task.root, from_root ^ 1)), from_root % 2 == 1)
    }

    /// The member with number `place` among those that take part.
    const fn member(&self, place: u32) -> u32 {
        let from_root = if place < self.rest { 2 * place } else { place + self.rest };
        self.point.member(self.task.root, from_root)
    }

    /// The blocks that `place` keeps after `halvings`. Each halving keeps the upper half if its bit
    /// is set.
    fn kept(&self, place: u32, halvings: u32) -> Blocks {
        let first = (0..halvings).map(|bit| (place >> bit & 1) * (self.power >> (bit + 1))).sum();
        Blocks::Range { first, count: self.power >> halvings, of: self.power }
    }
}

/// Each member that takes part ends with one block of the sum.
pub(super) fn halve(task: &Task, point: Point) -> Turn {
    let members = FoldedMembers::new(task, point);
    let (place, neighbour, out) = members.role();
    match (point.round, neighbour) {
        (0, Some(peer)) if out => round(point, [Some(task.send(point, peer, Blocks::All))]),
        (0, Some(peer)) => {
            round(point, [Some(task.receive(point, peer, Blocks::All, Fold::Combine))])
        }
        (0, None) => Turn::Skip,
        (n, _) if n > members.rounds() || out => Turn::End,
        (n, _) => {
            let other = place ^ 1 << (n - 1);
            let peer = members.member(other);
            let (mine, theirs) = (members.kept(place, n), members.kept(other, n));
            round(
                point,
                [
                    Some(task.receive(point, peer, mine, Fold::Combine)),
                    Some(task.send(point, peer, theirs)),
                ],
            )
        }
    }
}

/// All members end with all blocks. Each member that takes part starts with one.
pub(super) fn double(task: &Task, point: Point) -> Turn {
    let members = FoldedMembers::new(task, point);
    let (place, neighbour, out) = members.role();
    match members.rounds().checked_sub(point.round + 1) {
        Some(_) if out => Turn::Skip,
        Some(bit) => {
            let other = place ^ 1 << bit;
            let peer = members.member(other);
            let (mine, theirs) = (members.kept(place, bit + 1), members.kept(other, bit + 1));
            round(
                point,
                [
                    Some(task.receive(point, peer, theirs, Fold::Replace)),
                    Some(task.send(point, peer, mine)),
                ],
            )
        }
        None if point.round > members.rounds() => Turn::End,
        None if out => round(
            point,
            [neighbour.map(|peer| task.receive(point, peer, Blocks::All, Fold::Replace))],
        ),
        None => round(point, [neighbour.map(|peer| task.send(point, peer, Blocks::All))]),
    }
}

/// The root ends with all blocks. Each member that takes part starts with one.
pub(super) fn collect(task: &Task, point: Point) -> Turn {
    let members = FoldedMembers::new(task, point);
    let (place, _, out) = members.role();
    match members.rounds().checked_sub(point.round + 1) {
        Some(bit) if !out && place >> (bit + 1) == 0 => {
            let other = place ^ 1 << bit;
            let peer = members.member(other);
            let step = if place > other {
                task.send(point, peer, members.kept(place, bit + 1))
            } else {
                task.receive(point, peer, members.kept(other, bit + 1), Fold::Replace)
            };
            round(point, [Some(step)])
        }
        Some(_) if !out => Turn::Skip,
        _ => Turn::End,
    }
}
