//! A chain: scan (and exscan, whose messages are the same) one member after the other.
//!
//! The basic algorithm of every MPI: member `m` waits for the sum of those before it and hands on
//! its own. `n - 1` messages of the whole vector, each after the other.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// Member `m` ends with the sum of the members up to itself.
pub(super) fn scan(task: &Task, point: Point) -> Turn {
    let Point { me, size, .. } = point;
    match point.round {
        0 => {
            round(point, [(me > 0).then(|| task.receive(point, me - 1, Blocks::All, Fold::Prefix))])
        }
        1 => round(point, [(me + 1 < size).then(|| task.send(point, me + 1, Blocks::All))]),
        _ => Turn::End,
    }
}
