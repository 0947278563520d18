//! The diagnosis of an MPI deadlock: which ranks wait for which, and a remedy if a send waits for
//! its receive in the cycle.

use pantala_mpi::{Blocked, Waits};
use std::collections::{BTreeMap, BTreeSet};

/// Operations that the diagnosis lists.
const SHOWN: usize = 12;

/// Returns the diagnosis of an MPI deadlock.
pub(crate) fn deadlock(blocked: &[Blocked]) -> String {
    let ranks: BTreeSet<_> = blocked.iter().map(|b| (b.job, b.rank)).collect();
    let mut text = match ranks.len() {
        1 => "1 rank waits for a message or a receive that never comes (MPI deadlock):".to_owned(),
        ranks => format!("{ranks} ranks wait for one another (MPI deadlock):"),
    };
    for line in blocked.iter().take(SHOWN) {
        text.push_str(&format!("\n  {line}"));
    }
    if blocked.len() > SHOWN {
        text.push_str(&format!("\n  ... and {} more", blocked.len() - SHOWN));
    }
    if let Some(bytes) = longest_in_a_cycle(blocked) {
        text.push_str(&format!(
            "\n  a send longer than mpi.eager_threshold waits for its receive (rendezvous): post the \
             receive first, or set mpi.eager_threshold = \"{bytes} B\""
        ));
    }
    text
}

/// Returns the longest send that waits for its receive in a cycle of ranks only because it is
/// longer than the eager threshold, if there is one.
fn longest_in_a_cycle(blocked: &[Blocked]) -> Option<u64> {
    let circles = Circles::of(blocked);
    let waits = blocked.iter().filter(|b| b.waits == Waits::ToSend && !b.matched && !b.synchronous);
    waits.filter(|b| circles.joins(b)).map(|b| b.bytes).max()
}

/// The ranks that wait for each other: strongly connected components of the graph of waits.
struct Circles {
    nodes: BTreeMap<(u16, Option<u32>), usize>,
    /// By node: its component.
    component: Vec<usize>,
}

impl Circles {
    /// The components of the waits. The node without a rank stands for any rank of a job.
    fn of(blocked: &[Blocked]) -> Self {
        let mut nodes: BTreeMap<(u16, Option<u32>), usize> = BTreeMap::new();
        for wait in blocked {
            for node in [(wait.job, Some(wait.rank)), (wait.job, wait.peer)] {
                let number = nodes.len();
                nodes.entry(node).or_insert(number);
            }
        }
        let mut arcs: Vec<(usize, usize)> = blocked
            .iter()
            .map(|wait| (nodes[&(wait.job, Some(wait.rank))], nodes[&(wait.job, wait.peer)]))
            .collect();
        for (&(job, _), &any) in nodes.iter().filter(|((_, rank), _)| rank.is_none()) {
            let ranks = nodes.range((job, Some(0))..=(job, Some(u32::MAX)));
            arcs.extend(ranks.map(|(_, rank)| (any, *rank)));
        }
        let component = components(nodes.len(), &arcs);
        Self { nodes, component }
    }

    /// Whether a wait is part of a cycle.
    fn joins(&self, wait: &Blocked) -> bool {
        let of = |rank| self.component[self.nodes[&(wait.job, rank)]];
        of(Some(wait.rank)) == of(wait.peer)
    }
}

/// The strongly connected component of each node (Kosaraju).
fn components(nodes: usize, arcs: &[(usize, usize)]) -> Vec<usize> {
    let (mut next, mut previous) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    for &(from, to) in arcs {
        next[from].push(to);
        previous[to].push(from);
    }
    let (mut order, mut seen) = (Vec::with_capacity(nodes), vec![false; nodes]);
    for start in 0..nodes {
        let mut path = vec![(start, 0)];
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        while let Some((node, arc)) = path.last_mut() {
            if let Some(&to) = next[*node].get(*arc) {
                *arc += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    path.push((to, 0));
                }
            } else {
                order.push(*node);
                path.pop();
            }
        }
    }
    let mut component = vec![usize::MAX; nodes];
    for &root in order.iter().rev() {
        let mut left = vec![root];
        while let Some(node) = left.pop() {
            if component[node] == usize::MAX {
                component[node] = root;
                left.extend(&previous[node]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(rank: u32, peer: Option<u32>, waits: Waits, bytes: u64) -> Blocked {
        Blocked {
            job: 0,
            rank,
            call: if waits == Waits::ToSend { "send" } else { "recv" }.into(),
            place: None,
            since: 5,
            waits,
            peer,
            tag: Some(3),
            bytes,
            matched: false,
            synchronous: false,
            unbuffered: 0,
            peer_ended: false,
            mismatch: None,
        }
    }

    fn sends(rank: u32, peer: u32, bytes: u64) -> Blocked {
        wait(rank, Some(peer), Waits::ToSend, bytes)
    }

    fn receives(rank: u32, peer: Option<u32>) -> Blocked {
        wait(rank, peer, Waits::ToReceive, 8)
    }

    #[test]
    fn a_deadlock_is_told_rank_by_rank() {
        let pair = [sends(0, 1, 20_000), sends(1, 0, 30_000)];
        assert_eq!(
            deadlock(&pair),
            "2 ranks wait for one another (MPI deadlock):\n  \
             job 0 rank 0 is blocked in send since 5 ps: 20000 bytes to rank 1, tag 3, no receive matches\n  \
             job 0 rank 1 is blocked in send since 5 ps: 30000 bytes to rank 0, tag 3, no receive matches\n  \
             a send longer than mpi.eager_threshold waits for its receive (rendezvous): post the receive \
             first, or set mpi.eager_threshold = \"30000 B\""
        );
        let many: Vec<Blocked> = (0..40).map(|rank| receives(rank, Some(rank ^ 1))).collect();
        let text = deadlock(&many);
        assert!(text.starts_with("40 ranks wait") && text.ends_with("  ... and 28 more"), "{text}");
        assert_eq!(text.lines().count(), 14);
    }

    #[test]
    fn one_rank_is_singular() {
        let text = deadlock(&[receives(0, Some(1)), receives(0, Some(2))]);
        assert!(text.starts_with("1 rank waits for a message or a receive that never comes"));
    }

    #[test]
    fn the_remedy_is_told_only_if_a_long_send_waits_in_the_cycle() {
        let told = |blocked: &[Blocked]| longest_in_a_cycle(blocked);
        // A chain: rank 0 sends, rank 1 waits for a rank that has ended.
        assert_eq!(told(&[sends(0, 1, 20_000), receives(1, Some(2))]), None);
        assert_eq!(told(&[sends(0, 1, 20_000), receives(1, Some(0))]), Some(20_000));
        assert_eq!(told(&[sends(0, 1, 20_000), receives(1, None)]), Some(20_000));
        // Receives alone, and a synchronous send, which waits at any size.
        assert_eq!(told(&[receives(0, Some(1)), receives(1, Some(0))]), None);
        let synchronous = Blocked { synchronous: true, ..sends(0, 1, 20_000) };
        assert_eq!(told(&[synchronous, receives(1, Some(0))]), None);
        // A cycle of three, with a chain of many ranks into it.
        let chain = (3..5_000).map(|rank| sends(rank, rank - 1, 90_000));
        let cycle = [sends(2, 1, 50_000), receives(1, Some(0)), receives(0, Some(2))];
        assert_eq!(told(&cycle.into_iter().chain(chain).collect::<Vec<_>>()), Some(50_000));
    }
}
