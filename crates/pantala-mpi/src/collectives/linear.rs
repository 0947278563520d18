//! Linear algorithms: the root exchanges with all other members at once (bcast, reduce, gather and
//! scatter).
//!
//! Every MPI has these basic algorithms; MPICH uses them for gatherv and scatterv. The root starts
//! all its messages, in the order of the members after it, and waits for all. Every other member
//! has one message. `n - 1` messages of one block (bcast and reduce: of the whole vector), with no
//! chain.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, burst, round};

/// From the root to all members, the whole vector.
pub(super) fn bcast(task: &Task, point: Point) -> Turn {
    spread(task, point, |_| Blocks::All)
}

/// From the root to all members, one block each.
pub(super) fn scatter(task: &Task, point: Point) -> Turn {
    spread(task, point, |member| Blocks::one(member, point.size))
}

/// From all members to the root, combined.
pub(super) fn reduce(task: &Task, point: Point) -> Turn {
    collect(task, point, Fold::Combine, |_| Blocks::All)
}

/// From all members to the root, one block each.
pub(super) fn gather(task: &Task, point: Point) -> Turn {
    collect(task, point, Fold::Replace, |member| Blocks::one(member, point.size))
}

fn spread(task: &Task, point: Point, blocks: impl Fn(u32) -> Blocks) -> Turn {
    match (point.round, point.me == task.root) {
        (0, true) => burst(point, point.size - 1, |at| {
            let peer = point.after(at + 1);
            task.send(point, peer, blocks(peer))
        }),
        (0, false) => {
            round(point, [Some(task.receive(point, task.root, blocks(point.me), Fold::Replace))])
        }
        _ => Turn::End,
    }
}

fn collect(task: &Task, point: Point, fold: Fold, blocks: impl Fn(u32) -> Blocks) -> Turn {
    match (point.round, point.me == task.root) {
        (0, true) => burst(point, point.size - 1, |at| {
            let peer = point.after(at + 1);
            task.receive(point, peer, blocks(peer), fold)
        }),
        (0, false) => round(point, [Some(task.send(point, task.root, blocks(point.me)))]),
        _ => Turn::End,
    }
}
