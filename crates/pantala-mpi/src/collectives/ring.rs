//! A ring: alltoall(v) in `n - 1` steps.
//!
//! Kang et al. (SC 2022), section IV. In step `i` member `m` sends its block to `m + i` and
//! receives from `m - i` (modulo `n`), and waits for both before the next step. `n (n - 1)`
//! messages of one block. A member's own block does not travel.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Step, Turn, round};

/// Every member sends block `d` to the member `d` places after it.
pub(super) fn alltoall(task: &Task, point: Point) -> Turn {
    match point.round + 1 {
        distance if distance >= point.size => Turn::End,
        distance => {
            round(point, [Some(receive(task, point, distance)), Some(send(task, point, distance))])
        }
    }
}

/// Starts to send the block for the member `distance` places after this one.
pub(super) fn send(task: &Task, point: Point, distance: u32) -> Step {
    let (peer, size) = (point.after(distance), point.size);
    Step::Isend {
        peer,
        bytes: task.layout.bytes_to(peer, size),
        blocks: Blocks::one(distance, size),
    }
}

/// Starts to receive the block from the member `distance` places before this one.
pub(super) fn receive(task: &Task, point: Point, distance: u32) -> Step {
    let (peer, size) = (point.before(distance), point.size);
    let (bytes, blocks) = (task.layout.bytes_from(peer, size), Blocks::one(distance, size));
    Step::Irecv { peer, bytes, blocks, fold: Fold::Keep }
}
