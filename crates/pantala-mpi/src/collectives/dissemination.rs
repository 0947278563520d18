//! Dissemination: a barrier in `ceil(log2 n)` rounds for any number of members.
//!
//! Hensgen, Finkel and Manber, Two Algorithms for Barrier Synchronization, International Journal of
//! Parallel Programming 17(1), 1988. In round `k` member `m` sends to `m + 2^k` and receives from
//! `m - 2^k`. `n ceil(log2 n)` messages.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// At the end every member has, directly or not, heard from every other one.
pub(super) fn barrier(task: &Task, point: Point) -> Turn {
    let Some(distance) = point.doubled(point.size) else { return Turn::End };
    round(
        point,
        [
            Some(task.receive(point, point.before(distance), Blocks::All, Fold::Combine)),
            Some(task.send(point, point.after(distance), Blocks::All)),
        ],
    )
}
