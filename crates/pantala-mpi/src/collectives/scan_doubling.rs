//! Recursive doubling: scan in `ceil(log2 n)` rounds. The messages of exscan are identical.
//!
//! MPICH's algorithm (`MPIR_Scan_intra_recursive_doubling`), after Hillis and Steele, Data Parallel
//! Algorithms, Communications of the ACM 29(12), 1986. At distances 1, 2, 4, ... members `m` and `m
//! xor distance`, if both exist, exchange their partial sums. A partial sum from a lower member
//! also enters the result.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// Member `m` ends with the sum of the members up to and including itself.
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
