//! Gives damaged inputs to the readers of the core and counts what becomes of them.
//!
//! `damaged_inputs READER SEED FIRST COUNT` tries the cases `FIRST..FIRST + COUNT` of a reader; a case
//! depends on the reader, the seed and its number alone. `damaged_inputs --list` names the readers.
//! The counts are one line of JSON. `damaged_inputs READER --input FILE` gives one file to a reader.
//!
//! A reader must refuse an input or accept it, without a panic, within [`LONGEST`] and within
//! [`memory::bound`] bytes. A panic and too much memory are failures of their case, whose input is
//! shrunk. A hang ends the process with the status 3 and the counts so far.

mod layouts;
mod memory;
mod mutate;
mod plan_seeds;
mod readers;
mod seeds;

// What the tests of the front ends use too.
#[expect(dead_code)]
#[path = "../../../pantala-frontends/tests/suite/chakra_writer.rs"]
mod chakra_writer;
#[expect(dead_code)]
#[path = "../../../pantala-frontends/tests/suite/dumpi_writer.rs"]
mod dumpi_writer;
#[path = "../../../pantala-frontends/tests/suite/first_operations.rs"]
mod first_operations;
#[path = "../../../pantala-frontends/tests/suite/goal_binary.rs"]
mod goal_binary;
#[path = "../../../pantala-frontends/tests/suite/goal_text.rs"]
mod goal_text;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pantala_engine::Stream;
use pantala_engine::random::key_of;
use serde_json::{Value, json};

use readers::{Reader, Verdict};

/// The time that a reader may take for one input.
const LONGEST: Duration = Duration::from_secs(10);
/// Failures that are kept; the others are counted.
const KEPT: usize = 20;
/// Inputs that the search for a smaller one tries.
const SHRINKING: u32 = 400;

/// The counts of one call.
#[derive(Default)]
struct Counts {
    inputs: u64,
    refused: u64,
    valid: u64,
    deep: u64,
    failed: u64,
    bytes: u64,
    longest: Duration,
    /// The greatest memory of a case, and the greatest above the fixed part by byte of the input.
    most_memory: u64,
    most_per_byte: u64,
    failures: Vec<Value>,
}

/// What the thread that watches the time sees.
struct Watched {
    counts: Counts,
    case: u64,
    input: Vec<u8>,
    since: Option<Instant>,
}

/// What one input led to.
enum Tried {
    Read(Verdict),
    Failed(String),
}

static PANIC: Mutex<String> = Mutex::new(String::new());

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string().replace('\n', " ");
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }));
    match words[..] {
        ["--list"] => say(&json!(readers::NAMES)),
        [reader, "--input", file] => {
            let input = std::fs::read(file).unwrap_or_default();
            match attempt(&mut Reader::new(reader), &input).0 {
                Tried::Read(verdict) => {
                    say(&json!({"valid": verdict.valid, "error": verdict.error}))
                }
                Tried::Failed(what) => say(&json!({"failed": what})),
            }
        }
        [reader, seed, first, count] => {
            let number = |text: &str| text.parse().unwrap_or(0);
            campaign(reader, number(seed), number(first), number(count));
        }
        _ => say(&json!("usage: damaged_inputs READER SEED FIRST COUNT | --list")),
    }
}

fn say(value: &Value) {
    let _ = writeln!(std::io::stdout(), "{value}");
}

fn campaign(name: &str, seed: u64, first: u64, count: u64) {
    let mut reader = Reader::new(name);
    let watched = Arc::new(Mutex::new(Watched {
        counts: Counts::default(),
        case: first,
        input: Vec::new(),
        since: None,
    }));
    let watch = Arc::clone(&watched);
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(LONGEST / 10);
            let mut now = watch.lock().unwrap_or_else(PoisonError::into_inner);
            if now.since.is_some_and(|since| since.elapsed() > LONGEST) {
                let (case, input) = (now.case, hex(&now.input));
                let what = format!("takes more than {} s", LONGEST.as_secs());
                now.counts.inputs += 1;
                now.counts.failed += 1;
                now.counts.failures.push(json!({"case": case, "what": what, "input": input}));
                say(&report(&now.counts, case + 1));
                std::process::exit(3);
            }
        }
    });
    for case in first..first + count {
        let mut draws = Stream::new(seed, key_of(name), case);
        let input = reader.input(&mut draws);
        lock(&watched, |now| {
            (now.case, now.since) = (case, Some(Instant::now()));
            now.input.clone_from(&input);
        });
        let began = Instant::now();
        let (tried, used) = attempt(&mut reader, &input);
        let took = began.elapsed();
        lock(&watched, |now| {
            now.since = None;
            let counts = &mut now.counts;
            counts.inputs += 1;
            counts.bytes += input.len() as u64;
            counts.longest = counts.longest.max(took);
            counts.most_memory = counts.most_memory.max(used);
            let above = used.saturating_sub(memory::FIXED);
            counts.most_per_byte = counts.most_per_byte.max(above / (input.len() as u64).max(1));
        });
        match tried {
            Tried::Read(verdict) => lock(&watched, |now| {
                now.counts.valid += u64::from(verdict.valid);
                now.counts.refused += u64::from(!verdict.valid);
                now.counts.deep += u64::from(verdict.valid || verdict.deep);
            }),
            Tried::Failed(what) => {
                let small = shrunk(&mut reader, input, &what);
                lock(&watched, |now| {
                    now.counts.failed += 1;
                    if now.counts.failures.len() < KEPT {
                        let failure = json!({"case": case, "what": what, "input": hex(&small)});
                        now.counts.failures.push(failure);
                    }
                });
            }
        }
    }
    lock(&watched, |now| say(&report(&now.counts, first + count)));
}

fn lock(watched: &Mutex<Watched>, change: impl FnOnce(&mut Watched)) {
    change(&mut watched.lock().unwrap_or_else(PoisonError::into_inner));
}

fn report(counts: &Counts, next: u64) -> Value {
    json!({
        "next": next, "inputs": counts.inputs, "refused": counts.refused, "valid": counts.valid,
        "deep": counts.deep, "failed": counts.failed, "bytes": counts.bytes,
        "longest_us": counts.longest.as_micros() as u64, "most_memory": counts.most_memory,
        "most_per_byte": counts.most_per_byte, "failures": counts.failures,
    })
}

/// Gives an input to a reader. Returns what it led to, and the bytes that it allocated at once.
fn attempt(reader: &mut Reader, input: &[u8]) -> (Tried, u64) {
    memory::begin();
    let read = catch_unwind(AssertUnwindSafe(|| reader.read(input)));
    let used = memory::most();
    let tried = match read {
        Err(_) => {
            let text = PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone();
            Tried::Failed(text)
        }
        Ok(_) if used > memory::bound(input.len(), reader.fixed()) => {
            Tried::Failed("takes more memory than the bound".to_owned())
        }
        Ok(verdict) if verdict.error.contains('\n') => {
            Tried::Failed("an error of several lines".to_owned())
        }
        Ok(verdict) => Tried::Read(verdict),
    };
    (tried, used)
}

/// Removes parts of an input for as long as it fails in the same way.
fn shrunk(reader: &mut Reader, mut input: Vec<u8>, what: &str) -> Vec<u8> {
    let mut left = SHRINKING;
    let mut part = input.len() / 2;
    while part > 0 {
        let mut at = 0;
        while at < input.len() && left > 0 {
            let mut fewer = input.clone();
            fewer.drain(at..(at + part).min(fewer.len()));
            left -= 1;
            match attempt(reader, &fewer).0 {
                Tried::Failed(same) if same == what => input = fewer,
                _ => at += part,
            }
        }
        part /= 2;
    }
    input
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
