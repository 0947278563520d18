//! Recursive halving: reduce-scatter in `log2 n` exchanges of a shrinking part of the vector.
//!
//! Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005), section 4.4 (reduce-scatter), for
//! operations that commute. At distances `p/2`, `p/4`, ..., 1 two members exchange the blocks of
//! the other's half of the members, and combine them. If `n` is not a power of two, members are
//! folded. A member that does not take part sends its whole vector first and receives its block at
//! the end.
//!
//! With `p` members that take part, `r` that do not and a vector of `s` bytes: `p log2 p + 2r`
//! messages. The exchanges move `s (p - 1)` bytes, the folding `r s` bytes, and the unfolding one
//! block per member that did not take part.

use super::folded::{Folded, Role};
use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// All members start with a vector. Member `m` ends with block `m` of the sum.
pub(super) fn reduce_scatter(task: &Task, point: Point) -> Turn {
    let folded = Folded::of(point.size);
    let role = folded.role(point.me);
    let send = |peer, blocks| Some(task.send(point, peer, blocks));
    let receive = |peer, blocks, fold| Some(task.receive(point, peer, blocks, fold));
    let last = folded.rounds() + 1;
    match (point.round, role) {
        (0, Role::Out { partner }) => round(point, [send(partner, Blocks::All)]),
        (0, Role::In { partner: Some(partner), .. }) => {
            round(point, [receive(partner, Blocks::All, Fold::Combine)])
        }
        (n, Role::In { place, .. }) if n > 0 && n < last => {
            let distance = folded.power >> n;
            let wanted = |place: u32| {
                let first = place & !(distance - 1);
                Blocks::between(folded.first(first), folded.first(first + distance), point.size)
            };
            let other = place ^ distance;
            let peer = folded.member(other);
            round(point, [receive(peer, wanted(place), Fold::Combine), send(peer, wanted(other))])
        }
        (n, Role::Out { partner }) if n == last => {
            round(point, [receive(partner, Blocks::one(point.me, point.size), Fold::Replace)])
        }
        (n, Role::In { partner: Some(partner), .. }) if n == last => {
            round(point, [send(partner, Blocks::one(partner, point.size))])
        }
        (n, _) if n > last => Turn::End,
        _ => Turn::Skip,
    }
}
