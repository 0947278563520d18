//! Statements and descriptions of messages.

use pantala_ncptl::language::ast::{
    Aggregate, AggregateFunction, Alignment, AlignmentKind, Amount, Assignment, Binding,
    BindingValue, Branch, Buffer, BufferPlace, CounterAction, DataUnit, Delay, DelayKind, ForEach,
    Let, LogColumn, Message, Multicast, Output, RandomChoice, RandomTask, Receive, ReceiveSpec,
    Reduce, ReduceData, ReduceResult, ReduceTarget, ReducedData, Repetitions, Send, Size,
    Statement, StatementKind, Stride, Tag, TasksKind, TimeUnit, Timed, Title, TouchMemory,
    TouchedBuffers, Touching,
};
use pantala_ncptl::language::source::Span;

use super::Builder;

impl Builder {
    pub(super) fn statement(&mut self) -> Statement {
        let plain = self.depth > 2 || self.empty_tape();
        self.depth += 1;
        let kind = match self.below(if plain { 20 } else { 32 }) {
            0..=4 => self.send(),
            5 => self.receive(),
            6 => self.multicast(),
            7 => self.reduce(),
            8 => StatementKind::Synchronize(self.source()),
            9 => StatementKind::Await(self.source()),
            10 => self.delay(),
            11 => self.touch(),
            12 => {
                let buffers = [TouchedBuffers::All, TouchedBuffers::Current];
                let at = self.below(3) as usize;
                let buffers = buffers.get(at).cloned();
                let tasks = self.source();
                let buffers = buffers.unwrap_or_else(|| TouchedBuffers::Number(self.expression()));
                StatementKind::TouchBuffers(tasks, buffers)
            }
            13 => {
                let tasks = self.source();
                let columns = self.with(tasks.variable(), |b| b.some(2, Self::column));
                StatementKind::Log(tasks, columns)
            }
            14 => StatementKind::ComputeAggregates(self.source()),
            15 => {
                let actions = [CounterAction::Reset, CounterAction::Store, CounterAction::Restore];
                StatementKind::Counters(self.source(), self.pick(&actions))
            }
            16 => StatementKind::Assert(self.text(), self.assertion()),
            17 | 18 => {
                let tasks = self.source();
                let items = self.with(tasks.variable(), |b| b.some(3, Self::output));
                StatementKind::Output(tasks, items)
            }
            19 => {
                let tasks = self.source();
                let assignment = if self.chance(50) {
                    Assignment::Random
                } else {
                    let processor = self.with(tasks.variable(), |b| b.literal(8));
                    Assignment::Processor(processor)
                };
                StatementKind::Assign(tasks, assignment)
            }
            20..=22 => self.for_each(),
            23..=25 => self.repeat(),
            26 if self.wild || !self.timed => self.timed(),
            26..=28 => self.bindings(),
            29 | 30 => self.branch(),
            _ => StatementKind::Block(if self.chance(90) {
                self.some(3, Self::statement)
            } else {
                Vec::new()
            }),
        };
        self.depth -= 1;
        Statement { kind, span: Span::default() }
    }

    fn for_each(&mut self) -> StatementKind {
        let (variable, ranges) = (self.name(), self.ranges());
        let body = Box::new(self.with(Some(&variable), Self::statement));
        StatementKind::ForEach(ForEach { variable, ranges, body })
    }

    fn repeat(&mut self) -> StatementKind {
        let count = self.small();
        let warmup = self.maybe(30, Self::small);
        let synchronization = warmup.is_some() && self.chance(50);
        let body = Box::new(self.statement());
        StatementKind::Repeat(Repetitions { count, warmup, synchronization, body })
    }

    fn timed(&mut self) -> StatementKind {
        let unit = if self.wild { self.pick(&TimeUnit::ALL) } else { TimeUnit::Microsecond };
        let duration = self.literal(5);
        let warmup = self.maybe(30, |b| (b.literal(5), unit));
        let synchronization = warmup.is_some() && self.chance(50);
        let outer = std::mem::replace(&mut self.timed, true);
        let body = Box::new(self.statement());
        self.timed = outer;
        StatementKind::Timed(Timed { duration, unit, warmup, synchronization, body })
    }

    fn bindings(&mut self) -> StatementKind {
        let (variables, groups) = (self.variables.len(), self.groups.clone());
        let hidden = self.variables.clone();
        let mut bindings = Vec::new();
        for _ in 0..=self.below(2) {
            let (name, value) = (self.name(), self.binding());
            self.groups.retain(|group| *group != name.text);
            if matches!(value, BindingValue::Group(_)) {
                self.variables.retain(|variable| *variable != name.text);
                self.groups.push(name.text.clone());
            } else {
                self.variables.push(name.text.clone());
            }
            bindings.push(Binding { name, value });
        }
        let body = Box::new(self.statement());
        self.variables = hidden;
        self.variables.truncate(variables);
        self.groups = groups;
        StatementKind::Let(Let { bindings, body })
    }

    fn binding(&mut self) -> BindingValue {
        match self.below(6) {
            0..=2 => BindingValue::Number(self.expression()),
            3 => BindingValue::Group(self.source()),
            _ => BindingValue::Random(RandomTask { choice: self.choice(), span: Span::default() }),
        }
    }

    fn choice(&mut self) -> RandomChoice {
        let choice = self.below(5);
        if choice == 0 {
            return RandomChoice::Any;
        }
        let limit = self.expression();
        if choice == 1 {
            return RandomChoice::OtherThan(limit);
        }
        let but_not = self.maybe(40, Self::expression);
        match choice {
            2 => RandomChoice::LessThan { limit, but_not },
            3 => RandomChoice::GreaterThan { limit, but_not },
            _ => RandomChoice::In { low: limit, high: self.expression(), but_not },
        }
    }

    fn branch(&mut self) -> StatementKind {
        let condition = self.relation();
        let then = self.statement();
        let otherwise = self.maybe(50, |b| Box::new(b.statement()));
        // OTHERWISE belongs to the nearest IF, so an IF before it needs braces.
        let kind = match (otherwise.is_some(), &then.kind) {
            (false, _) | (true, StatementKind::Block(_)) => then.kind,
            (true, _) => StatementKind::Block(vec![then]),
        };
        let then = Box::new(Statement { kind, span: Span::default() });
        StatementKind::If(Branch { condition, then, otherwise })
    }

    fn send(&mut self) -> StatementKind {
        let source = self.source();
        let mut asynchronous = !self.chance(30);
        let message = self.as_message(&source, Self::message);
        let target = self.with(source.variable(), Self::target);
        let unsuspecting = self.chance(15);
        let mut receive = None;
        if (self.wild || !unsuspecting) && self.chance(20) {
            receive = Some(self.as_message(&source, |b| b.receive_spec(&message)));
        }
        let all = matches!(source.kind, TasksKind::All(_)) && target.kind == TasksKind::AllOthers;
        if all && !self.wild {
            asynchronous = true;
            receive = None;
        }
        let send = Send { source, asynchronous, message, target, unsuspecting, receive };
        StatementKind::Send(Box::new(send))
    }

    fn receive(&mut self) -> StatementKind {
        let target = self.target();
        let source = self.with(target.variable(), Self::source);
        let message = self.as_message(&source, Self::message);
        let asynchronous = !self.chance(30);
        StatementKind::Receive(Box::new(Receive { target, asynchronous, message, source }))
    }

    fn multicast(&mut self) -> StatementKind {
        let (source, mut message) = (self.source(), self.message());
        if !self.wild {
            message.tag = None;
        }
        let target = self.with(source.variable(), Self::target);
        StatementKind::Multicast(Box::new(Multicast { source, message, target }))
    }

    fn reduce(&mut self) -> StatementKind {
        let (source, data) = (self.source(), self.reduce_data());
        let target = match self.below(3) {
            0 => ReduceTarget::Sources,
            1 if self.wild => ReduceTarget::SourcesInto(self.reduce_data()),
            1 => ReduceTarget::SourcesInto(data.clone()),
            _ => {
                let result = self.maybe(30, |b| b.reduce_result(&data));
                let target = self.with(source.variable(), Self::target);
                ReduceTarget::Tasks(target, result)
            }
        };
        StatementKind::Reduce(Box::new(Reduce { source, data, target }))
    }

    fn delay(&mut self) -> StatementKind {
        let tasks = self.source();
        let kind = self.pick(&[DelayKind::Computes, DelayKind::Sleeps]);
        let duration = self.with(tasks.variable(), Self::expression);
        let unit = if self.wild { self.pick(&TimeUnit::ALL) } else { TimeUnit::Microsecond };
        StatementKind::Delay(Delay { tasks, kind, duration, unit })
    }

    fn touch(&mut self) -> StatementKind {
        let tasks = self.source();
        let variable = tasks.variable().cloned();
        self.with(variable.as_ref(), |b| {
            let stride = b.maybe(40, |b| match b.below(2) {
                0 => Stride::Random,
                _ => Stride::Of(b.expression(), b.pick(&DataUnit::TYPES)),
            });
            let touch = TouchMemory {
                tasks,
                accesses: b.maybe(30, |b| (b.expression(), b.pick(&DataUnit::TYPES))),
                region: b.size(),
                times: b.maybe(30, Self::small),
                stride,
            };
            StatementKind::TouchMemory(Box::new(touch))
        })
    }

    fn output(&mut self) -> Output {
        match self.below(5) {
            0 => Output::Text(self.text()),
            1 => Output::ValueOf(self.text()),
            _ => Output::Number(self.expression()),
        }
    }

    fn column(&mut self) -> LogColumn {
        let value = self.expression();
        let aggregate = match self.below(7) {
            0 => Aggregate::Values(value),
            1 => Aggregate::Each(value),
            2 => Aggregate::The(value),
            3 => Aggregate::Histogram(value),
            _ => Aggregate::Functions(self.some(3, Self::aggregate_function), value),
        };
        let title = match self.below(4) {
            0 => Title::ValueOf(self.text()),
            _ => Title::Text(self.text()),
        };
        LogColumn { aggregate, title, span: Span::default() }
    }

    fn aggregate_function(&mut self) -> AggregateFunction {
        match self.below(12) {
            0 => AggregateFunction::Mean,
            1 => AggregateFunction::HarmonicMean,
            2 => AggregateFunction::GeometricMean,
            3 => AggregateFunction::Median,
            4 => AggregateFunction::StandardDeviation,
            5 => AggregateFunction::MedianAbsoluteDeviation,
            6 => AggregateFunction::Variance,
            7 => AggregateFunction::Sum,
            8 => AggregateFunction::Minimum,
            9 => AggregateFunction::Maximum,
            10 => AggregateFunction::Final,
            _ => AggregateFunction::Percentile(self.expression()),
        }
    }

    fn message(&mut self) -> Message {
        Message {
            count: self.amount(),
            unique: self.maybe(15, |b| b.chance(50)),
            size: self.maybe(90, Self::size),
            alignment: self.maybe(15, Self::alignment),
            touching: self.touching(true),
            tag: self.tag(),
            buffer: self.buffer(),
            span: Span::default(),
        }
    }

    fn amount(&mut self) -> Amount {
        if self.chance(40) { Amount::Of(self.small()) } else { Amount::One }
    }

    fn size(&mut self) -> Size {
        if self.chance(20) {
            return Size::Sized(self.pick(&DataUnit::TYPES));
        }
        let number =
            if self.wild || self.chance(30) { self.expression() } else { self.literal(2000) };
        Size::Of(number, self.pick(&DataUnit::ALL))
    }

    fn alignment(&mut self) -> Alignment {
        let kind = self.pick(&[AlignmentKind::Aligned, AlignmentKind::Misaligned]);
        match self.below(3) {
            0 => Alignment::Unaligned,
            1 => Alignment::Of(self.expression(), self.pick(&DataUnit::ALL), kind),
            _ => Alignment::Type(self.pick(&DataUnit::TYPES), kind),
        }
    }

    fn touching(&mut self, verified: bool) -> Option<Touching> {
        let all = [
            Touching::Touching,
            Touching::NoTouching,
            Touching::NoVerification,
            Touching::Verification,
        ];
        let allowed = if verified || self.wild { &all[..] } else { &all[..3] };
        self.maybe(15, |b| b.pick(allowed))
    }

    fn tag(&mut self) -> Option<Tag> {
        self.maybe(20, |b| match b.below(2) {
            0 => Tag::Number(b.expression()),
            _ => Tag::Text(b.text()),
        })
    }

    fn buffer(&mut self) -> Option<Buffer> {
        self.maybe(10, |b| Buffer {
            offset: b.maybe(50, |b| (b.expression(), b.pick(&DataUnit::ALL))),
            place: if b.chance(50) {
                BufferPlace::Number(b.expression())
            } else {
                BufferPlace::Default
            },
        })
    }

    fn receive_spec(&mut self, message: &Message) -> ReceiveSpec {
        let verified = message.touching == Some(Touching::Verification);
        let into =
            self.maybe(30, |b| (b.maybe(50, |b| b.chance(50)), b.maybe(50, Self::alignment)));
        ReceiveSpec {
            asynchronous: Some(self.chance(70)),
            into,
            touching: self.touching(verified),
            tag: self.wild.then(|| self.tag()).flatten(),
            buffer: self.buffer(),
            span: Span::default(),
        }
    }

    fn data_type(&mut self) -> DataUnit {
        if self.wild {
            self.pick(&DataUnit::TYPES)
        } else {
            self.pick(&[DataUnit::Integer, DataUnit::Doubleword])
        }
    }

    fn reduce_data(&mut self) -> ReduceData {
        ReduceData {
            count: self.amount(),
            unique: self.maybe(15, |b| b.chance(50)),
            alignment: self.maybe(15, Self::alignment),
            data_type: self.data_type(),
            touching: self.touching(true),
            tag: self.wild.then(|| self.tag()).flatten(),
            buffer: self.buffer(),
            span: Span::default(),
        }
    }

    fn reduce_result(&mut self, data: &ReduceData) -> ReduceResult {
        let wild_tag = self.wild.then(|| self.tag()).flatten();
        ReduceResult {
            data: Some(ReducedData {
                count: data.count.clone(),
                unique: self.maybe(15, |b| b.chance(50)),
                alignment: self.maybe(15, Self::alignment),
                data_type: data.data_type,
            }),
            touching: self.touching(true),
            tag: wild_tag,
            buffer: self.buffer(),
            span: Span::default(),
        }
    }
}
