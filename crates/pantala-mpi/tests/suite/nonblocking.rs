//! Non-blocking collectives: they progress by themselves, several at once, and end when blocking
//! ones would.

use pantala_engine::Time;
use pantala_mpi::{COMM_WORLD, Call, Collectives, MpiConfig, Op};
use pantala_testing::ideal_network::{Ideal, finish, firefly, from, layer, reports, to};
use proptest::prelude::*;

fn calls() -> Vec<Call> {
    let bytes = 30_000;
    vec![
        Call::Barrier,
        Call::Bcast { root: 0, bytes },
        Call::Reduce { root: 0, bytes },
        Call::Allreduce { bytes },
        Call::ReduceScatterBlock { bytes },
        Call::Allgather { bytes },
        Call::Gather { root: 0, bytes },
        Call::Scatter { root: 0, bytes },
        Call::Alltoall { bytes },
        Call::Scan { bytes },
    ]
}

fn configs() -> [MpiConfig; 2] {
    [Collectives::default(), Collectives::MPICH]
        .map(|collectives| MpiConfig { collectives, ..MpiConfig::default() })
}

#[test]
fn a_collective_and_a_wait_take_as_long_as_the_blocking_one() {
    for config in configs() {
        for call in calls() {
            let ends = |script: Vec<Op>| {
                let mut layer = layer(config, vec![script; 7]);
                finish(&mut layer, &mut Ideal::new(1_000, 1));
                reports(&layer).iter().map(|r| r.end.unwrap()).collect::<Vec<Time>>()
            };
            let blocking = ends(vec![Op::Collective(COMM_WORLD, call.clone())]);
            let started = ends(vec![Op::Icollective(COMM_WORLD, call.clone(), 4), Op::Wait(4)]);
            assert_eq!(blocking, started, "{call:?}");
        }
    }
}

/// While ranks compute for a long time, all their collectives end. The wait costs nothing.
#[test]
fn computation_hides_them() {
    for config in configs() {
        let mut script: Vec<Op> =
            (0..).zip(calls()).map(|(r, call)| Op::Icollective(COMM_WORLD, call, r)).collect();
        script.extend([Op::Compute(100_000_000), Op::WAITALL]);
        let mut layer = layer(config, vec![script; 6]);
        finish(&mut layer, &mut Ideal::reordering(1_000, 1, 100_000, 3));
        for report in reports(&layer) {
            assert_eq!((report.end, report.totals.communication()), (Some(100_000_000), 0));
        }
        let held = layer.holdings();
        assert_eq!((held.messages, held.receives, held.sends), (0, 0, 0));
    }
}

#[test]
fn time_in_their_waits_is_that_of_waits() {
    let script = vec![Op::Icollective(COMM_WORLD, Call::Allreduce { bytes: 8 }, 0), Op::Wait(0)];
    let mut layer = layer(MpiConfig::default(), vec![script; 4]);
    finish(&mut layer, &mut Ideal::new(1_000, 1));
    for report in reports(&layer) {
        assert_eq!(Some(report.totals.wait), report.end);
        assert_eq!(report.totals.collective, 0);
    }
}

#[test]
fn one_that_cannot_end_is_told() {
    let script = vec![Op::Icollective(COMM_WORLD, Call::Barrier, 2), Op::Wait(2)];
    let mut layer = layer(MpiConfig::default(), vec![script, Vec::new()]);
    Ideal::new(1_000, 1).run(&mut layer, 2, Time::MAX);
    let lines: Vec<String> = layer.blocked_report().iter().map(ToString::to_string).collect();
    let expected = "job 0 rank 0 is blocked in wait since 0 ps: up to 0 bytes from rank 1, no message matches (that rank has \
                    ended)";
    assert_eq!(lines, [expected]);
}

#[test]
fn order_counts_across_both_forms() {
    let first = vec![
        Op::Icollective(COMM_WORLD, Call::Bcast { root: 0, bytes: 5 }, 0),
        Op::Collective(COMM_WORLD, Call::Barrier),
    ];
    let second = vec![
        Op::Collective(COMM_WORLD, Call::Barrier),
        Op::Icollective(COMM_WORLD, Call::Bcast { root: 0, bytes: 5 }, 0),
    ];
    let mut layer = layer(MpiConfig::default(), vec![first, second]);
    Ideal::new(1_000, 1).run(&mut layer, 2, Time::MAX);
    let errors: Vec<String> = layer.errors().iter().map(ToString::to_string).collect();
    assert!(
        errors.iter().any(|e| e.contains("this rank calls barrier where rank 0 calls bcast")
            || e.contains("this rank calls bcast where rank 1 calls barrier")),
        "{errors:?} {:?}",
        layer.blocked_report()
    );
}

proptest! {
    #![proptest_config(pantala_testing::cases(60))]

    /// Any mixture of blocking and non-blocking collectives, with messages in between, ends on a
    /// network that reorders.
    #[test]
    fn any_mixture_ends(
        picks in prop::collection::vec((0usize..10, any::<bool>(), 0u64..200_000), 1..12),
        n in 2u32..10,
        stack in 0usize..3,
        seed: u64,
    ) {
        let calls = calls();
        let script = |me: u32| {
            let mut script = Vec::new();
            for (request, (pick, background, delay)) in (0..).zip(&picks) {
                script.push(Op::Compute(delay * u64::from((me + request) % 3)));
                let call = calls[*pick].clone();
                script.push(match background {
                    true => Op::Icollective(COMM_WORLD, call, request),
                    false => Op::Collective(COMM_WORLD, call),
                });
                let (after, before) = ((me + 1) % n, (me + n - 1) % n);
                script.push(Op::Sendrecv(to(after, 0, 100), from(before, 0, 100)));
            }
            script.push(Op::WAITALL);
            script
        };
        let [sst, mpich] = configs();
        let config = [sst, mpich, firefly()][stack];
        let mut layer = layer(config, (0..n).map(script).collect());
        finish(&mut layer, &mut Ideal::reordering(1_000, 1, 300_000, seed));
        let held = layer.holdings();
        prop_assert_eq!((held.messages, held.receives, held.sends), (0, 0, 0));
        let sums = reports(&layer).iter().fold((0, 0), |s, r| (s.0 + r.totals.bytes_sent, s.1 + r.totals.bytes_received));
        prop_assert_eq!(sums.0, sums.1);
    }
}
