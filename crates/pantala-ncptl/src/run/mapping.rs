//! The assignment of tasks to processors: ranks.

use crate::compiled::expression::Expr;
use crate::compiled::tasks::TaskSet;
use crate::compiled::view::{Failure, Mapping, View};
use crate::language::source::Span;
use crate::numbers::mersenne::Mersenne;
use crate::numbers::random_task::Choice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of the next mapping. 0 is the identity.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The mapping after an assignment. Each task changes places with the task on its new processor.
/// `generator` draws the processors if the statement names none.
pub(super) fn assigned(
    tasks: &TaskSet,
    processor: Option<&Expr>,
    view: &View,
    generator: Option<&mut Mersenne>,
    span: Span,
) -> Result<Arc<Mapping>, Failure> {
    let identity: Vec<u32> = (0..view.tasks as u32).collect();
    let (mut rank_of, mut task_of) = match view.mapping {
        Some(mapping) => (mapping.rank_of.clone(), mapping.task_of.clone()),
        None => (identity.clone(), identity),
    };
    let mut generator = generator;
    tasks.for_each(view, None, |task| {
        let rank = match (processor, generator.as_deref_mut()) {
            (Some(processor), _) => processor.integer(view)?,
            (None, Some(generator)) => Choice { low: 0, high: i64::MAX, but_not: None }
                .task(view.tasks, || generator.draw()),
            (None, None) => 0,
        };
        if !(0..view.tasks).contains(&rank) {
            let message = format!("there is no processor {rank}: the job has {}", view.tasks);
            return Err(Failure::new(span, &message));
        }
        let (old, other) = (rank_of[task as usize], task_of[rank as usize]);
        rank_of[task as usize] = rank as u32;
        task_of[rank as usize] = task as u32;
        rank_of[other as usize] = old;
        task_of[old as usize] = other;
        Ok(())
    })?;
    // The order of the numbers does not matter: equal numbers only have to mean equal mappings.
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    Ok(Arc::new(Mapping { id, rank_of, task_of }))
}
