//! Waits over sets of requests, computations beside a rank, values along with collectives, the time
//! that a program sees, and programs that give up.

use std::sync::{Arc, Mutex};

use crate::operations::{LATENCY, Listener, run_programs, told};
use pantala_engine::Time;
use pantala_mpi::{
    COMM_WORLD, Call, Collectives, Completion, Contribution, MpiConfig, MpiLayer, Op,
    OperationFault, OperationStream, Operator, Outcome, RankSetup, Recording, Request, SetCall,
    Status,
};
use pantala_testing::ideal_network::{Ideal, finish, firefly, from, layer, reports, to};
use proptest::prelude::*;

fn set(call: SetCall, requests: &[Request]) -> Op {
    Op::Set(call, requests.into())
}

fn completed(requests: &[(Request, Option<Status>)]) -> Outcome {
    let completion = |&(request, status)| Completion { request, status };
    Outcome::Completed(requests.iter().map(completion).collect())
}

/// The time at which each operation of rank 0 returns, its own first call included.
fn times(config: MpiConfig, scripts: Vec<Vec<Op>>) -> Vec<Time> {
    struct Timed<'a>(std::vec::IntoIter<Op>, Option<&'a Mutex<Vec<Time>>>);
    impl OperationStream for Timed<'_> {
        fn next(&mut self, now: Time, _: &Outcome) -> Option<Op> {
            if let Some(times) = self.1 {
                times.lock().unwrap().push(now);
            }
            self.0.next()
        }
    }
    let times = Mutex::new(Vec::new());
    let mut layer = MpiLayer::new(config, Recording::default(), 512);
    let ranks = (0..).zip(scripts).map(|(r, script)| RankSetup {
        nic: layer.add_nic(r),
        program: Timed(script.into_iter(), (r == 0).then_some(&times)),
        communicators: Vec::new(),
    });
    let ranks: Vec<_> = ranks.collect();
    layer.add_job(0, 0, ranks).unwrap();
    finish(&mut layer, &mut Ideal::new(LATENCY, 1));
    drop(layer);
    times.into_inner().unwrap()
}

#[test]
fn a_set_of_requests_is_any_set() {
    let status = |tag| Some(Status { source: 1, tag, bytes: 10 });
    let script = vec![
        Op::Irecv(from(1, 0, 10), 0),
        Op::Irecv(from(1, 1, 10), 1),
        Op::Irecv(from(1, 2, 10), 2),
        Op::Irecv(from(1, 3, 10), 5),
        set(SetCall::Testany, &[0, 5]),
        set(SetCall::Waitany, &[5, 0]),
        set(SetCall::Testall, &[1, 2]),
        set(SetCall::Waitall, &[2, 2, 9, 1]),
        set(SetCall::Testsome, &[5, 0, 1]),
        set(SetCall::Waitall, &[]),
        set(SetCall::Waitany, &[1, 2]),
        Op::WAITALL,
    ];
    let others = vec![vec![
        Op::Compute(100),
        Op::Send(to(0, 0, 10)),
        Op::Compute(5_000),
        Op::Send(to(0, 2, 10)),
        Op::Send(to(0, 3, 10)),
        Op::Compute(5_000),
        Op::Send(to(0, 1, 10)),
    ]];
    let expected = [
        Outcome::Done,
        Outcome::Done,
        Outcome::Done,
        Outcome::Done,
        Outcome::NotYet,
        completed(&[(0, status(0))]),
        Outcome::NotYet,
        Outcome::Done,
        completed(&[(5, status(3))]),
        Outcome::Done,
        completed(&[]),
        Outcome::Done,
    ];
    assert_eq!(told(script, others), expected);
}

#[test]
fn a_set_keeps_the_order_of_its_requests() {
    let script = vec![
        Op::Irecv(from(1, 0, 10), 0),
        Op::Irecv(from(1, 1, 10), 1),
        Op::Irecv(from(1, 2, 10), 2),
        Op::Compute(50_000),
        set(SetCall::Waitany, &[2, 0, 1]),
        set(SetCall::Waitsome, &[1, 0]),
    ];
    let others = vec![(0..3).map(|tag| Op::Send(to(0, tag, 10))).collect()];
    let status = |tag| Some(Status { source: 1, tag, bytes: 10 });
    let outcomes = told(script, others);
    assert_eq!(outcomes[4], completed(&[(2, status(2))]));
    assert_eq!(outcomes[5], completed(&[(1, status(1)), (0, status(0))]));
}

#[test]
fn a_set_names_requests_in_range() {
    let script = vec![set(SetCall::Waitall, &[1 << 20])];
    let layer = run_programs(vec![Listener { script: script.into(), told: Vec::new() }]);
    let fault = OperationFault::RequestOutOfRange { request: 1 << 20 };
    assert_eq!(layer.errors()[0].fault, fault);
}

#[test]
fn computations_beside_the_rank_overlap() {
    // Two computations and a transfer: the wait takes the longest of the three.
    for (one, two) in [(3_000, 9_000), (9_000, 3_000), (0, 0), (1, 40_000)] {
        for config in [MpiConfig::default(), firefly()] {
            let bytes = 4_000;
            let transfer = *times(
                config,
                vec![
                    vec![Op::Irecv(from(1, 0, bytes), 0), Op::WAITALL],
                    vec![Op::Send(to(0, 0, bytes))],
                ],
            )
            .last()
            .unwrap();
            let script = vec![
                Op::Icompute(one, 1),
                Op::Icompute(two, 7),
                Op::Irecv(from(1, 0, bytes), 0),
                Op::WAITALL,
            ];
            let all = times(config, vec![script, vec![Op::Send(to(0, 0, bytes))]]);
            assert_eq!(all[1], all[0], "a computation starts at once");
            let least = one.max(two) + all[0];
            let returned = if config == MpiConfig::default() { 0 } else { 30_000 };
            let expected = transfer.max(least + returned);
            assert!(*all.last().unwrap() >= expected.min(transfer.max(least)));
            assert!(*all.last().unwrap() <= expected, "{all:?} {transfer} {least}");
        }
    }
}

#[test]
fn blocked_time_with_a_computation_counts_as_computing() {
    let script = vec![Op::Icompute(2_000, 0), Op::Recv(from(1, 0, 0)), Op::Compute(500)];
    let other = vec![Op::Compute(9_000), Op::Send(to(0, 0, 0))];
    let mut layer = layer(MpiConfig::default(), vec![[script, vec![Op::WAITALL]].concat(), other]);
    finish(&mut layer, &mut Ideal::new(LATENCY, 1));
    let [report, _] = &reports(&layer)[..] else { unreachable!() };
    let elapsed = report.end.unwrap() - report.start.unwrap();
    assert_eq!(report.totals.compute, 2_000 + 500);
    assert_eq!(report.totals.communication(), elapsed - 2_500);
    assert_eq!(report.totals.wait, 0, "the computation is over before the wait");
}

#[test]
fn a_computation_that_nobody_awaits_is_a_fault() {
    let script = vec![Op::Icompute(2_000, 3)];
    let layer = run_programs(vec![Listener { script: script.into(), told: Vec::new() }]);
    let text = layer.errors()[0].to_string();
    assert!(text.ends_with("request 3 is never completed: a computation"), "{text}");
}

#[test]
fn programs_see_the_time() {
    let script = vec![Op::Compute(700), Op::Recv(from(1, 0, 0)), Op::Compute(5)];
    let seen = times(MpiConfig::default(), vec![script, vec![Op::Send(to(0, 0, 0))]]);
    let [start, computed, received, end] = seen[..] else { panic!("{seen:?}") };
    assert_eq!((start, computed), (0, 700));
    assert_eq!(end, received + 5);
}

#[test]
fn a_program_can_give_up() {
    let reason: Arc<str> = "trace.bin: rank 1: offset 77: the record ends early".into();
    let scripts = vec![vec![Op::Compute(3)], vec![Op::Compute(9), Op::Abort(Arc::clone(&reason))]];
    let programs = scripts.into_iter().map(|s| Listener { script: s.into(), told: Vec::new() });
    let layer = run_programs(programs.collect());
    let error = &layer.errors()[0];
    assert_eq!((error.rank, error.time), (1, 9));
    assert_eq!(error.fault, OperationFault::Aborted { reason: Arc::clone(&reason) });
    assert!(error.to_string().ends_with(&*reason));
}

/// Runs one collective with a value on every rank. Returns the values of the outcomes.
fn agreed(
    choice: Collectives,
    call: &Call,
    operator: Operator,
    values: &[u64],
    bytes_in_calls: bool,
) -> Vec<u64> {
    struct Agreeing<'a> {
        op: Option<Op>,
        rank: usize,
        told: &'a Mutex<Vec<u64>>,
    }
    impl OperationStream for Agreeing<'_> {
        fn next(&mut self, _: Time, outcome: &Outcome) -> Option<Op> {
            if let Outcome::Value(value) = outcome {
                self.told.lock().unwrap()[self.rank] = *value;
            }
            self.op.take()
        }
    }
    let told = Mutex::new(vec![u64::MAX; values.len()]);
    let base = if bytes_in_calls { firefly() } else { MpiConfig::default() };
    let mut layer =
        MpiLayer::new(MpiConfig { collectives: choice, ..base }, Recording::default(), 512);
    let ranks = values.iter().enumerate().map(|(rank, value)| RankSetup {
        nic: layer.add_nic(rank as u32),
        program: Agreeing {
            op: Some(Op::Valued(
                COMM_WORLD,
                call.clone(),
                Contribution { operator, value: *value },
            )),
            rank,
            told: &told,
        },
        communicators: Vec::new(),
    });
    let ranks: Vec<_> = ranks.collect();
    layer.add_job(0, 0, ranks).unwrap();
    finish(&mut layer, &mut Ideal::new(LATENCY, 1));
    drop(layer);
    told.into_inner().unwrap()
}

proptest! {
    #![proptest_config(pantala_testing::cases(60))]

    /// Whatever the algorithm and the size: all ranks agree after an allreduce, the root knows the
    /// result of a reduce, and all ranks know what the root broadcasts.
    #[test]
    fn ranks_agree_on_a_value(
        values in prop::collection::vec(any::<u64>(), 1..40),
        bytes in prop::sample::select(vec![8u64, 3_000, 100_000]),
        choice in prop::sample::select(crate::calls::choices()),
        root: u32,
        in_calls: bool,
    ) {
        let root = root % values.len() as u32;
        let (least, most) = (*values.iter().min().unwrap(), *values.iter().max().unwrap());
        let all = agreed(choice, &Call::Allreduce { bytes }, Operator::Min, &values, in_calls);
        prop_assert_eq!(all, vec![least; values.len()]);
        let to_root = agreed(choice, &Call::Reduce { root, bytes }, Operator::Max, &values, in_calls);
        prop_assert_eq!(to_root[root as usize], most);
        let mut only_root = vec![0; values.len()];
        only_root[root as usize] = values[root as usize];
        let told = agreed(choice, &Call::Bcast { root, bytes }, Operator::Max, &only_root, in_calls);
        prop_assert_eq!(told, vec![values[root as usize]; values.len()]);
    }

    /// A wait over a set that is a range equals the wait over the range.
    #[test]
    fn sets_and_ranges_are_equal(
        delays in prop::collection::vec(0u64..20_000, 1..12),
        first in 0u32..4,
        count in 0u32..12,
        kind in 0usize..3,
        in_calls: bool,
    ) {
        let config = if in_calls { firefly() } else { MpiConfig::default() };
        let n = delays.len() as u32;
        let run = |wait: Op| {
            let posts = (0..n).map(|tag| Op::Irecv(from(1, tag as i32, 64), tag));
            let script = posts.chain([wait, Op::WAITALL]).collect();
            let sends = (0..).zip(&delays).flat_map(|(tag, delay)| {
                [Op::Compute(*delay), Op::Send(to(0, tag, 64))]
            });
            times(config, vec![script, sends.collect()])
        };
        let ranges = [
            Op::Waitall { first, count },
            Op::Waitany { first, count },
            Op::Waitsome { first, count },
        ];
        let calls = [SetCall::Waitall, SetCall::Waitany, SetCall::Waitsome];
        let requests: Arc<[Request]> = (first..first + count).collect();
        prop_assert_eq!(run(ranges[kind].clone()), run(Op::Set(calls[kind], requests)));
    }
}
