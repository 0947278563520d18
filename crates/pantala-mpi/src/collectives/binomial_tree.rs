//! A binomial tree: bcast and reduce of whole messages in `ceil(log2 n)` rounds.
//!
//! Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH,
//! International Journal of High Performance Computing Applications 19(1), 2005, sections 4.2
//! (bcast) and 4.5 (reduce). Members are numbered from the root. The parent of member `r` is `r`
//! without its lowest set bit. A broadcast serves the largest subtree first; a reduction takes the
//! smallest first.
//!
//! `n - 1` messages of the full size. The longest chain has `floor(log2 n)` messages. The root
//! sends (or receives) `ceil(log2 n)` messages, one after the other.

use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// The `round`-th child of member `place` of `size`, counted from the root, in the order of a
/// broadcast. `Ok(None)` if this child does not exist, an error after the last child.
pub(super) fn child(place: u32, size: u32, round: u32) -> Result<Option<u32>, ()> {
    let top =
        if place == 0 { u64::from(size).next_power_of_two() } else { 1 << place.trailing_zeros() };
    match top.checked_shr(round + 1) {
        None | Some(0) => Err(()),
        Some(distance) => {
            let child = u64::from(place) + distance;
            Ok((child < u64::from(size)).then_some(child as u32))
        }
    }
}

/// The action of a member in a round of a reduction.
pub(super) enum ReduceStep {
    /// Receive from the root of a subtree, if it exists.
    Receive(Option<u32>),
    /// Send to this member.
    Send(u32),
    /// The member has no more rounds.
    Done,
}

/// The `round`-th action of member `place` on the way to the root. Places are counted from the
/// root.
pub(super) fn ascend(place: u32, point: Point) -> ReduceStep {
    let Some(distance) = point.doubled(point.size) else { return ReduceStep::Done };
    if place & (distance - 1) != 0 {
        ReduceStep::Done
    } else if place & distance != 0 {
        ReduceStep::Send(place - distance)
    } else {
        ReduceStep::Receive(place.checked_add(distance).filter(|child| *child < point.size))
    }
}

/// From the root to all members.
pub(super) fn bcast(task: &Task, point: Point) -> Turn {
    let place = point.from_root(task.root);
    let member = |place| point.member(task.root, place);
    if point.round == 0 {
        let parent = (place > 0).then(|| member(place & (place - 1)));
        return round(
            point,
            [parent.map(|peer| task.receive(point, peer, Blocks::All, Fold::Replace))],
        );
    }
    match child(place, point.size, point.round - 1) {
        Ok(child) => {
            round(point, [child.map(|child| task.send(point, member(child), Blocks::All))])
        }
        Err(()) => Turn::End,
    }
}

/// From all members to the root.
pub(super) fn reduce(task: &Task, point: Point) -> Turn {
    let place = point.from_root(task.root);
    let member = |place| point.member(task.root, place);
    match ascend(place, point) {
        ReduceStep::Receive(child) => round(
            point,
            [child.map(|child| task.receive(point, member(child), Blocks::All, Fold::Combine))],
        ),
        ReduceStep::Send(parent) => {
            round(point, [Some(task.send(point, member(parent), Blocks::All))])
        }
        ReduceStep::Done => Turn::End,
    }
}
