//! Motifs on an ideal network: closed forms of their volume, memory, marks, and independence of company.

mod support;

use pantala_engine::Time;
use pantala_mpi::{AllreduceAlgorithm, Collectives, MessageRecord, MpiConfig, Recording};
use pantala_workload::{Endpoints, JobSpec};
use proptest::prelude::*;
use support::{Ideal, endpoints, endpoints_on, finish, job, recorded, run};

/// Messages and bytes of job 0; sent and received agree.
fn totals(endpoints: &Endpoints) -> (u64, u64) {
    let sum = endpoints.rank_reports(0).filter(|r| r.job == 0).fold((0, 0, 0, 0), |s, r| {
        let a = r.account;
        (s.0 + a.messages_sent, s.1 + a.bytes_sent, s.2 + a.messages_received, s.3 + a.bytes_received)
    });
    assert_eq!((sum.0, sum.1), (sum.2, sum.3));
    (sum.0, sum.1)
}

fn total_of(ranks: u32, workload: &str) -> (u64, u64) {
    let mut endpoints = endpoints(&[job("j", 0..ranks, workload)], ranks);
    finish(&mut endpoints, ranks);
    totals(&endpoints)
}

#[test]
fn a_stencil_moves_its_faces() {
    for (grid, periodic) in
        [([3u64, 4, 5], false), ([3, 4, 5], true), ([2, 1, 6], true), ([1, 1, 1], true), ([4, 4, 1], false)]
    {
        let [x, y, z] = grid;
        let messages = if periodic {
            2 * x * y * z * grid.iter().filter(|e| **e > 1).count() as u64
        } else {
            2 * ((x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1))
        };
        for bytes in [900, 20_000] {
            let text = format!(
                "kind: stencil, grid: [{x},{y},{z}], message_bytes: [{bytes},{bytes},{bytes}], iterations: 3, compute_ps: 1000, periodic: {periodic}"
            );
            assert_eq!(total_of((x * y * z) as u32, &text), (3 * messages, 3 * messages * bytes), "{grid:?}");
        }
    }
}

#[test]
fn fft3d_transposes_four_times() {
    for (rows, columns) in [(3u64, 4u64), (4, 3), (1, 5), (2, 1)] {
        let text = format!(
            "kind: fft3d, grid: [{rows},{columns}], row_message_bytes: 500, column_message_bytes: 13000, iterations: 2, \
             compute_forward_ps: 5, compute_backward_ps: 7"
        );
        let (row, column) = (2 * rows * columns * (columns - 1), 2 * rows * columns * (rows - 1));
        let expected = (2 * (row + column), 2 * (row * 500 + column * 13_000));
        assert_eq!(total_of((rows * columns) as u32, &text), expected);
    }
}

#[test]
fn allreduce_loop_moves_what_its_algorithm_does() {
    let spec = [job("j", 0..13, "kind: allreduce_loop, message_bytes: 30000, iterations: 4, compute_ps: 1000000")];
    for (allreduce, messages) in
        [(AllreduceAlgorithm::BinaryTree, 2 * 12), (AllreduceAlgorithm::RecursiveDoubling, 8 * 3 + 2 * 5)]
    {
        let mpi =
            MpiConfig { collectives: Collectives { allreduce, ..Collectives::default() }, ..MpiConfig::default() };
        let mut endpoints = endpoints_on(&spec, &mpi, 13, 1).unwrap();
        finish(&mut endpoints, 13);
        assert_eq!(totals(&endpoints), (4 * messages, 4 * messages * 30_000));
    }
}

#[test]
fn uniform_random_sends_one_message_a_rank_and_iteration() {
    let (ranks, iterations) = (24, 200);
    let text = format!("kind: uniform_random, iterations: {iterations}, message_bytes: 3072");
    let mut endpoints = endpoints(&[job("j", 0..ranks, &text)], ranks);
    finish(&mut endpoints, ranks);
    let mut messages = Vec::new();
    endpoints.take_messages(&mut messages);
    // One fixed point an iteration is left out, on average.
    let expected = f64::from((ranks - 1) * iterations);
    assert!((messages.len() as f64 - expected).abs() < 5.0 * f64::from(iterations).sqrt(), "{}", messages.len());
    assert!(messages.iter().all(|m| m.bytes == 3_072 && m.source != m.destination));
    for rank in 0..ranks {
        let sent = messages.iter().filter(|m| m.source == rank).count();
        assert_eq!(sent, messages.iter().filter(|m| m.destination == rank).count());
        // All others are met: 200 draws of 23 miss one with a chance of 0.0002.
        let mut met: Vec<u32> = messages.iter().filter(|m| m.source == rank).map(|m| m.destination).collect();
        met.sort_unstable();
        met.dedup();
        assert!(met.len() >= 22);
    }
}

#[test]
fn iterations_are_marked() {
    let text = "kind: stencil, grid: [2,2,2], message_bytes: [20000,20000,20000], iterations: 5, compute_ps: 3000";
    let mut endpoints = endpoints(&[job("j", 0..8, text)], 8);
    finish(&mut endpoints, 8);
    let mut records = Vec::new();
    endpoints.take_iterations(&mut records);
    assert_eq!(records.len(), 40);
    for report in endpoints.rank_reports(0) {
        let mine: Vec<_> = records.iter().filter(|r| r.rank == report.rank).collect();
        assert!(
            mine.iter().enumerate().all(|(i, r)| r.iteration == i as u32 && r.end - r.start == 3_000 + r.communication)
        );
        assert_eq!(mine.iter().map(|r| r.communication).sum::<Time>(), report.account.communication());
        assert_eq!(report.account.compute, 15_000);
        assert_eq!(report.account.wait, report.account.communication());
    }
}

#[test]
fn memory_does_not_grow_with_iterations() {
    for motif in [
        "kind: stencil, grid: [2,3,2], message_bytes: [20000,20000,20000]",
        "kind: fft3d, grid: [3,4], row_message_bytes: 500, column_message_bytes: 13000",
        "kind: allreduce_loop, message_bytes: 100",
    ] {
        let peaks = [20, 400].map(|iterations| {
            let jobs = [job("j", 0..12, &format!("{motif}, iterations: {iterations}"))];
            let recording = Recording { messages: false, iterations: false };
            let mut endpoints = recorded(&jobs, &MpiConfig::default(), recording, 12, 1).unwrap();
            let mut network = Ideal::new(1_000, 1);
            network.keep_offers = false;
            run(&mut endpoints, &mut network, 12, Time::MAX);
            assert!(endpoints.finished());
            endpoints.holdings()
        });
        assert_eq!(peaks[0], peaks[1], "{motif}");
    }
}

#[test]
fn progress_leaves_patterns_out() {
    let text = "kind: allreduce_loop, message_bytes: 100, iterations: 10, compute_ps: 1000000000";
    let mut endpoints =
        endpoints(&[job("j", 0..4, text), job("p", 4..6, "kind: pattern, pattern: uniform, load: 0.001")], 8);
    assert_eq!(endpoints.progress(), Some(0.0));
    run(&mut endpoints, &mut Ideal::new(1_000, 1), 8, 4_500_000_000);
    assert_eq!(endpoints.progress(), Some(0.4));
    assert_eq!(endpoints.ranks_ended(), (0, 4));
    assert!(!endpoints.finished());
}

/// Also inside one long iteration: the share of bytes that have arrived, which is all of them when the last has.
#[test]
fn progress_is_smooth() {
    for (motif, exact) in [
        ("kind: stencil, grid: [2,2,3], message_bytes: [30000,30000,30000]", true),
        ("kind: fft3d, grid: [3,4], row_message_bytes: 500, column_message_bytes: 13000", true),
        ("kind: allreduce_loop, message_bytes: 60000", true),
        ("kind: uniform_random, message_bytes: 13000", false),
    ] {
        for iterations in [1, 4] {
            let jobs = [job("j", 0..12, &format!("{motif}, iterations: {iterations}"))];
            let until = |end| {
                let mut endpoints = endpoints(&jobs, 12);
                let last = run(&mut endpoints, &mut Ideal::new(1_000, 1), 12, end);
                (endpoints.progress().unwrap(), last, endpoints.finished())
            };
            let (all, end, finished) = until(Time::MAX);
            assert!(all == 1.0 && finished);
            let steps: Vec<f64> = (0..20).map(|i| until(end * i / 20).0).collect();
            assert!(steps.windows(2).all(|w| w[0] <= w[1] && w[1] - w[0] < 0.3), "{motif}: {steps:?}");
            let (before, _, finished) = until(end - 1);
            assert!(!finished && before < 1.0 || !exact, "{motif}: {before}");
            assert!(!exact || before > 0.99, "{motif}: {before}");
        }
    }
}

/// Messages, and packets as (time, node, destination, bytes).
type Deeds = (Vec<MessageRecord>, Vec<(Time, u32, u32, u32)>);

/// Everything that a job did: messages and packets, without the job's number.
fn deeds(jobs: &[JobSpec], which: usize) -> Deeds {
    let mut endpoints = endpoints_on(jobs, &MpiConfig::default(), 64, 5).unwrap();
    let mut network = Ideal::new(1_000_000, 40);
    run(&mut endpoints, &mut network, 64, 300_000_000);
    let mut messages = Vec::new();
    endpoints.take_messages(&mut messages);
    messages.retain(|m| usize::from(m.job) == which);
    messages.iter_mut().for_each(|m| m.job = 0);
    let packets = network.offered.iter().filter(|o| usize::from(o.2.job) == which);
    (messages, packets.map(|(time, node, packet)| (*time, *node, packet.destination, packet.bytes)).collect())
}

#[test]
fn a_job_does_the_same_alone_and_in_company() {
    let target = [
        job("ur", 0..16, "kind: uniform_random, iterations: 30, message_bytes: 14000, compute_ps: 700"),
        job(
            "fft",
            0..16,
            "kind: fft3d, grid: [4,4], row_message_bytes: 700, column_message_bytes: 14000, iterations: 3",
        ),
        job("noise", 0..16, "kind: pattern, pattern: uniform, load: 0.3, injection: bernoulli"),
    ];
    let company = [
        job("other", 20..36, "kind: uniform_random, iterations: 30, message_bytes: 14000"),
        job("more", 40..64, "kind: pattern, pattern: hotspot, load: 0.7"),
    ];
    for target in target {
        let alone = deeds(std::slice::from_ref(&target), 0);
        assert!(!alone.1.is_empty());
        let [first, second] = company.clone();
        assert_eq!(alone, deeds(&[first, target.clone(), second], 1));
        let renamed = JobSpec { name: "else".into(), ..target.clone() };
        let changed = alone != deeds(&[renamed], 0);
        assert_eq!(changed, target.name != "fft", "names key the random streams, and nothing else");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Several jobs on a network that reorders packets: all end, nothing is left over, nothing is lost.
    #[test]
    fn jobs_end_on_a_reordering_network(
        seed: u64, ranks in 2u32..12, bytes in 1u64..30_000, threshold in 0u64..20_000, jitter in 1u32..5_000_000,
    ) {
        let jobs = [
            job("ur", 0..ranks, &format!("kind: uniform_random, iterations: 12, message_bytes: {bytes}")),
            job("halo", 12..36, &format!("kind: stencil, grid: [2,3,4], message_bytes: [{bytes},{bytes},{bytes}], iterations: 4, periodic: true")),
            job("fft", 36..48, &format!("kind: fft3d, grid: [3,4], row_message_bytes: {bytes}, column_message_bytes: 9, iterations: 2")),
            job("cosmo", 48..48 + ranks, &format!("kind: allreduce_loop, message_bytes: {bytes}, iterations: 4")),
        ];
        let mpi = MpiConfig { eager_threshold_bytes: threshold, ..MpiConfig::default() };
        let mut endpoints = endpoints_on(&jobs, &mpi, 64, seed).unwrap();
        let mut network = Ideal::reordering(1_000, 1, jitter, seed);
        run(&mut endpoints, &mut network, 64, Time::MAX);
        prop_assert_eq!(endpoints.errors(), &[]);
        prop_assert!(endpoints.finished(), "{:#?}", endpoints.blocked_report());
        let held = endpoints.holdings();
        prop_assert_eq!((held.messages, held.receives, held.sends), (0, 0, 0));
        let mut messages = Vec::new();
        endpoints.take_messages(&mut messages);
        for job in 0..4 {
            let count = messages.iter().filter(|m| m.job == job).count() as u64;
            prop_assert_eq!(endpoints.message_statistics(job).unwrap().count(), count);
        }
        let sent: u64 = endpoints.rank_reports(0).map(|r| r.account.bytes_sent).sum();
        prop_assert_eq!(messages.iter().map(|m| m.bytes).sum::<u64>(), sent);
        for report in endpoints.rank_reports(0) {
            prop_assert_eq!(report.end.unwrap() - report.start.unwrap(), report.account.compute + report.account.communication());
        }
    }
}
