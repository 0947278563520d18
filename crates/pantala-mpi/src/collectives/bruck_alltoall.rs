//! Bruck's alltoall: `ceil(log2 n)` steps; most blocks travel more than once.
//!
//! Bruck et al. (IEEE TPDS 8(11), 1997); Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005),
//! section 4.3, for short messages. Blocks are numbered by the distance to their destination. In
//! step `k` member `m` sends all blocks whose number has bit `k` set, in one message, to `m + 2^k`.
//! It receives the same blocks from `m - 2^k`. So block `d` moves by `2^k` for every set bit `k` of
//! `d`.
//!
//! `n ceil(log2 n)` messages. A block travels as often as its distance has bits set.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// Every member sends block `d` to the member `d` places after it.
pub(super) fn alltoall(task: &Task, point: Point) -> Turn {
    let Some(distance) = point.doubled(point.size) else { return Turn::End };
    let blocks = Blocks::Bit(point.round);
    round(
        point,
        [
            Some(task.receive(point, point.before(distance), blocks, Fold::Replace)),
            Some(task.send(point, point.after(distance), blocks)),
        ],
    )
}
