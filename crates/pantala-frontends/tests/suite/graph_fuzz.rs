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

use crate::chakra_writer::{Folder, Node, content};
use crate::first_operations::execute;
use crate::goal_binary::binary;
use crate::goal_text::{GOAL, GOAL_WORDS, with_comments};

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
        amplification: 1,
        opened: Default::default(),
    }
}

fn replay(schedule: GoalSchedule) {
    let schedule = Arc::new(schedule);
    (0..schedule.ranks().min(4))
        .for_each(|rank| execute(&mut schedule.program(spec().compute_scale(), rank)));
}

#[test]
fn goal_texts() {
    let (mut draws, cases) = draws(1);
    let good = with_comments();
    let mut read = 0;
    for _ in 0..cases {
        let text = damaged(good.as_bytes(), GOAL_WORDS, &mut draws);
        if let Ok(schedule) = read_text(Path::new("x"), &*text) {
            read += 1;
            replay(schedule);
        }
    }
    assert!(read > 0);
}

#[test]
fn goal_binaries() {
    let good = binary(GOAL);
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
                execute(&mut Arc::new(trace).program(spec().compute_scale(), 0));
            }
        }
    }
    assert!(read > 0);
}
