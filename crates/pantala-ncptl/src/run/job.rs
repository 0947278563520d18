//! The shared part of a job's programs.

use crate::compiled::sequence;
use crate::compiled::step::{Code, Shared, Step};
use crate::compiled::view::{Failure, Mapping, View};
use crate::language::source::{Source, Span};
use crate::run::collectives::GroupCalls;
use crate::run::groups::Groups;
use crate::run::mapping;
use crate::run::messages::Exchange;
use crate::run::repetitions::{self, Repetitions};
use crate::run::statement_cache::{Evaluated, StatementCache};
use crate::run::walk;
use std::cell::Cell;
use std::sync::Arc;

/// Bounds of the work between two operations and before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The greatest number of steps of a rank between two operations.
    pub steps: u64,
    /// The work of the walk before the run, in steps; an evaluated statement costs a step for every
    /// sixteen ranks.
    pub walk: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 10_000_000, walk: 1 << 24 }
    }
}

/// A program for a number of ranks, with the results that its ranks share.
#[derive(Debug)]
pub struct Job {
    /// The text, for messages.
    pub source: Source,
    /// The steps.
    pub code: Code,
    /// Number of ranks.
    pub ranks: u32,
    /// The seed of random tasks.
    pub seed: u64,
    /// The time for touching one byte, in femtoseconds.
    pub touch_per_byte_fs: u64,
    /// The sets of ranks with a communicator.
    pub groups: Groups,
    /// Bounds of the work.
    pub limits: Limits,
    /// The loops with equal repetitions, in the order of the run.
    pub repetitions: Vec<Repetitions>,
    /// For each step, whether it starts a loop with equal repetitions.
    equal_bodies: Vec<bool>,
    caches: Vec<StatementCache>,
}

impl Job {
    /// Prepares a compiled program: finds the sets of ranks that it uses, and checks its assertions.
    ///
    /// # Errors
    /// If an assertion is false, or an expression of the control flow has no value.
    pub fn new(
        source: Source,
        code: Code,
        ranks: u32,
        seed: u64,
        touch_per_byte_fs: u64,
        limits: Limits,
    ) -> Result<Self, (Source, Failure)> {
        let caches = (0..code.shared).map(|_| StatementCache::default()).collect();
        let groups = Groups::new(ranks);
        let (repetitions, equal_bodies) = (Vec::new(), repetitions::equal_bodies(&code.steps));
        let mut job = Self {
            source,
            code,
            ranks,
            seed,
            touch_per_byte_fs,
            groups,
            limits,
            repetitions,
            equal_bodies,
            caches,
        };
        match walk::groups(&job) {
            Ok(groups) => {
                job.groups = groups;
                job.repetitions = repetitions::repetitions(&job);
                // The walk has put results without sets on the shelves.
                job.caches = (0..job.code.shared).map(|_| StatementCache::default()).collect();
                Ok(job)
            }
            Err(failure) => Err((job.source, failure)),
        }
    }

    /// Whether a step starts a loop with equal repetitions.
    pub(super) fn repeats(&self, step: usize) -> bool {
        self.equal_bodies.get(step).copied().unwrap_or(false)
    }

    /// A message with the place in the program.
    #[must_use]
    pub fn located(&self, span: Span, message: &str) -> Arc<str> {
        let at = self.source.location(span.start);
        format!("{}:{}:{}: {message}", self.source.name(), at.line, at.column).into()
    }

    /// The file and the line of a place in the program.
    pub(super) fn line(&self, span: Span) -> String {
        format!("{}:{}", self.source.name(), self.source.location(span.start).line)
    }

    /// Writes the key of a shared result: the values that it depends on.
    pub(super) fn key(
        &self,
        shared: &Shared,
        slots: &[Cell<i64>],
        mapping: Option<&Mapping>,
        key: &mut Vec<i64>,
    ) {
        key.clear();
        key.extend(shared.depends.iter().map(|slot| slots[usize::from(*slot)].get()));
        if shared.mapped && self.code.assigns {
            key.push(mapping.map_or(0, |mapping| mapping.id as i64));
        }
    }

    /// The shared result of a step for a key.
    pub(super) fn evaluated(
        &self,
        step: &Step,
        shared: &Shared,
        key: &[i64],
        mapping: Option<&Mapping>,
    ) -> Arc<Evaluated> {
        self.caches[shared.number].get(key, || {
            let slots = vec![Cell::new(0); self.code.slots];
            for (slot, value) in shared.depends.iter().zip(key) {
                slots[usize::from(*slot)].set(*value);
            }
            let view = View {
                slots: &slots,
                tasks: i64::from(self.ranks),
                me: -1,
                mapping,
                counters: None,
                random: None,
            };
            self.evaluate(step, &view).unwrap_or_else(Evaluated::Failed)
        })
    }

    fn evaluate(&self, step: &Step, view: &View) -> Result<Evaluated, Failure> {
        Ok(match step {
            Step::Messages(_, messages) => Evaluated::Exchange(Exchange::of(messages, view)?),
            Step::Collective(_, collective) => {
                let mut calls = GroupCalls::of(collective, view)?;
                for call in &mut calls.calls {
                    if let Some(members) = &call.members {
                        call.set = self.groups.number(members).unwrap_or(u32::MAX);
                    }
                }
                Evaluated::Calls(calls)
            }
            Step::ForEach(_, _, ranges, ..) => Evaluated::Values(sequence::pieces(ranges, view)?),
            Step::Assign(_, tasks, processor, span) => {
                Evaluated::Mapping(mapping::assigned(tasks, processor.as_ref(), view, None, *span)?)
            }
            _ => Evaluated::Values(Vec::new()),
        })
    }
}
