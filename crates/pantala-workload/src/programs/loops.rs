//! Loops: the stretches of a program in which every iteration equals the others.
//!
//! A run can skip iterations of a loop ([`super::RankOperations::skip`]). Iterations are equal if
//! they have the same operations and compute for about the same time ([`levels`]), or if their
//! random draws have the same distribution. They may be equal every few iterations only.

mod levels;
mod recorded;

use levels::ComputingTimes;
use pantala_engine::Time;
use pantala_mpi::{IterationMark, Op, OperationSource, OperationStream, Outcome, RankContext};
use pantala_ncptl::run::repetitions::Repetitions;

pub use recorded::{PerIteration, RecordedComputing};

/// A stretch of equal iterations of one motif, on all ranks of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The number of the motif in the marks of the iterations.
    pub motif: u16,
    /// The number of the first iteration.
    pub first: u32,
    /// The number after the last iteration; `u32::MAX` if the loop never ends.
    pub end: u32,
    /// Iteration `i` equals iteration `i + period`.
    pub period: u32,
}

impl Loop {
    /// Whether an iteration with this mark is in the loop.
    #[must_use]
    pub const fn has(&self, mark: &IterationMark) -> bool {
        mark.motif == self.motif && mark.iteration >= self.first && mark.iteration < self.end
    }

    /// Whether the loop never ends.
    #[must_use]
    pub const fn is_endless(&self) -> bool {
        self.end == u32::MAX
    }
}

/// The iterations that a motif has, or that a search has found to be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeats {
    /// The first iteration that equals a later one.
    pub first: u32,
    /// Iteration `i` equals iteration `i + period`.
    pub period: u32,
}

impl Repeats {
    /// All iterations are equal.
    pub const ALL: Self = Self { first: 0, period: 1 };
}

/// The fewest equal iterations that make a loop.
pub(crate) const FEWEST: u32 = 3;

/// The loops of a job whose ranks have marks of iterations in streams of fixed operations, and their
/// computing times. All ranks execute all their operations here, so the time is that of reading them.
pub(super) fn found<S: OperationSource>(
    source: &S,
    rank: RankContext,
) -> (Vec<Loop>, RecordedComputing) {
    let mut loops: Option<Vec<Loop>> = None;
    let mut times = ComputingTimes::default();
    for number in 0..rank.ranks {
        let own = of_rank(&mut source.program(RankContext { rank: number, ..rank }), &mut times);
        loops = Some(match loops {
            None => own,
            Some(loops) => common(&loops, &own),
        });
        if loops.as_ref().is_some_and(Vec::is_empty) {
            break;
        }
    }
    let loops = loops.unwrap_or_default();
    let loops: Vec<Loop> = loops.iter().flat_map(|known| times.levels(known)).collect();
    let computing = RecordedComputing::of(&loops, &times, rank.ranks);
    (loops, computing)
}

/// What one pass of a program consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    /// Number of its iterations.
    pub(super) iterations: u32,
    /// Whether it has no operation outside them.
    pub(super) has_nothing_else: bool,
}

/// The passes of the ranks of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passes {
    /// All ranks have such a pass.
    Equal(Pass),
    /// Nobody sees a second pass.
    Endless,
    /// The iterations of a pass are not those of one motif, numbered on, as many on each rank.
    Unnumbered,
}

impl Passes {
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Equal(one), Self::Equal(other)) if one.iterations == other.iterations => {
                let has_nothing_else = one.has_nothing_else && other.has_nothing_else;
                Self::Equal(Pass { has_nothing_else, ..one })
            }
            (Self::Endless, Self::Endless) => Self::Endless,
            _ => Self::Unnumbered,
        }
    }
}

/// The pass of one rank, found by reading its operations.
pub(super) fn pass_of_rank(program: &mut impl OperationStream) -> Passes {
    /// A simulation does not come to the end of longer passes.
    const LONGEST: u64 = 1 << 27;
    let (mut iterations, mut inside, mut has_nothing_else) = (0, false, true);
    for _ in 0..LONGEST {
        match program.next(0, &Outcome::Done) {
            None if iterations > 0 => {
                return Passes::Equal(Pass { iterations, has_nothing_else });
            }
            None => return Passes::Unnumbered,
            Some(Op::IterationStart(mark)) => {
                // The phases of an iteration have marks with its number.
                let known = mark.iteration == iterations || mark.iteration + 1 == iterations;
                if mark.motif != 0 || !known {
                    return Passes::Unnumbered;
                }
                (iterations, inside) = (mark.iteration + 1, true);
            }
            Some(Op::IterationEnd) => inside = false,
            Some(_) => has_nothing_else &= inside,
        }
    }
    Passes::Endless
}

/// Whether a rank does anything in its first iterations. One that does not is through all of them
/// at once.
pub(super) fn works(program: &mut impl OperationStream) -> bool {
    /// Setting up and the iterations of a cycle have fewer operations.
    const MOST: u32 = 10_000;
    let mut inside = false;
    for _ in 0..MOST {
        match program.next(0, &Outcome::Done) {
            None => return false,
            Some(Op::IterationStart(_)) => inside = true,
            Some(Op::IterationEnd) => {}
            Some(_) if inside => return true,
            Some(_) => {}
        }
    }
    !inside
}

/// The loops of a coNCePTuaL program with these repetitions.
pub(super) fn of_repetitions(repetitions: &[Repetitions]) -> Vec<Loop> {
    let many = |each: &&Repetitions| each.count >= FEWEST;
    let of = |each: &Repetitions| Loop {
        motif: IterationMark::UNSEEN,
        first: each.first,
        end: each.first + each.count,
        period: 1,
    };
    repetitions.iter().filter(many).map(of).collect()
}

/// The parts of loops that both have.
fn common(one: &[Loop], other: &[Loop]) -> Vec<Loop> {
    let both = |a: &Loop, b: &Loop| Loop {
        motif: a.motif,
        first: a.first.max(b.first),
        end: a.end.min(b.end),
        period: 1,
    };
    let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
    let parts = pairs.filter(|(a, b)| a.motif == b.motif).map(|(a, b)| both(a, b));
    parts.filter(|part| part.end >= part.first.saturating_add(FEWEST)).collect()
}

/// The operations of an iteration, with its number, up to the start of the next one.
#[derive(Default)]
struct Iteration {
    motif: u16,
    number: u32,
    operations: Vec<Op>,
    computing: Time,
}

/// The loops of one rank, whose computing times are added to `times`.
fn of_rank(program: &mut impl OperationStream, times: &mut ComputingTimes) -> Vec<Loop> {
    let mut loops: Vec<Loop> = Vec::new();
    let (mut last, mut present): (Option<Iteration>, Option<Iteration>) = (None, None);
    let mut close = |last: &Option<Iteration>, present: &Iteration| {
        let follows = |last: &&Iteration| {
            (last.motif, last.number.wrapping_add(1)) == (present.motif, present.number)
        };
        let Some(before) = last.as_ref().filter(follows) else { return };
        if before.operations != present.operations {
            return;
        }
        match loops.last_mut() {
            Some(known) if (known.motif, known.end) == (present.motif, present.number) => {
                known.end += 1;
            }
            _ => loops.push(Loop {
                motif: present.motif,
                first: before.number,
                end: present.number + 1,
                period: 1,
            }),
        }
    };
    while let Some(op) = program.next(0, &Outcome::Done) {
        if let Op::IterationStart(mark) = &op {
            let goes_on = present
                .as_ref()
                .is_some_and(|now| (now.motif, now.number) == (mark.motif, mark.iteration));
            if !goes_on {
                let (motif, number) = (mark.motif, mark.iteration);
                if let Some(over) =
                    present.replace(Iteration { motif, number, ..Iteration::default() })
                {
                    close(&last, &over);
                    times.add((over.motif, over.number), over.computing);
                    last = Some(over);
                }
            }
        }
        if let Some(present) = &mut present {
            if let Op::Compute(time) | Op::Icompute(time, _) = op {
                present.computing += time;
            }
            present.operations.push(without_numbers(op));
        }
    }
    if let Some(over) = present {
        times.add((over.motif, over.number), over.computing);
    }
    // The last iteration has what follows the loop, so it does not count.
    loops.retain(|known| known.end >= known.first.saturating_add(FEWEST));
    loops
}

/// The operation as far as it must be equal: computing times and the numbers of iterations differ.
fn without_numbers(op: Op) -> Op {
    const ANY: Time = 1;
    match op {
        Op::Compute(_) => Op::Compute(ANY),
        Op::Icompute(_, request) => Op::Icompute(ANY, request),
        Op::IterationStart(mark) => Op::IterationStart(IterationMark { iteration: 0, ..mark }),
        other => other,
    }
}

/// The iterations that a rank leaves out: the same on all ranks of its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The number of the motif.
    pub motif: u16,
    /// The number of the first iteration.
    pub first: u32,
    /// Number of iterations.
    pub count: u32,
}

impl LeftOut {
    /// Whether an iteration with this mark is left out.
    pub(crate) const fn has(&self, mark: &IterationMark) -> bool {
        mark.motif == self.motif
            && mark.iteration >= self.first
            && mark.iteration - self.first < self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::OperationLists;

    fn iteration(number: u32, time: Time, bytes: u64) -> Vec<Op> {
        let mark = IterationMark { iteration: number, ..IterationMark::default() };
        let to = pantala_mpi::Outgoing { communicator: 0, destination: 1, tag: 0, bytes };
        vec![Op::IterationStart(mark), Op::Compute(time), Op::Send(to), Op::IterationEnd]
    }

    fn lists(sizes: &[&[u64]]) -> OperationLists {
        let list = |sizes: &&[u64]| {
            let all =
                (0..).zip(*sizes).flat_map(|(i, bytes)| iteration(i, 5 + u64::from(i), *bytes));
            all.chain([Op::Compute(3)]).collect::<Vec<Op>>().into()
        };
        OperationLists { ranks: sizes.iter().map(list).collect() }
    }

    #[test]
    fn equal_iterations_are_a_loop_if_their_computing_times_vary_a_little() {
        let of = |sizes: &[&[u64]]| {
            found(&lists(sizes), RankContext::new(0, sizes.len() as u32, "job", 1)).0
        };
        let known = |first, end| vec![Loop { motif: 0, first, end, period: 1 }];
        // The last iteration is followed by something else.
        assert_eq!(of(&[&[4; 8]]), known(0, 7));
        assert_eq!(of(&[&[9, 4, 4, 4, 4, 4, 4, 4]]), known(1, 7));
        // All ranks have to repeat.
        let two = [known(0, 3), known(4, 7)].concat();
        assert_eq!(of(&[&[4; 8], &[4, 4, 4, 1, 4, 4, 4, 4]]), two);
        assert_eq!(of(&[&[4; 8], &[1, 2, 3, 4, 5, 6, 7, 8]]), vec![]);
        assert_eq!(of(&[&[4, 4]]), vec![]);
    }
}
