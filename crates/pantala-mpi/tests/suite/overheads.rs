//! Overheads of messages: the closed forms of LogGP, and no cost if they are zero.

use pantala_engine::Time;
use pantala_mpi::{COMM_WORLD, Call, MpiConfig, Op, RankReport, RootedAlgorithm};
use pantala_testing::ideal_network::{Ideal, finish, from, layer, reports, to};

/// Latency of the network in ps; each byte takes one ps more.
const LATENCY: Time = 1_000;
const SEND: Time = 300;
const RECEIVE: Time = 500;

fn config() -> MpiConfig {
    MpiConfig { send_overhead_ps: SEND, receive_overhead_ps: RECEIVE, ..MpiConfig::default() }
}

fn run(config: MpiConfig, scripts: Vec<Vec<Op>>) -> Vec<RankReport> {
    let mut layer = layer(config, scripts);
    finish(&mut layer, &mut Ideal::new(LATENCY, 1));
    let reports = reports(&layer);
    for report in &reports {
        let totals = report.totals;
        assert_eq!(
            report.end.unwrap() - report.start.unwrap(),
            totals.compute + totals.communication()
        );
    }
    reports
}

fn ends(scripts: Vec<Vec<Op>>) -> Vec<Time> {
    run(config(), scripts).iter().map(|report| report.end.unwrap()).collect()
}

/// A message takes o + b G + L + o.
#[test]
fn one_message() {
    for bytes in [1, 200, 512] {
        let reports =
            run(config(), vec![vec![Op::Send(to(1, 0, bytes))], vec![Op::Recv(from(0, 0, bytes))]]);
        assert_eq!(reports[0].end, Some(SEND));
        assert_eq!(reports[1].end, Some(SEND + bytes + LATENCY + RECEIVE));
        assert_eq!(
            (reports[0].totals.send, reports[1].totals.recv),
            (SEND, SEND + bytes + LATENCY + RECEIVE)
        );
    }
}

/// By rendezvous, request, answer, data and acknowledgement cross the network. The rank is busy
/// once on each side.
#[test]
fn one_long_message() {
    let bytes = 20_000;
    let free = run(
        MpiConfig::default(),
        vec![vec![Op::Send(to(1, 0, bytes))], vec![Op::Recv(from(0, 0, bytes))]],
    );
    let busy = ends(vec![vec![Op::Send(to(1, 0, bytes))], vec![Op::Recv(from(0, 0, bytes))]]);
    assert_eq!(busy[0], free[0].end.unwrap() + SEND);
    assert_eq!(busy[1], free[1].end.unwrap() + SEND + RECEIVE);
}

/// The k-th of several sends leaves after k overheads, if its bytes take less. A receiver that waits
/// for all is busy with one after the other, from the arrival of the first.
#[test]
fn messages_in_a_row() {
    let n = 5;
    let mut send: Vec<Op> = (0..n).map(|i| Op::Isend(to(1, 0, 100), i)).collect();
    send.push(Op::WAITALL);
    let mut receive: Vec<Op> = (0..n).map(|i| Op::Irecv(from(0, 0, 100), i)).collect();
    receive.push(Op::WAITALL);
    let n = Time::from(n);
    assert_eq!(ends(vec![send, receive]), [n * SEND, SEND + 100 + LATENCY + n * RECEIVE]);
}

/// With waitany and waitsome, the rank is busy with the closed requests only.
#[test]
fn what_is_closed_is_seen_to() {
    let send = || vec![Op::Send(to(0, 0, 10))];
    let (first, count) = (0, 2);
    let mut receive = vec![Op::Irecv(from(1, 0, 10), 0), Op::Irecv(from(2, 0, 10), 1)];
    receive.extend([
        Op::Compute(50_000),
        Op::Waitany { first, count },
        Op::Waitsome { first, count },
    ]);
    assert_eq!(ends(vec![receive, send(), send()])[0], 50_000 + 2 * RECEIVE);
}

/// With compute in between, the overhead is neither paid twice nor hidden.
#[test]
fn computation_follows_the_overhead() {
    let script = vec![Op::Isend(to(1, 0, 10), 0), Op::Compute(7_000), Op::Wait(0)];
    assert_eq!(ends(vec![script, vec![Op::Recv(from(0, 0, 10))]])[0], SEND + 7_000);
}

/// In a binary tree of three members, the root starts two messages and each leaf receives one.
#[test]
fn a_collective_pays_for_its_messages() {
    let bytes = 100;
    let reports =
        run(config(), vec![vec![Op::Collective(COMM_WORLD, Call::Bcast { root: 0, bytes })]; 3]);
    let ends: Vec<Time> = reports.iter().map(|report| report.end.unwrap()).collect();
    let there = bytes + LATENCY + RECEIVE;
    assert_eq!(ends, [2 * SEND, SEND + there, 2 * SEND + there]);
    assert!(reports.iter().all(|report| report.totals.collective == report.end.unwrap()));
}

/// Background collectives keep no rank busy.
#[test]
fn the_background_costs_nothing() {
    let script = vec![
        Op::Icollective(COMM_WORLD, Call::Allreduce { bytes: 8 }, 0),
        Op::Compute(1_000_000),
        Op::Wait(0),
    ];
    assert!(ends(vec![script; 5]).iter().all(|end| *end == 1_000_000));
}

/// With completion at injection, a send ends when both rank and NIC are done.
#[test]
fn injection_follows_the_overhead() {
    let config = MpiConfig { eager_completion: pantala_mpi::EagerCompletion::Injected, ..config() };
    let reports = run(config, vec![vec![Op::Send(to(1, 0, 100))], vec![Op::Recv(from(0, 0, 100))]]);
    assert_eq!(reports[0].end, Some(SEND));
}

/// A rank that waits for several messages works on each when it arrives, as if it waited for one
/// after the other. So the last one alone delays it, if the others are early enough.
#[test]
fn a_wait_for_all_works_on_early_messages_while_it_waits() {
    let (ranks, bytes, gap) = (5, 200, 10_000);
    let senders = |op: &Op| {
        let op = op.clone();
        (1..ranks).map(move |rank| vec![Op::Compute(Time::from(rank) * gap), op.clone()])
    };
    let send = Op::Send(to(0, 0, bytes));
    let irecvs = || (1..ranks).map(|rank| Op::Irecv(from(rank, 0, bytes), rank));
    let of = |waits: Vec<Op>| {
        let receiver = irecvs().chain(waits).collect();
        ends(std::iter::once(receiver).chain(senders(&send)).collect())[0]
    };
    let last = Time::from(ranks - 1) * gap + SEND + bytes + LATENCY + RECEIVE;
    assert_eq!(of(vec![Op::WAITALL]), last);
    assert_eq!(of((1..ranks).map(Op::Wait).collect()), last);
    // What is here before the wait is worked on first.
    assert_eq!(of(vec![Op::Compute(3 * gap + 5_000), Op::WAITALL]), last);
    // All at once: one after the other.
    let late = 8 * gap;
    let n = Time::from(ranks - 1);
    assert_eq!(of(vec![Op::Compute(late), Op::WAITALL]), late + n * RECEIVE);
    // The root of a linear gather waits in the same way.
    let mut config = config();
    config.collectives.gather = RootedAlgorithm::Linear;
    let gather = Op::Collective(COMM_WORLD, Call::Gather { root: 0, bytes });
    let root = vec![gather.clone()];
    let found = run(config, std::iter::once(root).chain(senders(&gather)).collect());
    assert_eq!(found[0].end, Some(last));
}
