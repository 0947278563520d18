//! Collectives on data: who ends up with whose contribution, in how many messages, bytes and steps.

use std::collections::VecDeque;

use pantala_mpi::collectives::binary_tree::BinaryTree;
use pantala_mpi::collectives::recursive_doubling::RecursiveDoubling;
use pantala_mpi::collectives::ring::Ring;
use pantala_mpi::collectives::{Collective, Fold, Step};

/// How often each member's contribution is in a datum.
type Datum = Vec<u32>;

/// One member at work.
struct Member {
    machine: Collective,
    /// What it holds.
    datum: Datum,
    /// Blocks that it has been sent, by sender (alltoall).
    kept: Vec<u32>,
    /// Receives since the last wait.
    open: Vec<(u32, Fold)>,
    waiting: bool,
    done: bool,
    steps: u32,
}

/// What came out.
struct Outcome {
    data: Vec<Datum>,
    kept: Vec<Vec<u32>>,
    messages: u64,
    bytes: u64,
    /// The longest chain of messages, each sent after the one before it had arrived.
    depth: u32,
    /// The most waits of one member.
    steps: u32,
}

/// A datum on its way, with the depth of the chain that led to it.
type Line = VecDeque<(Datum, u32)>;

/// Runs a collective on `size` members without a network. Sends are complete at once; a wait needs every receive.
fn run(size: u32, machine: impl Fn() -> Collective, start: impl Fn(u32) -> Datum) -> Outcome {
    let n = size as usize;
    let mut lines = vec![Line::new(); n * n];
    let mut depths = vec![0; n];
    let mut members: Vec<Member> = (0..size)
        .map(|m| Member {
            machine: machine(),
            datum: start(m),
            kept: Vec::new(),
            open: Vec::new(),
            waiting: false,
            done: false,
            steps: 0,
        })
        .collect();
    let (mut messages, mut volume) = (0, 0);
    loop {
        let mut moved = false;
        for me in 0..n {
            let member = &mut members[me];
            loop {
                if member.done {
                    break;
                }
                if member.waiting {
                    // Each line delivers in order, so counting per peer is enough.
                    let ready = member.open.iter().all(|(peer, _)| {
                        let wanted = member.open.iter().filter(|(p, _)| p == peer).count();
                        lines[*peer as usize * n + me].len() >= wanted
                    });
                    if !ready {
                        break;
                    }
                    for (peer, fold) in std::mem::take(&mut member.open) {
                        let (datum, depth) = lines[peer as usize * n + me].pop_front().unwrap();
                        depths[me] = depths[me].max(depth);
                        match fold {
                            Fold::Combine => member.datum.iter_mut().zip(datum).for_each(|(a, b)| *a += b),
                            Fold::Replace => member.datum = datum,
                            Fold::Keep => member.kept.push(peer),
                        }
                    }
                    member.waiting = false;
                }
                match member.machine.next(me as u32, size) {
                    None => member.done = true,
                    Some(Step::Waitall) => {
                        member.waiting = true;
                        member.steps += 1;
                    }
                    Some(Step::Irecv { peer, fold, .. }) => member.open.push((peer, fold)),
                    Some(Step::Isend { peer, bytes }) => {
                        assert!(peer < size && peer as usize != me);
                        lines[me * n + peer as usize].push_back((member.datum.clone(), depths[me] + 1));
                        messages += 1;
                        volume += bytes;
                    }
                }
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    assert!(members.iter().all(|m| m.done && m.open.is_empty()), "stuck with {size} members");
    assert!(lines.iter().all(VecDeque::is_empty), "messages left with {size} members");
    Outcome {
        depth: *depths.iter().max().unwrap(),
        steps: members.iter().map(|m| m.steps).max().unwrap(),
        data: members.iter().map(|m| m.datum.clone()).collect(),
        kept: members.into_iter().map(|m| m.kept).collect(),
        messages,
        bytes: volume,
    }
}

fn sizes() -> impl Iterator<Item = u32> {
    (1..=17).chain([31, 64, 100])
}

/// Member `m` starts with its own contribution only.
fn own(size: u32) -> impl Fn(u32) -> Datum {
    move |m| (0..size).map(|i| u32::from(i == m)).collect()
}

fn all_once(size: u32) -> Datum {
    vec![1; size as usize]
}

#[test]
fn tree_allreduce_gives_all_to_all() {
    for n in sizes() {
        let out = run(n, || Collective::BinaryTree(BinaryTree::allreduce(10)), own(n));
        assert!(out.data.iter().all(|d| *d == all_once(n)), "{n}");
        let edges = u64::from(n) - 1;
        assert_eq!((out.messages, out.bytes), (2 * edges, 20 * edges));
        assert_eq!(out.depth, 2 * n.ilog2());
    }
}

#[test]
fn tree_barrier_waits_for_all() {
    for n in sizes() {
        let out = run(n, || Collective::BinaryTree(BinaryTree::barrier()), own(n));
        assert!(out.data.iter().all(|d| *d == all_once(n)));
        assert_eq!((out.messages, out.bytes), (2 * (u64::from(n) - 1), 0));
    }
}

#[test]
fn tree_reduce_gives_all_to_the_root() {
    for n in sizes() {
        for root in 0..n {
            let out = run(n, || Collective::BinaryTree(BinaryTree::reduce(root, 10)), own(n));
            assert_eq!(out.data[root as usize], all_once(n));
            assert_eq!((out.messages, out.bytes), (u64::from(n) - 1, 10 * (u64::from(n) - 1)));
            assert_eq!(out.depth, n.ilog2());
        }
    }
}

#[test]
fn tree_bcast_gives_the_root_to_all() {
    for n in sizes() {
        for root in 0..n {
            let out = run(n, || Collective::BinaryTree(BinaryTree::bcast(root, 10)), own(n));
            assert!(out.data.iter().all(|d| *d == own(n)(root)));
            assert_eq!((out.messages, out.bytes), (u64::from(n) - 1, 10 * (u64::from(n) - 1)));
            assert_eq!(out.depth, n.ilog2());
        }
    }
}

#[test]
fn recursive_doubling_gives_all_to_all() {
    for n in sizes() {
        let out = run(n, || Collective::RecursiveDoubling(RecursiveDoubling::allreduce(10)), own(n));
        assert!(out.data.iter().all(|d| *d == all_once(n)), "{n}");
        let rounds = n.ilog2();
        let rest = n - (1 << rounds);
        let messages = u64::from((1 << rounds) * rounds + 2 * rest);
        assert_eq!((out.messages, out.bytes), (messages, 10 * messages), "{n}");
        assert_eq!(out.steps, rounds + if rest > 0 { 2 } else { 0 });
        assert!(out.depth <= out.steps);
    }
}

#[test]
fn a_ring_brings_every_block() {
    for n in sizes() {
        let out = run(n, || Collective::Ring(Ring::alltoall(10)), own(n));
        let messages = u64::from(n) * u64::from(n - 1);
        assert_eq!((out.messages, out.bytes, out.steps), (messages, 10 * messages, n - 1));
        for (me, mut kept) in out.kept.into_iter().enumerate() {
            // Step i brings the block of the member i places before.
            assert!(kept.iter().enumerate().all(|(i, k)| *k == (me as u32 + n - 1 - i as u32) % n));
            kept.sort_unstable();
            assert!(kept.into_iter().eq((0..n).filter(|m| *m != me as u32)));
        }
    }
}

#[test]
fn messages_are_as_many_as_foreseen() {
    for size in sizes() {
        let machines = [
            Collective::BinaryTree(BinaryTree::barrier()),
            Collective::BinaryTree(BinaryTree::bcast(size / 2, 8)),
            Collective::BinaryTree(BinaryTree::reduce(size - 1, 8)),
            Collective::BinaryTree(BinaryTree::allreduce(8)),
            Collective::RecursiveDoubling(RecursiveDoubling::allreduce(8)),
            Collective::Ring(Ring::alltoall(8)),
        ];
        for machine in machines {
            assert_eq!(run(size, || machine, own(size)).messages, machine.messages(size), "{size}: {machine:?}");
        }
    }
}
