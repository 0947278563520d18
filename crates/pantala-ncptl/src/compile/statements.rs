//! Statements.

use crate::compile::Compiler;
use crate::compiled::expression::Expr;
use crate::compiled::step::{
    Bytes, Collective, CollectiveKind, Column, ColumnKind, Item, Messages, Repeat, Shared, Step,
    Timed, Touch,
};
use crate::compiled::tasks::TaskSet;
use crate::compiled::view::Failure;
use crate::compiled::visit::Uses;
use crate::language::ast::{
    self, Aggregate, BindingValue, LogColumn, Name, Output, ReduceTarget, Statement, StatementKind,
    Title, Touching,
};
use crate::language::source::Span;
use std::sync::Arc;

impl Compiler {
    fn push(&mut self, step: Step) {
        self.code.steps.push(step);
    }

    fn shared(&mut self, mut uses: Uses) -> Shared {
        let number = self.code.shared;
        self.code.shared += 1;
        uses.slots.retain(|slot| self.outer.contains(slot));
        Shared { number, depends: uses.slots.into(), mapped: uses.mapping }
    }

    pub(super) fn statement(&mut self, statement: &Statement) -> Result<(), Failure> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Send(send) => self.send(send, span),
            StatementKind::Receive(receive) => self.receive(receive, span),
            StatementKind::Multicast(multicast) => self.multicast(multicast, span),
            StatementKind::Reduce(reduce) => self.reduce(reduce, span),
            StatementKind::Synchronize(tasks) => {
                let (tasks, ()) = self.only_tasks(tasks, |_| Ok(()))?;
                let mut uses = Uses::default();
                uses.tasks(&tasks);
                self.collective(CollectiveKind::Synchronize(tasks), (false, false), uses, span);
                Ok(())
            }
            StatementKind::Await(tasks) => {
                let (tasks, ()) = self.only_tasks(tasks, |_| Ok(()))?;
                self.push(Step::Await(tasks, span));
                Ok(())
            }
            StatementKind::Delay(delay) => {
                let (tasks, duration) =
                    self.only_tasks(&delay.tasks, |this| this.expr(&delay.duration))?;
                self.push(Step::Delay(tasks, duration, delay.unit.microseconds(), span));
                Ok(())
            }
            StatementKind::TouchMemory(touch) => {
                let (tasks, (bytes, times)) = self.only_tasks(&touch.tasks, |this| {
                    let bytes = match &touch.accesses {
                        Some((count, unit)) => this.bytes(count, *unit)?,
                        None => this.size(Some(&touch.region))?,
                    };
                    let times = touch.times.as_ref().map(|times| this.expr(times)).transpose()?;
                    Ok((bytes, times.unwrap_or(Expr::Constant(1))))
                })?;
                self.push(Step::Touch(Box::new(Touch { tasks, bytes, times, span })));
                Ok(())
            }
            // The simulation has no buffers, so this takes no time.
            StatementKind::TouchBuffers(..) => Ok(()),
            StatementKind::Log(tasks, columns) => {
                let (tasks, columns) = self.only_tasks(tasks, |this| {
                    columns.iter().map(|column| this.column(column)).collect::<Result<Vec<_>, _>>()
                })?;
                self.push(Step::Log(tasks, columns.into(), span));
                Ok(())
            }
            StatementKind::ComputeAggregates(tasks) => {
                let (tasks, ()) = self.only_tasks(tasks, |_| Ok(()))?;
                self.push(Step::Aggregate(tasks, span));
                Ok(())
            }
            StatementKind::Counters(tasks, action) => {
                let (tasks, ()) = self.only_tasks(tasks, |_| Ok(()))?;
                self.push(Step::Counters(tasks, *action, span));
                Ok(())
            }
            StatementKind::Assert(text, relation) => {
                let relation = self.relation(relation)?;
                self.push(Step::Assert(text.value.as_str().into(), relation, span));
                Ok(())
            }
            StatementKind::Output(tasks, items) => {
                let (tasks, items) = self.only_tasks(tasks, |this| {
                    items.iter().map(|item| this.item(item)).collect::<Result<Vec<_>, _>>()
                })?;
                self.push(Step::Output(tasks, items, span));
                Ok(())
            }
            StatementKind::Assign(tasks, assignment) => {
                let (tasks, processor) = self.only_tasks(tasks, |this| match assignment {
                    ast::Assignment::Processor(processor) => this.expr(processor).map(Some),
                    ast::Assignment::Random => Ok(None),
                })?;
                let mut uses = Uses::default();
                uses.tasks(&tasks);
                if let Some(processor) = &processor {
                    uses.expr(processor);
                }
                uses.mapping = true;
                self.code.assigns = true;
                let shared = self.shared(uses);
                self.push(Step::Assign(shared, tasks, processor, span));
                Ok(())
            }
            StatementKind::Block(statements) => {
                statements.iter().try_for_each(|statement| self.statement(statement))
            }
            StatementKind::ForEach(_)
            | StatementKind::Repeat(_)
            | StatementKind::Timed(_)
            | StatementKind::Let(_)
            | StatementKind::If(_) => self.control(&statement.kind, span),
        }
    }

    fn control(&mut self, kind: &StatementKind, span: Span) -> Result<(), Failure> {
        let (mark, start) = (self.scope.mark(), self.code.steps.len());
        let unrolled = self.unrolled;
        match kind {
            StatementKind::ForEach(each) => {
                let ranges = self.ranges(&each.ranges)?;
                let mut uses = Uses::default();
                uses.ranges(&ranges);
                let shared = self.shared(uses);
                let slot = self.scope.bind(&each.variable.text, each.variable.span)?;
                self.outer.insert(slot);
                self.push(Step::ForEach(shared, slot, ranges, 0, span));
                self.statement(&each.body)?;
                self.push(Step::End);
                let end = self.code.steps.len();
                if let Step::ForEach(_, _, _, after, _) = &mut self.code.steps[start] {
                    *after = end;
                }
            }
            StatementKind::Repeat(repeat) => {
                let count = self.expr(&repeat.count)?;
                let warmup = repeat.warmup.as_ref().map(|w| self.expr(w)).transpose()?;
                let synchronizes = repeat.synchronization;
                self.push(Step::Repeat(Box::new(Repeat {
                    count,
                    warmup,
                    synchronizes,
                    uniform: true,
                    after: 0,
                    span,
                })));
                self.statement(&repeat.body)?;
                self.push(Step::End);
                let (uniform, end) = (self.uniform(start, unrolled), self.code.steps.len());
                if let Step::Repeat(repeat) = &mut self.code.steps[start] {
                    repeat.uniform = uniform;
                    repeat.after = end;
                }
            }
            StatementKind::Timed(timed) => {
                let duration = (self.expr(&timed.duration)?, timed.unit.microseconds());
                let warmup = match &timed.warmup {
                    Some((time, unit)) => Some((self.expr(time)?, unit.microseconds())),
                    None => None,
                };
                // After each batch all tasks synchronize, so AND A SYNCHRONIZATION adds nothing.
                let step = Timed { duration, warmup, uniform: true, span };
                self.push(Step::Timed(Box::new(step)));
                self.statement(&timed.body)?;
                self.push(Step::End);
                let uniform = self.uniform(start, unrolled);
                if let Step::Timed(timed) = &mut self.code.steps[start] {
                    timed.uniform = uniform;
                }
            }
            StatementKind::Let(bindings) => {
                for binding in &bindings.bindings {
                    let Name { text, span } = &binding.name;
                    match &binding.value {
                        BindingValue::Number(value) => {
                            let value = self.expr(value)?;
                            let slot = self.scope.bind(text, *span)?;
                            self.outer.insert(slot);
                            self.push(Step::Let(slot, value, *span));
                        }
                        BindingValue::Random(random) => {
                            let random = self.random(random)?;
                            let slot = self.scope.bind(text, *span)?;
                            self.outer.insert(slot);
                            self.push(Step::Draw(slot, random, *span));
                        }
                        BindingValue::Group(tasks) => {
                            let (tasks, ()) = self.only_tasks(tasks, |_| Ok(()))?;
                            self.scope.group(text, tasks);
                        }
                    }
                }
                self.statement(&bindings.body)?;
            }
            StatementKind::If(branch) => {
                let condition = self.relation(&branch.condition)?;
                self.push(Step::Unless(condition, 0, span));
                self.statement(&branch.then)?;
                let mut otherwise = self.code.steps.len();
                if let Some(other) = &branch.otherwise {
                    self.push(Step::Jump(0));
                    self.statement(other)?;
                    let end = self.code.steps.len();
                    self.code.steps[otherwise] = Step::Jump(end);
                    otherwise += 1;
                }
                if let Step::Unless(_, target, _) = &mut self.code.steps[start] {
                    *target = otherwise;
                }
            }
            _ => {}
        }
        self.scope.forget(mark);
        Ok(())
    }

    /// Whether all repetitions of a loop with the steps from `start` on are equal.
    ///
    /// The reference compiler executes a loop's body once and repeats what it did, unless it has
    /// random numbers or unique messages; `unrolled` is the number of those before the body.
    fn uniform(&self, start: usize, unrolled: usize) -> bool {
        let steps = &self.code.steps[start..];
        let draws = |step: &Step| matches!(step, Step::Draw(..) | Step::Assign(_, _, None, _));
        let assigns = steps.iter().any(|step| matches!(step, Step::Assign(..)));
        !(steps.iter().any(draws) || assigns && self.unrolled > unrolled)
    }

    fn send(&mut self, send: &ast::Send, span: Span) -> Result<(), Failure> {
        let receive = send.receive.as_ref();
        let into = receive.and_then(|spec| spec.into.as_ref());
        self.unrolled += usize::from(into.is_some_and(|(unique, _)| *unique == Some(true)));
        let receives = receive.and_then(|spec| spec.asynchronous).unwrap_or(send.asynchronous);
        let (source, target) = self.pair(&send.source, &send.target)?;
        let (tag, receive_tag, messages) = self.seeing(&send.source, &source, |this| {
            let tag = this.tag(send.message.tag.as_ref())?;
            let receive_tag = match receive.and_then(|spec| spec.tag.as_ref()) {
                Some(tag) => this.tag(Some(tag))?,
                None => tag.clone(),
            };
            Ok((tag, receive_tag, this.message(&send.message)?))
        })?;
        let touching = send.message.touching;
        let received = receive.and_then(|spec| spec.touching).or(touching);
        self.messages(Messages {
            source,
            target,
            source_first: true,
            count: messages.0,
            size: messages.1,
            tag,
            receive_tag,
            sends: Some(send.asynchronous),
            receives: (!send.unsuspecting).then_some(receives),
            touches: (touches(touching), touches(received)),
            span,
        });
        Ok(())
    }

    fn receive(&mut self, receive: &ast::Receive, span: Span) -> Result<(), Failure> {
        let source_first = receive.sender_binds_first(|name| self.scope.is_visible(name));
        let (source, target) = if source_first {
            self.pair(&receive.source, &receive.target)?
        } else {
            let (target, source) = self.pair(&receive.target, &receive.source)?;
            (source, target)
        };
        let (tag, (count, size)) = self.seeing(&receive.source, &source, |this| {
            Ok((this.tag(receive.message.tag.as_ref())?, this.message(&receive.message)?))
        })?;
        let touches = (false, touches(receive.message.touching));
        self.messages(Messages {
            source,
            target,
            source_first,
            count,
            size,
            receive_tag: tag.clone(),
            tag,
            sends: None,
            receives: Some(receive.asynchronous),
            touches,
            span,
        });
        Ok(())
    }

    /// Two sets of tasks, of which the second sees the variable of the first.
    fn pair(
        &mut self,
        first: &ast::Tasks,
        second: &ast::Tasks,
    ) -> Result<(TaskSet, TaskSet), Failure> {
        let mark = self.scope.mark();
        let first_set = self.tasks(first)?;
        if let (Some(name), Some(slot)) = (first.variable(), first_set.bound()) {
            self.scope.show(&name.text, slot);
        }
        let second = self.tasks(second);
        self.scope.forget(mark);
        Ok((first_set, second?))
    }

    /// Compiles something that sees the variable of the senders.
    fn seeing<T>(
        &mut self,
        senders: &ast::Tasks,
        set: &TaskSet,
        compile: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (Some(name), Some(slot)) = (senders.variable(), set.bound()) else {
            return compile(self);
        };
        let mark = self.scope.mark();
        self.scope.show(&name.text, slot);
        let compiled = compile(self);
        self.scope.forget(mark);
        compiled
    }

    fn message(&mut self, message: &ast::Message) -> Result<(Expr, Bytes), Failure> {
        self.unrolled += usize::from(message.unique == Some(true));
        Ok((self.amount(&message.count)?, self.size(message.size.as_ref())?))
    }

    fn messages(&mut self, messages: Messages) {
        let mut uses = Uses::default();
        uses.expr(&messages.count);
        uses.bytes(&messages.size);
        uses.tag(&messages.tag);
        uses.tag(&messages.receive_tag);
        uses.tasks(&messages.source);
        uses.tasks(&messages.target);
        uses.mapping = true;
        let shared = self.shared(uses);
        self.push(Step::Messages(shared, Box::new(messages)));
    }

    fn collective(
        &mut self,
        kind: CollectiveKind,
        touches: (bool, bool),
        mut uses: Uses,
        span: Span,
    ) {
        uses.mapping = true;
        let shared = self.shared(uses);
        self.push(Step::Collective(shared, Box::new(Collective { kind, touches, span })));
    }

    fn multicast(&mut self, multicast: &ast::Multicast, span: Span) -> Result<(), Failure> {
        let tag = self.tag(multicast.message.tag.as_ref())?;
        let (count, size) = self.message(&multicast.message)?;
        let (source, target) = self.pair(&multicast.source, &multicast.target)?;
        let mut uses = Uses::default();
        uses.expr(&count);
        uses.bytes(&size);
        uses.tag(&tag);
        uses.tasks(&source);
        uses.tasks(&target);
        let kind = CollectiveKind::Multicast { source, target, count, size, tag };
        let touched = touches(multicast.message.touching);
        self.collective(kind, (touched, touched), uses, span);
        Ok(())
    }

    fn reduce(&mut self, reduce: &ast::Reduce, span: Span) -> Result<(), Failure> {
        self.unrolled += usize::from(reduce.data.unique == Some(true));
        let count = self.amount(&reduce.data.count)?;
        let tag = self.tag(reduce.data.tag.as_ref())?;
        let element = reduce.data.data_type.bytes().unwrap_or(1);
        let result = match &reduce.target {
            ReduceTarget::Sources => None,
            ReduceTarget::SourcesInto(data) => Some(self.amount(&data.count)?),
            ReduceTarget::Tasks(_, result) => {
                let data = result.as_ref().and_then(|result| result.data.as_ref());
                data.map(|data| self.amount(&data.count)).transpose()?
            }
        };
        let (source, target) = match &reduce.target {
            ReduceTarget::Tasks(target, _) => {
                let (source, target) = self.pair(&reduce.source, target)?;
                (source, Some(target))
            }
            _ => (self.only_tasks(&reduce.source, |_| Ok(()))?.0, None),
        };
        let mut uses = Uses::default();
        uses.expr(&count);
        if let Some(result) = &result {
            uses.expr(result);
        }
        uses.tag(&tag);
        uses.tasks(&source);
        if let Some(target) = &target {
            uses.tasks(target);
        }
        let kind = CollectiveKind::Reduce { source, target, count, result, element, tag };
        let touching = reduce.data.touching;
        let received = match &reduce.target {
            ReduceTarget::Sources => None,
            ReduceTarget::SourcesInto(data) => data.touching,
            ReduceTarget::Tasks(_, result) => result.as_ref().and_then(|result| result.touching),
        };
        let touches = (touches(touching), touches(received.or(touching)));
        self.collective(kind, touches, uses, span);
        Ok(())
    }

    fn column(&mut self, column: &LogColumn) -> Result<Column, Failure> {
        let title = match &column.title {
            Title::Text(text) | Title::ValueOf(text) => text.value.as_str().into(),
        };
        let (kind, value) = match &column.aggregate {
            Aggregate::Values(value) | Aggregate::Each(value) => (ColumnKind::All, value),
            Aggregate::The(value) => (ColumnKind::Only, value),
            Aggregate::Histogram(value) => (ColumnKind::Histogram, value),
            Aggregate::Functions(functions, value) => {
                let mut compiled = Vec::new();
                for function in functions {
                    let percent = match function {
                        ast::AggregateFunction::Percentile(percent) => Some(self.expr(percent)?),
                        _ => None,
                    };
                    compiled.push((function.clone(), percent));
                }
                (ColumnKind::Functions(compiled), value)
            }
        };
        Ok(Column { title, value: self.expr(value)?, kind })
    }

    fn item(&mut self, item: &Output) -> Result<Item, Failure> {
        Ok(match item {
            Output::Text(text) => Item::Text(text.value.as_str().into()),
            // A program that runs on a simulated machine has no environment.
            Output::ValueOf(_) => Item::Text(Arc::from("")),
            Output::Number(value) => Item::Number(self.expr(value)?),
        })
    }
}

fn touches(touching: Option<Touching>) -> bool {
    matches!(touching, Some(Touching::Touching | Touching::Verification))
}
