//! Recursive doubling: allgather(v) in `log2 n` exchanges of a growing number of blocks.
//!
//! Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005), section 4.1: at distances 1, 2, 4, ... two
//! members exchange all their blocks. If `n` is not a power of two, members are folded as in
//! section 4.5 of that paper. A member that does not take part sends its block first and receives
//! all blocks at the end.
//!
//! With `p` members that take part and `r` that do not: `p log2 p + 2r` messages and `log2 p`
//! rounds, plus two rounds if `r > 0`. If `r = 0`, every member sends `n - 1` blocks.

use super::folded::{Folded, Role};
use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// Member `m` starts with block `m`. All members end with all blocks.
pub(super) fn allgather(task: &Task, point: Point) -> Turn {
    let folded = Folded::of(point.size);
    let role = folded.role(point.me);
    let send = |peer, blocks| Some(task.send(point, peer, blocks));
    let receive = |peer, blocks| Some(task.receive(point, peer, blocks, Fold::Replace));
    let last = folded.rounds() + 1;
    match (point.round, role) {
        (0, Role::Out { partner }) => {
            round(point, [send(partner, Blocks::one(point.me, point.size))])
        }
        (0, Role::In { partner: Some(partner), .. }) => {
            round(point, [receive(partner, Blocks::one(partner, point.size))])
        }
        (n, Role::In { place, .. }) if n > 0 && n < last => {
            let distance = 1 << (n - 1);
            let held = |place: u32| {
                let first = place & !(distance - 1);
                Blocks::between(folded.first(first), folded.first(first + distance), point.size)
            };
            let other = place ^ distance;
            let peer = folded.member(other);
            round(point, [receive(peer, held(other)), send(peer, held(place))])
        }
        (n, Role::Out { partner }) if n == last => round(point, [receive(partner, Blocks::All)]),
        (n, Role::In { partner: Some(partner), .. }) if n == last => {
            round(point, [send(partner, Blocks::All)])
        }
        (n, _) if n > last => Turn::End,
        _ => Turn::Skip,
    }
}
