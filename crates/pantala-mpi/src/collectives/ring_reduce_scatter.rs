//! A ring: reduce-scatter in `n - 1` steps of one block.
//!
//! Patarasuk and Yuan, Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations,
//! Journal of Parallel and Distributed Computing 69(2), 2009. In step `i` member `m` sends its
//! partial sum of block `m - i - 1` to `m + 1`, and combines its block `m - i - 2` with the message
//! from `m - 1`. `n (n - 1)` messages; every block travels `n - 1` times. Followed by
//! [`super::ring_allgather`], it is the allreduce that moves the fewest bytes.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// All members start with a vector. Member `m` ends with block `m` of the sum.
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
