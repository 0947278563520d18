//! Sequences of motifs: order, communicators, marks and faults.

use crate::support::{endpoints, finish, job, workload_of};
use pantala_mpi::IterationRecord;

const PARTS: &str = "{kind: phases, grid: [4,3], iterations: 2, phases: [{phase: all_to_all, \
    dimension: 0, bytes: 4000}, {phase: all_to_all, dimension: 1, bytes: 3000}]}, \
    {kind: uniform_random, iterations: 3, message_bytes: 100}, \
    {kind: fft3d, grid: [3,4], row_message_bytes: 5, column_message_bytes: 7, iterations: 1}";

/// The messages of a job with this workload.
fn messages(workload: &str) -> u64 {
    let mut endpoints = endpoints(&[job("j", 0..12, workload)], 12);
    finish(&mut endpoints, 12);
    endpoints.rank_reports(0).map(|report| report.totals.messages_sent).sum()
}

#[test]
fn motifs_run_one_after_another() {
    let mut endpoints =
        endpoints(&[job("j", 0..12, &format!("kind: sequence, parts: [{PARTS}]"))], 12);
    finish(&mut endpoints, 12);
    let mut records: Vec<IterationRecord> = Vec::new();
    endpoints.take_iterations(&mut records);
    let of_rank: Vec<_> = records
        .iter()
        .filter(|record| record.rank == 7)
        .map(|record| (record.mark.motif, record.mark.iteration, record.mark.phase))
        .collect();
    let numbers = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 0)];
    assert_eq!(of_rank, numbers.map(|(motif, iteration)| (motif, iteration, None)));
}

/// The communicators of a motif are its own: the transform uses rows and columns of its array.
#[test]
fn a_sequence_moves_what_its_motifs_do() {
    let [first, last] = [
        "kind: phases, grid: [4,3], iterations: 2, phases: [{phase: all_to_all, \
        dimension: 0, bytes: 4000}, {phase: all_to_all, dimension: 1, bytes: 3000}]",
        "kind: fft3d, grid: [3,4], row_message_bytes: 5, column_message_bytes: 7, iterations: 1",
    ];
    let parts = format!("kind: sequence, parts: [{{{first}}}, {{{last}}}, {{{first}}}]");
    assert_eq!(messages(&parts), 2 * messages(first) + messages(last));
}

#[test]
fn faults_name_the_part() {
    let fault = |parts: &str| {
        let text = format!("kind: sequence, parts: [{parts}]");
        workload_of(&text).check(12).unwrap_err().to_string()
    };
    assert_eq!(
        fault(
            "{kind: allreduce_loop, message_bytes: 8, iterations: 1}, \
            {kind: stencil, grid: [5], message_bytes: [3], iterations: 1}"
        ),
        "parts[1].grid = [5]: the grid has 5 cells, but the job has 12 ranks; write [12] or another \
         grid of 12 cells, or give the job 5 ranks"
    );
    assert_eq!(
        fault("{kind: pattern, pattern: uniform, load: 0.5, injection: periodic, phase: in}"),
        "parts[0].kind = pattern: is not a motif; a sequence holds motifs only; give this workload a \
         job of its own"
    );
    assert_eq!(fault(""), "parts = []: a sequence without motifs; add a motif");
}
