//! The operations of SST's motifs, in their order (Kang et al., SC 2022).

use crate::support::workload_of;
use pantala_mpi::{Incoming, Op, OperationStream, Outcome, Source};
use pantala_workload::{JobOperations, Noise, RankOperations, Workload};

/// The operations of a rank, one word or two each: the call, and the partner or the time.
fn operations(rank: u32, ranks: u32, workload: &str) -> String {
    let spec = workload_of(workload);
    spec.check(ranks).unwrap();
    let Workload::Programs(programs @ JobOperations::Motif(_)) = Workload::from(spec) else {
        unreachable!("not a motif")
    };
    let mut program = RankOperations::new(&programs, rank, ranks, "j", 1, Noise::default());
    let partner = |incoming: &Incoming| match incoming.source {
        Source::Rank(rank) => rank,
        Source::Any => u32::MAX,
    };
    let mut words = Vec::new();
    while let Some(op) = program.next(0, &Outcome::Done) {
        words.push(match &op {
            Op::Compute(time) => format!("compute {time}"),
            Op::Irecv(incoming, _) | Op::Recv(incoming) => {
                format!("{} {}x{}", op.name(), partner(incoming), incoming.bytes)
            }
            Op::Collective(communicator, call) => format!("{} {communicator}", call.kind().name()),
            Op::IterationStart(mark) => {
                let phase =
                    mark.phase.map_or(String::new(), |phase| format!(" {}", phase.as_str()));
                format!("({}{phase}", mark.iteration)
            }
            Op::IterationEnd => ")".into(),
            Op::Wait(request) => format!("wait {request}"),
            _ => op.sent().map_or(op.name().into(), |outgoing| {
                format!("{} {}x{}", op.name(), outgoing.destination, outgoing.bytes)
            }),
        });
    }
    words.join(", ")
}

#[test]
fn halo3d_goes_by_dimension() {
    assert_eq!(
        operations(
            1,
            12,
            "kind: stencil, grid: [3,2,2], message_bytes: [10,20,30], iterations: 1, compute_ps: 5, \
             exchange: by_dimension, copy_ps: 7, reduction_bytes: 8, start_delay_ps: 9"
        ),
        "compute 9, (0, compute 5, irecv 0x10, irecv 2x10, send 0x10, send 2x10, wait 0, wait 1, \
         compute 7, irecv 4x20, send 4x20, wait 0, compute 7, irecv 7x30, send 7x30, wait 0, compute 7, \
         allreduce 0, )"
    );
}

#[test]
fn stencil_nd_goes_up_and_then_down() {
    assert_eq!(
        operations(
            4,
            9,
            "kind: stencil, grid: [3,3], message_bytes: [10,20], iterations: 1, \
             exchange: upper_then_lower"
        ),
        "(0, irecv 5x10, irecv 7x20, send 5x10, send 7x20, irecv 3x10, irecv 1x20, send 3x10, \
         send 1x20, wait 0, wait 1, wait 2, wait 3, )"
    );
}

/// Rank 1 of a grid of 2 x 4 x 1 x 2 has neighbours above along y and t, and one below along x.
#[test]
fn lqcd_gathers_near_and_far_above_and_below() {
    let parity = "irecv 3x20, irecv 9x40, send 3x20, send 9x40, irecv 3x60, irecv 9x80, send 3x60, \
        send 9x80, irecv 0x10, send 0x10, irecv 0x50, send 0x50, wait 0, wait 1, wait 2, wait 3, \
        compute 5, wait 4, wait 5, compute 5";
    assert_eq!(
        operations(
            1,
            16,
            "kind: lqcd, grid: [2,4,1,2], near_bytes: [10,20,30,40], far_bytes: [50,60,70,80], \
             reduction_bytes: 8, iterations: 1, compute_ps: 5, residual_ps: 6, start_delay_ps: 9"
        ),
        format!("compute 9, (0, {parity}, {parity}, allreduce 0, compute 6, allreduce 0, )")
    );
}

/// Below, the dimensions are in falling order.
#[test]
fn lqcd_goes_down_from_the_last_dimension() {
    let found = operations(
        15,
        16,
        "kind: lqcd, grid: [2,2,2,2], near_bytes: [10,20,30,40], far_bytes: [50,60,70,80], \
         reduction_bytes: 8, iterations: 1",
    );
    let first = "(0, irecv 7x40, irecv 11x30, irecv 13x20, irecv 14x10, send 7x40, send 11x30, \
        send 13x20, send 14x10, irecv 7x80";
    assert!(found.starts_with(first), "{found}");
}

#[test]
fn a_sweep_blocks_in_every_call() {
    assert_eq!(
        operations(
            1,
            6,
            "kind: sweep, grid: [3,2], message_bytes: [10,20], steps: 1, iterations: 1, back: true, \
             compute_ps: 5"
        ),
        "(0, recv 0x10, compute 5, send 2x10, send 4x20, recv 2x10, recv 4x20, compute 5, send 0x10, )"
    );
}

#[test]
fn lulesh_reports_each_phase() {
    assert_eq!(
        operations(
            0,
            4,
            "kind: lulesh, grid: [2,2,1], message_bytes: [10,20,30], sweep_grid: [4,1], sweep_bytes: 7, \
             sweep_steps: 2, bcast_bytes: 8, reduce_bytes: 8, iterations: 1, compute_ps: 5"
        ),
        "(0 bcast, bcast 0, compute 5, ), (0 reduce, reduce 0, compute 5, ), (0 nn26, irecv 1x10, \
         irecv 2x10, irecv 3x20, isend 1x10, isend 2x10, isend 3x20, waitall, compute 5, ), (0 sweep, \
         send 1x7, send 1x7, compute 5, )"
    );
}

#[test]
fn fft3d_makes_and_frees_its_communicators() {
    assert_eq!(
        operations(
            1,
            6,
            "kind: pencil_fft, grid: [3,2], points: 8, point_bytes: 16, iterations: 1, \
             compute_forward_ps: [1,2,3], compute_backward_ps: [4,5,6], communicator_barriers: true, \
             start_delay_ps: 9"
        ),
        "barrier 0, barrier 0, compute 9, (0, compute 1, alltoallv 2, compute 2, alltoallv 1, compute 3, \
         barrier 0, compute 4, alltoallv 1, compute 5, alltoallv 2, compute 6, barrier 0, ), barrier 1, \
         barrier 2"
    );
}

#[test]
fn uniform_random_sends_before_it_receives() {
    let text = "kind: uniform_random, iterations: 2, message_bytes: 10, messages: 2, compute_ps: 5";
    let iteration = "isend DxB, isend DxB, irecv SxB, irecv SxB, waitall";
    let found = operations(0, 12, text);
    // SST's permutations of seeds 12 and 13.
    let expected = |at: u32, source: u32, destination: u32| {
        let partners = iteration.replace('D', &destination.to_string()).replace('B', "10");
        format!("({at}, compute 5, {}, )", partners.replace('S', &source.to_string()))
    };
    assert!(found.starts_with(&expected(0, 1, 11)), "{found}");
}

#[test]
fn training_can_have_barriers() {
    assert_eq!(
        operations(0, 2, "kind: allreduce_loop, message_bytes: 8, iterations: 1, barrier: true"),
        "(0, allreduce 0, barrier 0, )"
    );
}

/// BoxLib's MultiGrid on 125 ranks, as its recorded rank 0 ran it: one cycle on boxes of 64 cells a
/// side.
fn recorded_multigrid() -> String {
    "kind: multigrid, grid: [5,5,5], points: [64,64,64], point_bytes: 8, levels: 6, sweeps_down: 5, \
     sweeps_up: 4, coarse_sum_bytes: [[8,8],[8,8],[16,8,8],[8,8]], before_sum_bytes: [[],[16,8]], after_sum_bytes: [[16]], \
     periodic: true, blocking: true, corners_from: 6, far_from: 6, iterations: 1"
        .into()
}

#[test]
fn multigrid_sends_what_the_recorded_rank_sends() {
    let mut to = std::collections::BTreeMap::<u32, (u64, Vec<u64>)>::new();
    let text = operations(0, 125, &recorded_multigrid());
    for word in text.split(", ") {
        let Some((rank, bytes)) = word.strip_prefix("send ").and_then(|w| w.split_once('x')) else {
            continue;
        };
        let (count, sizes) = to.entry(rank.parse().unwrap()).or_default();
        *count += 1;
        sizes.push(bytes.parse().unwrap());
    }
    assert!(to.values().all(|(count, _)| *count == 52));
    let mut sums: Vec<u64> = to.values().map(|(_, sizes)| sizes.iter().sum()).collect();
    sums.sort_unstable();
    assert_eq!(sums, [[416; 7].as_slice(), &[10_528; 9], &[491_264; 6]].concat());
    let faces = &to[&1].1;
    let exchanges: Vec<usize> = (0..6)
        .map(|level| faces.iter().filter(|bytes| **bytes == 32_768 >> (2 * level)).count())
        .collect();
    assert_eq!(exchanges, [12, 9, 9, 9, 9, 4]);
}

#[test]
fn multigrid_orders_its_calls_as_the_recorded_rank() {
    // A word per run of equal calls: the exchange's largest message, or the bytes of a sum.
    let mut runs: Vec<(String, u32)> = Vec::new();
    for word in operations(0, 125, &recorded_multigrid()).split(", ") {
        let (call, rest) = word.split_once(' ').unwrap_or((word, ""));
        let word = match call {
            "irecv" | "send" => call.to_owned(),
            "waitall" => "waitall".into(),
            "allreduce" => format!("sum{rest}"),
            _ => continue,
        };
        match runs.last_mut() {
            Some((last, count)) if *last == word && word != "waitall" => *count += 1,
            _ => runs.push((word, 1)),
        }
    }
    let mut text = runs
        .iter()
        .map(|(word, count)| if *count == 1 { word.clone() } else { format!("{word}*{count}") })
        .collect::<Vec<_>>()
        .join(" ");
    // Each exchange: 3 ranks inside the domain, then 19 across its boundary.
    text = text.replace("irecv*3 send*3 waitall irecv*19 send*19 waitall", "X");
    text = text.replace("sum0*2", "sum0 sum0");
    let levels = vec!["X"; 25].join(" ");
    let way_up = vec!["X"; 20 + 1].join(" ");
    let bottom = "X sum0 sum0 X sum0 sum0 X sum0*3 X sum0 sum0";
    assert_eq!(text, format!("X X sum0 sum0 {levels} {bottom} {way_up} sum0"));
}
