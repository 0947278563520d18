//! The rules of each statement.

use super::scope::{Kind, Place, Scope};
use crate::language::ast::{
    Aggregate, AggregateFunction, Alignment, Amount, Assignment, BindingValue, Buffer, BufferPlace,
    DataUnit, Expression, ExpressionKind, Let, Message, Multicast, Output, RandomChoice, Receive,
    Reduce, ReduceData, ReduceResult, ReduceTarget, Send, Size, Statement, StatementKind, Stride,
    Tag, TasksKind, TouchMemory, TouchedBuffers, Touching,
};
use crate::language::diagnostic::Diagnostic;
use crate::language::source::Span;

impl Scope {
    pub(super) fn statement(&mut self, statement: &Statement) {
        let outside = self.depth();
        match &statement.kind {
            StatementKind::Send(send) => self.send(send),
            StatementKind::Receive(receive) => self.receive(receive),
            StatementKind::Multicast(multicast) => self.multicast(multicast),
            StatementKind::Reduce(reduce) => self.reduce(reduce),
            StatementKind::Synchronize(tasks)
            | StatementKind::Await(tasks)
            | StatementKind::ComputeAggregates(tasks)
            | StatementKind::Counters(tasks, _) => self.source(tasks),
            StatementKind::Delay(delay) => {
                self.source(&delay.tasks);
                self.expression(&delay.duration, Place::Delay);
            }
            StatementKind::TouchMemory(touch) => self.touch(touch),
            StatementKind::TouchBuffers(tasks, buffers) => {
                self.source(tasks);
                if let TouchedBuffers::Number(number) = buffers {
                    self.expression(number, Place::Delay);
                }
            }
            StatementKind::Log(tasks, columns) => {
                self.source(tasks);
                for column in columns {
                    self.aggregate(&column.aggregate);
                }
            }
            StatementKind::Assert(_, relation) => self.relation(relation, Place::Control),
            StatementKind::Output(tasks, items) => {
                self.source(tasks);
                for item in items {
                    if let Output::Number(value) = item {
                        self.expression(value, Place::Local);
                    }
                }
            }
            StatementKind::Assign(tasks, assignment) => {
                self.source(tasks);
                if let Assignment::Processor(number) = assignment {
                    self.expression(number, Place::Tasks);
                }
            }
            StatementKind::ForEach(each) => {
                self.ranges(&each.ranges, Place::Control);
                self.bind(&each.variable);
                self.statement(&each.body);
            }
            StatementKind::Repeat(repeat) => {
                self.expression(&repeat.count, Place::Control);
                if let Some(warmup) = &repeat.warmup {
                    self.expression(warmup, Place::Control);
                }
                self.statement(&repeat.body);
            }
            StatementKind::Timed(timed) => {
                self.expression(&timed.duration, Place::Control);
                if let Some((warmup, _)) = &timed.warmup {
                    self.expression(warmup, Place::Control);
                }
                if self.timed {
                    let message = "a timed loop cannot contain another one";
                    let help = "write the inner loop with REPETITIONS";
                    self.error(Diagnostic::new(statement.span, message).help(help));
                }
                let outer = std::mem::replace(&mut self.timed, true);
                self.statement(&timed.body);
                self.timed = outer;
            }
            StatementKind::Let(bindings) => self.bindings(bindings),
            StatementKind::If(branch) => {
                self.relation(&branch.condition, Place::Condition);
                self.statement(&branch.then);
                if let Some(otherwise) = &branch.otherwise {
                    self.statement(otherwise);
                }
            }
            StatementKind::Block(statements) => {
                for statement in statements {
                    self.statement(statement);
                }
            }
        }
        self.leave(self.depth() - outside);
    }

    fn bindings(&mut self, bindings: &Let) {
        for binding in &bindings.bindings {
            let outside = self.depth();
            let mut kind = Kind::Number;
            match &binding.value {
                BindingValue::Number(value) => self.expression(value, Place::Binding),
                BindingValue::Group(tasks) => {
                    kind = Kind::Group { binds: self.binds(tasks) };
                    self.source(tasks);
                    self.leave(self.depth() - outside);
                }
                BindingValue::Random(random) => {
                    let but_not = match &random.choice {
                        RandomChoice::Any => None,
                        RandomChoice::OtherThan(task) => Some(task),
                        RandomChoice::LessThan { limit, but_not }
                        | RandomChoice::GreaterThan { limit, but_not } => {
                            self.expression(limit, Place::Binding);
                            but_not.as_ref()
                        }
                        RandomChoice::In { low, high, but_not } => {
                            self.expression(low, Place::Binding);
                            self.expression(high, Place::Binding);
                            but_not.as_ref()
                        }
                    };
                    if let Some(task) = but_not {
                        self.expression(task, Place::Binding);
                    }
                }
            }
            self.bind_as(&binding.name, kind);
        }
        self.statement(&bindings.body);
    }

    fn send(&mut self, send: &Send) {
        let outside = self.depth();
        self.source(&send.source);
        let inside = self.depth();
        // A message sees the source's variable, but not the target's.
        self.preferring_outer(outside, |scope| {
            scope.message(&send.message);
            if let Some(receive) = &send.receive {
                if let Some((_, Some(alignment))) = &receive.into {
                    scope.alignment(alignment);
                }
                scope.tag_and_buffer(receive.tag.as_ref(), receive.buffer.as_ref());
            }
        });
        self.target(&send.target);
        self.leave(self.depth() - inside);
        if let Some(receive) = &send.receive {
            if send.unsuspecting {
                let message = "UNSUSPECTING tasks receive nothing, but WHO RECEIVES follows";
                let help = "remove UNSUSPECTING or WHO RECEIVES";
                self.error(Diagnostic::new(receive.span, message).help(help));
            }
            let verified = |touching| touching == Some(Touching::Verification);
            if verified(receive.touching) && !verified(send.message.touching) {
                let message = "a message received WITH VERIFICATION must be sent WITH VERIFICATION";
                let help = "move WITH VERIFICATION before TO";
                self.error(Diagnostic::new(receive.span, message).help(help));
            }
        }
        let receive = send.receive.as_ref().and_then(|receive| receive.asynchronous);
        let everybody = matches!(send.source.kind, TasksKind::All(_))
            && send.target.kind == TasksKind::AllOthers;
        if everybody && !send.unsuspecting && !receive.unwrap_or(send.asynchronous) {
            let message = "ALL TASKS wait for each other: each receives before it sends";
            let help = "write ALL TASKS ASYNCHRONOUSLY SEND, and later ALL TASKS AWAIT COMPLETION";
            self.error(Diagnostic::new(send.source.span, message).help(help));
        }
    }

    fn receive(&mut self, receive: &Receive) {
        let outside = self.depth();
        let sender_first = receive
            .sender_binds_first(|name| self.is_bound(name) || super::PREDECLARED.contains(&name));
        // As in SENDS, a message sees the sender's variable, but not the receiver's.
        if sender_first {
            self.source(&receive.source);
            self.preferring_outer(outside, |scope| scope.message(&receive.message));
            self.target(&receive.target);
        } else {
            self.target(&receive.target);
            let own = self.depth();
            self.source(&receive.source);
            self.hiding(outside..own, |scope| {
                scope.preferring_outer(own, |scope| scope.message(&receive.message));
            });
        }
        self.leave(self.depth() - outside);
    }

    fn multicast(&mut self, multicast: &Multicast) {
        self.message(&multicast.message);
        self.zero_tag(multicast.message.tag.as_ref(), "MULTICASTS");
        self.source(&multicast.source);
        self.target(&multicast.target);
    }

    fn reduce(&mut self, reduce: &Reduce) {
        self.reduce_data(&reduce.data);
        let mut result = None;
        match &reduce.target {
            ReduceTarget::Sources => self.source(&reduce.source),
            ReduceTarget::SourcesInto(data) => {
                self.reduce_data(data);
                result = Some((&data.count, data.data_type, data.span));
                self.source(&reduce.source);
            }
            ReduceTarget::Tasks(target, description) => {
                if let Some(description) = description {
                    self.reduce_result(description);
                    let data = description.data.as_ref();
                    result = data.map(|data| (&data.count, data.data_type, description.span));
                }
                self.source(&reduce.source);
                match &target.kind {
                    TasksKind::All(_) => self.source(target),
                    _ => self.target(target),
                }
            }
        }
        let Some((count, data_type, span)) = result else { return };
        let different = match (literal(count), literal(&reduce.data.count)) {
            (Some(count), Some(other)) => count != other,
            _ => false,
        };
        if different || data_type != reduce.data.data_type {
            let message = "the result has another number or type of elements than the data";
            self.error(Diagnostic::new(span, message).help("write equal numbers and types"));
        }
    }

    fn reduce_data(&mut self, data: &ReduceData) {
        self.elements(&data.count, data.alignment.as_ref(), data.data_type, data.span);
        self.zero_tag(data.tag.as_ref(), "REDUCES");
        self.tag_and_buffer(data.tag.as_ref(), data.buffer.as_ref());
    }

    fn reduce_result(&mut self, result: &ReduceResult) {
        if let Some(data) = &result.data {
            self.elements(&data.count, data.alignment.as_ref(), data.data_type, result.span);
        }
        self.zero_tag(result.tag.as_ref(), "REDUCES");
        self.tag_and_buffer(result.tag.as_ref(), result.buffer.as_ref());
    }

    fn elements(
        &mut self,
        count: &Amount,
        alignment: Option<&Alignment>,
        data_type: DataUnit,
        span: Span,
    ) {
        self.amount(count);
        if let Some(alignment) = alignment {
            self.alignment(alignment);
        }
        if !matches!(data_type, DataUnit::Integer | DataUnit::Doubleword) {
            let message = "REDUCES combines INTEGERS or DOUBLEWORDS only";
            self.error(Diagnostic::new(span, message));
        }
    }

    /// Refuses a tag that cannot be 0. The value of a computed tag is known when the program runs.
    fn zero_tag(&mut self, tag: Option<&Tag>, verb: &str) {
        let span = match tag {
            Some(Tag::Text(text)) => text.span,
            Some(Tag::Number(number)) => match number.kind {
                ExpressionKind::Integer(value) if value != 0 => number.span,
                _ => return,
            },
            None => return,
        };
        let message = format!("{verb} has no tag but 0");
        self.error(Diagnostic::new(span, message).help("remove USING TAG"));
    }

    fn message(&mut self, message: &Message) {
        self.amount(&message.count);
        if let Some(Size::Of(number, _)) = &message.size {
            self.expression(number, Place::Message);
        }
        if let Some(alignment) = &message.alignment {
            self.alignment(alignment);
        }
        self.tag_and_buffer(message.tag.as_ref(), message.buffer.as_ref());
    }

    fn amount(&mut self, amount: &Amount) {
        if let Amount::Of(number) = amount {
            self.expression(number, Place::Message);
        }
    }

    fn alignment(&mut self, alignment: &Alignment) {
        if let Alignment::Of(number, ..) = alignment {
            self.expression(number, Place::Message);
        }
    }

    fn tag_and_buffer(&mut self, tag: Option<&Tag>, buffer: Option<&Buffer>) {
        if let Some(Tag::Number(number)) = tag {
            self.expression(number, Place::Message);
        }
        let Some(buffer) = buffer else { return };
        if let Some((offset, _)) = &buffer.offset {
            self.expression(offset, Place::Message);
        }
        if let BufferPlace::Number(number) = &buffer.place {
            self.expression(number, Place::Message);
        }
    }

    fn touch(&mut self, touch: &TouchMemory) {
        self.source(&touch.tasks);
        let region = match &touch.region {
            Size::Of(number, _) => Some(number),
            Size::Sized(_) => None,
        };
        let stride = match &touch.stride {
            Some(Stride::Of(number, _)) => Some(number),
            _ => None,
        };
        let accesses = touch.accesses.as_ref().map(|(number, _)| number);
        let all: [Option<&Expression>; 4] = [accesses, region, touch.times.as_ref(), stride];
        for number in all.into_iter().flatten() {
            self.expression(number, Place::Delay);
        }
    }

    fn aggregate(&mut self, aggregate: &Aggregate) {
        let value = match aggregate {
            Aggregate::Values(value)
            | Aggregate::Each(value)
            | Aggregate::The(value)
            | Aggregate::Histogram(value) => value,
            Aggregate::Functions(functions, value) => {
                for function in functions {
                    if let AggregateFunction::Percentile(percent) = function {
                        self.expression(percent, Place::Local);
                    }
                }
                value
            }
        };
        self.expression(value, Place::Local);
    }
}

/// The number in the text, if the amount is one.
fn literal(amount: &Amount) -> Option<i64> {
    match amount {
        Amount::One => Some(1),
        Amount::Of(Expression { kind: ExpressionKind::Integer(value), .. }) => Some(*value),
        Amount::Of(_) => None,
    }
}
