//! GOAL schedules on an ideal network: times of small graphs, and files that are wrong.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use pantala_frontends::goal::{GoalSchedule, read_binary, read_text, recognizes};
use pantala_frontends::trace::{ComputeTimes, TraceFile, TraceFormat, TraceSpec};
use pantala_mpi::{OperationSource, OperationStream};

use crate::goal_binary::binary;
use crate::network::{Ended, LATENCY, PER_BYTE, run};

const NS: u64 = 1_000;

fn spec(compute: ComputeTimes, compute_scale_millionths: u64) -> TraceSpec {
    TraceSpec {
        format: TraceFormat::Goal,
        path: String::new(),
        hash: String::new(),
        compute,
        compute_scale_millionths,
        amplification: 1,
        opened: Default::default(),
    }
}

fn parse(text: &str) -> Result<GoalSchedule, String> {
    read_text(Path::new("x.goal"), text.as_bytes()).map_err(|error| error.to_string())
}

fn replay_with(text: &str, spec: &TraceSpec) -> Ended {
    let schedule = Arc::new(parse(text).unwrap());
    run(schedule.ranks(), |rank| (schedule.program(spec.compute_scale(), rank), Vec::new()))
}

fn replay(text: &str) -> Ended {
    replay_with(text, &spec(ComputeTimes::Recorded, 1_000_000))
}

/// The time of an eager message.
fn message(bytes: u64) -> u64 {
    bytes * PER_BYTE + LATENCY
}

#[test]
fn a_calc_on_a_second_cpu_beside_a_transfer_takes_the_longer_time() {
    for (calc, bytes) in [(50, 1_000), (5, 1_000)] {
        let text = format!(
            "num_ranks 2
             rank 0 {{ a: calc {calc} cpu 1  b: recv {bytes}b from 1  c: calc 0 c requires a c requires b
                       d: send 8b to 1 tag 1  d requires c }}
             rank 1 {{ send {bytes}b to 0  recv 8b from 0 tag 1 }}"
        );
        let ended = replay(&text).good();
        assert_eq!(ended.end, (calc * NS).max(message(bytes)) + message(8));
        let computed = ended.ranks[0].totals.compute;
        assert_eq!(computed, calc * NS);
    }
}

#[test]
fn one_cpu_does_one_calc_after_the_other() {
    let calcs = |cpus: [u8; 3]| {
        let lines: Vec<String> = cpus.iter().map(|cpu| format!("calc 7 cpu {cpu}\n")).collect();
        replay(&format!("num_ranks 1\nrank 0 {{\n{}}}", lines.concat())).good().end
    };
    assert_eq!(calcs([0, 0, 0]), 21 * NS);
    assert_eq!(calcs([0, 0, 1]), 14 * NS);
    assert_eq!(calcs([0, 1, 2]), 7 * NS);
}

/// ATLAHS' tags have 32 bits and more: the lower 32 count, each of them for itself.
#[test]
fn tags_beyond_those_of_mpi_match() {
    let text = "num_ranks 2
        rank 0 { a: send 8b to 1 tag 3000000001 b: send 9b to 1 tag 3000000002 cpu 300
                 c: send 10b to 1 tag 10000000000 d: send 11b to 1 tag 7 nic 4096 }
        rank 1 { a: recv 9b from 0 tag 3000000002 b: recv 8b from 0 tag 3000000001
                 c: recv 10b from 0 tag 1410065408 d: recv 11b from 0 tag -1
                 d requires a d requires b d requires c }";
    replay(text).good();
    let schedule = parse(text).unwrap();
    assert_eq!(schedule.renumbered_tags, 2);
    let warnings = schedule.summary().unwrap().warnings;
    assert!(
        warnings[0].starts_with("MPI has no tags above 2147483647; 2 tags of the schedule"),
        "{warnings:?}"
    );
}

#[test]
fn a_chain_is_blocking_calls() {
    let text = "num_ranks 2
        rank 0 { l1: calc 3 l2: send 100b to 1 l2 requires l1 l3: calc 4 l3 requires l2 }
        rank 1 { l1: recv 100b from 0 l2: calc 5 l2 requires l1 }";
    let ended = replay(text).good();
    assert_eq!(ended.names(0), ["compute", "send", "compute"]);
    assert_eq!(ended.names(1), ["recv", "compute"]);
    assert_eq!(ended.end, 8 * NS + message(100));
}

#[test]
fn irequires_waits_for_the_start_only() {
    // Rank 0's receive starts at once; the calc after its start does not wait for the message.
    let text = "num_ranks 2
        rank 0 { a: recv 8b from 1 b: calc 2 cpu 1 b irequires a c: calc 3 cpu 2 c requires a }
        rank 1 { a: calc 10 b: send 8b to 0 b requires a }";
    let ended = replay(text).good();
    let arrived = 10 * NS + message(8);
    assert_eq!(ended.end, arrived + 3 * NS);
    let starts: Vec<u64> = ended
        .log
        .iter()
        .filter(|(_, rank, op)| *rank == 0 && op.name().ends_with("compute"))
        .map(|(time, _, _)| *time)
        .collect();
    assert_eq!(starts, [0, arrived]);
}

#[test]
fn a_send_waits_for_its_cpu_and_a_receive_ends_when_its_cpu_is_free() {
    let text = "num_ranks 2
        rank 0 { calc 50 send 8b to 1 }
        rank 1 { recv 8b from 0 }";
    assert_eq!(replay(text).good().end, 50 * NS + message(8));
    let text = "num_ranks 2
        rank 0 { calc 50 a: recv 8b from 1 b: calc 4 cpu 1 b requires a }
        rank 1 { send 8b to 0 }";
    assert_eq!(replay(text).good().end, 54 * NS);
}

#[test]
fn wildcards_match_any_source_and_tag() {
    let text = "num_ranks 3
        rank 0 { a: recv 8b from -1 tag -1 b: recv 8b from -1 tag -1 b requires a }
        rank 1 { send 8b to 0 tag 4 }
        rank 2 { send 8b to 0 tag 5 }";
    assert_eq!(replay(text).good().end, message(8));
}

#[test]
fn a_rank_sends_to_itself() {
    let text = "num_ranks 1 rank 0 { send 8b to 0 tag 3 recv 8b from 0 tag 3 }";
    replay(text).good();
}

#[test]
fn a_binomial_tree_takes_a_message_for_each_level() {
    // Rank r sends to r + 1, r + 2, r + 4, ... of a broadcast among 8; every rank then computes.
    let mut text = String::from("num_ranks 8\n");
    for rank in 0u32..8 {
        text += &format!("rank {rank} {{\n");
        let lowest = if rank == 0 { 8 } else { rank & rank.wrapping_neg() };
        if rank > 0 {
            text += &format!("r: recv 1000b from {}\n", rank - lowest);
        }
        let mut step = lowest / 2;
        let mut before = (rank > 0).then(|| "r".to_owned());
        while step > 0 {
            text += &format!("s{step}: send 1000b to {}\n", rank + step);
            before.iter().for_each(|before| text += &format!("s{step} requires {before}\n"));
            before = Some(format!("s{step}"));
            step /= 2;
        }
        text += "c: calc 100\n";
        before.iter().for_each(|before| text += &format!("c requires {before}\n"));
        text += "}\n";
    }
    let ended = replay(&text).good();
    // An eager send is complete at once, so messages of one rank only queue at its NIC: the last
    // leaf gets the third message of rank 0, or a message over three levels.
    assert_eq!(ended.end, 3 * message(1_000) + 100 * NS);
}

#[test]
fn computing_can_be_scaled_or_left_out() {
    let text = "num_ranks 1 rank 0 { calc 10 calc 7 cpu 1 calc 10 }";
    let end = |compute, scale| replay_with(text, &spec(compute, scale)).good().end;
    assert_eq!(end(ComputeTimes::Recorded, 1_000_000), 20 * NS);
    assert_eq!(end(ComputeTimes::Recorded, 500_000), 10 * NS);
    assert_eq!(end(ComputeTimes::None, 1_000_000), 0);
}

#[test]
fn labels_may_be_defined_after_their_use() {
    let text = "num_ranks 1 rank 0 { a requires b a: calc 1 cpu 1 b: calc 2 }";
    assert_eq!(replay(text).good().end, 3 * NS);
}

#[test]
fn unmatched_messages_are_reported_by_rank() {
    let text = "num_ranks 2 rank 0 { recv 8b from 1 tag 3 } rank 1 { calc 1 }";
    let ended = replay(text);
    assert!(ended.blocked[0].contains("rank 0"), "{:?}", ended.blocked);
    let text = "num_ranks 2 rank 0 { send 8b to 1 tag 3 } rank 1 { calc 1000 }";
    let ended = replay(text);
    assert!(ended.errors[0].contains("is never received"), "{:?}", ended.errors);
}

#[test]
fn wrong_texts_are_refused_with_their_line() {
    let cases = [
        ("", "x.goal, line 1: the file is empty"),
        ("rank 0 {\n}", "x.goal, line 1: 'rank' where num_ranks is expected"),
        ("num_ranks 0\n", "x.goal, line 1: num_ranks 0"),
        ("num_ranks 2\nrank 0 {\n}\n", "x.goal, line 4: the file ends before rank 1"),
        ("num_ranks 2\nrank 1 {\n}\n", "x.goal, line 2: rank 1 comes where rank 0"),
        ("num_ranks 1\nrank 0 {\n}\nrank 0 {\n}", "x.goal, line 4: rank 0 was the last one"),
        ("num_ranks 1\nrank 0 {\ncalc 1\n", "x.goal, line 4: the end of the file where"),
        ("num_ranks 2\nrank 0 {\nsend 8b to 2\n}", "x.goal, line 3: there is no rank 2"),
        (
            "num_ranks 1\nrank 0 {\ncalc 1000000000000001\n}",
            "x.goal, line 3: a calc of 1000000000000001 ns is too long; at most 1000000000000000 ns",
        ),
        (
            "num_ranks 2\nrank 0 {\nsend 281474976710657b to 1\n}",
            "x.goal, line 3: a send of 281474976710657 bytes is too large; at most 281474976710656 bytes",
        ),
        ("num_ranks 2\nrank 0 {\nsend 8b to 9999999999\n}", "x.goal, line 3: there is no rank"),
        ("num_ranks 2\nrank 0 {\nsend 8b to -1\n}", "x.goal, line 3: a send names"),
        ("num_ranks 2\nrank 0 {\nsend 8b to 1 tag -1\n}", "x.goal, line 3: a send names its tag"),
        ("num_ranks 2\nrank 0 {\nrecv 8b from -2\n}", "x.goal, line 3: -2 where"),
        ("num_ranks 2\nrank 0 {\nrecv 8b to 1\n}", "x.goal, line 3: 'to' where from is"),
        (
            "num_ranks 2\nrank 0 {\nrecv 8b from 1 tag 2147483648 recv 8b from 1 tag 2147483647\n}",
            "x.goal, line 3: the schedule has tags above 2147483647 and the tag 2147483647;",
        ),
        ("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 4294967295\n}", "x.goal, line 3: a send names"),
        ("num_ranks 2\nrank 0 {\nrecv 8b from 1 tag 1 tag 1\n}", "x.goal, line 3: an attribute"),
        ("num_ranks 2\nrank 0 {\nrecv 8 from 1\n}", "x.goal, line 3: 'from' where b"),
        ("num_ranks 1\nrank 0 {\ncalc 1 cpu 65535\n}", "x.goal, line 3: a CPU"),
        ("num_ranks 1\nrank 0 {\ncalc 99999999999999999\n}", "x.goal, line 3: a calc of"),
        ("num_ranks 1\nrank 0 {\na: calc 1\na: calc 1\n}", "x.goal, line 4: the label a"),
        ("num_ranks 1\nrank 0 {\na: calc 1\na requires b\n}", "x.goal, line 4: this rank has no"),
        ("num_ranks 1\nrank 0 {\na: calc 1\na needs a\n}", "x.goal, line 4: 'needs' after a"),
        ("num_ranks 1\nrank 0 {\na: b: calc 1\n}", "x.goal, line 3: 'b' where send, recv"),
        ("num_ranks 1\nrank 0 {\n/* calc 1\n}", "x.goal, line 3: the comment does not end"),
        ("num_ranks 1\nrank 0 {\n;\n}", "x.goal, line 3: the character ';'"),
        ("num_ranks 1\nrank 0 {\n5\n}", "x.goal, line 3: 5 where send"),
        (
            "num_ranks 1\nrank 0 {\nl1: calc 1\nl2: calc 1\nx: calc 1\nl1 requires x\nx irequires l2\nl2 requires l1\n}",
            "x.goal, rank 0: operations wait for each other: ",
        ),
    ];
    for (text, expected) in cases {
        let error = parse(text).unwrap_err();
        assert!(error.starts_with(expected), "{text:?} gives\n{error}, not\n{expected}");
    }
    let (text, _) = cases[cases.len() - 1];
    let error = parse(text).unwrap_err();
    let cycles = ["l1 requires x requires l2 requires l1", "x requires l2 requires l1 requires x"];
    let last = "l2 requires l1 requires x requires l2";
    assert!(cycles.iter().chain([&last]).any(|cycle| error.contains(cycle)), "{error}");
}

const SMALL: &str = "num_ranks 2
    rank 0 { a: calc 5 cpu 1 b: send 100b to 1 tag 7 c: recv 8b from -1 tag -1 nic 1
             c requires b b requires a c irequires a }
    rank 1 { recv 100b from 0 tag 7 a: send 8b to 0 a requires b b: calc 4 cpu 2 }";

#[test]
fn the_binary_form_equals_the_text() {
    let schedule = parse(SMALL).unwrap();
    let bytes = binary(SMALL);
    let read = read_binary(Path::new("x.bin"), Cursor::new(&bytes)).unwrap();
    assert_eq!(read, schedule);
}

#[test]
fn files_of_both_forms_are_recognized_by_their_content() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("a", binary(SMALL)), ("b.goal", binary(SMALL)), ("c", SMALL.into())] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        assert!(recognizes(&path), "{name}");
        let opened = GoalSchedule::open(&path).unwrap();
        assert_eq!(opened.graphs, parse(SMALL).unwrap().graphs, "{name}");
    }
}

#[test]
fn wrong_binary_files_are_refused() {
    let good = binary(SMALL);
    let read = |bytes: &[u8]| {
        read_binary(Path::new("x.bin"), Cursor::new(bytes)).map_err(|error| error.to_string())
    };
    for length in 0..good.len() {
        let error = read(&good[..length]).unwrap_err();
        assert!(error.starts_with("x.bin"), "{length}: {error}");
    }
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        read(&bytes).unwrap_err()
    };
    assert!(with(0, 0).contains("is not a GOAL schedule"));
    assert!(with(8, 200).contains("200 ranks"));
    let mut used = good.clone();
    used[..8].copy_from_slice(&2_342u64.to_le_bytes());
    assert!(read(&used).unwrap_err().contains("--save-mem"));
    used[..8].copy_from_slice(&4_223u64.to_be_bytes());
    assert!(read(&used).unwrap_err().contains("big-endian"));
    let start = 14 + 2 * 16;
    let node = start + 8 + 4;
    assert!(with(node + 4, 9).contains("rank 0: node 0: the type 9 is unknown"));
    assert!(with(node + 39 + 5, 9).contains("rank 0: node 1: there is no rank 9"));
    assert!(with(node + 39, 9).contains("node 1: it waits for more nodes than name it"));
    assert!(with(node + 23, 200).contains("node 0: its dependents"));
}

#[test]
fn a_plan_names_a_schedule() {
    let path = std::env::temp_dir().join(format!("pantala-goal-{}.txt", std::process::id()));
    std::fs::write(&path, SMALL).unwrap();
    let (format, hash, ranks) = pantala_frontends::trace::identify(&path).unwrap();
    assert_eq!((format, ranks), (TraceFormat::Goal, 2));
    let path_text = path.display().to_string();
    let spec = TraceSpec { path: path_text, hash, ..spec(ComputeTimes::Recorded, 1_000_000) };
    spec.check(2).unwrap();
    assert!(spec.check(3).unwrap_err().to_string().contains("the trace has 2 ranks"));
    let mut program = spec.program(pantala_mpi::RankContext::new(1, 2, "job", 1));
    assert!(program.next(0, &pantala_mpi::Outcome::Done).is_some());
    let summary = GoalSchedule::open(&path).unwrap().summary().unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!((summary.ranks, summary.records, summary.by_rank[0].compute_ps), (2, 6, 5 * NS));
    assert_eq!(summary.matrix.len(), 2);
    assert_eq!((summary.matrix[0].bytes, summary.matrix[1].bytes), (100, 8));
    assert_eq!(summary.calls["send"], 2);
}

/// The check before a run finds messages without a partner and messages that are too long, in both
/// forms of a schedule.
#[test]
fn messages_without_a_partner_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = |receive: &str| {
        format!("num_ranks 2 rank 0 {{ calc 5 send 8b to 1 tag 17 }} rank 1 {{ {receive} }}")
    };
    for (receive, expected) in [
        (
            "recv 8b from 0 tag 18",
            "rank 1: operation 0 of the rank: a receive from rank 0, tag 18, which no rank sends; \
             the message of rank 0 with tag 17 is never received",
        ),
        (
            "calc 7",
            "rank 0: operation 1 of the rank: a send of 8 bytes to rank 1, tag 17, which is never \
             received",
        ),
        (
            "recv 7b from -1 tag 17",
            "rank 0: operation 1 of the rank: a send of 8 bytes to rank 1, tag 17, which is longer \
             than its receive of 7 bytes",
        ),
    ] {
        let path = folder.path().join("x.goal");
        std::fs::write(&path, text(receive)).unwrap();
        let schedule = GoalSchedule::open(&path).unwrap();
        let told = format!("{}, {expected}", path.display());
        assert_eq!(schedule.check().unwrap_err().to_string(), told);
        let warnings = schedule.summary().unwrap().warnings;
        assert_eq!(warnings, [format!("a job cannot replay the trace: {told}")]);
    }
    let path = folder.path().join("x.goal");
    std::fs::write(&path, text("recv 80b from -1 tag -1")).unwrap();
    GoalSchedule::open(&path).unwrap().check().unwrap();
}
