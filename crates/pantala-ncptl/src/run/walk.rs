//! A walk through a program before the run: it finds the sets of ranks that need a communicator,
//! and errors that every run would find.
//!
//! The walk follows the control flow as every task does, draws the same random tasks, and skips
//! loops and repetitions that show nothing new. It gives up after a bounded amount of work; the run
//! then finds the rest.

use std::cell::Cell;
use std::sync::Arc;

use crate::compiled::step::{Random, Shared, Step, UNROLLED};
use crate::compiled::view::{Failure, Mapping, View};
use crate::compiled::visit::Uses;
use crate::numbers::mersenne::Mersenne;
use crate::numbers::random_task::Choice;
use crate::run::groups::{Groups, MAX_SETS};
use crate::run::job::Job;
use crate::run::mapping;
use crate::run::statement_cache::Evaluated;

/// The work of a step, if a statement costs a unit for each rank.
const STEP: u64 = 16;

/// The sets of ranks that the collectives of a program use.
///
/// # Errors
/// If an assertion is false, an expression has no value, or there are too many sets.
pub(super) fn groups(job: &Job) -> Result<Groups, Failure> {
    let mut walk = Walk {
        job,
        slots: vec![Cell::new(0); job.code.slots],
        mapping: None,
        generator: None,
        groups: Groups::new(job.ranks),
        work: job.limits.walk.saturating_mul(STEP),
        key: Vec::new(),
    };
    walk.run(0, job.code.steps.len())?;
    Ok(walk.groups)
}

struct Walk<'a> {
    job: &'a Job,
    slots: Vec<Cell<i64>>,
    mapping: Option<Arc<Mapping>>,
    generator: Option<Mersenne>,
    groups: Groups,
    work: u64,
    key: Vec<i64>,
}

/// The draw of a random task.
pub(super) fn drawn(
    random: &Random,
    view: &View,
    generator: &mut Option<Mersenne>,
    seed: u64,
) -> Result<i64, Failure> {
    let value = |expr: &Option<_>, default: i64| match expr {
        Some(expr) => crate::compiled::expression::Expr::integer(expr, view),
        None => Ok(default),
    };
    let (mut low, mut high) = (value(&random.low, 0)?, value(&random.high, i64::MAX)?);
    if random.exclusive {
        low = if random.low.is_some() { low.saturating_add(1) } else { low };
        high = if random.high.is_some() { high.saturating_sub(1) } else { high };
    }
    let but_not = random.but_not.as_ref().map(|task| task.integer(view)).transpose()?;
    let choice = Choice { low, high, but_not };
    Ok(choice.task(view.tasks, || generator.get_or_insert_with(|| Mersenne::new(seed)).draw()))
}

impl<'a> Walk<'a> {
    fn view(&self) -> View<'_> {
        View {
            slots: &self.slots,
            tasks: i64::from(self.job.ranks),
            me: -1,
            mapping: self.mapping.as_deref(),
            counters: None,
            random: None,
        }
    }

    fn evaluated(&mut self, step: &Step, shared: &Shared) -> Arc<Evaluated> {
        let mut key = std::mem::take(&mut self.key);
        self.job.key(shared, &self.slots, self.mapping.as_deref(), &mut key);
        let result = self.job.evaluated(step, shared, &key, self.mapping.as_deref());
        self.key = key;
        result
    }

    fn spend(&mut self, units: u64) -> bool {
        self.work = self.work.saturating_sub(units);
        self.work > 0
    }

    fn matters(&self, from: usize, to: usize) -> bool {
        self.job.code.steps[from..to].iter().any(|step| {
            matches!(
                step,
                Step::Collective(..) | Step::Assert(..) | Step::Draw(..) | Step::Assign(..)
            )
        })
    }

    fn run(&mut self, from: usize, to: usize) -> Result<(), Failure> {
        let job: &'a Job = self.job;
        let mut at = from;
        while at < to {
            if !self.spend(STEP) {
                return Ok(());
            }
            let step = &job.code.steps[at];
            at += 1;
            match step {
                Step::Let(slot, value, _) => {
                    let value = value.integer(&self.view())?;
                    self.view().set(*slot, value);
                }
                Step::Draw(slot, random, _) => {
                    let mut generator = self.generator.take();
                    let task = drawn(random, &self.view(), &mut generator, job.seed)?;
                    self.generator = generator;
                    self.view().set(*slot, task);
                }
                Step::Assert(text, relation, span) => {
                    let mut uses = Uses::default();
                    uses.relation(relation);
                    if !uses.my_task && !relation.holds(&self.view())? {
                        return Err(Failure::new(*span, &format!("assertion failed: {text}")));
                    }
                }
                Step::Unless(relation, target, _) => {
                    let mut uses = Uses::default();
                    uses.relation(relation);
                    if uses.my_task {
                        // Each rank decides for itself, so both branches count. If one fails, the
                        // run finds out whether a rank takes it.
                        let end = match job.code.steps[*target - 1] {
                            Step::Jump(end) if *target > at => end,
                            _ => *target,
                        };
                        let _ = self.run(at, *target);
                        let _ = self.run(*target, end);
                        at = end;
                    } else if !relation.holds(&self.view())? {
                        at = *target;
                    }
                }
                Step::Jump(target) => at = *target,
                Step::Repeat(repeat) => {
                    let count = repeat.count.integer(&self.view())?.max(0);
                    let warmup = repeat.warmup.as_ref().map(|w| w.integer(&self.view()));
                    let warmup = warmup.transpose()?.unwrap_or(0).max(0);
                    let end = repeat.after;
                    let assigns = self.job.code.assigns;
                    let walked = |times: i64| {
                        let unrolled = assigns && times <= UNROLLED as i64;
                        if repeat.uniform && !unrolled { times.min(1) } else { times }
                    };
                    let times = if assigns {
                        walked(warmup).saturating_add(walked(count))
                    } else {
                        walked(warmup.saturating_add(count))
                    };
                    self.repeat(at, end, times)?;
                    at = end;
                }
                Step::Timed(timed) => {
                    timed.duration.0.integer(&self.view())?;
                    let end = Step::loop_end(&self.job.code.steps, at);
                    self.repeat(at, end, 1)?;
                    at = end;
                }
                Step::ForEach(shared, slot, _, end, _) => {
                    let result = self.evaluated(step, shared);
                    let pieces = match &*result {
                        Evaluated::Values(pieces) => pieces,
                        Evaluated::Failed(failure) => return Err(failure.clone()),
                        _ => continue,
                    };
                    let all = self.matters(at, *end);
                    'values: for piece in pieces {
                        for place in 0..piece.len() {
                            self.view().set(*slot, piece.value(place));
                            self.run(at, end - 1)?;
                            if !all || self.work == 0 {
                                break 'values;
                            }
                        }
                    }
                    at = *end;
                }
                Step::Assign(shared, tasks, processor, span) => {
                    self.spend(u64::from(job.ranks));
                    if processor.is_some() {
                        match &*self.evaluated(step, shared) {
                            Evaluated::Mapping(mapping) => self.mapping = Some(Arc::clone(mapping)),
                            Evaluated::Failed(failure) => return Err(failure.clone()),
                            _ => {}
                        }
                    } else {
                        let mut generator =
                            self.generator.take().unwrap_or_else(|| Mersenne::new(job.seed));
                        let view = self.view();
                        let mapping =
                            mapping::assigned(tasks, None, &view, Some(&mut generator), *span)?;
                        self.generator = Some(generator);
                        self.mapping = Some(mapping);
                    }
                }
                Step::Collective(shared, collective) => {
                    self.spend(u64::from(job.ranks));
                    match &*self.evaluated(step, shared) {
                        Evaluated::Calls(calls) => {
                            for call in &calls.calls {
                                let Some(members) = &call.members else { continue };
                                if !self.groups.add(members) {
                                    let message = format!(
                                        "the program uses too many sets of tasks in collectives; \
                                         at most {MAX_SETS} are allowed"
                                    );
                                    return Err(Failure::new(collective.span, &message));
                                }
                            }
                        }
                        Evaluated::Failed(failure) => return Err(failure.clone()),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn repeat(&mut self, start: usize, end: usize, times: i64) -> Result<(), Failure> {
        for _ in 0..times {
            self.run(start, end - 1)?;
            if self.work == 0 {
                break;
            }
        }
        Ok(())
    }
}
