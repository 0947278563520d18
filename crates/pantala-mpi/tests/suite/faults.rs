//! Errors of programs and their messages.

use pantala_engine::Time;
use pantala_mpi::{
    Blocked, COMM_WORLD, Call, Incoming, MpiConfig, Op, OperationFault, Outgoing, Source,
    TagSelect, Waits,
};
use pantala_testing::ideal_network::{Ideal, from, from_any, iteration, layer, to};

/// The error of rank 0's script; rank 1 is idle.
fn fault(script: Vec<Op>) -> (OperationFault, String) {
    let mut layer = layer(MpiConfig::default(), vec![script, Vec::new()]);
    Ideal::new(0, 1).run(&mut layer, 2, Time::MAX);
    assert!(layer.finished());
    assert_eq!(layer.rank_reports(0).map(|r| r.end.is_some()).collect::<Vec<_>>(), [false, true]);
    let [error] = layer.errors() else { panic!("{:?}", layer.errors()) };
    assert_eq!((error.job, error.rank), (0, 0));
    (error.fault.clone(), error.to_string())
}

#[test]
fn operations_that_cannot_be() {
    let (found, text) = fault(vec![Op::Compute(10), Op::Send(to(2, 0, 1))]);
    assert_eq!(found, OperationFault::NoPeer { peer: 2, size: 2, tag: Some(0), bytes: 1 });
    assert_eq!(
        text,
        "job 0 rank 0: send at 10 ps: there is no rank 2 in a communicator of 2 (1 byte, tag 0)"
    );
    let cases = [
        (
            vec![Op::Recv(from(9, 0, 1))],
            OperationFault::NoPeer { peer: 9, size: 2, tag: Some(0), bytes: 1 },
        ),
        (
            vec![Op::Collective(0, Call::Bcast { root: 2, bytes: 1 })],
            OperationFault::RankOutOfRange { rank: 2, size: 2 },
        ),
        (
            vec![Op::Collective(1, Call::Barrier)],
            OperationFault::UnknownCommunicator { communicator: 1 },
        ),
        (
            vec![Op::Send(Outgoing { communicator: 4, ..to(1, 0, 1) })],
            OperationFault::UnknownCommunicator { communicator: 4 },
        ),
        (
            vec![Op::Recv(Incoming { communicator: 4, ..from(1, 0, 1) })],
            OperationFault::UnknownCommunicator { communicator: 4 },
        ),
        (vec![Op::Send(to(1, -1, 1))], OperationFault::NegativeTag { tag: -1 }),
        (vec![Op::Recv(from(1, -4, 1))], OperationFault::NegativeTag { tag: -4 }),
        (vec![Op::Wait(3)], OperationFault::RequestNotActive { request: 3 }),
        (
            vec![Op::Irecv(from(1, 0, 1), 3), Op::Irecv(from(1, 0, 1), 3)],
            OperationFault::RequestInUse { request: 3 },
        ),
        (
            vec![Op::Irecv(from(1, 0, 1), 1 << 20)],
            OperationFault::RequestOutOfRange { request: 1 << 20 },
        ),
        (
            vec![Op::Irecv(from(0, 1, 9), 0), Op::Send(to(0, 1, 10))],
            OperationFault::Truncated { source: 0, tag: 1, bytes: 10, room: 9 },
        ),
        (vec![Op::IterationEnd], OperationFault::UnbalancedIteration),
        (vec![iteration(0), iteration(1)], OperationFault::UnbalancedIteration),
    ];
    for (script, expected) in cases {
        assert_eq!(fault(script).0, expected);
    }
}

#[test]
fn a_message_that_does_not_fit_stops_its_receiver() {
    for bytes in [11, 50_000] {
        let scripts =
            vec![vec![Op::Recv(from_any(TagSelect::Any, 10))], vec![Op::Send(to(0, 2, bytes))]];
        let mut layer = layer(MpiConfig::default(), scripts);
        Ideal::new(0, 1).run(&mut layer, 2, Time::MAX);
        assert_eq!(
            layer.errors()[0].fault,
            OperationFault::Truncated { source: 1, tag: 2, bytes, room: 10 }
        );
    }
}

fn stuck(scripts: Vec<Vec<Op>>) -> Vec<Blocked> {
    let n = scripts.len() as u32;
    let mut layer = layer(MpiConfig::default(), scripts);
    Ideal::new(1_000, 10).run(&mut layer, n, Time::MAX);
    assert!(!layer.finished());
    layer.blocked_report()
}

#[test]
fn two_blocking_rendezvous_sends() {
    let report = stuck(vec![
        vec![Op::Compute(5), Op::Send(to(1, 3, 20_000)), Op::Recv(from(1, 3, 20_000))],
        vec![Op::Send(to(0, 3, 20_000)), Op::Recv(from(0, 3, 20_000))],
        vec![],
    ]);
    let text: Vec<String> = report.iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        [
            "job 0 rank 0 is blocked in send since 5 ps: 20000 bytes to rank 1, tag 3, no receive matches",
            "job 0 rank 1 is blocked in send since 0 ps: 20000 bytes to rank 0, tag 3, no receive matches",
        ]
    );
}

#[test]
fn receives_that_nobody_answers() {
    let report = stuck(vec![
        vec![Op::Irecv(from(1, 3, 10), 0), Op::Irecv(from_any(TagSelect::Any, 10), 7), Op::WAITALL],
        vec![],
        vec![Op::Collective(0, Call::Allreduce { bytes: 8 })],
    ]);
    assert_eq!(report.len(), 3);
    assert_eq!((report[0].waits, report[0].peer, report[0].tag), (Waits::ToReceive, None, None));
    let text: Vec<String> = report.iter().map(ToString::to_string).collect();
    assert_eq!(
        text[0],
        "job 0 rank 0 is blocked in waitall since 0 ps: up to 10 bytes from any rank, any tag, no message matches"
    );
    assert_eq!(
        text[1],
        "job 0 rank 0 is blocked in waitall since 0 ps: up to 10 bytes from rank 1, tag 3, no message matches (that rank has ended)"
    );
    assert_eq!(
        text[2],
        "job 0 rank 2 is blocked in allreduce since 0 ps: up to 8 bytes from rank 0, no message matches"
    );
}

#[test]
fn only_what_is_waited_for_is_reported() {
    let report = stuck(vec![
        vec![Op::Irecv(from(1, 0, 1), 0), Op::Irecv(from(1, 1, 1), 1), Op::Wait(1)],
        vec![],
    ]);
    assert_eq!(report.iter().map(|b| b.tag).collect::<Vec<_>>(), [Some(1)]);
}

/// All error messages of these scripts, on a network of 1 ns latency and 1 ps per byte. Every rank
/// that ends counts as ended.
fn told(scripts: Vec<Vec<Op>>) -> Vec<String> {
    let n = scripts.len() as u32;
    let mut layer = layer(MpiConfig::default(), scripts);
    Ideal::new(1_000, 1).run(&mut layer, n, Time::MAX);
    layer.errors().iter().map(ToString::to_string).collect()
}

#[test]
fn peers_that_do_not_exist() {
    let any = Incoming { tag: TagSelect::Any, ..from(4, 0, 20) };
    let (outgoing, incoming) = (to(7, 5, 20), from(1, 5, 20));
    let cases = [
        (
            Op::Isend(to(2, 5, 20), 0),
            "isend at 0 ps: there is no rank 2 in a communicator of 2 (20 bytes, tag 5)",
        ),
        (
            Op::Ssend(to(2, 5, 20)),
            "ssend at 0 ps: there is no rank 2 in a communicator of 2 (20 bytes, tag 5)",
        ),
        (
            Op::Irecv(from(3, 5, 20), 0),
            "irecv at 0 ps: there is no rank 3 in a communicator of 2 (20 bytes, tag 5)",
        ),
        (
            Op::Recv(any),
            "recv at 0 ps: there is no rank 4 in a communicator of 2 (20 bytes, any tag)",
        ),
        (
            Op::Sendrecv(outgoing, incoming),
            "sendrecv at 0 ps: there is no rank 7 in a communicator of 2 (20 bytes, tag 5)",
        ),
    ];
    for (op, expected) in cases {
        assert_eq!(told(vec![vec![op], vec![]]), [format!("job 0 rank 0: {expected}")]);
    }
}

/// The error is the same whether the message arrives before or after its receiver ends, for every
/// protocol.
#[test]
fn messages_that_nobody_receives() {
    for (bytes, on_the_way) in [(100, 1_100), (50_000, 1_064)] {
        let send = || vec![Op::Send(to(1, 3, bytes))];
        let line = |time: Time| {
            format!(
                "job 0 rank 1: finalize at {time} ps: the message of {bytes} bytes from rank 0 (tag 3) is never received"
            )
        };
        assert_eq!(told(vec![send(), vec![]]), [line(on_the_way)]);
        assert_eq!(told(vec![send(), vec![Op::Compute(9_000)]]), [line(9_000)]);
    }
    // Received messages cause no error.
    let sends = vec![Op::Send(to(1, 3, 5)), Op::Send(to(1, 4, 6))];
    let receive = vec![Op::Recv(from(0, 4, 6)), Op::Compute(10)];
    let text = told(vec![sends, receive]);
    assert!(
        text.len() == 1
            && text[0].ends_with("the message of 5 bytes from rank 0 (tag 3) is never received"),
        "{text:?}"
    );
}

#[test]
fn requests_that_nobody_completes() {
    let any =
        Incoming { communicator: COMM_WORLD, source: Source::Any, tag: TagSelect::Any, bytes: 7 };
    let cases = [
        (
            Op::Irecv(from(1, 3, 10), 4),
            "request 4 is never completed: a receive of up to 10 bytes from rank 1, tag 3",
        ),
        (
            Op::Irecv(any, 0),
            "request 0 is never completed: a receive of up to 7 bytes from any rank, any tag",
        ),
        (
            Op::Isend(to(1, 2, 20_000), 1),
            "request 1 is never completed: a send of 20000 bytes to rank 1, tag 2",
        ),
        (
            Op::Icollective(COMM_WORLD, Call::Allreduce { bytes: 8 }, 2),
            "request 2 is never completed: iallreduce",
        ),
    ];
    for (op, expected) in cases {
        let text = told(vec![vec![op, Op::Compute(5)], vec![]]);
        assert_eq!(text[0], format!("job 0 rank 0: finalize at 5 ps: {expected}"));
    }
    // A complete request without a wait is no error: the message was sent at once.
    assert!(told(vec![vec![Op::Isend(to(1, 0, 8), 0)], vec![Op::Recv(from(0, 0, 8))]]).is_empty());
    // A persistent request that was never started is no error either.
    assert!(told(vec![vec![Op::RecvInit(from(1, 0, 8), 0)], vec![]]).is_empty());
}

#[test]
fn a_rank_that_ends_where_others_call() {
    let reduce = || vec![Op::Collective(COMM_WORLD, Call::Reduce { root: 0, bytes: 8 })];
    let text = told(vec![vec![], reduce()]);
    assert_eq!(
        text,
        ["job 0 rank 0: finalize at 1008 ps: this rank has ended, but rank 1 calls reduce"]
    );
}

/// A run stops while a message is on its way to a rank that has ended.
#[test]
fn messages_on_their_way() {
    let mut layer =
        layer(MpiConfig::default(), vec![vec![Op::Send(to(1, 3, 100))], vec![], vec![]]);
    Ideal::new(1_000, 1).run(&mut layer, 3, 500);
    assert!(layer.finished() && layer.errors().is_empty());
    layer.settle(500);
    let line = "job 0 rank 1: finalize at 500 ps: the message of 100 bytes from rank 0 (tag 3) is never received";
    assert_eq!(layer.errors().iter().map(ToString::to_string).collect::<Vec<_>>(), [line]);
}

#[test]
fn a_blocked_probe_is_told() {
    let mut layer = layer(MpiConfig::default(), vec![vec![Op::Probe(from(1, 3, 1))], vec![]]);
    Ideal::new(1_000, 1).run(&mut layer, 2, Time::MAX);
    let lines: Vec<String> = layer.blocked_report().iter().map(ToString::to_string).collect();
    let line = "job 0 rank 0 is blocked in probe since 0 ps: a message from rank 1, tag 3, no message matches (that rank has ended)";
    assert_eq!(lines, [line]);
}

#[test]
fn one_byte_is_singular() {
    let text = told(vec![vec![Op::Send(to(1, 3, 1))], vec![]]);
    let line = "job 0 rank 1: finalize at 1001 ps: the message of 1 byte from rank 0 (tag 3) is never received";
    assert_eq!(text, [line]);
}
