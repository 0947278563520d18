//! Collectives in a whole layer: every algorithm of every collective ends, eager and by rendezvous.
//! Ranks that disagree get an error.

use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::collectives::{Collective, CollectiveKind, Exchange};
use pantala_mpi::{
    AllgatherAlgorithm, AllreduceAlgorithm, AlltoallAlgorithm, AlltoallvAlgorithm,
    BarrierAlgorithm, BcastAlgorithm, COMM_WORLD, Call, Collectives, Communicator, MpiConfig, Op,
    OperationFault, ReduceAlgorithm, ReduceScatterAlgorithm, RootedAlgorithm, ScanAlgorithm,
};
use pantala_testing::ideal_network::{Ideal, finish, layer, layer_with, reports};

/// One call of every kind for rank `me` of `n`, of about `bytes` each.
fn every_call(me: u32, n: u32, bytes: u64) -> Vec<Call> {
    let root = n / 3;
    let counts: Arc<[u64]> = (0..u64::from(n)).map(|m| bytes / (m % 3 + 1)).collect();
    let pair = |from: u32, to: u32| bytes / u64::from((from + 2 * to) % 4 + 1);
    let send = (0..n).map(|to| pair(me, to)).collect();
    let receive = (0..n).map(|from| pair(from, me)).collect();
    vec![
        Call::Barrier,
        Call::Bcast { root, bytes },
        Call::Reduce { root, bytes },
        Call::Allreduce { bytes },
        Call::ReduceScatterBlock { bytes },
        Call::ReduceScatter { counts: Arc::clone(&counts) },
        Call::Allgather { bytes },
        Call::Allgatherv { counts: Arc::clone(&counts) },
        Call::Gather { root, bytes },
        Call::Gatherv { root, counts: Arc::clone(&counts) },
        Call::Scatter { root, bytes },
        Call::Scatterv { root, counts },
        Call::Alltoall { bytes },
        Call::Alltoallv { pairs: Arc::new(Exchange { send, receive }) },
        Call::Scan { bytes },
        Call::Exscan { bytes },
    ]
}

/// Choices that together use every algorithm.
pub(crate) fn choices() -> Vec<Collectives> {
    let base = Collectives::default();
    vec![
        base,
        Collectives::MPICH,
        Collectives {
            barrier: BarrierAlgorithm::BinomialTree,
            bcast: BcastAlgorithm::BinomialTree,
            reduce: ReduceAlgorithm::BinomialTree,
            allreduce: AllreduceAlgorithm::BinomialTree,
            reduce_scatter: ReduceScatterAlgorithm::RecursiveHalving,
            allgather: AllgatherAlgorithm::RecursiveDoubling,
            allgatherv: AllgatherAlgorithm::RecursiveDoubling,
            alltoall: AlltoallAlgorithm::Pairwise,
            alltoallv: AlltoallvAlgorithm::Pairwise,
            scan: ScanAlgorithm::RecursiveDoubling,
            ..base
        },
        Collectives {
            barrier: BarrierAlgorithm::Linear,
            bcast: BcastAlgorithm::Linear,
            reduce: ReduceAlgorithm::Linear,
            allreduce: AllreduceAlgorithm::RecursiveDoubling,
            reduce_scatter: ReduceScatterAlgorithm::Pairwise,
            allgather: AllgatherAlgorithm::Ring,
            allgatherv: AllgatherAlgorithm::Ring,
            gather: RootedAlgorithm::Linear,
            gatherv: RootedAlgorithm::Linear,
            scatter: RootedAlgorithm::Linear,
            scatterv: RootedAlgorithm::Linear,
            alltoall: AlltoallAlgorithm::Linear,
            alltoallv: AlltoallvAlgorithm::Linear,
            ..base
        },
        Collectives {
            barrier: BarrierAlgorithm::RecursiveDoubling,
            bcast: BcastAlgorithm::ScatterRing,
            reduce: ReduceAlgorithm::Rabenseifner,
            allreduce: AllreduceAlgorithm::Ring,
            reduce_scatter: ReduceScatterAlgorithm::Ring,
            alltoall: AlltoallAlgorithm::Bruck,
            ..base
        },
        Collectives {
            barrier: BarrierAlgorithm::Dissemination,
            bcast: BcastAlgorithm::ScatterRecursiveDoubling,
            allreduce: AllreduceAlgorithm::Rabenseifner,
            ..base
        },
    ]
}

#[test]
fn every_algorithm_comes_to_its_end() {
    for n in [1, 2, 3, 8, 13] {
        for collectives in choices() {
            for bytes in [100, 30_000] {
                let config = MpiConfig { collectives, ..MpiConfig::default() };
                let script = |me| {
                    every_call(me, n, bytes)
                        .into_iter()
                        .map(|call| Op::Collective(COMM_WORLD, call))
                        .collect()
                };
                let mut layer = layer(config, (0..n).map(script).collect());
                finish(&mut layer, &mut Ideal::reordering(1_000, 1, 100_000, u64::from(n)));
                for report in reports(&layer) {
                    let calls = every_call(report.rank, n, bytes);
                    let machines = calls.iter().map(|call| Collective::of(&collectives, call, n));
                    let sent: Vec<u64> =
                        machines.flat_map(|machine| machine.sent(report.rank, n)).collect();
                    assert_eq!(report.totals.messages_sent, sent.len() as u64);
                    assert_eq!(report.totals.bytes_sent, sent.iter().sum::<u64>());
                }
            }
        }
    }
}

/// The faults of all ranks, each with its message.
fn faults(scripts: Vec<Vec<Op>>) -> Vec<(OperationFault, String)> {
    let n = scripts.len() as u32;
    let mut layer = layer(MpiConfig::default(), scripts);
    Ideal::new(1_000, 1).run(&mut layer, n, Time::MAX);
    layer.errors().iter().map(|error| (error.fault.clone(), error.to_string())).collect()
}

fn collective(call: Call) -> Vec<Op> {
    vec![Op::Collective(COMM_WORLD, call)]
}

#[test]
fn ranks_that_call_different_collectives_are_told() {
    // The broadcast's message has arrived when rank 1 posts the receive from its child.
    let found = faults(vec![
        collective(Call::Bcast { root: 0, bytes: 10 }),
        collective(Call::Bcast { root: 0, bytes: 10 }),
        collective(Call::Barrier),
        Vec::new(),
    ]);
    assert!(
        found[1..].iter().all(|(_, text)| text.contains("this rank has ended, but")),
        "{found:?}"
    );
    assert_eq!(
        found[0].1,
        "job 0 rank 2: barrier at 1020 ps: this rank calls barrier where rank 0 calls bcast"
    );
    let late = faults(vec![
        vec![Op::Collective(COMM_WORLD, Call::Allreduce { bytes: 8 })],
        vec![Op::Compute(5_000), Op::Collective(COMM_WORLD, Call::Barrier)],
    ]);
    let (mine, theirs) = ((CollectiveKind::Allreduce, 0), (CollectiveKind::Barrier, 0));
    assert_eq!(late[0].0, OperationFault::Mismatch { mine, rank: 1, theirs });
}

#[test]
fn ranks_that_name_different_roots_are_told() {
    let reduce = |root| collective(Call::Reduce { root, bytes: 10 });
    let found = faults(vec![reduce(0), reduce(0), reduce(2), Vec::new()]);
    assert!(found.is_empty(), "nobody has heard of it: rank 0 waits for rank 2");
    let bcast = |root| collective(Call::Bcast { root, bytes: 10 });
    let found = faults(vec![bcast(0), bcast(0), bcast(0), bcast(2)]);
    assert_eq!(
        found[0].1,
        "job 0 rank 3: bcast at 2020 ps: this rank calls bcast with root 2, rank 1 with root 0"
    );
}

#[test]
fn sizes_must_be_as_many_as_ranks() {
    let counts: Arc<[u64]> = Arc::from([1, 2, 3]);
    let pairs = Arc::new(Exchange { send: vec![1, 2], receive: vec![1] });
    let (root, fit) = (1, |given| OperationFault::CountsDoNotFit { given, size: 2 });
    for (call, fault) in [
        (Call::Allgatherv { counts: Arc::clone(&counts) }, fit(3)),
        (Call::ReduceScatter { counts: Arc::clone(&counts) }, fit(3)),
        (Call::Gatherv { root, counts: Arc::clone(&counts) }, fit(3)),
        (Call::Scatterv { root, counts }, fit(3)),
        (Call::Alltoallv { pairs }, fit(1)),
        (Call::Gather { root: 2, bytes: 1 }, OperationFault::RankOutOfRange { rank: 2, size: 2 }),
        (Call::Scatter { root: 9, bytes: 1 }, OperationFault::RankOutOfRange { rank: 9, size: 2 }),
    ] {
        let found = faults(vec![collective(call), Vec::new()]);
        assert_eq!(found[0].0, fault);
    }
    let text = faults(vec![collective(Call::Allgatherv { counts: Arc::from([1]) }), Vec::new()])
        .remove(0)
        .1;
    assert_eq!(
        text,
        "job 0 rank 0: allgatherv at 0 ps: the call has sizes for 1 rank, the communicator has 2 ranks"
    );
}

/// If the messages of two collectives never meet, the ranks block, and the diagnosis gives the
/// reason.
#[test]
fn ranks_that_stand_still_are_told() {
    let bcast = |root| collective(Call::Bcast { root, bytes: 10 });
    let mut layer = layer(MpiConfig::default(), vec![bcast(0), bcast(0), bcast(1)]);
    Ideal::new(1_000, 1).run(&mut layer, 3, Time::MAX);
    assert!(!layer.finished() && layer.errors().is_empty());
    let lines: Vec<String> = layer.blocked_report().iter().map(ToString::to_string).collect();
    let expected = "job 0 rank 2 is blocked in bcast since 0 ps: up to 10 bytes from rank 1, no message matches \
                    (that rank has ended); this rank calls bcast with root 1, rank 0 with root 0";
    assert_eq!(lines, [expected]);
}

/// Calls are counted per communicator, even if two communicators have the same members.
#[test]
fn calls_are_counted_by_communicator() {
    let script = |me: u32| {
        let mut script = vec![
            Op::Collective(1, Call::Barrier),
            Op::Collective(COMM_WORLD, Call::Allreduce { bytes: 8 }),
        ];
        script.rotate_left((me % 2) as usize);
        script
    };
    let scripts = vec![script(0), script(1)];
    let mut layer =
        layer_with(MpiConfig::default(), scripts, |me| vec![Communicator::strided(1, 0, 1, 2, me)]);
    Ideal::new(1_000, 1).run(&mut layer, 2, Time::MAX);
    assert_eq!(layer.errors(), []);
    assert!(!layer.finished(), "crosswise calls wait for each other");
}
