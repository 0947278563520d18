//! Tests of the search for iterations.

use pantala_mpi::{COMM_WORLD, Call, Group, Outgoing, Split};
use proptest::prelude::*;

use super::stretch::longest;
use super::*;

fn send(tag: i32) -> Op {
    Op::Send(Outgoing { communicator: 0, destination: 0, tag, bytes: 8 })
}

fn barrier() -> Op {
    Op::Collective(COMM_WORLD, Call::Barrier)
}

fn allreduce() -> Op {
    Op::Collective(COMM_WORLD, Call::Allreduce { bytes: 8 })
}

fn search(ranks: &[Vec<Op>]) -> Option<Vec<RankLoop>> {
    let mut search = Search::default();
    for (number, rank) in (0..).zip(ranks) {
        search.start_rank(number, ranks.len() as u32, &[]);
        rank.iter().all(|op| search.add(op));
        search.end_rank();
    }
    search.finish()
}

fn program(before: &[Op], body: &[Op], times: usize, after: &[Op]) -> Vec<Op> {
    let mut time = 0;
    let mut program = before.to_vec();
    for _ in 0..times {
        for op in body {
            time += 1;
            program.extend([Op::Compute(time), op.clone()]);
        }
    }
    program.extend_from_slice(after);
    program
}

/// The longest stretch by definition: of all starts and periods.
fn by_definition(calls: &[u64]) -> usize {
    let mut best = 0;
    for period in 1..=calls.len() / FEWEST as usize {
        let mut row = 0;
        for at in 0..calls.len() - period {
            row = if calls[at] == calls[at + period] { row + 1 } else { 0 };
            if (row + period) / period >= FEWEST as usize {
                best = best.max(row + period);
            }
        }
    }
    best
}

proptest! {
    #![proptest_config(pantala_testing::cases(512))]

    #[test]
    fn a_stretch_repeats_and_a_long_one_is_found(
        before in prop::collection::vec(1u64..5, 0..20),
        body in prop::collection::vec(1u64..5, 1..12),
        times in 4usize..12,
        after in prop::collection::vec(1u64..5, 0..20),
        window in 0usize..9,
    ) {
        let mut calls = before;
        (0..times).for_each(|_| calls.extend(&body));
        calls.extend(after);
        let found = longest(&calls, &mut { window });
        let most = by_definition(&calls);
        let Some(found) = found else {
            prop_assert!(2 * most < calls.len(), "nothing, but {most} of {}", calls.len());
            return Ok(());
        };
        let (first, end, period) =
            (found.first as usize, found.end as usize, found.period as usize);
        prop_assert!((first..end - period).all(|at| calls[at] == calls[at + period]));
        prop_assert!(found.calls() as usize <= most);
        // A stretch with half of all calls ends the search.
        if 2 * most >= calls.len() {
            prop_assert!(2 * found.calls() as usize >= calls.len().min(most));
        }
    }

    #[test]
    fn a_loop_is_found_on_all_ranks(
        // Each rank has its own messages in an iteration, before it and after it.
        messages in prop::collection::vec((0usize..4, 0usize..6, 0usize..4), 1..5),
        times in 4usize..9,
    ) {
        let rank = |(before, inside, after): &(usize, usize, usize)| {
            let own = |from: i32, count: usize| (from..).take(count).map(send).collect::<Vec<_>>();
            let body = [own(10, *inside), vec![allreduce()]].concat();
            program(&own(100, *before), &body, times, &own(200, *after))
        };
        let ranks: Vec<Vec<Op>> = messages.iter().map(rank).collect();
        let calls: usize = messages.iter().map(|(before, inside, after)| {
            before + after + times * (inside + 1)
        }).sum();
        let inside: usize = messages.iter().map(|(_, inside, _)| times * (inside + 1)).sum();
        let found = search(&ranks);
        if 2 * inside < calls {
            prop_assert_eq!(found, None);
            return Ok(());
        }
        let expected: Vec<RankLoop> = messages.iter().map(|(before, inside, _)| RankLoop {
            first: *before as u64,
            calls: *inside as u64 + 1,
            iterations: times as u64,
        }).collect();
        prop_assert_eq!(found, Some(expected));
    }
}

#[test]
fn an_iteration_starts_after_the_same_collective_on_all_ranks() {
    // The barrier before the loop equals the one at the end of an iteration.
    let one = program(&[barrier()], &[send(1), send(2), barrier()], 6, &[allreduce()]);
    let other = program(&[send(2), barrier()], &[barrier()], 6, &[allreduce()]);
    let found = search(&[one, other]).unwrap();
    assert_eq!(found[0], RankLoop { first: 1, calls: 3, iterations: 6 });
    assert_eq!(found[1], RankLoop { first: 2, calls: 1, iterations: 6 });
}

#[test]
fn collectives_of_other_communicators_of_all_ranks_count() {
    let all: std::sync::Arc<[Split]> = [Split { color: Some(0), key: 0 }; 2].into();
    let call = |id| Op::Collective(id, Call::Allreduce { bytes: 8 });
    let start = [Op::CommSplit(COMM_WORLD, all), call(1)];
    let one = program(&start, &[send(1), call(1)], 6, &[]);
    let other = program(&start, &[call(1)], 6, &[]);
    let found = search(&[one, other]).unwrap();
    assert_eq!(found[0], RankLoop { first: 2, calls: 2, iterations: 6 });
    assert_eq!(found[1], RankLoop { first: 2, calls: 1, iterations: 6 });
}

#[test]
fn communicators_of_groups_are_alike_in_all_iterations() {
    // Each turn makes a communicator of all ranks, whose context is another one.
    let turns = (1..=6).flat_map(|context| {
        let group = Group::new([0, 1]).unwrap();
        let call = Op::Collective(1, Call::Allreduce { bytes: 8 });
        [Op::Compute(7), Op::CommJoin(context, group), call, Op::CommFree(1)]
    });
    let program: Vec<Op> = turns.collect();
    let found = search(&[program.clone(), program]).unwrap();
    // An iteration starts after the collective.
    assert_eq!(found[0], RankLoop { first: 2, calls: 3, iterations: 5 });
    assert_eq!(found[1], found[0]);
}

#[test]
fn ranks_whose_calls_repeat_more_often_have_the_same_iterations() {
    // Four equal exchanges and a barrier; two equal barriers on the other rank are one iteration.
    let one = program(&[], &[send(1), barrier(), send(2), barrier()], 5, &[]);
    let other = program(&[], &[barrier()], 10, &[]);
    let found = search(&[one, other]).unwrap();
    assert_eq!(found.iter().map(|rank| rank.calls).collect::<Vec<_>>(), [4, 2]);
    assert_eq!(found.iter().map(|rank| rank.iterations).collect::<Vec<_>>(), [5, 5]);
    // Without collectives, the rank with the fewest repetitions counts.
    let one = program(&[], &[send(1), send(2)], 5, &[]);
    let other = program(&[], &[send(3)], 15, &[]);
    let found = search(&[one, other]).unwrap();
    assert_eq!(found[1], RankLoop { first: 0, calls: 3, iterations: 5 });
}

#[test]
fn programs_without_a_common_loop_have_no_iterations() {
    let varied: Vec<Op> = (0..40).map(send).collect();
    let repeated = program(&[], &[send(1)], 40, &[]);
    assert_eq!(search(&[repeated.clone(), varied]), None);
    // Three iterations are too few, and a loop has half of all calls.
    assert_eq!(search(&[program(&[], &[send(1), barrier()], 3, &[])]), None);
    let long: Vec<Op> = (10..20).map(send).collect();
    assert_eq!(search(&[program(&long, &[barrier()], 9, &[])]), None);
    assert!(search(&[program(&long, &[barrier()], 10, &[])]).is_some());
    assert_eq!(search(&[repeated.clone(), Vec::new()]), None);
    // The program has marks of its own.
    let marked = program(&[Op::IterationStart(IterationMark::default())], &[send(1)], 9, &[]);
    assert_eq!(search(&[marked, repeated]), None);
}

#[test]
fn marks_stand_between_calls() {
    let program = program(&[send(7)], &[send(1), barrier()], 4, &[send(8)]);
    let found = search(std::slice::from_ref(&program)).unwrap();
    let mut marker = Marker::new(Some(found[0]));
    let mut marked = Vec::new();
    for op in &program {
        let _: Result<(), ()> = marker.mark(op, |op| {
            marked.push(op.clone());
            Ok(())
        });
    }
    let start =
        |iteration| Op::IterationStart(IterationMark { iteration, ..IterationMark::default() });
    let (compute, end) = (Op::Compute, Op::IterationEnd);
    let first = [send(7), compute(1), start(0), send(1), compute(2), barrier(), end.clone()];
    assert_eq!(marked[..7], first);
    let second = [start(1), compute(3), send(1), compute(4), barrier(), end.clone(), start(2)];
    assert_eq!(marked[7..14], second);
    assert_eq!(marked[marked.len() - 2..], [end, send(8)]);
    assert_eq!(marked.len(), program.len() + 8);
}
