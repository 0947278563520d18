//! The semantics of collectives, independent of the algorithm: the final data of each member.

use pantala_mpi::Collectives;
use pantala_mpi::collectives::{Call, Collective};

use super::data::{Label, Outcome, Sum, run};

/// The part of an outcome that does not depend on the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    pub(crate) depth: u32,
    pub(crate) waits: u32,
}

impl Cost {
    fn of<C>(outcome: &Outcome<C>) -> Self {
        let Outcome { messages, bytes, depth, waits, .. } = *outcome;
        Self { messages, bytes, depth, waits }
    }
}

fn one_hot(size: u32, member: u32) -> Sum {
    (0..size).map(|i| u16::from(i == member)).collect()
}

fn up_to(size: u32, end: u32) -> Sum {
    (0..size).map(|i| u16::from(i < end)).collect()
}

/// Runs the collective that `call` gives for each member, checks the data, and returns the cost.
pub(crate) fn check(choice: &Collectives, size: u32, call: impl Fn(u32) -> Call) -> Cost {
    let machine = |me| Collective::of(choice, &call(me), size);
    let sums = || run(size, machine, |me, _| one_hot(size, me));
    let labels = |start: &dyn Fn(u32, u32) -> Label| run(size, machine, start);
    let all = up_to(size, size);
    // An empty block need not travel.
    let empty = |member: u32| match call(0) {
        Call::Gatherv { counts, .. } | Call::Scatterv { counts, .. } => {
            counts[member as usize] == 0
        }
        _ => false,
    };
    match call(0) {
        Call::Barrier => {
            let out = sums();
            assert!(out.cells.iter().flatten().flatten().all(|times| *times > 0), "{size}");
            Cost::of(&out)
        }
        Call::Bcast { root, .. } => {
            let out = labels(&|me, block| (me == root).then_some((root, block)));
            for cells in &out.cells {
                assert!(
                    cells.iter().enumerate().all(|(b, cell)| *cell == Some((root, b as u32))),
                    "{size} {root}"
                );
            }
            Cost::of(&out)
        }
        Call::Reduce { root, .. } => {
            let out = sums();
            assert!(out.cells[root as usize].iter().all(|cell| *cell == all), "{size} {root}");
            Cost::of(&out)
        }
        Call::Allreduce { .. } => {
            let out = sums();
            assert!(out.cells.iter().flatten().all(|cell| *cell == all), "{size}");
            Cost::of(&out)
        }
        Call::ReduceScatterBlock { .. } | Call::ReduceScatter { .. } => {
            let out = sums();
            assert!(out.cells.iter().enumerate().all(|(me, cells)| cells[me] == all), "{size}");
            Cost::of(&out)
        }
        Call::Allgather { .. } | Call::Allgatherv { .. } => {
            let out = labels(&|me, block| (me == block).then_some((me, 0)));
            for cells in &out.cells {
                assert!(
                    cells.iter().enumerate().all(|(b, cell)| *cell == Some((b as u32, 0))),
                    "{size}"
                );
            }
            Cost::of(&out)
        }
        Call::Gather { root, .. } | Call::Gatherv { root, .. } => {
            let out = labels(&|me, block| (me == block).then_some((me, root)));
            let held = &out.cells[root as usize];
            let gathered = (0..size).zip(held).all(|(block, cell)| {
                *cell == Some((block, root)) || cell.is_none() && empty(block)
            });
            assert!(gathered || size == 1, "{size} {root}");
            Cost::of(&out)
        }
        Call::Scatter { root, .. } | Call::Scatterv { root, .. } => {
            let out = labels(&|me, block| (me == root).then_some((root, block)));
            for (me, cells) in out.cells.iter().enumerate().skip(usize::from(size == 1)) {
                // Without any message the data have no blocks; the root's own stays where it is.
                let me = me as u32;
                let cell = cells.get(me as usize).copied().flatten();
                let stays = empty(me) || me == root && out.messages == 0;
                assert!(cell == Some((root, me)) || cell.is_none() && stays, "{size} {root}");
            }
            Cost::of(&out)
        }
        Call::Alltoall { .. } | Call::Alltoallv { .. } => {
            let out = labels(&|me, distance| Some((me, (me + distance) % size)));
            for (me, cells) in (0..size).zip(&out.cells) {
                for (distance, cell) in (0..size).zip(cells) {
                    let from = (me + size - distance) % size;
                    let empty = match call(me) {
                        Call::Alltoallv { pairs } => pairs.receive[from as usize] == 0,
                        _ => false,
                    };
                    assert!(*cell == Some((from, me)) || empty, "{size}");
                }
            }
            Cost::of(&out)
        }
        Call::Scan { .. } | Call::Exscan { .. } => {
            let out = sums();
            // An exscan leaves the own contribution out of the result. Its messages equal those of
            // a scan.
            assert!(
                (0..size).zip(&out.results).all(|(me, result)| *result == up_to(size, me + 1)),
                "{size}"
            );
            Cost::of(&out)
        }
    }
}
