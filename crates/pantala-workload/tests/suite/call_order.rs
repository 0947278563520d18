//! The search for deadlocks in the order of calls, against the network of tests with its times.

use crate::support::{Ideal, endpoints_on, run};
use pantala_engine::{NEVER, Time};
use pantala_mpi::{COMM_WORLD, Call, Incoming, MpiConfig, Op, Outgoing, Source, TagSelect, Waits};
use pantala_testing::cases;
use pantala_workload::call_order::{CallOrder, call_order};
use pantala_workload::{JobOperations, JobSpec, Noise, OperationLists, Workload};
use proptest::prelude::*;

const EAGER: u64 = 12_000;
const LONG: u64 = 20_000;

fn send(destination: u32, bytes: u64) -> Op {
    Op::Send(Outgoing { communicator: COMM_WORLD, destination, tag: 3, bytes })
}

fn receive(source: u32) -> Incoming {
    Incoming {
        communicator: COMM_WORLD,
        source: Source::Rank(source),
        tag: TagSelect::Is(3),
        bytes: 1 << 20,
    }
}

fn workload(lists: &[Vec<Op>]) -> Workload {
    let ranks = lists.iter().map(|list| list.clone().into()).collect();
    Workload::Programs(JobOperations::Operations(OperationLists { ranks }))
}

fn found(lists: &[Vec<Op>]) -> CallOrder {
    call_order(&workload(lists), lists.len() as u32, MpiConfig::default(), 1 << 20).unwrap()
}

/// What each rank waits for: its call, the peer, whether it waits to send.
fn waits(found: &CallOrder) -> Vec<(u32, &str, Option<u32>, bool)> {
    let waits = found.blocked.iter();
    waits.map(|b| (b.rank, &*b.call, b.peer, b.waits == Waits::ToSend)).collect()
}

#[test]
fn two_long_sends_wait_for_each_other_and_short_ones_do_not() {
    let pair = |bytes| [1, 0].map(|peer| vec![send(peer, bytes), Op::Recv(receive(peer))]);
    let long = found(&pair(LONG));
    assert!(long.complete && long.ends_if_eager);
    assert_eq!(waits(&long), [(0, "send", Some(1), true), (1, "send", Some(0), true)]);
    assert_eq!(long.ends_at_threshold, Some(LONG));
    let short = found(&pair(EAGER));
    assert!(short.complete && short.blocked.is_empty() && short.faults.is_empty());
    assert_eq!(short.operations, 4);
}

#[test]
fn the_named_threshold_covers_all_rounds() {
    let rounds = |peer| {
        [LONG, 2 * LONG, 3 * LONG]
            .into_iter()
            .flat_map(|bytes| [send(peer, bytes), Op::Recv(receive(peer))])
            .collect::<Vec<_>>()
    };
    assert_eq!(found(&[rounds(1), rounds(0)]).ends_at_threshold, Some(3 * LONG));
}

#[test]
fn receives_that_wait_for_each_other_do_so_at_any_threshold() {
    let lists = [1, 0].map(|peer| vec![Op::Recv(receive(peer)), send(peer, 8)]);
    let found = found(&lists);
    assert_eq!(waits(&found), [(0, "recv", Some(1), false), (1, "recv", Some(0), false)]);
    assert!(!found.ends_if_eager);
    assert_eq!(found.ends_at_threshold, None);
}

#[test]
fn a_barrier_before_a_receive_is_a_deadlock_for_long_messages() {
    let barrier = Op::Collective(COMM_WORLD, Call::Barrier);
    let lists = |bytes| {
        [vec![send(1, bytes), barrier.clone()], vec![barrier.clone(), Op::Recv(receive(0))]]
    };
    let long = found(&lists(LONG));
    assert_eq!(waits(&long), [(0, "send", Some(1), true), (1, "barrier", Some(0), false)]);
    assert!(long.ends_if_eager);
    assert_eq!(waits(&found(&lists(EAGER))), []);
}

#[test]
fn errors_of_programs_are_told() {
    let truncated = Op::Recv(Incoming { bytes: 4, ..receive(0) });
    let found = found(&[vec![send(1, 8)], vec![truncated]]);
    assert_eq!(found.faults.len(), 1);
    assert_eq!((found.faults[0].rank, found.faults[0].call), (1, "recv"));
}

#[test]
fn a_search_that_meets_its_bound_says_so() {
    let compute = vec![Op::Collective(COMM_WORLD, Call::Barrier); 50];
    let workload = workload(&[compute.clone(), compute]);
    let of = |most| call_order(&workload, 2, MpiConfig::default(), most).unwrap().complete;
    assert!(!of(60) && of(10_000));
}

/// A drawn call of a rank: a partner and a kind.
fn program() -> impl Strategy<Value = Vec<(u32, u8)>> {
    proptest::collection::vec((0u32..3, 0u8..6), 0..6)
}

/// The calls of three ranks: a drawn message at a time, given to both ranks as one of a few calls,
/// and then disordered by swaps of neighbors.
fn lists(messages: &[(u32, u32, u8)], swaps: &[(u32, u8)]) -> Vec<Vec<Op>> {
    let mut lists = vec![Vec::new(); 3];
    for (number, &(from, to, kind)) in messages.iter().enumerate() {
        let (to, bytes) =
            (if to == from { (to + 1) % 3 } else { to }, [8, LONG][usize::from(kind) % 2]);
        let request = number as u32;
        let outgoing = Outgoing { communicator: COMM_WORLD, destination: to, tag: 3, bytes };
        match kind / 2 {
            0 => lists[from as usize].push(Op::Isend(outgoing, request)),
            1 => lists[from as usize].push(Op::Ssend(outgoing)),
            _ => lists[from as usize].push(Op::Send(outgoing)),
        }
        lists[to as usize].push(match kind % 3 {
            0 => Op::Irecv(receive(from), request),
            _ => Op::Recv(receive(from)),
        });
    }
    for &(rank, at) in swaps {
        let list = &mut lists[rank as usize];
        if list.len() > 1 {
            let at = usize::from(at) % (list.len() - 1);
            list.swap(at, at + 1);
        }
    }
    for list in &mut lists {
        list.insert(list.len() / 2, Op::Compute(70_000));
        list.push(Op::WAITALL);
    }
    lists
}

proptest! {
    #![proptest_config(cases(400))]

    /// The same ranks are blocked in the same calls as on a network with latency, bandwidth and
    /// computing: without receives of any source, times decide nothing.
    #[test]
    fn the_order_of_calls_decides_alone(
        messages in proptest::collection::vec((0u32..3, 0u32..3, 0u8..6), 0..9),
        swaps in program(),
        latency in 1u64..3_000_000,
    ) {
        let lists = lists(&messages, &swaps);
        let job = JobSpec {
            name: "job".into(),
            nodes: (0..3).collect(),
            start: 0,
            end: NEVER,
            repeat: false,
            noise: Noise::default(),
            workload: workload(&lists),
        };
        let mut endpoints = endpoints_on(&[job], &MpiConfig::default(), 3, 1).unwrap();
        run(&mut endpoints, &mut Ideal::new(latency, 40), 3, Time::MAX);
        let mut expected = endpoints.blocked_report();
        let mut found = found(&lists);
        prop_assert!(found.complete);
        expected.iter_mut().chain(&mut found.blocked).for_each(|wait| wait.since = 0);
        prop_assert_eq!(found.blocked, expected);
        prop_assert_eq!(found.faults.len(), endpoints.errors().len());
    }
}
