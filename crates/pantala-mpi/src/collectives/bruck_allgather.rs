//! Bruck's allgather(v): `ceil(log2 n)` steps for any number of members.
//!
//! Bruck, Ho, Kipnis, Upfal and Weathersby, Efficient Algorithms for All-to-All Communications in
//! Multiport Message-Passing Systems, IEEE Transactions on Parallel and Distributed Systems 8(11),
//! 1997; Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005), section 4.1. In step `k` member `m`
//! sends its first `min(2^k, n - 2^k)` blocks, counted from its own, to `m - 2^k`. It receives the
//! same number from `m + 2^k`. SST's firefly uses the mirror image (to `m + 2^k`) and first sends
//! an empty message that says that the receiver is ready. Pantala leaves that message out.
//!
//! `n ceil(log2 n)` messages. Every member sends `n - 1` blocks.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// Member `m` starts with block `m`. All members end with all blocks.
pub(super) fn allgather(task: &Task, point: Point) -> Turn {
    let size = point.size;
    let Some(distance) = point.doubled(size) else { return Turn::End };
    let count = distance.min(size - distance);
    let from = |first| Blocks::Range { first, count, of: size };
    let (source, destination) = (point.after(distance), point.before(distance));
    round(
        point,
        [
            Some(task.receive(point, source, from(source), Fold::Replace)),
            Some(task.send(point, destination, from(point.me))),
        ],
    )
}
