//! Reads a trace and lists or counts the operations of its ranks: `trace_operations PATH [RANK]`.
//!
//! Without a rank it counts the operations of all ranks and measures the speed of the front end
//! alone. Each communicator that a rank makes gets the next number.

#![allow(clippy::print_stdout, reason = "a program for developers")]

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use pantala_frontends::trace::{ComputeTimes, TraceSpec, identify};
use pantala_mpi::{Op, Outcome, Program, ProgramSource, RankContext};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: trace_operations PATH [RANK]")?;
    let only: Option<u32> = arguments.next().map(|rank| rank.parse()).transpose()?;
    let start = Instant::now();
    let (format, hash, ranks) = identify(Path::new(&path))?;
    println!("{ranks} ranks, hash {}, {:?}", &hash[..8], start.elapsed());
    let spec = TraceSpec {
        format,
        path,
        hash,
        compute: ComputeTimes::Recorded,
        compute_scale_millionths: 1_000_000,
        opened: Default::default(),
    };
    let start = Instant::now();
    spec.check(ranks)?;
    println!("checked in {:?}", start.elapsed());
    let start = Instant::now();
    let mut total: u64 = 0;
    for rank in only.map_or(0..ranks, |rank| rank..rank + 1) {
        let mut program = spec.program(RankContext::new(rank, ranks, "trace", 1));
        let (mut outcome, mut communicators) = (Outcome::Done, 1);
        while let Some(operation) = program.next(0, &outcome) {
            total += 1;
            if only.is_some() {
                println!("{operation:?}");
            }
            outcome = match operation {
                Op::CommDup(_) | Op::CommSplit(..) | Op::CommCreate(..) => {
                    communicators += 1;
                    Outcome::Communicator(Some(communicators))
                }
                _ => Outcome::Done,
            };
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{total} operations in {seconds:.3} s: {:.3e} per second", total as f64 / seconds);
    Ok(())
}
