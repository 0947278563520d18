//! Bruck's alltoall: `ceil(log2 n)` steps, at the price of moving blocks more than once.
//!
//! Bruck et al. (IEEE TPDS 8(11), 1997); Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005),
//! section 4.3, for short messages. Blocks are numbered by how far they have to go. In step `k`
//! member `m` sends those with bit `k` set, all in one message, to `m + 2^k`, and receives as many
//! from `m - 2^k` in their place: block `d` moves `2^k` for every bit of `d`.
//!
//! `n ceil(log2 n)` messages; a block travels as often as its distance has bits set.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// Block `d` from every member to the one `d` places after.
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
