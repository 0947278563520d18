//! Sets of tasks.

use crate::compile::Compiler;
use crate::compiled::step::Random;
use crate::compiled::tasks::TaskSet;
use crate::compiled::view::Failure;
use crate::language::ast::{RandomChoice, RandomTask, Tasks, TasksKind};

impl Compiler {
    /// A set of tasks. Its variable stays visible; the caller forgets it.
    pub(super) fn tasks(&mut self, tasks: &Tasks) -> Result<TaskSet, Failure> {
        Ok(match &tasks.kind {
            TasksKind::One(task) => TaskSet::One(self.expr(task)?),
            TasksKind::SuchThat { variable, condition } => {
                let slot = self.scope.bind(&variable.text, variable.span)?;
                TaskSet::SuchThat(slot, self.relation(condition)?)
            }
            TasksKind::All(None) => TaskSet::All(None),
            TasksKind::All(Some(name)) => {
                TaskSet::All(Some(self.scope.bind(&name.text, name.span)?))
            }
            TasksKind::AllOthers => TaskSet::AllOthers,
            TasksKind::Group(name) => {
                let set = self.scope.tasks(&name.text, name.span)?;
                if let Some(slot) = set.bound() {
                    // In the statement, the name of the group stands for each of its tasks.
                    self.scope.show(&name.text, slot);
                }
                set
            }
            TasksKind::Ranges(ranges) => TaskSet::Ranges(self.ranges(ranges)?),
        })
    }

    /// A set of tasks for a statement that names no others.
    pub(super) fn only_tasks<T>(
        &mut self,
        tasks: &Tasks,
        rest: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<(TaskSet, T), Failure> {
        let mark = self.scope.mark();
        let set = self.tasks(tasks)?;
        let rest = rest(self)?;
        self.scope.forget(mark);
        Ok((set, rest))
    }

    pub(super) fn random(&mut self, task: &RandomTask) -> Result<Random, Failure> {
        let mut optional = |expression: Option<_>| match expression {
            Some(expression) => self.expr(expression).map(Some),
            None => Ok(None),
        };
        let (low, high, exclusive, but_not) = match &task.choice {
            RandomChoice::Any => (None, None, false, None),
            RandomChoice::OtherThan(other) => (None, None, false, Some(other)),
            RandomChoice::LessThan { limit, but_not } => {
                (None, Some(limit), true, but_not.as_ref())
            }
            RandomChoice::GreaterThan { limit, but_not } => {
                (Some(limit), None, true, but_not.as_ref())
            }
            RandomChoice::In { low, high, but_not } => {
                (Some(low), Some(high), false, but_not.as_ref())
            }
        };
        let (low, high, but_not) = (optional(low)?, optional(high)?, optional(but_not)?);
        Ok(Random { low, high, exclusive, but_not })
    }
}
