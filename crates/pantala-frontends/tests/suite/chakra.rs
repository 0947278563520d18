//! Chakra traces on an ideal network: times of small graphs, process groups, and files that are
//! wrong.

use std::path::Path;
use std::sync::Arc;

use pantala_frontends::chakra::ChakraTrace;
use pantala_frontends::trace::{ComputeTimes, TraceFile, TraceFormat, TraceSpec, identify};
use pantala_mpi::{Call, Op, RankContext};

use crate::chakra_writer::{Folder, Node, content};
use crate::network::{Ended, LATENCY, PER_BYTE, run};

const US: u64 = 1_000_000;

fn spec() -> TraceSpec {
    TraceSpec {
        format: TraceFormat::Chakra,
        path: String::new(),
        hash: String::new(),
        compute: ComputeTimes::Recorded,
        compute_scale_millionths: 1_000_000,
        amplification: 1,
        opened: Default::default(),
    }
}

fn replay(ranks: &[Vec<Node>]) -> Ended {
    let folder = Folder::trace(ranks, true);
    let trace = Arc::new(ChakraTrace::open(folder.path()).unwrap());
    trace.check().unwrap();
    assert_eq!(trace.ranks() as usize, ranks.len());
    run(trace.ranks(), |rank| {
        let context = RankContext::new(rank, trace.ranks(), "job", 1);
        (trace.program(spec().compute_scale(), rank), trace.communicators(&context))
    })
}

#[test]
fn a_device_computes_beside_a_transfer_and_beside_the_host() {
    for micros in [3, 30] {
        let ended = replay(&[
            vec![
                Node::compute(0, micros, false, &[]),
                Node::receive(1, 1, 1_000_000, &[]),
                Node::compute(2, 2, true, &[]),
                Node::compute(3, 1, false, &[0, 1]),
            ],
            vec![Node::send(0, 0, 1_000_000, &[])],
        ]);
        let ended = ended.good();
        // 1 MB is a rendezvous message: a request and an answer go before it.
        let transfer = 10 * US;
        assert!(ended.end >= (micros * US).max(transfer) + US);
        assert!(ended.end <= (micros * US).max(transfer + 10 * LATENCY) + US, "{}", ended.end);
    }
}

/// A send of Chakra is complete without a receive, at any size (ASTRA-sim): the receive may depend
/// on the end of the send.
#[test]
fn a_send_of_any_size_needs_no_receive() {
    for bytes in [8, 12_000, 131_072, 1_000_000] {
        let ended = replay(&[
            vec![Node::send(0, 1, bytes, &[]), Node::receive(1, 1, bytes, &[0])],
            vec![Node::send(0, 0, bytes, &[]), Node::receive(1, 0, bytes, &[0])],
        ])
        .good();
        // Both messages cross the network at once, and nothing goes before or after them.
        assert_eq!(ended.end, bytes as u64 * PER_BYTE + LATENCY, "{bytes} bytes");
    }
}

/// A node that depends on a long send starts when the message has left.
#[test]
fn a_long_send_is_complete_when_its_message_has_left() {
    let compute = |micros| Node::compute(1, micros, false, &[0]);
    let ended = replay(&[
        vec![Node::send(0, 1, 131_072, &[]), compute(1)],
        vec![Node::compute(0, 90, false, &[]), Node::receive(1, 0, 131_072, &[0])],
    ])
    .good();
    assert_eq!(ended.names(0), ["send", "compute"]);
    // The last packet of 4,096 B leaves the queue when its first byte does.
    let (computed, ..) =
        ended.log.iter().find(|(_, r, op)| *r == 0 && op.name() == "compute").unwrap();
    assert_eq!(*computed, (131_072 - 4_096) * PER_BYTE);
    assert_eq!(ended.end, 90 * US);
}

#[test]
fn a_device_does_one_computation_after_the_other() {
    let computations = |host: [bool; 3]| {
        replay(&[(0..3).map(|i| Node::compute(i, 4, host[i as usize], &[])).collect()])
    };
    assert_eq!(computations([false, false, false]).good().end, 12 * US);
    assert_eq!(computations([false, true, false]).good().end, 8 * US);
}

#[test]
fn a_collective_overlaps_with_computing() {
    let rank = || {
        vec![
            Node::collective(5, 0, 4_096, "", &[]),
            Node::compute(6, 50, false, &[]),
            Node::compute(9, 1, false, &[5, 6]),
        ]
    };
    let ended = replay(&[rank(), rank(), rank(), rank()]).good();
    assert_eq!(ended.end, 51 * US);
    assert_eq!(ended.names(2), ["iallreduce", "icompute", "waitsome", "waitsome", "compute"]);
}

#[test]
fn groups_are_the_ranks_that_name_them_and_keep_the_order_of_the_file() {
    // Ranks 0 and 2 form the group "even". Rank 2 could start its second collective first.
    let even = |first: &[u64]| {
        vec![
            Node::compute(0, 7, false, &[]),
            Node::collective(1, 2, 64, "even", first),
            Node::collective(2, 6, 64, "even", &[]),
        ]
    };
    let ended = replay(&[even(&[]), vec![Node::compute(0, 1, true, &[])], even(&[0])]).good();
    let calls = |rank: u32| -> Vec<Call> {
        let op = |op: &Op| match op {
            Op::Collective(1, call) | Op::Icollective(1, call, _) => Some(call.clone()),
            _ => None,
        };
        let own = ended.log.iter().filter(|(_, r, _)| *r == rank);
        own.filter_map(|(_, _, operation)| op(operation)).collect()
    };
    let expected = [Call::Allgather { bytes: 64 }, Call::Alltoall { bytes: 32 }];
    assert_eq!((calls(0), calls(2)), (expected.to_vec(), expected.to_vec()));
}

#[test]
fn sizes_of_collectives_are_those_of_the_send_buffer() {
    let kinds = 0..10;
    let ranks: Vec<Vec<Node>> =
        (0..4)
            .map(|_| {
                let node =
                    |kind: i64| Node::collective(kind as u64, kind, 1_001, "", &[kind as u64 - 1]);
                kinds
                    .clone()
                    .map(|kind| {
                        if kind == 0 { Node::collective(0, 0, 1_001, "", &[]) } else { node(kind) }
                    })
                    .collect()
            })
            .collect();
    let ended = replay(&ranks).good();
    let calls: Vec<Call> = ended
        .log
        .iter()
        .filter(|(_, rank, _)| *rank == 1)
        .map(|(_, _, op)| match op {
            Op::Collective(0, call) => call.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    let (bytes, block, root) = (1_001, 251, 0);
    let expected = [
        Call::Allreduce { bytes },
        Call::Reduce { root, bytes },
        Call::Allgather { bytes },
        Call::Gather { root, bytes },
        Call::Scatter { root, bytes: block },
        Call::Bcast { root, bytes },
        Call::Alltoall { bytes: block },
        Call::ReduceScatterBlock { bytes: block },
        Call::ReduceScatterBlock { bytes: block },
        Call::Barrier,
    ];
    assert_eq!(calls, expected);
}

#[test]
fn dependencies_on_absent_and_later_nodes() {
    // 3 and 99 do not exist; node 10 waits for node 4, which comes later in an unordered file.
    let ended = replay(&[vec![
        Node::compute(10, 5, false, &[4, 99]),
        Node::compute(4, 6, true, &[3]),
        Node::compute(7, 1, true, &[10]),
    ]]);
    assert_eq!(ended.good().end, 12 * US);
    let ended =
        replay(&[vec![Node::compute(1, 5, false, &[2, 99]), Node::compute(2, 6, true, &[0])]]);
    assert_eq!(ended.good().end, 11 * US);
}

/// A node waits for its dependencies of control, too; one that is of both kinds counts once.
#[test]
fn dependencies_of_control_are_waited_for() {
    let after = |control: &[u64], deps: &[u64]| {
        let last = Node { control: control.to_vec(), ..Node::compute(2, 1, true, deps) };
        let ended = replay(&[vec![
            Node::compute(0, 5, false, &[]),
            Node { kind: 8, ..Node::compute(1, 9, false, &[]) },
            last,
        ]]);
        ended.good().end
    };
    assert_eq!(after(&[], &[]), 9 * US);
    assert_eq!(after(&[0], &[]), 9 * US);
    assert_eq!(after(&[1], &[]), 10 * US);
    assert_eq!(after(&[1, 0], &[1]), 10 * US);
    let collective = Node { dimensions: vec![true], ..Node::collective(0, 0, 8, "", &[]) };
    replay(&[vec![collective.clone()], vec![collective]]).good();
}

#[test]
fn nodes_that_others_wait_for_in_vain_are_counted() {
    let folder = Folder::trace(&[vec![Node::compute(1, 5, false, &[7, 8])]], true);
    let warnings = ChakraTrace::open(folder.path()).unwrap().summary().unwrap().warnings;
    assert!(warnings[0].starts_with("nodes wait for 2 others that"), "{warnings:?}");
}

#[test]
fn a_cycle_ends_the_rank_with_its_nodes() {
    let ended = replay(&[vec![
        Node::compute(1, 5, false, &[]),
        Node::compute(2, 5, false, &[4, 1]),
        Node::compute(3, 5, false, &[2]),
        Node::compute(4, 5, false, &[3]),
        Node::compute(5, 5, false, &[4]),
    ]]);
    assert_eq!(ended.errors.len(), 1);
    let error = &ended.errors[0];
    assert!(error.contains("job.0.et, rank 0: nodes wait for each other: "), "{error}");
    assert!(
        error.contains("4 waits for 3 waits for 2") || error.contains("3 waits for 2 waits for 4"),
        "{error}"
    );
}

#[test]
fn collectives_that_wait_for_later_ones_of_their_group_are_refused() {
    let ended =
        replay(&[vec![Node::collective(1, 0, 8, "", &[2]), Node::collective(2, 0, 8, "", &[])]]);
    assert!(ended.errors[0].contains("the collective of node 2 can start"), "{:?}", ended.errors);
}

fn fault(ranks: &[Vec<Node>]) -> String {
    let folder = Folder::trace(ranks, false);
    let trace = ChakraTrace::open(folder.path()).unwrap();
    trace.check().unwrap_err().to_string()
}

#[test]
fn wrong_nodes_are_refused() {
    let without = |node: Node, name: &str| {
        let numbers = node.numbers.iter().copied().filter(|(other, _)| *other != name).collect();
        Node { numbers, ..node }
    };
    let cases = [
        (Node { kind: 11, ..Node::default() }, "node 0: the type 11 is unknown"),
        (Node::send(0, 1, 8, &[]), "node 0: comm_dst = 1: there is no such rank"),
        (Node::receive(0, -1, 8, &[]), "node 0: comm_src = -1: there is no such rank"),
        (
            without(Node::send(0, 0, 8, &[]), "comm_dst"),
            "node 0: the attribute comm_dst is missing",
        ),
        (without(Node::send(0, 0, 8, &[]), "comm_size"), "the attribute comm_size is missing"),
        (Node::collective(3, 12, 8, "", &[]), "node 3: comm_type = 12 is unknown"),
        (without(Node::collective(3, 1, 8, "", &[]), "comm_type"), "comm_type is missing"),
        (Node::compute(5, u64::MAX / 2, true, &[]), "us is too long"),
        (Node::compute(5, 1_000_000_000_001, true, &[]), "too long; at most 1000000000000 us"),
        (Node::send(0, 0, (1 << 48) + 1, &[]), "bytes is too large; at most 281474976710656 bytes"),
        (Node::compute(5, 1, true, &[5]), "node 5: it depends on itself"),
        (
            Node { control: vec![5], ..Node::compute(5, 1, true, &[]) },
            "node 5: it depends on itself",
        ),
        (
            Node { dimensions: vec![true, false], ..Node::collective(3, 0, 8, "", &[]) },
            "node 3: involved_dim leaves out a dimension",
        ),
    ];
    for (node, expected) in cases {
        let error = fault(&[vec![node]]);
        assert!(
            error.contains("job.0.et, rank 0, byte 8: ") && error.contains(expected),
            "{error}"
        );
    }
    let twice = fault(&[vec![Node::compute(5, 1, true, &[]), Node::compute(5, 1, true, &[])]]);
    assert!(twice.contains("job.0.et, rank 0: two nodes have the id 5"), "{twice}");
    let one = |count: u64| (0..count).map(|id| Node::collective(id, 0, 8, "g", &[])).collect();
    let unequal = fault(&[one(2), one(1)]);
    assert!(
        unequal.contains("job.1.et, rank 1: it has 1 collective of the process group g"),
        "{unequal}"
    );
}

#[test]
fn messages_and_collectives_of_several_ranks_are_compared() {
    let tagged = |node: Node, tag: i64| {
        let other = node.numbers.iter().copied().filter(|(name, _)| *name != "comm_tag");
        let numbers = other.chain([("comm_tag", tag)]).collect();
        Node { numbers, ..node }
    };
    let pair = |tag: i64, bytes: i64| {
        let sends = vec![Node::compute(3, 1, false, &[]), tagged(Node::send(4, 1, bytes, &[]), 17)];
        fault(&[sends, vec![tagged(Node::receive(7, 0, 64, &[]), tag)]])
    };
    let tag = pair(18, 64);
    assert!(
        tag.contains("job.1.et, rank 1, byte 8: node 7: a receive from rank 0, tag 18"),
        "{tag}"
    );
    assert!(tag.ends_with("the message of rank 0 with tag 17 is never received"), "{tag}");
    let size = pair(17, 65);
    assert!(
        size.contains("job.0.et, rank 0, byte ") && size.contains(": node 4: a send of 65 bytes")
    );
    assert!(size.ends_with("which is longer than its receive of 64 bytes"), "{size}");
    let call = |kind: i64, bytes: i64| {
        vec![Node::collective(1, 9, 0, "g", &[]), Node::collective(2, kind, bytes, "g", &[])]
    };
    for (kind, bytes, words) in [(5, 8, "bcast of 8 bytes"), (0, 9, "allreduce of 9 bytes")] {
        let text = fault(&[call(0, 8), call(kind, bytes)]);
        let expected = format!(
            ": node 2: collective 1 of the process group g is {words}, and on rank 0 it is allreduce \
             of 8 bytes"
        );
        assert!(text.contains("job.1.et, rank 1, byte ") && text.contains(&expected), "{text}");
    }
}

#[test]
fn wrong_files_are_refused() {
    let good = content(&[Node::compute(1, 5, false, &[0]), Node::send(2, 0, 8, &[])]);
    let open = |content: &[u8]| {
        let folder = Folder::new();
        folder.write("job.0.et", content);
        ChakraTrace::open(folder.path()).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(open(&good), Ok(()));
    assert!(open(b"").unwrap_err().contains("rank 0, byte 0: the file is empty"));
    assert!(open(b"\x1f\x8b").unwrap_err().contains("truncated"));
    assert!(open(b"hello world").is_err());
    assert!(open(&[0xff; 20]).unwrap_err().contains("more than 5 bytes"));
    let first = 8 + 1 + usize::from(good[8]);
    for end in 0..good.len() {
        let whole = end == 8 || end == first;
        assert_eq!(open(&good[..end]).is_ok(), whole, "{end}");
    }
}

#[test]
fn files_are_found_by_folder_name_and_rank() {
    let rank = || vec![Node::compute(0, 1, true, &[])];
    let folder = Folder::trace(&[rank(), rank(), rank()], false);
    for path in ["", "job", "job.2.et"] {
        let (format, _, ranks) = identify(&folder.path().join(path)).unwrap();
        assert_eq!((format, ranks), (TraceFormat::Chakra, 3));
    }
    std::fs::remove_file(folder.path().join("job.1.et")).unwrap();
    let error = identify(folder.path()).unwrap_err().to_string();
    assert!(error.contains("job.1.et, rank 1: the file is missing"), "{error}");
    folder.write("other.0.et", b"");
    let error = identify(folder.path()).unwrap_err().to_string();
    assert!(error.contains("has 2 traces (job, other"), "{error}");
    assert!(identify(Path::new("/nowhere/at/all")).is_err());
}

#[test]
fn the_summary_counts_nodes() {
    let folder = Folder::trace(
        &[
            vec![
                Node::compute(0, 0, true, &[]),
                Node::send(1, 1, 100, &[]),
                Node::collective(2, 9, 0, "", &[]),
            ],
            vec![
                Node::compute(0, 4, true, &[]),
                Node::receive(1, 0, 100, &[]),
                Node::collective(2, 9, 0, "", &[]),
            ],
        ],
        true,
    );
    let summary = ChakraTrace::open(folder.path()).unwrap().summary().unwrap();
    assert_eq!((summary.ranks, summary.records, summary.by_rank[1].compute_ps), (2, 6, 4 * US));
    assert_eq!((summary.calls["barrier"], summary.calls["send"], summary.matrix.len()), (2, 1, 1));
    assert_eq!(summary.warnings.len(), 1);
}
