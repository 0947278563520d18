//! Records of ranks, in closed form: unexpected messages, sums of messages, single calls.

use pantala_mpi::{
    COMM_WORLD, Call, CallRecord, CallReport, Finalize, MessageRecord, MessageSums, MpiConfig,
    MpiLayer, Op, RankReport, RankSetup, Recording, TagSelect,
};
use pantala_testing::ideal_network::{Ideal, Script, finish, firefly, from, from_any, to};

const LATENCY: u64 = 1_000;
const PER_BYTE: u64 = 10;

/// A layer with one job (number 0), rank r on node r, that has run with every record.
fn ran(config: MpiConfig, scripts: Vec<Vec<Op>>) -> MpiLayer<Script> {
    let recording = Recording {
        unexpected: true,
        rank_messages: true,
        rank_calls: true,
        ..Recording::default()
    };
    let mut layer = MpiLayer::new(config, recording, 512);
    let setup = |(r, script): (u32, Vec<Op>)| RankSetup {
        nic: layer.add_nic(r),
        program: Script(script.into_iter()),
        communicators: Vec::new(),
    };
    let ranks = (0..).zip(scripts).map(setup).collect();
    layer.add_job(0, 0, ranks).unwrap();
    layer.record_calls(|_, rank| rank < 2);
    finish(&mut layer, &mut Ideal::new(LATENCY, PER_BYTE));
    layer
}

/// The time in `MPI_Init` and `MPI_Finalize` is no communication. The profile and the record of
/// calls have both.
#[test]
fn init_and_finalize_are_calls_but_no_communication() {
    let init = 180_000;
    let late = 5_000_000;
    for base in [MpiConfig::default(), firefly()] {
        let config = MpiConfig { initialization_ps: init, finalize: Finalize::Barrier, ..base };
        let mut layer = ran(config, vec![vec![Op::Compute(1_000)], vec![Op::Compute(late)]]);
        let ended: Vec<_> = layer.rank_reports(u64::MAX).collect();
        for report in &ended {
            let totals = report.totals;
            assert_eq!((totals.communication(), totals.init), (0, init));
            assert_eq!(report.end.unwrap(), init + totals.compute + totals.finalize);
        }
        assert!(ended[0].totals.finalize >= late - 1_000, "rank 0 waits for rank 1");
        let mut records = Vec::new();
        layer.take_calls(&mut records);
        records.sort_unstable_by_key(|record| (record.rank, record.number));
        let of_rank = |(rank, report): (usize, &RankReport)| {
            let totals = report.totals;
            let calls: Vec<_> = records.iter().filter(|r| r.rank == rank as u32).collect();
            let [first, last] = calls[..] else { panic!("{calls:?}") };
            assert_eq!((&*first.call, first.start, first.end, first.time), ("init", 0, init, init));
            assert_eq!((&*last.call, last.time), ("finalize", totals.finalize));
            assert_eq!(Some(last.end), report.end);
            let row = |call: &str, time| (Some(rank as u32), call.to_owned(), 1, 0, time);
            [row("finalize", totals.finalize), row("init", init)]
        };
        let expected: Vec<_> = ended.iter().enumerate().flat_map(of_rank).collect();
        let calls = layer.call_reports(u64::MAX).into_iter();
        let found: Vec<_> = calls.map(|c| (c.rank, c.call, c.calls, c.bytes, c.time)).collect();
        assert_eq!(found, expected);
    }
}

fn messages(layer: &mut MpiLayer<Script>) -> Vec<MessageRecord> {
    let mut records = Vec::new();
    layer.take_messages(&mut records);
    records.sort_unstable_by_key(|record| (record.source, record.posted, record.tag));
    records
}

/// Eager and rendezvous, with receives posted long before and long after.
#[test]
fn a_message_is_unexpected_if_no_receive_is_posted() {
    let late = 10_000_000;
    for (config, bytes) in [
        (MpiConfig::default(), 1_000),
        (MpiConfig::default(), 50_000),
        (firefly(), 1_000),
        (firefly(), 50_000),
    ] {
        let receiver = vec![
            Op::Irecv(from(0, 1, bytes), 0),
            Op::Icompute(late, 1),
            Op::Wait(0),
            Op::Wait(1),
            Op::Recv(from(0, 2, bytes)),
        ];
        let sender = vec![
            Op::Isend(to(1, 1, bytes), 0),
            Op::Isend(to(1, 2, bytes), 1),
            Op::Waitall { first: 0, count: 2 },
        ];
        let mut layer = ran(config, vec![sender, receiver]);
        let told: Vec<_> = messages(&mut layer).iter().map(|m| (m.tag, m.unexpected)).collect();
        assert_eq!(told, [(1, Some(false)), (2, Some(true))], "{bytes}");
    }
}

#[test]
fn a_receive_from_anybody_expects_a_message() {
    let anybody = |tag| Op::Recv(from_any(tag, 100));
    let mut layer = ran(
        MpiConfig::default(),
        vec![
            vec![Op::Send(to(2, 5, 100))],
            vec![Op::Compute(10_000), Op::Send(to(2, 6, 100))],
            vec![anybody(TagSelect::Is(6)), anybody(TagSelect::Any)],
        ],
    );
    let told: Vec<_> = messages(&mut layer).iter().map(|m| (m.tag, m.unexpected)).collect();
    assert_eq!(told, [(5, Some(true)), (6, Some(false))]);
}

#[test]
fn the_messages_of_a_rank_have_closed_forms() {
    let layer = ran(
        MpiConfig::default(),
        vec![
            vec![Op::Send(to(1, 0, 100)), Op::Compute(5_000), Op::Send(to(1, 0, 300))],
            vec![Op::Recv(from(0, 0, 100)), Op::Recv(from(0, 0, 300))],
            vec![],
        ],
    );
    let latency = |bytes| bytes * PER_BYTE + LATENCY;
    let both = MessageSums {
        messages: 2,
        bytes: 400,
        latency: u128::from(latency(100) + latency(300)),
        least: latency(100),
        most: latency(300),
        unexpected: 0,
    };
    let none = MessageSums::default();
    let found: Vec<_> = layer.rank_messages().map(|m| (m.rank, m.sent, m.received)).collect();
    assert_eq!(found, [(0, both, none), (1, none, both), (2, none, none)]);
}

#[test]
fn calls_have_start_and_end() {
    let scripts = || {
        vec![
            vec![
                Op::Compute(7_000),
                Op::Send(to(1, 0, 100)),
                Op::Collective(COMM_WORLD, Call::Barrier),
            ],
            vec![
                Op::Recv(from(0, 0, 100)),
                Op::Compute(50),
                Op::Collective(COMM_WORLD, Call::Barrier),
            ],
            vec![Op::Collective(COMM_WORLD, Call::Barrier)],
        ]
    };
    for overhead in [0, 20] {
        let config = MpiConfig { call_overhead_ps: overhead, ..MpiConfig::default() };
        let mut layer = ran(config, scripts());
        let mut records: Vec<CallRecord> = Vec::new();
        layer.take_calls(&mut records);
        let of = |rank: u32| -> Vec<(u64, &str, u64, u64)> {
            let calls = records.iter().filter(|call| call.rank == rank);
            calls.map(|c| (c.number, c.call.as_str(), c.start, c.bytes)).collect()
        };
        // The barrier of rank 1 begins when it has computed after its receive.
        let arrives = 7_000 + overhead + 100 * PER_BYTE + LATENCY;
        let leaves = 7_000 + 2 * overhead;
        assert_eq!(of(0), [(0, "send", 7_000, 100), (1, "barrier", leaves, 0)]);
        assert_eq!(of(1), [(0, "recv", 0, 100), (1, "barrier", arrives + overhead + 50, 0)]);
        assert_eq!(of(2), [], "it is not chosen");
        let received = records.iter().find(|call| call.call == "recv").unwrap();
        assert_eq!((received.end, received.time), (arrives + overhead, arrives + overhead));
        for report in layer.call_reports(0) {
            let CallReport { rank, call, calls, time, .. } = report;
            assert_eq!(calls, 1);
            let record = records.iter().find(|r| Some(r.rank) == rank && r.call == call);
            assert!(rank == Some(2) || record.unwrap().time == time);
        }
    }
}
