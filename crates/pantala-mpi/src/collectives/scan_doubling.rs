//! Recursive doubling: scan (and exscan, whose messages are the same) in `ceil(log2 n)` rounds.
//!
//! As MPICH does it (`MPIR_Scan_intra_recursive_doubling`), after Hillis and Steele, Data Parallel
//! Algorithms, Communications of the ACM 29(12), 1986: at distances 1, 2, 4, ... members `m` and
//! `m xor distance`, if both exist, exchange the sums of what they have heard of; what comes from a
//! lower member counts for the result, too.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// Member `m` ends with the sum of the members up to itself.
pub(super) fn scan(task: &Task, point: Point) -> Turn {
    let Some(distance) = point.doubled(point.size) else { return Turn::End };
    let peer = point.me ^ distance;
    if peer >= point.size {
        return Turn::Skip;
    }
    let fold = if peer < point.me { Fold::Prefix } else { Fold::Combine };
    round(
        point,
        [
            Some(task.receive(point, peer, Blocks::All, fold)),
            Some(task.send(point, peer, Blocks::All)),
        ],
    )
}
