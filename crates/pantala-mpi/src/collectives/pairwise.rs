//! Pairwise exchange: alltoall(v) in `n - 1` steps, each with one partner if the number of members
//! allows it.
//!
//! Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005), section 4.3, for long messages. If `n` is a
//! power of two, member `m` exchanges with `m xor i` in step `i`. Otherwise it sends to `m + i` and
//! receives from `m - i`, as in [`super::ring`]. `n (n - 1)` messages of one block.

use super::layout::Task;
use super::ring::{self, receive, send};
use super::step::{Point, Turn, round};

/// Every member sends block `d` to the member `d` places after it.
pub(super) fn alltoall(task: &Task, point: Point) -> Turn {
    if !point.size.is_power_of_two() {
        return ring::alltoall(task, point);
    }
    let step = point.round + 1;
    if step >= point.size {
        return Turn::End;
    }
    let peer = point.me ^ step;
    let (there, back) = (Point { me: peer, ..point }.before(point.me), point.before(peer));
    round(point, [Some(receive(task, point, back)), Some(send(task, point, there))])
}
