//! Which loops of coNCePTuaL programs have equal repetitions, and how ranks mark them.

use crate::calls::spec;
use pantala_mpi::{IterationMark, Op, OperationSource, OperationStream, Outcome, RankContext};

/// The marks of each rank's repetitions, and how many other operations come before each.
fn marked(source: &str) -> Vec<(Vec<(u32, usize)>, usize)> {
    let spec = spec(source, 1);
    spec.check(4).unwrap();
    let ranks = (0..4).map(|rank| {
        let mut program = spec.program(RankContext::new(rank, 4, "job", 1));
        program.mark_repetitions();
        let (mut starts, mut others, mut open) = (Vec::new(), 0, false);
        while let Some(op) = program.next(0, &Outcome::Done) {
            match op {
                Op::IterationStart(mark) => {
                    assert!(!open && mark.motif == IterationMark::UNSEEN, "{source}");
                    open = true;
                    starts.push((mark.iteration, others));
                }
                Op::IterationEnd => {
                    assert!(open, "{source}");
                    open = false;
                }
                _ => others += 1,
            }
        }
        assert!(!open, "{source}");
        (starts, others)
    });
    ranks.collect()
}

#[test]
fn equal_repetitions_are_marked_and_numbered_in_a_row() {
    let all = "all tasks synchronize";
    let source = format!(
        "for 3 repetitions plus 2 warmup repetitions {all} then \
         for each n in {{1, 2}} {{ for n repetitions {all} then for each k in {{5, 6}} {all} }} then \
         for 2 repetitions {{ {all} then task 0 outputs \"x\" }} then for 2 repetitions {all}."
    );
    let known = [3, 1, 2, 2, 2, 2];
    let mut first = 0;
    let repetitions = spec(&source, 1).repetitions(4);
    for (found, count) in repetitions.iter().zip(known) {
        assert_eq!((found.first, found.count), (first, count));
        first += count;
    }
    assert_eq!(repetitions.len(), known.len());
    for (starts, others) in marked(&source) {
        let numbers: Vec<u32> = starts.iter().map(|start| start.0).collect();
        assert_eq!(numbers, (0..12).collect::<Vec<u32>>());
        // Two of the warm-up, and two of the loop that prints.
        assert_eq!((starts[0].1, starts[10].1, others), (2, 14, 16));
    }
}

#[test]
fn loops_that_vary_or_that_tasks_leave_early_are_not_marked() {
    let none = [
        "for each n in {1, ..., 4} task 0 sends a n byte message to task 1.",
        "for 4 repetitions { let t be a random task while task 0 sends a 4 byte message to task t } \
         then for 4 repetitions all tasks t are assigned to processor t.",
        "for 4 repetitions task 0 logs 1 as \"one\".",
        "for 3 repetitions task 0 asynchronously sends a 4 byte message to task 1 then all tasks \
         await completion.",
    ];
    for source in none {
        spec(source, 1).check(4).unwrap();
        assert_eq!(spec(source, 1).repetitions(4), [], "{source}");
    }
    // A task without operations leaves a loop after one repetition.
    let source = "for 5 repetitions task 0 sends a 4 byte message to task 1 then \
                  for 3 repetitions all tasks synchronize.";
    let numbers = marked(source)
        .into_iter()
        .map(|(starts, _)| starts.into_iter().map(|start| start.0).collect::<Vec<u32>>());
    let numbers: Vec<Vec<u32>> = numbers.collect();
    assert_eq!(numbers[0], (0..8).collect::<Vec<u32>>());
    assert_eq!(numbers[3], [0, 5, 6, 7]);
}
