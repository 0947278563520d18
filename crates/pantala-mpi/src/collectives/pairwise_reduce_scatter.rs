//! Pairwise exchange: reduce-scatter in `n - 1` steps of one block.
//!
//! Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005), section 4.4 (reduce-scatter), for long
//! vectors. In step `i` member `m` sends its own part of block `m + i` to `m + i`, and combines its
//! block `m` with that of `m - i`. `n (n - 1)` messages; every block is sent `n - 1` times.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// All members start with a vector. Member `m` ends with block `m` of the sum.
pub(super) fn reduce_scatter(task: &Task, point: Point) -> Turn {
    let (size, distance) = (point.size, point.round + 1);
    if distance >= size {
        return Turn::End;
    }
    let (to, from) = (point.after(distance), point.before(distance));
    round(
        point,
        [
            Some(task.receive(point, from, Blocks::one(point.me, size), Fold::Combine)),
            Some(task.send(point, to, Blocks::one(to, size))),
        ],
    )
}
