//! Statements.

use super::Parsed;
use super::cursor::Cursor;
use crate::language::ast::{
    Aggregate, AggregateFunction, Assignment, Binding, BindingValue, Branch, CounterAction, Delay,
    DelayKind, ForEach, Let, LogColumn, Multicast, Output, Receive, Reduce, ReduceTarget,
    Repetitions, Send, Statement, StatementKind, Stride, Tasks, Text, Timed, Title, TouchMemory,
    TouchedBuffers,
};
use crate::language::diagnostic::Diagnostic;
use crate::language::token::{Symbol, TokenKind, Word};

impl Cursor<'_> {
    /// A statement; loops and the like contain others.
    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        let start = self.span();
        let kind = self.nested(Self::statement_kind)?;
        Ok(Statement { kind, span: self.since(start) })
    }

    /// Statements joined by `THEN`.
    pub(super) fn sequence(&mut self) -> Parsed<Vec<Statement>> {
        self.list(|cursor| cursor.eat(Word::Then), Self::statement)
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        if self.is(Word::For) {
            self.advance();
            return self.repeated();
        }
        if self.is(Word::Let) {
            self.advance();
            let mut bindings = vec![self.binding()?];
            while self.eat(Word::And) {
                self.limit_variables(bindings.len())?;
                bindings.push(self.binding()?);
            }
            self.need(Word::While)?;
            return Ok(StatementKind::Let(Let { bindings, body: self.body()? }));
        }
        if self.is(Word::If) {
            self.advance();
            let condition = self.relation()?;
            self.need(Word::Then)?;
            let then = self.body()?;
            let otherwise = if self.eat(Word::Otherwise) { Some(self.body()?) } else { None };
            return Ok(StatementKind::If(Branch { condition, then, otherwise }));
        }
        if self.is(Word::Assert) {
            self.advance();
            self.need(Word::That)?;
            let text = self.text()?;
            self.need(Word::With)?;
            return Ok(StatementKind::Assert(text, self.relation()?));
        }
        if self.is(Word::Tasks) || self.is(Word::All) {
            return self.task_statement();
        }
        if *self.token() != TokenKind::Symbol(Symbol::OpenBrace) {
            self.expect("a statement");
            return Err(self.unexpected());
        }
        self.advance();
        if self.eat_symbol(Symbol::CloseBrace) {
            return Ok(StatementKind::Block(Vec::new()));
        }
        let statements = self.sequence()?;
        self.need_symbol(Symbol::CloseBrace)?;
        Ok(StatementKind::Block(statements))
    }

    fn body(&mut self) -> Parsed<Box<Statement>> {
        self.statement().map(Box::new)
    }

    /// The rest of a loop after `FOR`.
    fn repeated(&mut self) -> Parsed<StatementKind> {
        if self.eat(Word::Each) {
            let variable = self.name()?;
            self.need(Word::In)?;
            let ranges = self.ranges()?;
            return Ok(StatementKind::ForEach(ForEach { variable, ranges, body: self.body()? }));
        }
        let count = self.expression()?;
        let unit = self.eat_time_unit();
        if unit.is_none() {
            self.need(Word::Repetitions)?;
        }
        let (mut warmup, mut warmup_unit, mut synchronization) = (None, None, false);
        if self.eat(Word::Plus) {
            warmup = Some(self.expression()?);
            self.need(Word::Warmup)?;
            match unit {
                Some(_) => warmup_unit = Some(self.time_unit()?),
                None => self.need(Word::Repetitions)?,
            }
            if self.eat(Word::And) {
                self.need_all([Word::An, Word::Synchronization])?;
                synchronization = true;
            }
        }
        let body = self.body()?;
        Ok(match unit {
            None => StatementKind::Repeat(Repetitions { count, warmup, synchronization, body }),
            Some(unit) => {
                let warmup = warmup.zip(warmup_unit);
                StatementKind::Timed(Timed { duration: count, unit, warmup, synchronization, body })
            }
        })
    }

    fn binding(&mut self) -> Parsed<Binding> {
        let name = self.name()?;
        self.need(Word::Be)?;
        if let Some(random) = self.eat_random_task()? {
            return Ok(Binding { name, value: BindingValue::Random(random) });
        }
        let value = if self.at_tasks() {
            BindingValue::Group(self.tasks()?)
        } else {
            BindingValue::Number(self.expression()?)
        };
        Ok(Binding { name, value })
    }

    /// A statement that starts with a set of tasks.
    fn task_statement(&mut self) -> Parsed<StatementKind> {
        let tasks = self.tasks()?;
        let at = self.span();
        let asynchronous = self.asynchronous();
        if self.eat(Word::Sends) {
            return self.send(tasks, asynchronous == Some(true));
        }
        if self.eat(Word::Receives) {
            let message = self.message(Word::Into)?;
            self.need(Word::From)?;
            let source = self.tasks()?;
            let asynchronous = asynchronous == Some(true);
            let receive = Receive { target: tasks, asynchronous, message, source };
            return Ok(StatementKind::Receive(Box::new(receive)));
        }
        if self.eat(Word::Multicasts) {
            if asynchronous == Some(true) {
                let message = "MULTICASTS cannot be ASYNCHRONOUSLY".to_owned();
                let help = "remove ASYNCHRONOUSLY";
                return Err(Box::new(Diagnostic::new(at, message).help(help)));
            }
            let message = self.message(Word::From)?;
            self.need(Word::To)?;
            let target = self.tasks()?;
            let multicast = Multicast { source: tasks, message, target };
            return Ok(StatementKind::Multicast(Box::new(multicast)));
        }
        if asynchronous.is_some() {
            return Err(self.unexpected());
        }
        self.local_statement(tasks)
    }

    fn send(&mut self, source: Tasks, asynchronous: bool) -> Parsed<StatementKind> {
        let message = self.message(Word::From)?;
        self.need(Word::To)?;
        let unsuspecting = self.eat(Word::Unsuspecting);
        let target = self.tasks()?;
        let receive = if self.eat(Word::Who) {
            self.need_all([Word::Receives, Word::Them])?;
            Some(self.receive_spec()?)
        } else {
            None
        };
        let send = Send { source, asynchronous, message, target, unsuspecting, receive };
        Ok(StatementKind::Send(Box::new(send)))
    }

    /// The rest of a statement of tasks without point-to-point messages.
    fn local_statement(&mut self, tasks: Tasks) -> Parsed<StatementKind> {
        if self.eat(Word::Reduces) {
            return self.reduce(tasks);
        }
        if self.eat(Word::Synchronizes) {
            return Ok(StatementKind::Synchronize(tasks));
        }
        if self.eat(Word::Awaits) {
            self.need(Word::Completions)?;
            return Ok(StatementKind::Await(tasks));
        }
        let delays = [(Word::Computes, DelayKind::Computes), (Word::Sleeps, DelayKind::Sleeps)];
        if let Some(kind) = self.choose(&delays) {
            if kind == DelayKind::Computes && self.eat(Word::Aggregates) {
                return Ok(StatementKind::ComputeAggregates(tasks));
            }
            self.need(Word::For)?;
            let (duration, unit) = (self.expression()?, self.time_unit()?);
            return Ok(StatementKind::Delay(Delay { tasks, kind, duration, unit }));
        }
        if self.eat(Word::Touches) {
            return self.touch(tasks);
        }
        if self.eat(Word::Logs) {
            let columns = self.list(|cursor| cursor.eat(Word::And), Self::column)?;
            return Ok(StatementKind::Log(tasks, columns));
        }
        let actions = [
            (Word::Resets, CounterAction::Reset),
            (Word::Stores, CounterAction::Store),
            (Word::Restores, CounterAction::Restore),
        ];
        if let Some(action) = self.choose(&actions) {
            self.need_all([Word::Their, Word::Counters])?;
            return Ok(StatementKind::Counters(tasks, action));
        }
        if self.eat(Word::Outputs) {
            let items = self.list(|cursor| cursor.eat(Word::And), Self::output)?;
            return Ok(StatementKind::Output(tasks, items));
        }
        if self.is(Word::Backend) {
            return Err(self.backend());
        }
        self.need(Word::Are)?;
        self.need_all([Word::Assigned, Word::To])?;
        if self.eat(Word::An) {
            self.need_all([Word::Random, Word::Processors])?;
            return Ok(StatementKind::Assign(tasks, Assignment::Random));
        }
        self.need(Word::Processors)?;
        Ok(StatementKind::Assign(tasks, Assignment::Processor(self.expression()?)))
    }

    fn reduce(&mut self, source: Tasks) -> Parsed<StatementKind> {
        let data = self.reduce_data()?;
        let target = if !self.eat(Word::To) {
            ReduceTarget::Sources
        } else if self.at_tasks() {
            let target = self.tasks()?;
            let mut result = None;
            if self.eat(Word::Who) {
                self.need_all([Word::Receives, Word::The, Word::Results])?;
                result = self.reduce_result()?;
            }
            ReduceTarget::Tasks(target, result)
        } else {
            ReduceTarget::SourcesInto(self.reduce_data()?)
        };
        Ok(StatementKind::Reduce(Box::new(Reduce { source, data, target })))
    }

    fn touch(&mut self, tasks: Tasks) -> Parsed<StatementKind> {
        let buffers = if self.eat(Word::All) {
            self.need_all([Word::Messages, Word::Buffers])?;
            Some(TouchedBuffers::All)
        } else if self.eat(Word::The) {
            self.need_all([Word::Current, Word::Messages, Word::Buffers])?;
            Some(TouchedBuffers::Current)
        } else if self.eat(Word::Messages) {
            self.need(Word::Buffers)?;
            Some(TouchedBuffers::Number(self.expression()?))
        } else {
            None
        };
        if let Some(buffers) = buffers {
            return Ok(StatementKind::TouchBuffers(tasks, buffers));
        }
        let accesses = if self.at(Word::An) {
            None
        } else {
            let accesses = (self.expression()?, self.data_type()?);
            self.need(Word::Of)?;
            Some(accesses)
        };
        self.need(Word::An)?;
        let region = self.size()?;
        self.need_all([Word::Memory, Word::Region])?;
        let times = if self.is_expression() {
            let times = self.expression()?;
            self.need(Word::Times)?;
            Some(times)
        } else {
            None
        };
        let stride = if self.eat(Word::With) { Some(self.stride()?) } else { None };
        let touch = TouchMemory { tasks, accesses, region, times, stride };
        Ok(StatementKind::TouchMemory(Box::new(touch)))
    }

    fn stride(&mut self) -> Parsed<Stride> {
        if self.eat(Word::Random) {
            self.need(Word::Stride)?;
            return Ok(Stride::Random);
        }
        self.need(Word::Stride)?;
        Ok(Stride::Of(self.expression()?, self.data_type()?))
    }

    /// `THE VALUE OF "name"`, whose `THE` may be the start of something else.
    fn eat_value_of(&mut self) -> Parsed<Option<Text>> {
        if !self.eat(Word::The) {
            return Ok(None);
        }
        self.need_all([Word::Value, Word::Of])?;
        self.text().map(Some)
    }

    fn output(&mut self) -> Parsed<Output> {
        if let Some(text) = self.eat_text() {
            return Ok(Output::Text(text));
        }
        match self.eat_value_of()? {
            Some(name) => Ok(Output::ValueOf(name)),
            None => self.expression().map(Output::Number),
        }
    }

    fn column(&mut self) -> Parsed<LogColumn> {
        let start = self.span();
        let aggregate = self.aggregate()?;
        self.need(Word::As)?;
        let title = match self.eat_text() {
            Some(text) => Title::Text(text),
            None => match self.eat_value_of()? {
                Some(name) => Title::ValueOf(name),
                None => return Err(self.unexpected()),
            },
        };
        Ok(LogColumn { aggregate, title, span: self.since(start) })
    }

    fn aggregate(&mut self) -> Parsed<Aggregate> {
        if self.eat(Word::Each) {
            return self.expression().map(Aggregate::Each);
        }
        if self.eat(Word::An) {
            self.need_all([Word::Histogram, Word::Of])?;
            self.eat(Word::The);
            return self.expression().map(Aggregate::Histogram);
        }
        if !self.eat(Word::The) {
            return self.expression().map(Aggregate::Values);
        }
        let mut functions = Vec::new();
        if let Some(function) = self.aggregate_function()? {
            functions.push(function);
        } else {
            let value = self.expression()?;
            if !self.eat(Word::Percentile) {
                return Ok(Aggregate::The(value));
            }
            functions.push(AggregateFunction::Percentile(value));
        }
        while self.eat(Word::And) {
            self.eat(Word::The);
            functions.push(match self.aggregate_function()? {
                Some(function) => function,
                None => {
                    let value = self.expression()?;
                    self.need(Word::Percentile)?;
                    AggregateFunction::Percentile(value)
                }
            });
        }
        if self.eat(Word::Of) {
            self.eat(Word::The);
        }
        Ok(Aggregate::Functions(functions, self.expression()?))
    }

    /// A function with a name, if one starts here.
    fn aggregate_function(&mut self) -> Parsed<Option<AggregateFunction>> {
        let function = if self.is(Word::Arithmetic) {
            self.advance();
            self.need(Word::Mean)?;
            AggregateFunction::Mean
        } else if self.is(Word::Harmonic) {
            self.advance();
            self.need(Word::Mean)?;
            AggregateFunction::HarmonicMean
        } else if self.is(Word::Geometric) {
            self.advance();
            self.need(Word::Mean)?;
            AggregateFunction::GeometricMean
        } else if self.is(Word::Standard) {
            self.advance();
            self.need(Word::Deviation)?;
            AggregateFunction::StandardDeviation
        } else if self.is(Word::Median) {
            self.advance();
            if self.eat(Word::Absolute) {
                self.need(Word::Deviation)?;
                AggregateFunction::MedianAbsoluteDeviation
            } else {
                AggregateFunction::Median
            }
        } else {
            let simple = [
                (Word::Mean, AggregateFunction::Mean),
                (Word::Variance, AggregateFunction::Variance),
                (Word::Sum, AggregateFunction::Sum),
                (Word::Minimum, AggregateFunction::Minimum),
                (Word::Maximum, AggregateFunction::Maximum),
                (Word::Final, AggregateFunction::Final),
            ];
            let Some((_, function)) = simple.into_iter().find(|(word, _)| self.is(*word)) else {
                self.expect("a statistic");
                return Ok(None);
            };
            self.advance();
            function
        };
        Ok(Some(function))
    }
}
