//! A ring: allgather(v) in `n - 1` steps of one block.
//!
//! Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005), section 4.1, for long messages. In step `i`
//! member `m` sends block `m - i` to `m + 1` and receives block `m - i - 1` from `m - 1`. `n (n -
//! 1)` messages; every block travels `n - 1` times. After [`super::ring_reduce_scatter`] it
//! completes the ring allreduce.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// Member `m` starts with block `m`. All members end with all blocks.
pub(super) fn allgather(task: &Task, point: Point) -> Turn {
    let Point { size, round: step, .. } = point;
    if step + 1 >= size {
        return Turn::End;
    }
    let (sent, received) =
        (Blocks::one(point.before(step), size), Blocks::one(point.before(step + 1), size));
    round(
        point,
        [
            Some(task.receive(point, point.before(1), received, Fold::Replace)),
            Some(task.send(point, point.after(1), sent)),
        ],
    )
}
