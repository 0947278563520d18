//! The trees of SST's firefly for gather(v) and scatter(v): the sizes travel before the data.
//!
//! `funcSM/gatherv.cc` and `funcSM/scatterv.cc` of SST elements 11. The root and member 0 exchange
//! their numbers. Of each subtree a member sends one message of 4 B with its size (gather) or of 4 B
//! for each member in it (scatter), and one with the data.
//!
//! Gather: a binary tree, in which number `r` has the children `2r + 1` and `2r + 2`. A member takes
//! the sizes of its children, tells them with an empty message to go on, and takes their data. Then
//! it does the same with its parent: `3 (n - 1)` messages.
//!
//! Scatter: a tree of contiguous ranges, each divided into four. Below the first number of a range
//! with `d` others are up to four ranges of `d / 4` or, the last `d mod 4` of them, `d / 4 + 1`
//! numbers: `2 (n - 1)` messages.

use super::binary_tree::{family, swapped};
use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Step, Turn, round};

/// The size of a size.
const SIZE: u64 = 4;
/// The most children of a member in a scatter.
const CHILDREN: u32 = 4;

/// From all members to the root. Member `m` starts with block `m`.
pub(super) fn gather(task: &Task, point: Point) -> Turn {
    let [parent, left, right] = family(task, point);
    let below = |member| Blocks::Below {
        place: swapped(member, task.root),
        root: task.root,
        of: point.size,
    };
    let take = |child| task.receive(point, child, below(child), Fold::Replace);
    let go = |child| send(point, child, 0);
    match point.round {
        0 => {
            round(point, [left, right].map(|child| child.map(|child| receive(point, child, SIZE))))
        }
        1 => round(point, [left.map(take), right.map(take), left.map(go), right.map(go)]),
        2 => round(point, [parent.map(|parent| send(point, parent, SIZE))]),
        3 => round(point, [parent.map(|parent| receive(point, parent, 0))]),
        4 => round(point, [parent.map(|parent| task.send(point, parent, below(point.me)))]),
        _ => Turn::End,
    }
}

/// From the root to all members. Member `m` ends with block `m`.
pub(super) fn scatter(task: &Task, point: Point) -> Turn {
    let (parent, own) = range(swapped(point.me, task.root), point.size);
    let parent = parent.map(|parent| swapped(parent, task.root));
    let member = |range: Range| swapped(range.first, task.root);
    let blocks =
        |Range { first, count }| Blocks::Swapped { first, count, root: task.root, of: point.size };
    let sizes = |count: u32| SIZE * u64::from(count);
    let child = |number| own.part(number);
    let tell = |number| child(number).map(|range| send(point, member(range), sizes(range.count)));
    let give = |number| child(number).map(|range| task.send(point, member(range), blocks(range)));
    let take = |parent| task.receive(point, parent, blocks(own), Fold::Replace);
    match point.round {
        0 => round(point, [parent.map(|parent| receive(point, parent, sizes(own.count)))]),
        1 => round(point, [parent.map(take), tell(0), tell(1), tell(2), tell(3)]),
        2 => round(point, [0, 1, 2, 3].map(give)),
        _ => Turn::End,
    }
}

/// Numbers of the tree of a scatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    first: u32,
    count: u32,
}

impl Range {
    /// The range below the first number that is the `number`-th of four; `None` if it is empty.
    const fn part(self, number: u32) -> Option<Self> {
        let others = self.count - 1;
        let (short, long) = (others / CHILDREN, others % CHILDREN);
        let shorter = CHILDREN - long;
        let longer = number.saturating_sub(shorter);
        let first = self.first + 1 + number * short + longer;
        let count = short + (number >= shorter) as u32;
        if count > 0 { Some(Self { first, count }) } else { None }
    }
}

/// The parent of a number in the tree of a scatter, and its range.
fn range(number: u32, size: u32) -> (Option<u32>, Range) {
    let (mut parent, mut own) = (None, Range { first: 0, count: size });
    while own.first != number {
        let mut parts = (0..CHILDREN).rev().filter_map(|part| own.part(part));
        let Some(inner) = parts.find(|part| part.first <= number) else { break };
        (parent, own) = (Some(own.first), inner);
    }
    (parent, own)
}

fn send(point: Point, peer: u32, bytes: u64) -> Step {
    Step::Isend { peer, bytes, blocks: Blocks::Range { first: 0, count: 0, of: point.size } }
}

fn receive(point: Point, peer: u32, bytes: u64) -> Step {
    let blocks = Blocks::Range { first: 0, count: 0, of: point.size };
    Step::Irecv { peer, bytes, blocks, fold: Fold::Replace }
}
