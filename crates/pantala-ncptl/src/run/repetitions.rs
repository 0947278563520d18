//! Loops whose repetitions are equal, so that a run can skip some of them.
//!
//! The repetitions of a loop are equal, or at least draw from one distribution, if its body uses
//! neither the loop's variable nor a time, assigns no processors, logs and prints nothing, and
//! awaits the messages that it leaves outstanding. They are marked where all ranks come past the
//! loop equally often: inside of loops over values only, and outside of branches that each task
//! decides for itself.
//!
//! A rank marks them only if it is told to: marks are no iterations of the program.

use std::cell::Cell;

use crate::compiled::step::Step;
use crate::compiled::tasks::TaskSet;
use crate::compiled::view::View;
use crate::compiled::visit::Uses;
use crate::numbers::progression::Piece;
use crate::run::job::Job;
use crate::run::statement_cache::Evaluated;

/// The equal repetitions of a loop, each time that the ranks come past it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetitions {
    /// The number of the first one. All repetitions of a program are numbered in a row.
    pub first: u32,
    /// How many there are.
    pub count: u32,
}

/// At most so many loops are marked; the first ones.
const MOST: usize = 256;

/// The marked loops of a program, in the order of the run.
pub(super) fn repetitions(job: &Job) -> Vec<Repetitions> {
    let mut walk = Walk {
        job,
        slots: vec![Cell::new(0); job.code.slots],
        found: Vec::new(),
        next: 0,
        work: job.limits.walk,
    };
    if !job.code.assigns {
        let _ = walk.follow(0, job.code.steps.len());
    }
    walk.found
}

/// For each step, whether it starts a loop with equal repetitions.
pub(super) fn equal_bodies(steps: &[Step]) -> Vec<bool> {
    (0..steps.len()).map(|at| repeats(steps, at)).collect()
}

fn repeats(steps: &[Step], at: usize) -> bool {
    let mut uses = Uses::default();
    let (variable, after) = match &steps[at] {
        Step::Repeat(repeat) => {
            uses.expr(&repeat.count);
            repeat.warmup.iter().for_each(|warmup| uses.expr(warmup));
            (None, repeat.after)
        }
        Step::ForEach(_, slot, _, after, _) => (Some(*slot), *after),
        _ => return false,
    };
    for step in &steps[at + 1..after - 1] {
        let varies = matches!(
            step,
            Step::Assign(..)
                | Step::Timed(_)
                | Step::Log(..)
                | Step::Aggregate(..)
                | Step::Output(..)
                | Step::Table
        );
        if varies || variable.is_some_and(|slot| step.depends(slot)) {
            return false;
        }
    }
    !uses.my_task && !leaves_outstanding(steps, at + 1, after - 1)
}

/// Whether steps may leave messages outstanding that they have started. Loops may run never, and
/// branches may not be taken, so that what they await counts for their own messages only.
fn leaves_outstanding(steps: &[Step], from: usize, to: usize) -> bool {
    let (mut at, mut outstanding) = (from, false);
    while at < to {
        let next = match &steps[at] {
            Step::Messages(_, messages) => {
                outstanding |= messages.sends == Some(true) || messages.receives == Some(true);
                at + 1
            }
            Step::Await(TaskSet::All(_), _) => {
                outstanding = false;
                at + 1
            }
            Step::Repeat(repeat) => {
                outstanding |= leaves_outstanding(steps, at + 1, repeat.after - 1);
                repeat.after
            }
            Step::ForEach(.., after, _) => {
                outstanding |= leaves_outstanding(steps, at + 1, *after - 1);
                *after
            }
            Step::Unless(_, target, _) => match &steps[*target - 1] {
                Step::Jump(end) if *target > at + 1 => {
                    outstanding |= leaves_outstanding(steps, at + 1, *target - 1);
                    outstanding |= leaves_outstanding(steps, *target, *end);
                    *end
                }
                _ => {
                    outstanding |= leaves_outstanding(steps, at + 1, *target);
                    *target
                }
            },
            _ => at + 1,
        };
        at = next;
    }
    outstanding
}

struct Walk<'a> {
    job: &'a Job,
    slots: Vec<Cell<i64>>,
    found: Vec<Repetitions>,
    next: u32,
    work: u64,
}

impl Walk<'_> {
    fn view(&self) -> View<'_> {
        View {
            slots: &self.slots,
            tasks: i64::from(self.job.ranks),
            me: -1,
            mapping: None,
            counters: None,
            random: None,
        }
    }

    /// Follows steps as all ranks do; `None` once it does not know how they go on. Loops after
    /// that are not marked.
    fn follow(&mut self, from: usize, to: usize) -> Option<()> {
        let job = self.job;
        let mut at = from;
        while at < to {
            self.work = self.work.checked_sub(1)?;
            let place = at;
            let step = &job.code.steps[place];
            at += 1;
            match step {
                Step::Let(slot, value, _) => {
                    let mut uses = Uses::default();
                    uses.expr(value);
                    // The variable may decide how often a later loop repeats.
                    let value = if uses.my_task { None } else { value.integer(&self.view()).ok() };
                    self.view().set(*slot, value?);
                }
                // A drawn task may decide, too.
                Step::Draw(..) | Step::Assign(..) => return None,
                Step::Unless(relation, target, _) => {
                    let mut uses = Uses::default();
                    uses.relation(relation);
                    if uses.my_task {
                        return None;
                    }
                    if !relation.holds(&self.view()).ok()? {
                        at = *target;
                    }
                }
                Step::Jump(target) => at = *target,
                Step::Repeat(repeat) => {
                    at = repeat.after;
                    if job.repeats(place) {
                        self.add(repeat.count.integer(&self.view()).ok()?)?;
                    }
                }
                Step::ForEach(shared, slot, _, end, _) => {
                    at = *end;
                    let mut key = Vec::new();
                    job.key(shared, &self.slots, None, &mut key);
                    let values = job.evaluated(step, shared, &key, None);
                    let Evaluated::Values(pieces) = &*values else { return None };
                    if job.repeats(place) {
                        let count: u64 = pieces.iter().map(Piece::len).sum();
                        self.add(i64::try_from(count).ok()?)?;
                        continue;
                    }
                    for piece in pieces {
                        for value in 0..piece.len() {
                            self.view().set(*slot, piece.value(value));
                            self.follow(place + 1, *end - 1)?;
                        }
                    }
                }
                Step::Timed(_) => at = Step::loop_end(&job.code.steps, at),
                _ => {}
            }
        }
        Some(())
    }

    fn add(&mut self, count: i64) -> Option<()> {
        let count = u32::try_from(count.max(0)).ok()?;
        let first = self.next;
        self.next = first.checked_add(count).filter(|next| *next < u32::MAX)?;
        (self.found.len() < MOST).then(|| self.found.push(Repetitions { first, count }))
    }
}
