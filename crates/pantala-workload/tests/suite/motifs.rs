//! Motifs on an ideal network: closed forms of their volume, memory, marks, and independence of
//! other jobs.

use crate::support::{Ideal, endpoints, endpoints_on, finish, job, recorded, run};
use pantala_engine::Time;
use pantala_mpi::{AllreduceAlgorithm, Collectives, MessageRecord, MpiConfig, Recording};
use pantala_workload::{Endpoints, JobSpec};
use proptest::prelude::*;

/// Messages and bytes of job 0. The numbers sent and received must agree.
fn totals(endpoints: &Endpoints) -> (u64, u64) {
    let sum = endpoints.rank_reports(0).filter(|r| r.job == 0).fold((0, 0, 0, 0), |s, r| {
        let a = r.totals;
        (
            s.0 + a.messages_sent,
            s.1 + a.bytes_sent,
            s.2 + a.messages_received,
            s.3 + a.bytes_received,
        )
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
    for (grid, periodic) in [
        ([3u64, 4, 5], false),
        ([3, 4, 5], true),
        ([2, 1, 6], true),
        ([1, 1, 1], true),
        ([4, 4, 1], false),
    ] {
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
            assert_eq!(
                total_of((x * y * z) as u32, &text),
                (3 * messages, 3 * messages * bytes),
                "{grid:?}"
            );
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

/// Blocks of a cube's points. A rank does not send the block that it keeps.
#[test]
fn a_pencil_fft_moves_blocks_of_its_cube() {
    let parts = |points: u64, n: u64| {
        (0..n).map(move |i| points / n + u64::from(i < points % n)).collect::<Vec<_>>()
    };
    for (rows, columns, points) in
        [(3u64, 4u64, 12u64), (3, 4, 13), (4, 3, 10), (1, 5, 7), (2, 1, 3), (5, 7, 41)]
    {
        let text = format!(
            "kind: pencil_fft, grid: [{rows},{columns}], points: {points}, point_bytes: 16, iterations: 2, \
             compute_forward_ps: [1,2,3], compute_backward_ps: [4,5,6]"
        );
        let (halves, by_rows) = (parts(points / 2 + 1, rows), parts(points, rows));
        let by_columns = parts(points, columns);
        let pairs = |a: &[u64], b: &[u64]| {
            let all: u64 = a.iter().sum::<u64>() * b.iter().sum::<u64>();
            all - a.iter().zip(b).map(|(a, b)| a * b).sum::<u64>()
        };
        let in_columns = points * pairs(&halves, &by_rows);
        let in_rows = (points / 2 + 1) * pairs(&by_columns, &by_columns);
        let barriers = 2 * 2 * (rows * columns - 1);
        let messages = 2 * rows * columns * (rows - 1 + columns - 1) + barriers;
        let total = total_of((rows * columns) as u32, &text);
        assert_eq!(
            total,
            (2 * messages, 2 * 2 * 16 * (in_columns + in_rows)),
            "{rows} x {columns}, {points}"
        );
    }
}

#[test]
fn a_sweep_crosses_its_grid_step_by_step() {
    for (x, y, back) in [(3u64, 4u64, false), (4, 3, true), (1, 5, true), (1, 1, false)] {
        for bytes in [700, 15_000] {
            let text = format!(
                "kind: sweep, grid: [{x},{y}], message_bytes: [{bytes},9], steps: 7, iterations: 2, back: {back}, compute_ps: 50"
            );
            let (along_x, along_y) = ((x - 1) * y, x * (y - 1));
            let times = 2 * 7 * if back { 2 } else { 1 };
            let expected = (times * (along_x + along_y), times * (along_x * bytes + along_y * 9));
            assert_eq!(total_of((x * y) as u32, &text), expected);
        }
    }
}

/// A wave reaches a rank after it has crossed all earlier ranks. Waves follow each other at once.
#[test]
fn a_sweep_is_a_wave() {
    let end = |steps: u32, back: bool| {
        let text = format!(
            "kind: sweep, grid: [3,5], message_bytes: [8,8], steps: {steps}, iterations: 1, compute_ps: 1000000000, back: {back}"
        );
        let mut endpoints = endpoints(&[job("j", 0..15, &text)], 15);
        finish(&mut endpoints, 15);
        let last = |rank: u32| {
            endpoints.rank_reports(0).find(|r| r.rank == rank).and_then(|r| r.end).unwrap()
        };
        (last(0), last(14))
    };
    let stage = |time: Time| time / 1_000_000_000;
    // Six stages from corner to corner. The last rank ends step s after 6 + s compute phases.
    assert_eq!((stage(end(1, false).0), stage(end(1, false).1)), (1, 7));
    assert_eq!((stage(end(9, false).0), stage(end(9, false).1)), (9, 15));
    assert_eq!((stage(end(9, true).0), stage(end(9, true).1)), (30, 24));
}

#[test]
fn lqcd_exchanges_surfaces_for_even_and_odd_sites() {
    let grid = [2u64, 1, 3, 2];
    let (near, far) = ([500, 600, 700, 13_000], [1_000, 1_200, 1_400, 26_000]);
    let ranks: u64 = grid.iter().product();
    let text = format!(
        "kind: lqcd, grid: {grid:?}, near_bytes: {near:?}, far_bytes: {far:?}, reduction_bytes: 8, iterations: 3, compute_ps: 5, \
         residual_ps: 7"
    );
    let edges = grid.map(|extent| ranks - ranks / extent);
    let messages = 3 * (8 * edges.iter().sum::<u64>() + 2 * 2 * (ranks - 1));
    let surfaces: u64 =
        edges.iter().zip(near.iter().zip(far)).map(|(e, (near, far))| 4 * e * (near + far)).sum();
    assert_eq!(total_of(ranks as u32, &text), (messages, 3 * (surfaces + 2 * 2 * (ranks - 1) * 8)));
}

#[test]
fn lulesh_exchanges_faces_edges_and_corners_then_sweeps() {
    let n = 3u64;
    for (face, edge, corner, swept, collective) in
        [(20_000, 700, 9, 500, 240), (0, 0, 0, 500, 0), (100, 0, 50, 0, 8), (0, 0, 0, 0, 0)]
    {
        let text = format!(
            "kind: lulesh, grid: [{n},{n},{n}], message_bytes: [{face},{edge},{corner}], sweep_grid: [3,9], sweep_bytes: {swept}, \
             sweep_steps: 4, bcast_bytes: {collective}, reduce_bytes: {collective}, iterations: 2, compute_ps: 11"
        );
        let faces = 6 * n * n * (n - 1);
        let edges = 12 * n * (n - 1) * (n - 1);
        let corners = 8 * (n - 1) * (n - 1) * (n - 1);
        let sweep = 4 * (2 * 9 + 3 * 8);
        let collectives = 2 * (n * n * n - 1);
        let parts = [
            (faces, face),
            (edges, edge),
            (corners, corner),
            (sweep, swept),
            (collectives, collective),
        ];
        let sum = |of: fn(u64, u64) -> u64| {
            2 * parts.iter().map(|&(count, bytes)| of(count, bytes)).sum::<u64>()
        };
        let expected = (
            sum(|count, bytes| if bytes > 0 { count } else { 0 }),
            sum(|count, bytes| count * bytes),
        );
        assert_eq!(total_of((n * n * n) as u32, &text), expected);
    }
}

/// A stencil's peak is all its messages, or those of one direction; an alltoall's one; a tree's two.
/// The first rank of a sweep receives nothing, so its peak is all messages until the next wait.
#[test]
fn peaks_of_ingress() {
    for (text, peak) in [
        (
            "kind: stencil, grid: [3,3,3], message_bytes: [100,20000,3000], iterations: 2",
            2 * 23_100,
        ),
        (
            "kind: sweep, grid: [3,9], message_bytes: [15000,200], steps: 3, iterations: 2, back: true",
            3 * 15_200,
        ),
        (
            "kind: lulesh, grid: [3,3,3], message_bytes: [900,80,7], sweep_grid: [3,9], sweep_bytes: 10, sweep_steps: 5, \
          bcast_bytes: 8, reduce_bytes: 8, iterations: 2",
            6 * 900 + 12 * 80 + 8 * 7,
        ),
        (
            "kind: lulesh, grid: [3,3,3], message_bytes: [0,0,0], sweep_grid: [3,9], sweep_bytes: 10, sweep_steps: 5, \
          bcast_bytes: 8, reduce_bytes: 8, iterations: 2",
            5 * 20 + 2 * 8,
        ),
        (
            "kind: lqcd, grid: [3,3,3,1], near_bytes: [1000,2000,3000,4], far_bytes: [2000,4000,6000,8], reduction_bytes: 8, \
          iterations: 2",
            12_000,
        ),
        ("kind: pencil_fft, grid: [3,9], points: 9, point_bytes: 100, iterations: 2", 100 * 2 * 3),
        (
            "kind: fft3d, grid: [3,9], row_message_bytes: 70, column_message_bytes: 90, iterations: 2",
            90,
        ),
        ("kind: allreduce_loop, message_bytes: 20000, iterations: 3", 40_000),
        ("kind: uniform_random, message_bytes: 3000, iterations: 20", 3_000),
    ] {
        let mut endpoints = endpoints(&[job("j", 0..27, text)], 27);
        finish(&mut endpoints, 27);
        assert_eq!(
            endpoints.rank_reports(0).map(|r| r.totals.peak_ingress).max(),
            Some(peak),
            "{text}"
        );
    }
}

#[test]
fn allreduce_loop_moves_what_its_algorithm_does() {
    let spec = [job(
        "j",
        0..13,
        "kind: allreduce_loop, message_bytes: 30000, iterations: 4, compute_ps: 1000000",
    )];
    for (allreduce, messages) in [
        (AllreduceAlgorithm::BinaryTree, 2 * 12),
        (AllreduceAlgorithm::RecursiveDoubling, 8 * 3 + 2 * 5),
    ] {
        let mpi = MpiConfig {
            collectives: Collectives { allreduce, ..Collectives::default() },
            ..MpiConfig::default()
        };
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
    // Somewhat less than one fixed point per iteration is skipped.
    let skipped = f64::from(ranks * iterations) - messages.len() as f64;
    assert!((0.5..1.5).contains(&(skipped / f64::from(iterations))), "{skipped}");
    assert!(messages.iter().all(|m| m.bytes == 3_072 && m.source != m.destination));
    for rank in 0..ranks {
        let sent = messages.iter().filter(|m| m.source == rank).count();
        assert_eq!(sent, messages.iter().filter(|m| m.destination == rank).count());
        let mut met: Vec<u32> =
            messages.iter().filter(|m| m.source == rank).map(|m| m.destination).collect();
        met.sort_unstable();
        met.dedup();
        assert!(met.len() >= 20);
    }
}

/// A workload of one phase on a grid.
fn phase(grid: &str, phase: &str) -> String {
    format!("kind: phases, grid: {grid}, iterations: 3, phases: [{{{phase}}}]")
}

/// All phases in sequence, on twelve ranks.
const PHASES: &str = "kind: phases, grid: [2,3,2], block: [2,1,1], phases: [{phase: compute, time_ps: 500}, \
    {phase: faces, message_bytes: [20000,300,0], overlap_ps: 700, wait: each, periodic: true}, \
    {phase: around, message_bytes: [20000,300,20], wait: all, periodic: true}, \
    {phase: pairs, message_bytes: 14000, rounds: 2, wait: each}, {phase: all_to_all, dimension: 1, bytes: 40000}, \
    {phase: shift, dimension: 1, message_bytes: 13000, steps: 2}, {phase: tree, message_bytes: 900}, \
    {phase: collect, dimension: 1, message_bytes: 16384}, {phase: allreduce, message_bytes: 8, times: 2}, {phase: barrier}]";

#[test]
fn phases_of_neighbours_move_their_faces() {
    let face = |bytes: &str| {
        format!("phase: faces, message_bytes: {bytes}, overlap_ps: 900, wait: each, periodic: true")
    };
    for block in ["[]", "[2,1,2]", "[4,3,2]"] {
        let text = |phase: &str| format!("{}, block: {block}", self::phase("[4,3,2]", phase));
        // Both neighbours along the dimension of extent two are the same rank, and get one message
        // each.
        assert_eq!(total_of(24, &text(&face("[20000,300,7]"))), (3 * 24 * 6, 3 * 24 * 2 * 20_307));
        assert_eq!(total_of(24, &text(&face("[0,300,0]"))), (3 * 24 * 2, 3 * 24 * 2 * 300));
        let around = "phase: around, message_bytes: [20000,300,7], wait: all, periodic: true";
        assert_eq!(
            total_of(24, &text(around)),
            (3 * 24 * 26, 3 * 24 * (6 * 20_000 + 12 * 300 + 8 * 7))
        );
    }
    // On an open grid of 4 x 3 x 2, the numbers of pairs of neighbours that differ in one, two and
    // three dimensions.
    let open = "phase: around, message_bytes: [100,10,1], wait: all, periodic: false";
    let (faces, edges, corners) = (3 * 6 + 4 * 4 + 12, 2 * (6 * 2 + 9 + 8), 4 * 6);
    let pairs = 2 * (faces + edges + corners);
    assert_eq!(
        total_of(24, &phase("[4,3,2]", open)),
        (3 * pairs, 3 * 2 * (faces * 100 + edges * 10 + corners))
    );
}

#[test]
fn pairs_are_of_two() {
    for ranks in [2u64, 7, 12, 31] {
        let text = phase(
            &format!("[{ranks}]"),
            "phase: pairs, message_bytes: 14000, rounds: 5, wait: each",
        );
        let messages = 3 * 5 * (ranks / 2 * 2);
        assert_eq!(total_of(ranks as u32, &text), (messages, messages * 14_000));
    }
    let text = phase("[64]", "phase: pairs, message_bytes: 100, rounds: 1, wait: all");
    let mut endpoints = endpoints(&[job("j", 0..64, &text)], 64);
    finish(&mut endpoints, 64);
    let mut messages = Vec::new();
    endpoints.take_messages(&mut messages);
    let mut partners: Vec<_> = messages.iter().map(|m| (m.source, m.destination)).collect();
    assert!(partners.iter().all(|(one, other)| one != other && partners.contains(&(*other, *one))));
    partners.sort_unstable();
    partners.dedup();
    // Three equal draws of the 64 partners would give 64 pairs. By chance, one in 63 repeats.
    assert!(partners.len() > 180, "{}", partners.len());
}

#[test]
fn phases_along_a_line_move_its_members_parts() {
    for (grid, ranks, members) in
        [([4u64, 3], 12, [4u64, 3]), ([1, 5], 5, [1, 5]), ([5, 2], 10, [5, 2])]
    {
        for dimension in [0, 1] {
            let l = members[dimension];
            let of = |kind: &str| {
                total_of(
                    ranks as u32,
                    &phase(&format!("{grid:?}"), &format!("{kind}, dimension: {dimension}")),
                )
            };
            // Every line moves everything except the part that each member keeps: its own, divided
            // as evenly as possible.
            let all = of("phase: all_to_all, bytes: 50001");
            assert_eq!(all, (3 * ranks * (l - 1), 3 * ranks / l * (l - 1) * 50_001));
            let shift = of("phase: shift, message_bytes: 13000, steps: 2");
            assert_eq!(shift, if l > 1 { (6 * ranks, 6 * ranks * 13_000) } else { (0, 0) });
            let collect = of("phase: collect, message_bytes: 16384");
            assert_eq!(collect, (3 * ranks / l * (l - 1), 3 * ranks / l * (l - 1) * 16_384));
        }
    }
}

#[test]
fn a_tree_goes_up_and_down() {
    for ranks in [1u64, 2, 5, 8, 23] {
        for bytes in [900, 20_000] {
            let text =
                phase(&format!("[{ranks}]"), &format!("phase: tree, message_bytes: {bytes}"));
            assert_eq!(total_of(ranks as u32, &text), (6 * (ranks - 1), 6 * (ranks - 1) * bytes));
        }
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
        assert!(mine.iter().enumerate().all(
            |(i, r)| r.mark.iteration == i as u32 && r.end - r.start == 3_000 + r.communication
        ));
        assert_eq!(
            mine.iter().map(|r| r.communication).sum::<Time>(),
            report.totals.communication()
        );
        assert_eq!(report.totals.compute, 15_000);
        assert_eq!(report.totals.wait, report.totals.communication());
    }
}

#[test]
fn memory_does_not_grow_with_iterations() {
    for motif in [
        PHASES,
        "kind: stencil, grid: [2,3,2], message_bytes: [20000,20000,20000]",
        "kind: fft3d, grid: [3,4], row_message_bytes: 500, column_message_bytes: 13000",
        "kind: allreduce_loop, message_bytes: 100",
        "kind: pencil_fft, grid: [3,4], points: 60, point_bytes: 16",
        "kind: sweep, grid: [3,4], message_bytes: [15000,300], steps: 5, back: true",
        "kind: lqcd, grid: [2,2,3,1], near_bytes: [9,9,9,9], far_bytes: [13000,9,9,9], reduction_bytes: 8",
        "kind: lulesh, grid: [2,3,2], message_bytes: [13000,9,9], sweep_grid: [3,4], sweep_bytes: 9, sweep_steps: 4, \
         bcast_bytes: 8, reduce_bytes: 8",
    ] {
        let peaks = [20, 400].map(|iterations| {
            let jobs = [job("j", 0..12, &format!("{motif}, iterations: {iterations}"))];
            let recording =
                Recording { messages: false, iterations: false, ..Recording::default() };
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
    let mut endpoints = endpoints(
        &[job("j", 0..4, text), job("p", 4..6, "kind: pattern, pattern: uniform, load: 0.001")],
        8,
    );
    assert_eq!(endpoints.progress(), Some(0.0));
    run(&mut endpoints, &mut Ideal::new(1_000, 1), 8, 4_500_000_000);
    assert_eq!(endpoints.progress(), Some(0.4));
    assert_eq!(endpoints.ranks_ended(), (0, 4));
    assert!(!endpoints.finished());
}

/// Also inside one long iteration: progress is the share of bytes that have arrived, and 1 at the
/// end.
#[test]
fn progress_is_smooth() {
    for (motif, exact) in [
        (PHASES, true),
        ("kind: stencil, grid: [2,2,3], message_bytes: [30000,30000,30000]", true),
        ("kind: fft3d, grid: [3,4], row_message_bytes: 500, column_message_bytes: 13000", true),
        ("kind: allreduce_loop, message_bytes: 60000", true),
        ("kind: uniform_random, message_bytes: 13000", false),
        ("kind: pencil_fft, grid: [3,4], points: 60, point_bytes: 16", true),
        ("kind: sweep, grid: [3,4], message_bytes: [15000,15000], steps: 20, back: true", true),
        (
            "kind: lulesh, grid: [2,3,2], message_bytes: [20000,9,9], sweep_grid: [3,4], sweep_bytes: 900, sweep_steps: 9, \
          bcast_bytes: 8, reduce_bytes: 8",
            true,
        ),
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
            assert!(
                steps.windows(2).all(|w| w[0] <= w[1] && w[1] - w[0] < 0.3),
                "{motif}: {steps:?}"
            );
            let (before, _, finished) = until(end - 1);
            assert!(!finished && before < 1.0 || !exact, "{motif}: {before}");
            assert!(!exact || before > 0.99, "{motif}: {before}");
        }
    }
}

/// Messages, and packets as (time, node, destination, bytes).
type Deeds = (Vec<MessageRecord>, Vec<(Time, u32, u32, u32)>);

/// All messages and packets of a job, without the job's number.
fn deeds(jobs: &[JobSpec], which: usize) -> Deeds {
    let mut endpoints = endpoints_on(jobs, &MpiConfig::default(), 64, 5).unwrap();
    let mut network = Ideal::new(1_000_000, 40);
    run(&mut endpoints, &mut network, 64, 300_000_000);
    let mut messages = Vec::new();
    endpoints.take_messages(&mut messages);
    messages.retain(|m| usize::from(m.job) == which);
    messages.iter_mut().for_each(|m| m.job = 0);
    let packets = network.offered.iter().filter(|o| usize::from(o.2.job) == which);
    (
        messages,
        packets
            .map(|(time, node, packet)| (*time, *node, packet.destination, packet.bytes))
            .collect(),
    )
}

#[test]
fn a_job_does_the_same_alone_and_in_company() {
    let target = [
        job(
            "pairs",
            0..16,
            "kind: phases, grid: [16], iterations: 30, phases: [{phase: compute, time_ps: 700}, \
             {phase: pairs, message_bytes: 14000, rounds: 1, wait: all}]",
        ),
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
    #![proptest_config(pantala_testing::cases(24))]

    /// Several jobs on a network that reorders packets: all end, and nothing remains or is lost.
    #[test]
    fn jobs_end_on_a_reordering_network(
        seed: u64, ranks in 2u32..12, bytes in 1u64..30_000, threshold in 0u64..20_000, jitter in 1u32..5_000_000,
    ) {
        let jobs = [
            job("ur", 0..ranks, &format!("kind: uniform_random, iterations: 12, message_bytes: {bytes}")),
            job("halo", 12..36, &format!("kind: stencil, grid: [2,3,4], message_bytes: [{bytes},{bytes},{bytes}], iterations: 4, periodic: true")),
            job("fft", 36..48, &format!("kind: fft3d, grid: [3,4], row_message_bytes: {bytes}, column_message_bytes: 9, iterations: 2")),
            job("cosmo", 48..48 + ranks, &format!("kind: allreduce_loop, message_bytes: {bytes}, iterations: 4")),
            job("pencils", 60..72, &format!("kind: pencil_fft, grid: [3,4], points: 13, point_bytes: {}, iterations: 2", bytes / 30 + 1)),
            job("lu", 72..84, &format!("kind: sweep, grid: [3,4], message_bytes: [{bytes},9], steps: 5, iterations: 2, back: true")),
            job("lqcd", 84..96, &format!("kind: lqcd, grid: [2,1,3,2], near_bytes: [9,9,{bytes},9], far_bytes: [{bytes},9,9,9], reduction_bytes: 8, iterations: 2")),
            job("lulesh", 96..108, &format!("kind: lulesh, grid: [2,3,2], message_bytes: [{bytes},90,9], sweep_grid: [3,4], sweep_bytes: {bytes}, sweep_steps: 4, bcast_bytes: 8, reduce_bytes: 8, iterations: 2")),
            job("phases", 108..120, &format!("{PHASES}, iterations: 3")),
        ];
        let mpi = MpiConfig { eager_threshold_bytes: threshold, ..MpiConfig::default() };
        let mut endpoints = endpoints_on(&jobs, &mpi, 120, seed).unwrap();
        let mut network = Ideal::reordering(1_000, 1, jitter, seed);
        run(&mut endpoints, &mut network, 120, Time::MAX);
        prop_assert_eq!(endpoints.errors(), &[]);
        prop_assert!(endpoints.finished(), "{:#?}", endpoints.blocked_report());
        let held = endpoints.holdings();
        prop_assert_eq!((held.messages, held.receives, held.sends), (0, 0, 0));
        let mut messages = Vec::new();
        endpoints.take_messages(&mut messages);
        for job in 0..9 {
            let count = messages.iter().filter(|m| m.job == job).count() as u64;
            prop_assert_eq!(endpoints.message_statistics(job).unwrap().count(), count);
        }
        let sent: u64 = endpoints.rank_reports(0).map(|r| r.totals.bytes_sent).sum();
        prop_assert_eq!(messages.iter().map(|m| m.bytes).sum::<u64>(), sent);
        for report in endpoints.rank_reports(0) {
            prop_assert_eq!(report.end.unwrap() - report.start.unwrap(), report.totals.compute + report.totals.communication());
        }
    }
}
