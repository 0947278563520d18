//! Bruck's allgather(v): `ceil(log2 n)` steps for any number of members.
//!
//! Bruck, Ho, Kipnis, Upfal and Weathersby, Efficient Algorithms for All-to-All Communications in
//! Multiport Message-Passing Systems, IEEE Transactions on Parallel and Distributed Systems 8(11),
//! 1997; Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005), section 4.1. In step `k` member `m`
//! sends its first `min(2^k, n - 2^k)` blocks, counted from its own, to `m - 2^k`. It receives the
//! same number from `m + 2^k`. SST's firefly uses the mirror image (to `m + 2^k`). Before it, each
//! member sends an empty message to the next one, which says that it is ready.
//!
//! `n ceil(log2 n)` messages, and `n` empty ones if `n > 1`. Every member sends `n - 1` blocks.

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

/// The mirror image of [`allgather`]: step `k` sends to `m + 2^k`.
pub(super) fn mirrored(task: &Task, point: Point) -> Turn {
    let size = point.size;
    let Some(distance) = point.doubled(size) else { return Turn::End };
    let count = distance.min(size - distance);
    let up_to = |last: u32| {
        let first = Point { me: last, ..point }.before(count - 1);
        Blocks::Range { first, count, of: size }
    };
    let (source, destination) = (point.before(distance), point.after(distance));
    round(
        point,
        [
            Some(task.receive(point, source, up_to(source), Fold::Replace)),
            Some(task.send(point, destination, up_to(point.me))),
        ],
    )
}

/// An empty message from each member to the next.
pub(super) fn ready(task: &Task, point: Point) -> Turn {
    if point.round > 0 || point.size == 1 {
        return Turn::End;
    }
    let none = Blocks::Range { first: 0, count: 0, of: point.size };
    round(
        point,
        [
            Some(task.receive(point, point.before(1), none, Fold::Replace)),
            Some(task.send(point, point.after(1), none)),
        ],
    )
}
