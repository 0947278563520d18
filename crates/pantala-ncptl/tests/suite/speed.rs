//! The rate of operations of a coNCePTuaL program, and its memory. Run with `--ignored --nocapture`
//! in a release build.

use pantala_mpi::{OperationSource, OperationStream, Outcome, RankContext};
use pantala_ncptl::spec::NcptlSpec;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::Instant;

const HALO: &str = "
iterations is \"Iterations\" and comes from \"--iterations\" or \"-i\" with default 1000.
for iterations repetitions {
  all tasks t asynchronously send a 4 kilobyte message to task mesh_neighbor((32*,16*,16*), t, (1,0,0)) then
  all tasks t asynchronously send a 4 kilobyte message to task mesh_neighbor((32*,16*,16*), t, (-1,0,0)) then
  all tasks t asynchronously send a 4 kilobyte message to task mesh_neighbor((32*,16*,16*), t, (0,1,0)) then
  all tasks t asynchronously send a 4 kilobyte message to task mesh_neighbor((32*,16*,16*), t, (0,-1,0)) then
  all tasks t asynchronously send a 4 kilobyte message to task mesh_neighbor((32*,16*,16*), t, (0,0,1)) then
  all tasks t asynchronously send a 4 kilobyte message to task mesh_neighbor((32*,16*,16*), t, (0,0,-1)) then
  all tasks compute for 10 microseconds then
  all tasks await completion
}";

/// Resident memory in KiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

#[test]
#[ignore = "large: make test-all"]
fn halo_of_8192_ranks() {
    let spec = NcptlSpec::new("halo.ncptl", HALO, BTreeMap::new(), 1, 0);
    let start = Instant::now();
    spec.check(8_192).unwrap();
    let mut out = std::io::stderr().lock();
    let _ = writeln!(out, "checked in {:?}, {} KiB", start.elapsed(), memory());
    let mut ranks: Vec<_> =
        (0..8_192).map(|rank| spec.program(RankContext::new(rank, 8_192, "halo", 1))).collect();
    let _ = writeln!(out, "made in {:?}, {} KiB", start.elapsed(), memory());
    let (mut operations, start) = (0u64, Instant::now());
    // As in a simulation, ranks take turns: each runs up to its wait.
    for round in 0..1_000 {
        for rank in &mut ranks {
            for _ in 0..15 {
                operations += u64::from(rank.next(operations, &Outcome::Done).is_some());
            }
        }
        if round % 250 == 0 {
            let _ = writeln!(out, "round {round}: {:?}, {} KiB", start.elapsed(), memory());
        }
    }
    let rate = operations as f64 / start.elapsed().as_secs_f64() / 1e6;
    let _ =
        writeln!(out, "{operations} operations, {rate:.1} million per second, {} KiB", memory());
}
