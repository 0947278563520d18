//! Modes of sends, tests, waits, probes and persistent requests: their outcomes and times.

use std::collections::VecDeque;

use pantala_engine::Time;
use pantala_mpi::{
    COMM_WORLD, Call, Completion, EagerCompletion, MpiConfig, MpiLayer, Op, OperationFault,
    OperationStream, Outcome, RankSetup, Recording, Status, TagSelect,
};
use pantala_testing::ideal_network::{Ideal, Script, finish, from, from_any, layer, reports, to};
use proptest::prelude::*;

/// Latency of the network in ps; each byte takes one ps more.
pub(crate) const LATENCY: Time = 1_000;

/// A program that records its outcomes.
pub(crate) struct Listener {
    pub(crate) script: VecDeque<Op>,
    pub(crate) told: Vec<Outcome>,
}

impl OperationStream for Listener {
    fn next(&mut self, _: Time, outcome: &Outcome) -> Option<Op> {
        self.told.push(outcome.clone());
        self.script.pop_front()
    }
}

/// A program whose next operation a function computes from the outcome.
struct Driven<F>(F);

impl<F: FnMut(&Outcome) -> Option<Op>> OperationStream for Driven<F> {
    fn next(&mut self, _: Time, outcome: &Outcome) -> Option<Op> {
        self.0(outcome)
    }
}

pub(crate) fn run_programs<P: OperationStream>(programs: Vec<P>) -> MpiLayer<P> {
    let mut layer = MpiLayer::new(MpiConfig::default(), Recording::default(), 512);
    let ranks = programs.into_iter().enumerate().map(|(r, program)| RankSetup {
        nic: layer.add_nic(r as u32),
        program,
        communicators: Vec::new(),
    });
    let ranks: Vec<_> = ranks.collect();
    let n = ranks.len() as u32;
    layer.add_job(0, 0, ranks).unwrap();
    Ideal::new(LATENCY, 1).run(&mut layer, n, Time::MAX);
    layer
}

/// The outcomes of rank 0's operations. The other ranks follow their scripts.
pub(crate) fn told(script: Vec<Op>, others: Vec<Vec<Op>>) -> Vec<Outcome> {
    let scripts = std::iter::once(script).chain(others);
    let heard = std::sync::Mutex::new(Vec::new());
    let programs = scripts.enumerate().map(|(rank, script)| {
        let mut listener = Listener { script: script.into(), told: Vec::new() };
        let heard = &heard;
        Driven(Box::new(move |outcome: &Outcome| {
            let next = listener.next(0, outcome);
            if rank == 0 {
                heard.lock().unwrap().push(outcome.clone());
            }
            next
        }) as Box<dyn FnMut(&Outcome) -> Option<Op> + '_>)
    });
    let layer = run_programs(programs.collect());
    assert_eq!(layer.errors(), []);
    assert!(layer.finished(), "{:#?}", layer.blocked_report());
    drop(layer);
    heard.into_inner().unwrap().split_off(1)
}

fn received(source: u32, tag: i32, bytes: u64) -> Outcome {
    Outcome::Received(Status { source, tag, bytes })
}

fn ends(scripts: Vec<Vec<Op>>) -> Vec<Time> {
    let mut layer = layer(MpiConfig::default(), scripts);
    finish(&mut layer, &mut Ideal::new(LATENCY, 1));
    reports(&layer).iter().map(|r| r.end.unwrap()).collect()
}

#[test]
fn receives_are_told_what_came() {
    let script = vec![
        Op::Recv(from_any(TagSelect::Any, 100)),
        Op::Irecv(from_any(TagSelect::Is(4), 100), 3),
        Op::Wait(3),
        Op::Sendrecv(to(2, 0, 5), from(2, 0, 30_000)),
        Op::Recv(from(0, 1, 9)),
    ];
    let mut script = script;
    script.insert(4, Op::Isend(to(0, 1, 7), 0));
    script.push(Op::WAITALL);
    let others = vec![
        vec![Op::Send(to(0, 7, 60))],
        vec![
            Op::Compute(5_000),
            Op::Send(to(0, 4, 0)),
            Op::Sendrecv(to(0, 0, 20_000), from(0, 0, 5)),
        ],
    ];
    let expected = [
        received(1, 7, 60),
        Outcome::Done,
        received(2, 4, 0),
        received(2, 0, 20_000),
        Outcome::Done,
        received(0, 1, 7),
        Outcome::Done,
    ];
    assert_eq!(told(script, others), expected);
}

#[test]
fn synchronous_sends_wait_for_their_receive() {
    for bytes in [0, 100, 50_000] {
        let late = vec![Op::Compute(70_000), Op::Recv(from(0, 0, bytes))];
        let [sender, receiver] = ends(vec![vec![Op::Ssend(to(1, 0, bytes))], late.clone()])[..]
        else {
            panic!()
        };
        assert!(
            sender > 70_000 && sender > receiver,
            "{bytes}: acknowledged after {sender}, there at {receiver}"
        );
        let started = ends(vec![vec![Op::Issend(to(1, 0, bytes), 0), Op::Wait(0)], late.clone()]);
        assert_eq!(started, [sender, receiver]);
        let buffered = ends(vec![vec![Op::Bsend(to(1, 0, bytes))], late.clone()]);
        assert_eq!(buffered[0], 0, "a buffered send is over at once");
        assert_eq!(
            ends(vec![vec![Op::Rsend(to(1, 0, bytes))], late.clone()]),
            ends(vec![vec![Op::Send(to(1, 0, bytes))], late])
        );
    }
    // Also for a rank to itself.
    ends(vec![vec![Op::Irecv(from(0, 0, 9), 0), Op::Ssend(to(0, 0, 9)), Op::Wait(0)]]);
    ends(vec![vec![Op::Bsend(to(0, 0, 90_000)), Op::Recv(from(0, 0, 90_000))]]);
}

#[test]
fn buffered_sends_need_no_injection() {
    let config = MpiConfig { eager_completion: EagerCompletion::Injected, ..MpiConfig::default() };
    let script = |op| vec![vec![op], vec![Op::Recv(from(0, 0, 500))]];
    let end = |op| {
        let mut layer = layer(config, script(op));
        finish(&mut layer, &mut Ideal::new(LATENCY, 1));
        reports(&layer)[0].end.unwrap()
    };
    assert_eq!(end(Op::Bsend(to(1, 0, 500))), 0);
    let layer = {
        let mut layer = layer(config, script(Op::Bsend(to(1, 0, 500))));
        finish(&mut layer, &mut Ideal::new(LATENCY, 1));
        layer
    };
    let held = layer.holdings();
    assert_eq!((held.messages, held.receives, held.sends), (0, 0, 0));
}

#[test]
fn tests_say_whether() {
    let script = vec![
        Op::Irecv(from(1, 0, 10), 0),
        Op::Test(0),
        Op::Testall { first: 0, count: 5 },
        Op::Testany { first: 0, count: 5 },
        Op::Testsome { first: 0, count: 5 },
        Op::Compute(10_000),
        Op::Test(0),
        Op::Testany { first: 0, count: 5 },
        Op::Testall { first: 0, count: 5 },
    ];
    let nothing = Outcome::Completed(Vec::new());
    use Outcome::{Done, NotYet};
    let expected = [Done, NotYet, NotYet, NotYet, NotYet, Done, received(1, 0, 10), nothing, Done];
    assert_eq!(told(script, vec![vec![Op::Send(to(0, 0, 10))]]), expected);
}

#[test]
fn some_of_several_requests() {
    let sends =
        |tag| vec![Op::Compute(10_000 * Time::try_from(tag).unwrap()), Op::Send(to(0, tag, 8))];
    let done = |request: u32, source: u32| Completion {
        request,
        status: Some(Status { source, tag: source as i32, bytes: 8 }),
    };
    let receives = |n: u32| {
        (1..=n).map(|source| Op::Irecv(from(source, source as i32, 8), source)).collect::<Vec<_>>()
    };
    let all = (0, 10);
    let mut script = receives(3);
    let (first, count) = all;
    script.extend([
        Op::Waitany { first, count },
        Op::Compute(50_000),
        Op::Isend(to(1, 9, 8), 9),
        Op::Waitany { first, count },
        Op::Waitsome { first, count },
        Op::Waitsome { first, count },
    ]);
    let mut others: Vec<Vec<Op>> = (1..=3).map(sends).collect();
    others[0].push(Op::Recv(from(0, 9, 8)));
    let outcomes = told(script, others).split_off(3);
    let sent = Completion { request: 9, status: None };
    assert_eq!(
        outcomes,
        [
            Outcome::Completed(vec![done(1, 1)]),
            Outcome::Done,
            Outcome::Done,
            Outcome::Completed(vec![done(2, 2)]),
            Outcome::Completed(vec![done(3, 3), sent]),
            Outcome::Completed(Vec::new()),
        ]
    );
}

#[test]
fn probes_find_what_could_be_received() {
    let script = vec![
        Op::Iprobe(from_any(TagSelect::Any, 0)),
        Op::Probe(from_any(TagSelect::Is(2), 0)),
        Op::Iprobe(from(1, 1, 0)),
        Op::Iprobe(from(1, 3, 0)),
        Op::Recv(from(1, 2, 40_000)),
        Op::Recv(from(1, 1, 5)),
        Op::Iprobe(from_any(TagSelect::Any, 0)),
    ];
    let others = vec![vec![Op::Isend(to(0, 1, 5), 0), Op::Isend(to(0, 2, 40_000), 1), Op::WAITALL]];
    let expected = [
        Outcome::NotYet,
        received(1, 2, 40_000),
        received(1, 1, 5),
        Outcome::NotYet,
        received(1, 2, 40_000),
        received(1, 1, 5),
        Outcome::NotYet,
    ];
    assert_eq!(told(script, others), expected);
}

#[test]
fn time_in_a_probe_is_communication() {
    let mut layer = layer(
        MpiConfig::default(),
        vec![
            vec![Op::Probe(from(1, 0, 0)), Op::Recv(from(1, 0, 5))],
            vec![Op::Compute(500), Op::Send(to(0, 0, 5))],
        ],
    );
    finish(&mut layer, &mut Ideal::new(LATENCY, 1));
    let report = reports(&layer)[0];
    assert_eq!((report.totals.recv, report.end), (1_505, Some(1_505)));
}

#[test]
fn persistent_requests_start_again_and_again() {
    let times = 3;
    let mut send =
        vec![Op::SendInit(to(1, 0, 20_000), 0), Op::RecvInit(from(1, 1, 8), 1), Op::Wait(0)];
    let mut receive = vec![Op::RecvInit(from(0, 0, 20_000), 5), Op::SendInit(to(0, 1, 8), 6)];
    for _ in 0..times {
        send.extend([Op::Startall { first: 0, count: 2 }, Op::WAITALL]);
        receive.extend([Op::Start(5), Op::Start(6), Op::Wait(5), Op::Wait(6)]);
    }
    send.extend([Op::Free(0), Op::Isend(to(1, 7, 1), 0), Op::Wait(0)]);
    receive.push(Op::Recv(from(0, 7, 1)));
    let mut layer = layer(MpiConfig::default(), vec![send, receive]);
    finish(&mut layer, &mut Ideal::new(LATENCY, 1));
    assert_eq!(reports(&layer)[1].totals.bytes_received, times * 20_000 + 1);
    assert_eq!(reports(&layer)[0].totals.messages_received, times);
}

#[test]
fn misuse_is_told() {
    let pair = |op| vec![Op::SendInit(to(1, 0, 20_000), 0), Op::Start(0), op];
    let cases = [
        (pair(Op::Start(0)), OperationFault::RequestInUse { request: 0 }),
        (pair(Op::Isend(to(1, 0, 1), 0)), OperationFault::RequestInUse { request: 0 }),
        (vec![Op::Start(2)], OperationFault::NotPersistent { request: 2 }),
        (vec![Op::Free(2)], OperationFault::RequestNotActive { request: 2 }),
        (vec![Op::Test(2)], OperationFault::RequestNotActive { request: 2 }),
        (
            vec![Op::RecvInit(from(1, 0, 1), 1 << 20)],
            OperationFault::RequestOutOfRange { request: 1 << 20 },
        ),
        (
            vec![Op::Probe(from(2, 0, 1))],
            OperationFault::NoPeer { peer: 2, size: 2, tag: Some(0), bytes: 1 },
        ),
        (vec![Op::Ssend(to(1, -2, 1))], OperationFault::NegativeTag { tag: -2 }),
    ];
    for (script, fault) in cases {
        let mut layer = layer(MpiConfig::default(), vec![script, Vec::new()]);
        Ideal::new(LATENCY, 1).run(&mut layer, 2, Time::MAX);
        let errors: Vec<OperationFault> = layer.errors().iter().map(|e| e.fault.clone()).collect();
        assert_eq!(errors[0], fault);
        assert!(
            errors[1..].iter().all(|e| matches!(e, OperationFault::NotReceived { .. })),
            "{errors:?}"
        );
    }
}

/// A loop of tests in which no time passes would never end.
#[test]
fn a_loop_of_tests_is_stopped() {
    let layer =
        run_programs(vec![Driven(|_: &Outcome| Some(Op::Iprobe(from_any(TagSelect::Any, 0))))]);
    let text = layer.errors()[0].to_string();
    let expected = "job 0 rank 0: iprobe at 0 ps: 65536 tests in a row have found nothing; time passes only in waits and \
                    computations";
    assert_eq!(text, expected);
}

/// Rank 0 distributes work to any rank that asks. It reads the source of a request from the
/// outcome.
#[test]
fn a_master_serves_its_workers() {
    let (workers, tasks) = (4u32, 20u32);
    let master = move || {
        let (mut given, mut ended) = (0, 0);
        Box::new(move |outcome: &Outcome| match outcome {
            Outcome::Received(Status { source, .. }) => {
                let stop = given == tasks;
                (given, ended) = if stop { (given, ended + 1) } else { (given + 1, ended) };
                Some(Op::Send(to(*source, i32::from(stop), 100)))
            }
            _ if ended == workers => None,
            _ => Some(Op::Recv(from_any(TagSelect::Is(2), 8))),
        }) as Box<dyn FnMut(&Outcome) -> Option<Op>>
    };
    let worker = |rank: u32| {
        let mut at = 0;
        Box::new(move |outcome: &Outcome| {
            at = (at + 1) % 3;
            match (at, outcome) {
                (0, Outcome::Received(Status { tag: 1, .. })) => None,
                (0, _) => Some(Op::Compute(Time::from(1_000 * rank))),
                (1, _) => Some(Op::Send(to(0, 2, 8))),
                _ => Some(Op::Recv(from_any(TagSelect::Any, 100))),
            }
        }) as Box<dyn FnMut(&Outcome) -> Option<Op>>
    };
    let programs = std::iter::once(master()).chain((1..=workers).map(worker)).map(Driven).collect();
    let layer = run_programs(programs);
    assert!(layer.finished() && layer.errors().is_empty(), "{:#?}", layer.blocked_report());
    let computed: Vec<Time> = layer
        .rank_reports(0)
        .skip(1)
        .map(|r| r.totals.compute / (1_000 * Time::from(r.rank)))
        .collect();
    assert_eq!(computed.iter().sum::<Time>(), Time::from(tasks));
    assert!(computed[0] > computed[3], "the faster gets more: {computed:?}");
}

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    /// However a rank waits for its receives, it ends when the last message has arrived.
    #[test]
    fn waits_end_together(delays in prop::collection::vec(0u64..50_000, 1..8), how in 0u8..3) {
        let n = delays.len() as u32;
        let (first, count) = (0, n);
        let mut script: Vec<Op> = (0..n).map(|i| Op::Irecv(from(i + 1, 0, 8), i)).collect();
        match how {
            0 => script.push(Op::WAITALL),
            1 => script.extend((0..n).map(|_| Op::Waitany { first, count })),
            _ => script.extend((0..n).map(|_| Op::Waitsome { first, count })),
        }
        let others = delays.iter().map(|delay| vec![Op::Compute(*delay), Op::Send(to(0, 0, 8))]);
        let ends = ends(std::iter::once(script).chain(others).collect());
        prop_assert_eq!(ends[0], delays.iter().max().unwrap() + 8 + LATENCY);
    }
}

/// A layer can mix all kinds of scripts with collectives. A wildcard receive never matches a
/// collective's message.
#[test]
fn probes_do_not_see_collectives() {
    let script = |me: u32| {
        let mut script = vec![Op::Collective(COMM_WORLD, Call::Bcast { root: 0, bytes: 10 })];
        if me == 1 {
            script.splice(0..0, [Op::Compute(9_000), Op::Iprobe(from_any(TagSelect::Any, 0))]);
        }
        script
    };
    let outcomes = std::cell::RefCell::new(Vec::new());
    let programs = (0..2).map(|me| {
        let (mut script, outcomes) = (Script(script(me).into_iter()), &outcomes);
        Driven(move |outcome: &Outcome| {
            outcomes.borrow_mut().push(outcome.clone());
            script.next(0, outcome)
        })
    });
    let layer = run_programs(programs.collect());
    assert!(layer.finished());
    drop(layer);
    let found = outcomes
        .into_inner()
        .into_iter()
        .filter(|outcome| matches!(outcome, Outcome::Received(_)))
        .count();
    assert_eq!(found, 0);
}
