//! Recursive doubling: allreduce in `log2 n` exchanges of the whole message.
//!
//! Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH,
//! International Journal of High Performance Computing Applications 19(1), 2005, section 4.5. Let
//! `p` be the largest power of two not above `n`, and `r = n - p`. Of the first `2r` members, the
//! even ones send their data to their odd neighbour and do not take part. The other `p` members
//! exchange at distances 1, 2, 4, ... At the end the odd ones return the result.
//!
//! `p log2 p + 2r` messages of the full size. `log2 p` rounds, plus two if `r > 0`.

use super::folded::{Folded, Role};
use super::layout::{Blocks, Task};
use super::step::{Fold, Point, Turn, round};

/// All members end with the sum.
pub(super) fn allreduce(task: &Task, point: Point) -> Turn {
    let folded = Folded::of(point.size);
    let role = folded.role(point.me);
    let send = |peer| Some(task.send(point, peer, Blocks::All));
    let receive = |peer, fold| Some(task.receive(point, peer, Blocks::All, fold));
    let last = folded.rounds() + 1;
    match (point.round, role) {
        (0, Role::Out { partner }) => round(point, [send(partner)]),
        (0, Role::In { partner: Some(partner), .. }) => {
            round(point, [receive(partner, Fold::Combine)])
        }
        (n, Role::In { place, .. }) if n > 0 && n < last => {
            let peer = folded.member(place ^ 1 << (n - 1));
            round(point, [receive(peer, Fold::Combine), send(peer)])
        }
        (n, Role::Out { partner }) if n == last => round(point, [receive(partner, Fold::Replace)]),
        (n, Role::In { partner: Some(partner), .. }) if n == last => round(point, [send(partner)]),
        (n, _) if n > last => Turn::End,
        _ => Turn::Skip,
    }
}
