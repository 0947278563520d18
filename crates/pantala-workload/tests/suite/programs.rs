//! Jobs of several kinds of programs on one network.

use crate::support::{Ideal, endpoints, endpoints_on, finish, job, run};
use pantala_mpi::{COMM_WORLD, Call, Incoming, MpiConfig, Op, Outgoing, Source, TagSelect};
use pantala_workload::communication_volume::communication;
use pantala_workload::{
    JobOperations, JobSpec, Noise, NoiseDistribution, OperationLists, Workload,
};

const MOTIF: &str = "kind: stencil, grid: [4], message_bytes: [9000], iterations: 3, compute_ps: 10, periodic: true";

/// A job with a list of operations for each rank, on nodes from `first` on.
fn listed(name: &str, first: u32, lists: Vec<Vec<Op>>) -> JobSpec {
    let lists = OperationLists { ranks: lists.into_iter().map(Into::into).collect() };
    JobSpec {
        name: name.to_owned(),
        nodes: (first..).take(lists.ranks.len()).collect(),
        start: 0,
        end: pantala_engine::NEVER,
        repeat: false,
        noise: Noise::default(),
        workload: Workload::Programs(JobOperations::Operations(lists)),
    }
}

/// Rank 0 computes and sends, rank 1 receives, then both meet in a barrier.
fn ping() -> Vec<Vec<Op>> {
    let barrier = Op::Collective(COMM_WORLD, Call::Barrier);
    let send =
        Op::Send(Outgoing { communicator: COMM_WORLD, destination: 1, tag: 7, bytes: 100_000 });
    let recv = Op::Recv(Incoming {
        communicator: COMM_WORLD,
        source: Source::Rank(0),
        tag: TagSelect::Is(7),
        bytes: 100_000,
    });
    vec![vec![Op::Compute(5_000), send, barrier.clone()], vec![recv, barrier]]
}

/// The loops of a job that starts again, as first, end and period.
fn repeated(operations: &JobOperations, ranks: u32) -> Vec<(u32, u32, u32)> {
    let loops = operations.loops(ranks, true);
    loops.iter().map(|found| (found.first, found.end, found.period)).collect()
}

/// What happens between two passes belongs to a cycle, so the cycle is a pass, unless a long pass
/// has nothing but equal iterations.
#[test]
fn a_pass_is_the_cycle_of_a_program_that_starts_again() {
    let of = |text: &str| {
        let Workload::Programs(operations) = job("motif", 0..4, text).workload else {
            panic!("a pattern")
        };
        repeated(&operations, 4)
    };
    let many = "kind: stencil, grid: [4], message_bytes: [9000], compute_ps: 10, periodic: true";
    assert_eq!(of(&format!("{many}, iterations: 100")), [(0, u32::MAX, 1)]);
    assert_eq!(of(&format!("{many}, iterations: 60")), [(0, u32::MAX, 60)]);
    let delayed = "kind: allreduce_loop, message_bytes: 900, iterations: 100, compute_ps: 10";
    assert_eq!(of(delayed), [(0, u32::MAX, 1)]);
    assert_eq!(of(&format!("{delayed}, start_delay_ps: 5000")), [(0, u32::MAX, 100)]);
    for few in [1, 2] {
        assert_eq!(of(&format!("{many}, iterations: {few}")), [(0, u32::MAX, few)]);
    }
    let changing = "kind: uniform_random, message_bytes: 900, no_wait: true";
    assert_eq!(of(&format!("{changing}, iterations: 2")), []);
}

/// A search for equal iterations leaves out the last one of a list, and may find several loops.
#[test]
fn a_pass_of_a_list_has_all_of_its_iterations() {
    let lists = |bytes: &[u64]| {
        let mark = |iteration| {
            Op::IterationStart(pantala_mpi::IterationMark { iteration, ..Default::default() })
        };
        let sum = |bytes| Op::Collective(COMM_WORLD, Call::Allreduce { bytes });
        let all = (0..).zip(bytes).flat_map(|(i, &bytes)| [mark(i), sum(bytes), Op::IterationEnd]);
        let list: Vec<Op> = [Op::Compute(7)].into_iter().chain(all).collect();
        JobOperations::Operations(OperationLists { ranks: vec![list.into(); 2] })
    };
    assert_eq!(repeated(&lists(&[8; 10]), 2), [(0, u32::MAX, 10)]);
    assert_eq!(repeated(&lists(&[8; 100]), 2), [(0, u32::MAX, 100)]);
    let uneven: Vec<u64> = (0..70).map(|_| 8).chain((0..70).map(|i| 100 + i % 2)).collect();
    assert_eq!(repeated(&lists(&uneven), 2), [(0, u32::MAX, 140)]);
    // Ranks that number their passes differently have none in common.
    let (JobOperations::Operations(one), JobOperations::Operations(other)) =
        (lists(&[8; 10]), lists(&[8; 12]))
    else {
        panic!("no lists")
    };
    let mixed = OperationLists { ranks: vec![one.ranks[0].clone(), other.ranks[1].clone()] };
    assert_eq!(repeated(&JobOperations::Operations(mixed), 2), []);
}

#[test]
fn listed_operations_run_beside_a_motif() {
    let alone = {
        let mut endpoints = endpoints(&[job("motif", 0..4, MOTIF)], 6);
        finish(&mut endpoints, 6);
        endpoints.rank_reports(0).collect::<Vec<_>>()
    };
    let jobs = [job("motif", 0..4, MOTIF), listed("listed", 4, ping())];
    let mut endpoints = endpoints(&jobs, 6);
    finish(&mut endpoints, 6);
    assert_eq!(endpoints.ranks_ended(), (6, 6));
    assert_eq!(endpoints.progress(), Some(1.0));
    let reports: Vec<_> = endpoints.rank_reports(0).collect();
    // The ideal network has no contention, so the motif's results do not depend on the other job.
    assert_eq!(reports[..4], alone);
    let (sender, receiver) = (&reports[4], &reports[5]);
    assert_eq!(sender.totals.compute, 5_000);
    assert_eq!(sender.totals.bytes_sent, 100_000);
    assert_eq!(receiver.totals.bytes_received, 100_000);
    // 100,000 B at 40 ps a byte take 4 us.
    assert!(sender.end.unwrap() >= 4_000_000);
}

/// Two kinds of program that yield equal operations give equal results.
#[test]
fn a_list_repeats_a_motif() {
    let of = |first: JobSpec| {
        let mut endpoints = endpoints(&[first], 8);
        let network = finish(&mut endpoints, 8);
        let reports = endpoints.rank_reports(0).map(|r| (r.end, r.totals));
        (network.packets, network.bytes, reports.collect::<Vec<_>>())
    };
    let call = Op::Collective(COMM_WORLD, Call::Allreduce { bytes: 3_000 });
    let list = vec![vec![Op::Compute(70), call.clone(), Op::Compute(70), call]; 8];
    let motif = "kind: allreduce_loop, message_bytes: 3000, iterations: 2, compute_ps: 70";
    let (motif, list) = (job("j", 0..8, motif), listed("j", 0, list));
    let mpi = MpiConfig::default();
    let told = |job: &JobSpec| communication(job, &mpi.collectives, 1);
    assert_eq!(told(&motif), told(&list));
    assert_eq!(of(motif), of(list));
}

#[test]
fn noise_applies_to_every_kind_of_program() {
    let noise = Noise { distribution: NoiseDistribution::Uniform, share: 0.5 };
    let job = JobSpec { noise, ..listed("j", 0, vec![vec![Op::Compute(1_000_000)]; 2]) };
    let mut endpoints = endpoints(&[job], 2);
    run(&mut endpoints, &mut Ideal::new(1, 1), 2, u64::MAX);
    let times: Vec<_> = endpoints.rank_reports(0).map(|r| r.totals.compute).collect();
    assert!(times.iter().all(|time| *time != 1_000_000 && (500_000..1_500_000).contains(time)));
    assert_ne!(times[0], times[1]);
}

#[test]
fn every_rank_needs_a_list() {
    let mut job = listed("j", 0, ping());
    job.nodes.push(2);
    let error = endpoints_on(&[job], &MpiConfig::default(), 4, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "jobs[0].workload.operations = 2: the job has 3 ranks; give one list of operations for each rank"
    );
}
