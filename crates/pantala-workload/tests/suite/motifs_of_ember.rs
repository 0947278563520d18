//! The motifs of Ember on an ideal network: closed forms of their volume, their order, and their
//! end whatever the protocol.

use crate::support::{endpoints, endpoints_on, finish, job, workload_of};
use pantala_mpi::MpiConfig;
use pantala_workload::Endpoints;
use proptest::prelude::*;

/// Messages and bytes of job 0. The numbers sent and received must agree.
fn totals(endpoints: &Endpoints) -> (u64, u64) {
    let sum = endpoints.rank_reports(0).fold([0; 4], |s, r| {
        let a = r.totals;
        [
            s[0] + a.messages_sent,
            s[1] + a.bytes_sent,
            s[2] + a.messages_received,
            s[3] + a.bytes_received,
        ]
    });
    assert_eq!((sum[0], sum[1]), (sum[2], sum[3]));
    (sum[0], sum[1])
}

/// Messages and bytes of a job, with messages above 1000 B by rendezvous.
fn total_of(ranks: u32, workload: &str) -> (u64, u64) {
    let mpi = MpiConfig { eager_threshold_bytes: 1_000, ..MpiConfig::default() };
    let mut endpoints = endpoints_on(&[job("j", 0..ranks, workload)], &mpi, ranks, 1).unwrap();
    finish(&mut endpoints, ranks);
    totals(&endpoints)
}

/// The fault of a workload on a number of ranks.
fn fault_of(ranks: u32, workload: &str) -> String {
    workload_of(workload).check(ranks).unwrap_err().to_string()
}

#[test]
fn a_loop_repeats_its_collective() {
    let ranks = 10;
    let others = ranks - 1;
    for (call, messages, bytes) in [
        ("collective: barrier", 2 * others, 0),
        ("collective: bcast, root: 3, bytes: 70", others, 70),
        ("collective: reduce, root: 9, bytes: 7000", others, 7_000),
        ("collective: allreduce, bytes: 7000", 2 * others, 7_000),
        ("collective: alltoall, bytes: 50", ranks * others, 50),
        ("collective: alltoallv, bytes: 5000", ranks * others, 5_000),
    ] {
        let text =
            format!("kind: collective_loop, call: {{{call}}}, iterations: 3, compute_ps: 40");
        let expected = (3 * messages, 3 * messages * bytes);
        assert_eq!(total_of(ranks as u32, &text), expected, "{call}");
    }
    for (call, blocks) in [
        ("collective: allgather, bytes: 40", ranks * others),
        ("collective: allgatherv, bytes: 40", ranks * others),
    ] {
        let text = format!("kind: collective_loop, call: {{{call}}}, iterations: 2");
        assert_eq!(total_of(ranks as u32, &text).1, 2 * 40 * blocks, "{call}");
    }
    for call in
        ["collective: scatter, root: 1, bytes: 40", "collective: scatterv, root: 9, bytes: 40"]
    {
        let text = format!("kind: collective_loop, call: {{{call}}}, iterations: 2");
        assert_eq!(total_of(ranks as u32, &text).0, 2 * others, "{call}");
    }
    assert!(
        fault_of(
            4,
            "kind: collective_loop, call: {collective: bcast, root: 4, bytes: 1}, iterations: 1"
        )
        .contains("write a rank from 0 to 3")
    );
}

#[test]
fn pairs_send_back_and_forth() {
    for style in ["blocking", "wait", "waitall"] {
        for bytes in [0, 800, 90_000] {
            let text = format!(
                "kind: ping_pong, partner: 2, message_bytes: {bytes}, iterations: 5, send: {style}, receive: {style}"
            );
            assert_eq!(total_of(4, &text), (10, 10 * bytes));
        }
    }
    for both in [false, true] {
        let text = format!(
            "kind: ping_pong, message_bytes: 5000, iterations: 5, both_at_once: {both}, compute_ps: 7"
        );
        assert_eq!(total_of(8, &text), (5 * 8, 5 * 8 * 5_000));
    }
    assert!(
        fault_of(4, "kind: ping_pong, partner: 4, message_bytes: 1, iterations: 1")
            .contains("1 to 3")
    );
    assert!(fault_of(3, "kind: ping_pong, message_bytes: 1, iterations: 1").contains("even"));
}

/// The lower rank sends first: with one iteration, rank 0 ends last.
#[test]
fn a_ping_comes_before_its_pong() {
    let text = "kind: ping_pong, partner: 1, message_bytes: 100, iterations: 1";
    let mut endpoints = endpoints(&[job("j", 0..2, text)], 2);
    finish(&mut endpoints, 2);
    let ends: Vec<_> = endpoints.rank_reports(0).map(|report| report.end.unwrap()).collect();
    assert!(ends[0] > ends[1], "{ends:?}");
}

#[test]
fn a_token_goes_around() {
    for ranks in [2, 3, 11] {
        let text = "kind: token_ring, message_bytes: 5000, iterations: 4";
        assert_eq!(total_of(ranks, text), (4 * u64::from(ranks), 4 * u64::from(ranks) * 5_000));
    }
    assert!(fault_of(1, "kind: token_ring, message_bytes: 5, iterations: 4").contains("2 ranks"));
}

#[test]
fn many_send_to_one_or_a_few() {
    let text = "kind: incast, target: 3, message_bytes: 5000, iterations: 4";
    assert_eq!(total_of(9, text), (32, 32 * 5_000));
    for receives in [1, 2, 7, 1000] {
        let text = format!(
            "kind: many_to_many, targets: [1,5], receives: {receives}, message_bytes: 5000, iterations: 4"
        );
        // A barrier of nine ranks moves 16 messages without bytes.
        assert_eq!(total_of(9, &text), (16 + 4 * 7 * 2, 4 * 7 * 2 * 5_000), "{receives}");
    }
    let fault = |targets: &str| {
        fault_of(
            3,
            &format!(
                "kind: many_to_many, targets: [{targets}], receives: 1, message_bytes: 1, iterations: 1"
            ),
        )
    };
    assert!(fault("0,0").contains("once") && fault("3").contains("0 to 2"));
    assert!(fault("0,1,2").contains("leave out"));
}

#[test]
fn a_message_rate_floods_one_rank() {
    let text = "kind: message_rate, messages: 40, message_bytes: 5000, iterations: 3";
    assert_eq!(total_of(2, text), (3 * (40 + 2), 3 * 40 * 5_000));
    assert!(fault_of(3, text).contains("2 ranks"));
}

const LINE: &str = "[send_down,receive_up,send_up,receive_down]";
const RECEIVE_FIRST: &str = "[receive_up,send_up,receive_down,send_down]";
const SEND_FIRST: &str = "[send_up,receive_up,send_down,receive_down]";

fn exchange(dimension: u32, bytes: u64, parity: &str, even: &str, odd: &str) -> String {
    format!(
        "{{dimension: {dimension}, message_bytes: {bytes}, compute_ps: 9, parity: {parity}, even: {even}, odd: {odd}}}"
    )
}

#[test]
fn ordered_exchanges_end_on_any_grid() {
    for ranks in 2..9u64 {
        let line = exchange(0, 5_000, "rank", LINE, LINE);
        let text =
            format!("kind: ordered_exchange, grid: [{ranks}], exchanges: [{line}], iterations: 3");
        let messages = 3 * 2 * (ranks - 1);
        assert_eq!(total_of(ranks as u32, &text), (messages, messages * 5_000));
    }
    for [x, y, z] in [[3u64, 4, 5], [4, 3, 2], [1, 2, 7], [5, 1, 1], [2, 2, 2]] {
        let ranks = x * y * z;
        let exchanges: Vec<String> =
            (0..3).map(|d| exchange(d, 5_000, "coordinate", RECEIVE_FIRST, SEND_FIRST)).collect();
        let text = format!(
            "kind: ordered_exchange, grid: [{x},{y},{z}], exchanges: [{}], iterations: 2",
            exchanges.join(",")
        );
        let messages = 2 * 2 * (3 * ranks - ranks / x - ranks / y - ranks / z);
        assert_eq!(total_of(ranks as u32, &text), (messages, messages * 5_000), "{x} {y} {z}");
    }
}

/// Ember's Halo2D and Halo2DNBR: x by the parity of the rank, y by the parity of the row.
#[test]
fn halos_in_two_dimensions_end_on_any_grid() {
    for (x, y) in [(1u64, 2u64), (2, 2), (3, 3), (4, 3), (3, 4), (5, 2), (2, 5), (7, 1)] {
        let ranks = x * y;
        let blocking = [
            exchange(
                0,
                5_000,
                "rank",
                RECEIVE_FIRST,
                "[send_down,receive_down,send_up,receive_up]",
            ),
            exchange(
                1,
                9,
                "coordinate",
                "[receive_down,send_down,receive_up,send_up]",
                "[send_up,receive_up,send_down,receive_down]",
            ),
        ];
        let mixed = [
            exchange(
                0,
                5_000,
                "rank",
                "[exchange_up,exchange_down]",
                "[exchange_down,exchange_up]",
            ),
            exchange(
                1,
                9,
                "coordinate",
                "[exchange_down,exchange_up]",
                "[exchange_up,exchange_down]",
            ),
        ];
        for exchanges in [blocking, mixed] {
            let text = format!(
                "kind: ordered_exchange, grid: [{x},{y}], exchanges: [{}], iterations: 3",
                exchanges.join(",")
            );
            let (along_x, along_y) = (6 * (ranks - y), 6 * (ranks - x));
            let expected = (along_x + along_y, along_x * 5_000 + along_y * 9);
            assert_eq!(total_of(ranks as u32, &text), expected, "{x} {y}");
        }
    }
}

#[test]
fn surroundings_exchange_faces_edges_and_corners() {
    for [x, y, z] in [[3u64, 4, 5], [4, 1, 2], [2, 2, 2], [1, 1, 1]] {
        let text = format!(
            "kind: surrounding_exchange, grid: [{x},{y},{z}], face_bytes: [5000,600,70], edge_bytes: [30,20,10], corner_bytes: 3, \
             iterations: 2, compute_ps: 9, start_delay_ps: 4"
        );
        let faces = [(x - 1) * y * z, x * (y - 1) * z, x * y * (z - 1)].map(|each| 2 * 2 * each);
        let edges = [x * (y - 1) * (z - 1), (x - 1) * y * (z - 1), (x - 1) * (y - 1) * z];
        let edges = edges.map(|each| 2 * 4 * each);
        let corners = 2 * 8 * (x - 1) * (y - 1) * (z - 1);
        let bytes = faces[0] * 5_000 + faces[1] * 600 + faces[2] * 70;
        let bytes = bytes + edges[0] * 30 + edges[1] * 20 + edges[2] * 10 + corners * 3;
        let messages = faces.iter().sum::<u64>() + edges.iter().sum::<u64>() + corners;
        assert_eq!(total_of((x * y * z) as u32, &text), (messages, bytes));
    }
}

#[test]
fn a_stencil_can_exchange_in_chunks_and_reduce_sometimes() {
    let text = "kind: stencil, exchange: by_dimension, grid: [2,3,2], message_bytes: [5000,600,70], exchanges: 4, iterations: 5, \
                compute_ps: 9, copy_ps: 3, reduction_bytes: 8, reduction_interval: 2";
    let faces = [2 * 6, 2 * 8, 2 * 6].map(|each| 5 * 4 * each);
    let (reductions, bytes) = (3 * 2 * 11, faces[0] * 5_000 + faces[1] * 600 + faces[2] * 70);
    let messages = faces.iter().sum::<u64>() + reductions;
    assert_eq!(total_of(12, text), (messages, bytes + reductions * 8));
}

const CORNERS: &str = "[{ways: [up,up], tag: 1000}, {ways: [down,up], tag: 2000}, \
                       {ways: [down,down], tag: 3000}, {ways: [up,down], tag: 4000}]";

#[test]
fn sweeps_start_from_all_corners() {
    for (x, y) in [(3u64, 4u64), (4, 3), (1, 5), (5, 1), (1, 1), (2, 2)] {
        for bytes in [700, 15_000] {
            let text = format!(
                "kind: corner_sweeps, grid: [{x},{y}], message_bytes: [{bytes},9], sweeps: {CORNERS}, steps: 5, rounds: 2, \
                 iterations: 3, compute_ps: 50"
            );
            let times = 4 * 5 * 2 * 3;
            let (along_x, along_y) = (times * (x - 1) * y, times * x * (y - 1));
            let expected = (along_x + along_y, along_x * bytes + along_y * 9);
            assert_eq!(total_of((x * y) as u32, &text), expected);
        }
    }
    let line = "kind: corner_sweeps, grid: [6,1], message_bytes: [2000,0], sweeps: [{ways: [up,up], tag: 1000}, {ways: [down,up], tag: 2000}], \
                steps: 4, rounds: 1, iterations: 2";
    assert_eq!(total_of(6, line), (2 * 2 * 4 * 5, 2 * 2 * 4 * 5 * 2_000));
    assert!(fault_of(6, &line.replace("2000}", "4000000000}")).contains("2^31"));
}

#[test]
fn a_graph_moves_a_message_per_edge_and_way() {
    let text = "kind: graph_exchange, neighbours: [[1,2,3],[0,2],[0,1],[0]], message_bytes: 5000, iterations: 3, compute_ps: 4";
    assert_eq!(total_of(4, text), (3 * 8, 3 * 8 * 5_000));
    assert!(fault_of(3, text).contains("4 vertices"));
    assert!(
        fault_of(2, "kind: graph_exchange, neighbours: [[1],[]], message_bytes: 1, iterations: 1")
            .contains("symmetric")
    );
}

#[test]
fn idle_ranks_end_at_once() {
    assert_eq!(total_of(3, "kind: idle"), (0, 0));
}

proptest! {
    #![proptest_config(pantala_testing::cases(32))]

    /// Blocking sends along the edges of any graph end, because each rank takes its neighbours in
    /// ascending order.
    #[test]
    fn graphs_never_deadlock(ranks in 2u32..14, edges in prop::collection::vec((0u32..14, 0u32..14), 0..60), bytes in 0u64..9_000) {
        let mut neighbours = vec![std::collections::BTreeSet::new(); ranks as usize];
        for (a, b) in edges {
            let (a, b) = (a % ranks, b % ranks);
            if a != b {
                neighbours[a as usize].insert(b);
                neighbours[b as usize].insert(a);
            }
        }
        let lists: Vec<Vec<u32>> = neighbours.into_iter().map(|each| each.into_iter().collect()).collect();
        let messages: u64 = lists.iter().map(|each| each.len() as u64).sum();
        let text = format!("kind: graph_exchange, neighbours: {lists:?}, message_bytes: {bytes}, iterations: 2");
        prop_assert_eq!(total_of(ranks, &text), (2 * messages, 2 * messages * bytes));
    }
}
