//! A binomial tree with growing messages: gather and scatter in `ceil(log2 n)` rounds.
//!
//! Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005), section 4.2. There the scatter is the first
//! half of a long broadcast; the gather is its mirror image. The tree is that of
//! [`super::binomial_tree`]. A message holds the blocks of the whole subtree below its edge, which
//! are contiguous.
//!
//! `n - 1` messages. A block travels over as many edges as its member's number, counted from the
//! root, has bits set.

use super::binomial_tree::{ReduceStep, ascend, child};
use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// The blocks of the subtree of member `place` (not the root), counted from the root.
fn subtree(task: &Task, point: Point, place: u32) -> Blocks {
    let span = 1 << place.trailing_zeros();
    let count = (point.size - place).min(span);
    Blocks::Range { first: point.member(task.root, place), count, of: point.size }
}

/// From all members to the root. Member `m` starts with block `m`.
pub(super) fn gather(task: &Task, point: Point) -> Turn {
    let place = point.from_root(task.root);
    let member = |place| point.member(task.root, place);
    match ascend(place, point) {
        ReduceStep::Receive(child) => {
            let take = |child| {
                task.receive(point, member(child), subtree(task, point, child), Fold::Replace)
            };
            round(point, [child.map(take)])
        }
        ReduceStep::Send(parent) => {
            round(point, [Some(task.send(point, member(parent), subtree(task, point, place)))])
        }
        ReduceStep::Done => Turn::End,
    }
}

/// From the root to all members. Member `m` ends with block `m`.
pub(super) fn scatter(task: &Task, point: Point) -> Turn {
    let place = point.from_root(task.root);
    let member = |place| point.member(task.root, place);
    if point.round == 0 {
        let blocks = |place| subtree(task, point, place);
        let parent = (place > 0).then(|| {
            task.receive(point, member(place & (place - 1)), blocks(place), Fold::Replace)
        });
        return round(point, [parent]);
    }
    match child(place, point.size, point.round - 1) {
        Ok(child) => round(
            point,
            [child.map(|child| task.send(point, member(child), subtree(task, point, child)))],
        ),
        Err(()) => Turn::End,
    }
}
