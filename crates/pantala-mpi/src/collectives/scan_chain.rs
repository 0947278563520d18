//! A chain: scan, one member after the other. The messages of exscan are identical.
//!
//! The basic algorithm of every MPI. Member `m` waits for the sum of the members before it and
//! sends its own sum to the next one. `n - 1` messages of the whole vector, in one chain.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// Member `m` ends with the sum of the members up to and including itself.
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
