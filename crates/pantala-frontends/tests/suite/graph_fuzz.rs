//! Damaged GOAL and Chakra files: the readers refuse them or read them, and never panic, hang or
//! take much memory. Every input that is read is replayed for some operations.
//!
//! `PANTALA_CASES=50000` runs ten million inputs for each reader. Another number draws others.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use pantala_engine::Stream;
use pantala_frontends::chakra::ChakraTrace;
use pantala_frontends::goal::{GoalSchedule, read_binary, read_text};
use pantala_frontends::trace::{ComputeTimes, TraceFile, TraceFormat, TraceSpec};
use pantala_mpi::{Completion, Op, OperationStream, Outcome};

use crate::chakra_writer::{Folder, Node, content};
use crate::goal_binary::binary;

const CASES: u32 = 20_000;

/// The random stream of a test, and its number of cases.
fn draws(test: u64) -> (Stream, u32) {
    let cases = pantala_testing::share(CASES);
    (Stream::new(u64::from(cases), test, 1), cases)
}

/// Damages a file in up to six places.
fn damaged(good: &[u8], words: &[&[u8]], draws: &mut Stream) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..=draws.below(6) {
        let length = bytes.len() as u32;
        if length == 0 {
            return bytes;
        }
        let at = draws.below(length) as usize;
        let span = (draws.below(16) as usize + 1).min(bytes.len() - at);
        match draws.below(8) {
            0 => bytes[at] = draws.below(256) as u8,
            1 => bytes[at] ^= 1 << draws.below(8),
            2 => drop(bytes.drain(at..at + span)),
            3 => bytes.insert(at, draws.below(256) as u8),
            4 => {
                let copy = bytes[at..at + span].to_vec();
                let to = draws.below(length) as usize;
                bytes.splice(to..to, copy);
            }
            5 => bytes.truncate(at),
            6 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][draws.below(5) as usize],
            _ => {
                let word = words[draws.below(words.len() as u32) as usize];
                bytes.splice(at..at + span.min(word.len()), word.iter().copied());
            }
        }
    }
    bytes
}

fn spec() -> TraceSpec {
    TraceSpec {
        format: TraceFormat::Goal,
        path: String::new(),
        hash: String::new(),
        compute: ComputeTimes::Recorded,
        compute_scale_millionths: 1_000_000,
        opened: Default::default(),
    }
}

/// Executes a program's first operations; each completes at once.
fn execute(mut program: impl OperationStream) {
    let mut outcome = Outcome::Done;
    let mut active = Vec::new();
    for _ in 0..200 {
        let Some(op) = program.next(0, &outcome) else {
            return;
        };
        outcome = Outcome::Done;
        match op {
            Op::Abort(_) => return,
            Op::Isend(_, request)
            | Op::Irecv(_, request)
            | Op::Icompute(_, request)
            | Op::Icollective(_, _, request) => active.push(request),
            Op::Waitall { .. } => active.clear(),
            Op::Waitsome { .. } => {
                let status = None;
                let complete = active.drain(..).map(|request| Completion { request, status });
                outcome = Outcome::Completed(complete.collect());
            }
            _ => {}
        }
    }
}

fn replay(schedule: GoalSchedule) {
    let schedule = Arc::new(schedule);
    (0..schedule.ranks().min(4))
        .for_each(|rank| execute(schedule.program(spec().compute_scale(), rank)));
}

const TEXT: &str = "num_ranks 2
rank 0 {
l1: calc 5 cpu 1
l2: send 100b to 1 tag 7
l2 requires l1
a_3: recv 8b from -1 tag -1 cpu 0 nic 1
a_3 irequires l2
}
rank 1 { /* all */
x: recv 100b from 0 tag 7
send 8b to 0 // last
}
";

#[test]
fn goal_texts() {
    let words: [&[u8]; 14] = [
        b"rank 1 {",
        b"num_ranks",
        b"}",
        b" requires l1\n",
        b" irequires a_3\n",
        b"18446744073709551616",
        b"4294967295",
        b"-1",
        b"/*",
        b"*/",
        b"//",
        b"l2: ",
        b" tag ",
        b"calc 99999999999999",
    ];
    let (mut draws, cases) = draws(1);
    let mut read = 0;
    for _ in 0..cases {
        let text = damaged(TEXT.as_bytes(), &words, &mut draws);
        if let Ok(schedule) = read_text(Path::new("x"), &*text) {
            read += 1;
            replay(schedule);
        }
    }
    assert!(read > 0);
}

#[test]
fn goal_binaries() {
    let simple = TEXT.replace("/* all */", "").replace("// last", "");
    let good = binary(&simple);
    let words: [&[u8]; 3] = [&[0; 4], &[0xff; 4], &[1, 0, 0, 0]];
    let (mut draws, cases) = draws(2);
    let mut read = 0;
    for _ in 0..cases {
        let bytes = damaged(&good, &words, &mut draws);
        if let Ok(schedule) = read_binary(Path::new("x"), Cursor::new(&bytes)) {
            read += 1;
            replay(schedule);
        }
    }
    assert!(read > 0);
}

#[test]
fn chakra_files() {
    let good = content(&[
        Node::compute(1, 5, false, &[]),
        Node::send(2, 0, 8, &[1]),
        Node::receive(3, 0, 8, &[1, 7]),
        Node::collective(4, 0, 64, "g", &[2, 3]),
        Node::collective(5, 6, 64, "", &[4, 1]),
    ]);
    let words: [&[u8]; 5] =
        [b"comm_size", b"comm_type", b"pg_name", &[0xff, 0xff, 0xff, 0x7f], &[10, 80]];
    let folder = Folder::new();
    let (mut draws, cases) = draws(3);
    let mut read = 0;
    for _ in 0..cases {
        folder.write("job.0.et", &damaged(&good, &words, &mut draws));
        if let Ok(trace) = ChakraTrace::open(folder.path()) {
            read += 1;
            if trace.check().is_ok() {
                execute(Arc::new(trace).program(spec().compute_scale(), 0));
            }
        }
    }
    assert!(read > 0);
}
