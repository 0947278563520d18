//! Replays a trace on the ideal network of the MPI crate's tests and prints operations per second of
//! CPU time: `trace_speed PATH`. Every message takes a microsecond and 10 ps per byte.

#![allow(clippy::print_stdout, reason = "a program for developers")]

use std::cell::Cell;
use std::error::Error;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use pantala_engine::Time;
use pantala_frontends::trace::{ComputeTimes, TraceSpec, identify};
use pantala_mpi::{
    MpiConfig, MpiLayer, Op, Outcome, Program, ProgramSource, RankContext, RankSetup, Recording,
};

#[path = "../../pantala-mpi/tests/suite/common/mod.rs"]
#[allow(dead_code, unused_imports, unreachable_pub)]
mod common;

/// A program that counts its operations.
#[derive(Clone)]
struct Counted<P> {
    program: P,
    operations: Rc<Cell<u64>>,
}

impl<P: Program> Program for Counted<P> {
    fn next(&mut self, now: Time, outcome: &Outcome) -> Option<Op> {
        let operation = self.program.next(now, outcome);
        self.operations.set(self.operations.get() + u64::from(operation.is_some()));
        operation
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: trace_speed PATH")?;
    let (format, hash, ranks) = identify(Path::new(&path))?;
    let spec = TraceSpec {
        format,
        path,
        hash,
        compute: ComputeTimes::Recorded,
        compute_scale_millionths: 1_000_000,
        opened: Default::default(),
    };
    spec.check(ranks)?;
    let operations = Rc::new(Cell::new(0));
    let mut layer = MpiLayer::new(MpiConfig::default(), Recording::default(), 4_096);
    let setup = |rank| {
        let context = RankContext::new(rank, ranks, "trace", 1);
        let program =
            Counted { program: spec.program(context), operations: Rc::clone(&operations) };
        RankSetup { nic: layer.add_nic(rank), program, communicators: spec.communicators(&context) }
    };
    let setups: Vec<_> = (0..ranks).map(setup).collect();
    layer.add_job(0, 0, setups)?;
    let start = Instant::now();
    let end = common::Ideal::new(1_000_000, 10).run(&mut layer, ranks, Time::MAX);
    let seconds = start.elapsed().as_secs_f64();
    for error in layer.errors() {
        println!("{error}");
    }
    for blocked in layer.blocked_report() {
        println!("{blocked}");
    }
    let count = operations.get();
    println!(
        "{count} operations in {seconds:.2} s: {:.2e} per second; {:.3} ms simulated",
        count as f64 / seconds,
        end as f64 / 1e9
    );
    Ok(())
}
