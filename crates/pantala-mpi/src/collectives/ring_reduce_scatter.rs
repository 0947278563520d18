//! A ring: reduce-scatter in `n - 1` steps of one block.
//!
//! Patarasuk and Yuan, Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations,
//! Journal of Parallel and Distributed Computing 69(2), 2009: in step `i` member `m` sends what it
//! has of block `m - i - 1` to `m + 1` and combines its block `m - i - 2` with what `m - 1` sends.
//! `n (n - 1)` messages; every block travels `n - 1` times. With [`super::ring_allgather`] after
//! it, the allreduce that moves least.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// All start with a vector; member `m` ends with block `m` of the sum.
pub(super) fn reduce_scatter(task: &Task, point: Point) -> Turn {
    let Point { size, round: step, .. } = point;
    if step + 1 >= size {
        return Turn::End;
    }
    let received = Blocks::one(point.before((step + 2) % size), size);
    let sent = Blocks::one(point.before(step + 1), size);
    round(
        point,
        [
            Some(task.receive(point, point.before(1), received, Fold::Combine)),
            Some(task.send(point, point.after(1), sent)),
        ],
    )
}
