//! A binary tree: whole messages travel from the leaves to the root (reduce) or from the root to
//! the leaves (bcast).
//!
//! Barrier, bcast, reduce and allreduce of Kang et al. (Study of Workload Interference with
//! Intelligent Routing on Dragonfly, SC 2022, section IV), after the collective tree of SST's
//! firefly. The root and member 0 exchange their numbers. Number `r` has the children `2r + 1` and
//! `2r + 2`.
//! On the way up, a member waits for both children and then sends to its parent. On the way down,
//! it waits for its parent, then sends to both children and waits for both sends.
//!
//! With `n` members: `n - 1` messages of the full size per direction, `floor(log2 n)` levels.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// From the leaves to the root.
pub(super) fn up(task: &Task, point: Point) -> Turn {
    let [parent, left, right] = family(task, point);
    let receive = |peer| task.receive(point, peer, Blocks::All, Fold::Combine);
    match point.round {
        0 => round(point, [left.map(receive), right.map(receive)]),
        1 => round(point, [parent.map(|peer| task.send(point, peer, Blocks::All))]),
        _ => Turn::End,
    }
}

/// From the root to the leaves.
pub(super) fn down(task: &Task, point: Point) -> Turn {
    let [parent, left, right] = family(task, point);
    let send = |peer| task.send(point, peer, Blocks::All);
    match point.round {
        0 => {
            round(point, [parent.map(|peer| task.receive(point, peer, Blocks::All, Fold::Replace))])
        }
        1 => round(point, [left.map(send), right.map(send)]),
        _ => Turn::End,
    }
}

/// Parent and children.
pub(super) fn family(task: &Task, point: Point) -> [Option<u32>; 3] {
    let place = swapped(point.me, task.root);
    let child = |side: u32| {
        let child = 2 * u64::from(place) + u64::from(side);
        (child < u64::from(point.size)).then(|| swapped(child as u32, task.root))
    };
    let parent = place.checked_sub(1).map(|before| swapped(before / 2, task.root));
    [parent, child(1), child(2)]
}

/// The number of a member in the tree, and the member with a number.
pub(super) const fn swapped(number: u32, root: u32) -> u32 {
    if number == root {
        0
    } else if number == 0 {
        root
    } else {
        number
    }
}
