//! The motifs of the mixes of Yang et al. and Wang et al.: closed forms of messages and bytes,
//! memory, progress, any order of arrival.

use crate::support::{Ideal, endpoints, endpoints_on, finish, job, recorded, run, workload_of};
use pantala_engine::Time;
use pantala_mpi::{AllreduceAlgorithm, Collectives, MpiConfig, Recording};
use pantala_workload::Endpoints;
use pantala_workload::communication_volume::communication;
use proptest::prelude::*;

/// Each motif on 24 ranks, without its number of iterations.
const MOTIFS: [&str; 6] = [
    "kind: horovod, parameter_bytes: [9000,300], start_bytes: [4], negotiation_bytes: [4,25], gradient_bytes: [40000,700]",
    "kind: conjugate_gradient, grid: [2,3,4], points: [[30,30,30]], point_bytes: 12, exchanges: 2, sums_after: 2, \
     sum_bytes: 8, periodic: true, overlap: true, compute_ps: 5000",
    "kind: conjugate_gradient, grid: [2,3,4], corners: true, points: [[20,20,20],[40,40,40]], point_bytes: 8, exchanges: 1, \
     sums_before: 1, sums_after: 2, sum_bytes: 8, compute_ps: 5000",
    "kind: particle_mesh, grid: [2,3,4], transform_grid: [4,6], ghost_bytes: [900,13000,20000], border_bytes: [2000,30000,50000], \
     migration_bytes: [10,20,30], charge_bytes: [300,400,500], field_bytes: [900,1200,1500], remap_bytes: [21,42], remaps: 13, \
     rebuild_every: 3, rebuild_checks: 2, compute_ps: 5000",
    "kind: multigrid, grid: [2,3,4], points: [9,8,7], point_bytes: 800, levels: 5, sweeps_down: 2, sweeps_up: 3, coarse_sum_bytes: [[8]], \
     sum_bytes: [8, 8], before_sum_bytes: [[], [16, 8]], after_sum_bytes: [[16]], corners_from: 1, far_from: 2, far_percent: 40",
    "kind: crystal_router, pair_bytes: 3000, header_bytes: 12, compute_ps: 5000",
];

/// Messages and bytes of job 0.
fn totals(endpoints: &Endpoints) -> (u64, u64) {
    endpoints
        .rank_reports(0)
        .fold((0, 0), |sum, r| (sum.0 + r.totals.messages_sent, sum.1 + r.totals.bytes_sent))
}

/// Messages and bytes of a workload with recursive doubling: an allreduce has `N log2 N` messages
/// for a power of two.
fn totals_of(ranks: u32, workload: &str) -> (u64, u64) {
    let allreduce = AllreduceAlgorithm::RecursiveDoubling;
    let mpi = MpiConfig {
        collectives: Collectives { allreduce, ..Collectives::default() },
        ..MpiConfig::default()
    };
    let mut endpoints = endpoints_on(&[job("j", 0..ranks, workload)], &mpi, ranks, 1).unwrap();
    finish(&mut endpoints, ranks);
    totals(&endpoints)
}

#[test]
fn horovod_broadcasts_and_sums() {
    let text = "kind: horovod, iterations: 3, parameter_bytes: [9000,300], start_bytes: [4], negotiation_bytes: [4,25,4], \
                gradient_bytes: [40000,700], compute_ps: 1000";
    let (bcasts, sums) = (2 + 3 * 3, 1 + 3 * 2);
    let bytes = 15 * (9_300 + 3 * 33) + 16 * 4 * (4 + 3 * 40_700);
    assert_eq!(totals_of(16, text), (15 * bcasts + 16 * 4 * sums, bytes));
}

#[test]
fn conjugate_gradients_exchange_what_both_touch() {
    let sums = |each: u64| 3 * each * 16 * 4;
    for [x, y, z] in [[4u64, 2, 2], [1, 4, 4], [16, 1, 1]] {
        let (p, q, r) = (5, 6, 7);
        let text = |more: &str| {
            format!(
                "kind: conjugate_gradient, grid: [{x},{y},{z}], points: [[{p},{q},{r}]], point_bytes: 10, exchanges: 2, \
                 sums_before: 1, sums_after: 2, sum_bytes: 8, iterations: 3, {more}"
            )
        };
        // Along a dimension of extent e: e pairs with step 0, e - 1 with step up, e - 1 with step
        // down.
        let messages = (3 * x - 2) * (3 * y - 2) * (3 * z - 2) - 16;
        let points =
            (x * p + 2 * (x - 1)) * (y * q + 2 * (y - 1)) * (z * r + 2 * (z - 1)) - 16 * p * q * r;
        assert_eq!(
            totals_of(16, &text("corners: true")),
            (6 * messages + sums(3), 60 * points + 8 * sums(3)),
            "{x} {y} {z}"
        );
        let wide = |extent: u64| 2 * u64::from(extent > 1) * 16;
        let faces = wide(x) * q * r + wide(y) * p * r + wide(z) * p * q;
        let expected = (6 * (wide(x) + wide(y) + wide(z)) + sums(3), 60 * faces + 8 * sums(3));
        assert_eq!(totals_of(16, &text("periodic: true, overlap: true, compute_ps: 9")), expected);
    }
}

/// As MILC: four dimensions, and stages of equally many iterations.
#[test]
fn conjugate_gradients_go_in_stages() {
    let text = "kind: conjugate_gradient, grid: [2,2,2,2], points: [[3,3,3,3],[5,5,5,5]], point_bytes: 36, exchanges: 1, \
                sum_bytes: 8, iterations: 5, periodic: true";
    assert_eq!(totals_of(16, text), (5 * 8 * 16, 8 * 16 * 36 * (3 * 27 + 2 * 125)));
}

#[test]
fn the_crystal_router_halves_as_often_as_it_can() {
    for rounds in 1..6u64 {
        let ranks = 1 << rounds;
        let text = "kind: crystal_router, pair_bytes: 100, header_bytes: 12, iterations: 2";
        let data = ranks * rounds * (ranks / 2) * 112;
        assert_eq!(
            totals_of(ranks as u32, text),
            (2 * 2 * ranks * rounds, 2 * (data + 4 * ranks * rounds))
        );
    }
    assert_eq!(
        totals_of(1, "kind: crystal_router, pair_bytes: 100, header_bytes: 12, iterations: 2"),
        (0, 0)
    );
    // Of three ranks, 0 and 1 send the data for 2 to it, and 2 answers 0 only. Then 0 has the data
    // of two ranks for 1.
    let text = "kind: crystal_router, pair_bytes: 100, header_bytes: 0, iterations: 1";
    assert_eq!(totals_of(3, text), (2 * (3 + 2), 100 * (1 + 1 + 2 + 2 + 1) + 4 * 5));
}

#[test]
fn multigrid_visits_every_level_twice() {
    let [x, y, z] = [4u64, 2, 2];
    let text = "kind: multigrid, grid: [4,2,2], points: [8,8,8], point_bytes: 9, levels: 4, sweeps_down: 3, sweeps_up: 3, \
                coarse_sum_bytes: [[8,8],[8,8],[8,8],[8,8],[8,8]], sum_bytes: [8], corners_from: 99, far_from: 99, iterations: 2";
    let faces = 2 * ((x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1));
    let sums = (5 * 2 + 1) * 16 * 4;
    // Three levels with six exchanges each, of 8, 4 and 2 points per side; five exchanges on the
    // coarsest.
    let (messages, bytes) = (faces * (3 * 6 + 5), faces * 9 * (6 * (64 + 16 + 4) + 5));
    assert_eq!(totals_of(16, text), (2 * (messages + sums), 2 * (bytes + 8 * sums)));
}

#[test]
fn ranks_without_points_drop_out() {
    let text = "kind: multigrid, grid: [4,1,1], points: [1,1,1], point_bytes: 9, levels: 3, sweeps_down: 1, sweeps_up: 1, coarse_sum_bytes: [[]], \
                corners_from: 99, far_from: 99, iterations: 1";
    // Levels of 4, 2 and 1 ranks; each level except the last is visited twice. 2 ranks and 1 rank
    // hand over data and get them back.
    let messages = 2 * (6 + 2) + 2 * (2 + 1);
    assert_eq!(totals_of(4, text), (messages, 9 * messages));
    let wide = text.replace("[4,1,1]", "[3,3,3]").replace("corners_from: 99", "corners_from: 1");
    // 27 ranks, then 8, then one: 54 faces in both directions, then all 8 ranks with each other.
    let messages = 2 * (2 * 54 + 8 * 7) + 2 * (19 + 7);
    assert_eq!(totals_of(27, &wide), (messages, 9 * messages));
}

/// Whether two ranks two steps apart are neighbours is symmetric, and their share is the requested
/// one.
#[test]
fn far_neighbours_are_a_share() {
    let of = |percent: u32| {
        let text = format!(
            "kind: multigrid, grid: [6,6,6], points: [4,4,4], point_bytes: 1, levels: 1, sweeps_down: 1, sweeps_up: 1, coarse_sum_bytes: [[]], \
             corners_from: 0, far_from: 0, far_percent: {percent}, iterations: 1"
        );
        totals_of(216, &text).0
    };
    // Along a dimension of six ranks: 6 pairs with step 0, 5 with one step up, 4 with two; as many
    // down.
    let (near, all) = ((6 + 2 * 5_u64).pow(3) - 216, (6 + 2 * 5 + 2 * 4_u64).pow(3) - 216);
    assert_eq!((of(0), of(100)), (near, all));
    let share = (of(30) - near) as f64 / (all - near) as f64;
    assert!((share - 0.3).abs() < 0.02, "{share}");
}

#[test]
fn particle_meshes_take_their_steps() {
    let text = "kind: particle_mesh, grid: [4,2,2], transform_grid: [4,4], ghost_bytes: [100,200,300], border_bytes: [400,500,600], \
                migration_bytes: [10,20,30], charge_bytes: [1,2,3], field_bytes: [3,6,9], remap_bytes: [21,42], remaps: 13, \
                rebuild_every: 4, rebuild_checks: 2, iterations: 9";
    let mut messages = 0;
    let mut bytes = 0;
    let mut sum = |times: u64, size: u64| {
        messages += times * 4;
        bytes += times * 4 * size;
    };
    sum(4 * 9, 48);
    sum(9, 8);
    sum(2 * 2 + 2 * 5, 4); // asked before two rebuilds, twice each; five sums behind both
    let mut shift = |times: u64, sizes: [u64; 3], told: bool| {
        messages += times * 6 * (1 + u64::from(told));
        bytes += times * 2 * (sizes.iter().sum::<u64>() + if told { 12 } else { 0 });
    };
    shift(7 + 2 * 9, [100, 200, 300], false);
    shift(2, [10, 20, 30], true);
    shift(2, [400, 500, 600], true);
    shift(9, [1, 2, 3], false);
    shift(9, [3, 6, 9], false);
    messages += 9 * 13 * 3;
    bytes += 9 * 3 * (11 + 6 * 21 + 6 * 42);
    assert_eq!(totals_of(16, text), (16 * messages, 16 * bytes));
}

/// The volumes computed without a run equal those of the run.
#[test]
fn volumes_are_known_beforehand() {
    let fft = "kind: fft3d, grid: [4,6], row_message_bytes: 500, column_message_bytes: 13000";
    let random = "kind: uniform_random, message_bytes: 13000";
    for motif in MOTIFS.into_iter().chain([fft, random]) {
        for collectives in [
            Collectives::default(),
            Collectives { allreduce: AllreduceAlgorithm::Ring, ..Collectives::default() },
        ] {
            let jobs = [job("j", 0..24, &format!("{motif}, iterations: 5"))];
            let told = communication(&jobs[0], &collectives, 1).ranks;
            let mpi = MpiConfig { collectives, ..MpiConfig::default() };
            let mut endpoints = endpoints_on(&jobs, &mpi, 24, 1).unwrap();
            finish(&mut endpoints, 24);
            for (told, report) in told.iter().zip(endpoints.rank_reports(0)) {
                let done = report.totals;
                let sent = (
                    done.messages_sent,
                    done.bytes_sent,
                    done.messages_received,
                    done.bytes_received,
                );
                let known = (
                    told.messages_sent,
                    told.bytes_sent,
                    told.messages_received,
                    told.bytes_received,
                );
                assert_eq!(known, sent, "{motif}, rank {}", report.rank);
            }
        }
    }
    let pattern = job("p", 0..4, "kind: pattern, pattern: uniform, load: 0.1");
    assert!(communication(&pattern, &Collectives::default(), 1).ranks.is_empty());
    let training = job("t", 0..24, &format!("{}, iterations: 5", MOTIFS[0]));
    let training = communication(&training, &Collectives::default(), 1).ranks;
    assert!(
        training
            .iter()
            .all(|rank| (rank.calls["bcast"], rank.calls["allreduce"]) == (2 + 5 * 2, 1 + 5 * 2))
    );
    assert_eq!(
        (training[3].sizes["bcast"], training[3].sizes["allreduce"]),
        ([4, 9_000], [4, 40_000])
    );
}

#[test]
fn memory_does_not_grow_with_iterations() {
    for motif in MOTIFS {
        let peaks = [6, 60].map(|iterations| {
            let jobs = [job("j", 0..24, &format!("{motif}, iterations: {iterations}"))];
            let recording =
                Recording { messages: false, iterations: false, ..Recording::default() };
            let mut endpoints = recorded(&jobs, &MpiConfig::default(), recording, 24, 1).unwrap();
            let mut network = Ideal::new(1_000, 1);
            network.keep_offers = false;
            run(&mut endpoints, &mut network, 24, Time::MAX);
            assert!(endpoints.finished());
            endpoints.holdings()
        });
        assert_eq!(peaks[0], peaks[1], "{motif}");
    }
}

#[test]
fn progress_is_smooth_and_exact() {
    for motif in MOTIFS {
        for iterations in [1, 7] {
            let jobs = [job("j", 0..24, &format!("{motif}, iterations: {iterations}"))];
            let until = |end| {
                let mut endpoints = endpoints(&jobs, 24);
                let last = run(&mut endpoints, &mut Ideal::new(1_000, 1), 24, end);
                (endpoints.progress().unwrap(), last, endpoints.finished())
            };
            let (all, end, finished) = until(Time::MAX);
            assert!(all == 1.0 && finished);
            let steps: Vec<f64> = (0..20).map(|i| until(end * i / 20).0).collect();
            assert!(
                steps.windows(2).all(|w| w[0] <= w[1] && w[1] - w[0] < 0.5),
                "{motif}: {steps:?}"
            );
            let (before, _, finished) = until(end - 1);
            assert!(!finished && before < 1.0 && before > 0.99, "{motif}: {before}");
        }
    }
}

#[test]
fn faults_name_the_key_and_the_remedy() {
    let cg = "kind: conjugate_gradient, point_bytes: 8, exchanges: 1, sum_bytes: 8, iterations: 1, grid: [2,2]";
    let multigrid = "kind: multigrid, grid: [2,2,2], point_bytes: 8, sweeps_down: 1, sweeps_up: 1, coarse_sum_bytes: [[]], corners_from: 1, \
                     far_from: 2, iterations: 1";
    for (workload, ranks, text) in [
        (
            "kind: horovod, iterations: 1, parameter_bytes: [], start_bytes: [], negotiation_bytes: [], gradient_bytes: []".into(),
            4,
            "gradient_bytes = []: an update needs an allreduce; give at least one size",
        ),
        (format!("{cg}, points: []"), 4, "points = []: there must be a stage; give the points of at least one stage"),
        (
            format!("{cg}, points: [[3]]"),
            4,
            "points = [3]: 1 numbers for 2 dimensions; give one for each dimension",
        ),
        (
            format!("{cg}, points: [[3,3]]"),
            5,
            "grid = [2, 2]: the grid has 4 cells, but the job has 5 ranks; write [1, 5] or another grid of 5 cells, or give the job 4 ranks",
        ),
        (
            format!("{multigrid}, points: [4,4,4], levels: 40"),
            8,
            "levels = 40: points cannot be halved so often; give at most 32",
        ),
        (
            format!("{multigrid}, points: [4,4,4], levels: 4, far_percent: 120"),
            8,
            "far_percent = 120: a percentage is at most 100; give 0 to 100",
        ),
        (
            format!("{multigrid}, points: [4,0,4], levels: 4"),
            8,
            "points = 0: must be at least 1; give a positive number",
        ),
        (
            MOTIFS[3].to_owned() + ", iterations: 1",
            12,
            "grid = [2, 3, 4]: the grid has 24 cells, but the job has 12 ranks; write [2, 2, 3] or another grid of 12 cells, or give the \
             job 24 ranks",
        ),
        (
            (MOTIFS[3].to_owned() + ", iterations: 1").replace("[4,6]", "[4,5]"),
            24,
            "transform_grid = [4, 5]: the grid has 20 cells, but the job has 24 ranks; write [4, 6] or another grid of 24 cells, or give \
             the job 20 ranks",
        ),
        (
            "kind: crystal_router, pair_bytes: 0, header_bytes: 12, iterations: 1".into(),
            4,
            "pair_bytes = 0: must be at least 1; give a positive number",
        ),
    ] {
        assert_eq!(workload_of(&workload).check(ranks).unwrap_err().to_string(), text);
    }
}

proptest! {
    #![proptest_config(pantala_testing::cases(8))]

    /// On a network that reorders packets, for any rendezvous threshold: all jobs end, and nothing
    /// remains.
    #[test]
    fn jobs_end_on_a_reordering_network(seed: u64, ranks in 1u32..24, threshold in 0u64..20_000, jitter in 1u32..5_000_000) {
        let mut jobs: Vec<_> = MOTIFS.iter().enumerate().map(|(i, motif)| {
            let first = 24 * i as u32;
            job(&format!("j{i}"), first..first + 24, &format!("{motif}, iterations: 4"))
        }).collect();
        let router = "kind: crystal_router, pair_bytes: 700, header_bytes: 12, iterations: 3";
        jobs.push(job("router", 144..144 + ranks, router));
        let mpi = MpiConfig { eager_threshold_bytes: threshold, ..MpiConfig::default() };
        let mut endpoints = endpoints_on(&jobs, &mpi, 168, seed).unwrap();
        let mut network = Ideal::reordering(1_000, 1, jitter, seed);
        run(&mut endpoints, &mut network, 168, Time::MAX);
        prop_assert_eq!(endpoints.errors(), &[]);
        prop_assert!(endpoints.finished(), "{:#?}", endpoints.blocked_report());
        let held = endpoints.holdings();
        prop_assert_eq!((held.messages, held.receives, held.sends), (0, 0, 0));
    }
}
