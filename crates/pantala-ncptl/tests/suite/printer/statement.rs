//! Statements.

use super::{Printer, time_name};
use pantala_ncptl::language::ast::{
    Aggregate, AggregateFunction, Assignment, Binding, BindingValue, Branch, CounterAction,
    DelayKind, Expression, LogColumn, Output, RandomChoice, Receive, Reduce, ReduceTarget, Send,
    Statement, StatementKind, Stride, Tasks, TasksKind, Timed, Title, TouchMemory, TouchedBuffers,
};

impl Printer {
    /// Statements joined by `then`, one per line.
    pub(super) fn sequence(&mut self, statements: &[Statement]) {
        for (index, statement) in statements.iter().enumerate() {
            if index > 0 {
                self.word("then");
                self.line();
            }
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Send(send) => self.send(send),
            StatementKind::Receive(receive) => self.receive(receive),
            StatementKind::Multicast(multicast) => {
                self.subject(&multicast.source, "multicasts", "multicast");
                self.message(&multicast.message, "from");
                self.word("to");
                self.tasks(&multicast.target);
            }
            StatementKind::Reduce(reduce) => self.reduce(reduce),
            StatementKind::Synchronize(tasks) => self.subject(tasks, "synchronizes", "synchronize"),
            StatementKind::Await(tasks) => {
                self.subject(tasks, "awaits completion", "await completion");
            }
            StatementKind::Delay(delay) => {
                match delay.kind {
                    DelayKind::Computes => self.subject(&delay.tasks, "computes", "compute"),
                    DelayKind::Sleeps => self.subject(&delay.tasks, "sleeps", "sleep"),
                }
                self.word("for");
                self.expression(&delay.duration);
                self.word(time_name(delay.unit));
            }
            StatementKind::TouchMemory(touch) => self.touch(touch),
            StatementKind::TouchBuffers(tasks, buffers) => {
                self.subject(tasks, "touches", "touch");
                match buffers {
                    TouchedBuffers::All => self.word("all message buffers"),
                    TouchedBuffers::Current => self.word("the current message buffer"),
                    TouchedBuffers::Number(number) => {
                        self.word("message buffer");
                        self.expression(number);
                    }
                }
            }
            StatementKind::Log(tasks, columns) => {
                self.subject(tasks, "logs", "log");
                self.list(columns, " and", Self::column);
            }
            StatementKind::ComputeAggregates(tasks) => {
                self.subject(tasks, "computes aggregates", "compute aggregates");
            }
            StatementKind::Counters(tasks, action) => {
                match action {
                    CounterAction::Reset => self.subject(tasks, "resets", "reset"),
                    CounterAction::Store => self.subject(tasks, "stores", "store"),
                    CounterAction::Restore => self.subject(tasks, "restores", "restore"),
                }
                self.word(if is_one(tasks) { "its counters" } else { "their counters" });
            }
            StatementKind::Assert(text, relation) => {
                self.word("assert that");
                self.string(&text.value);
                self.word("with");
                self.relation(relation);
            }
            StatementKind::Output(tasks, items) => {
                self.subject(tasks, "outputs", "output");
                self.list(items, " and", Self::output);
            }
            StatementKind::Assign(tasks, assignment) => {
                self.subject(tasks, "is assigned to", "are assigned to");
                match assignment {
                    Assignment::Processor(number) => {
                        self.word("processor");
                        self.expression(number);
                    }
                    Assignment::Random => self.word("a random processor"),
                }
            }
            StatementKind::ForEach(each) => {
                self.word("for each");
                self.name(&each.variable);
                self.word("in");
                self.ranges(&each.ranges);
                self.body(&each.body);
            }
            StatementKind::Repeat(repeat) => {
                self.word("for");
                self.expression(&repeat.count);
                self.word("repetitions");
                let warmup = repeat.warmup.as_ref().map(|count| (count, "repetitions"));
                self.warmup(warmup, repeat.synchronization);
                self.body(&repeat.body);
            }
            StatementKind::Timed(timed) => self.timed(timed),
            StatementKind::Let(bindings) => {
                self.word("let");
                self.list(&bindings.bindings, " and", Self::binding);
                self.word("while");
                self.body(&bindings.body);
            }
            StatementKind::If(branch) => self.branch(branch),
            StatementKind::Block(statements) => self.block(statements),
        }
    }

    fn block(&mut self, statements: &[Statement]) {
        self.word("{");
        if !statements.is_empty() {
            self.indent += 1;
            self.line();
            self.sequence(statements);
            self.indent -= 1;
            self.line();
        }
        self.sign("}");
    }

    /// The statement of a loop: a block on the same line, another statement on the next one.
    fn body(&mut self, body: &Statement) {
        if let StatementKind::Block(statements) = &body.kind {
            return self.block(statements);
        }
        self.indent += 1;
        self.line();
        self.statement(body);
        self.indent -= 1;
    }

    fn branch(&mut self, branch: &Branch) {
        self.word("if");
        self.relation(&branch.condition);
        self.word("then");
        let Some(otherwise) = &branch.otherwise else {
            return self.body(&branch.then);
        };
        if takes_otherwise(&branch.then) {
            self.block(std::slice::from_ref(&branch.then));
        } else {
            self.body(&branch.then);
        }
        if matches!(branch.then.kind, StatementKind::Block(_)) {
            self.word("otherwise");
        } else {
            self.line();
            self.word("otherwise");
        }
        self.body(otherwise);
    }

    fn subject(&mut self, tasks: &Tasks, singular: &str, plural: &str) {
        self.tasks(tasks);
        self.word(if is_one(tasks) { singular } else { plural });
    }

    fn transfer(&mut self, tasks: &Tasks, asynchronous: bool, [singular, plural]: [&str; 2]) {
        self.tasks(tasks);
        if asynchronous {
            self.word("asynchronously");
        }
        self.word(if is_one(tasks) { singular } else { plural });
    }

    fn send(&mut self, send: &Send) {
        self.transfer(&send.source, send.asynchronous, ["sends", "send"]);
        self.message(&send.message, "from");
        self.word(if send.unsuspecting { "to unsuspecting" } else { "to" });
        self.tasks(&send.target);
        if let Some(receive) = &send.receive {
            self.receive_spec(receive);
        }
    }

    fn receive(&mut self, receive: &Receive) {
        self.transfer(&receive.target, receive.asynchronous, ["receives", "receive"]);
        self.message(&receive.message, "into");
        self.word("from");
        self.tasks(&receive.source);
    }

    fn reduce(&mut self, reduce: &Reduce) {
        self.subject(&reduce.source, "reduces", "reduce");
        self.reduce_data(&reduce.data);
        match &reduce.target {
            ReduceTarget::Sources => {}
            ReduceTarget::SourcesInto(data) => {
                self.word("to");
                self.reduce_data(data);
            }
            ReduceTarget::Tasks(tasks, result) => {
                self.word("to");
                self.tasks(tasks);
                if let Some(result) = result {
                    self.reduce_result(result);
                }
            }
        }
    }

    fn touch(&mut self, touch: &TouchMemory) {
        self.subject(&touch.tasks, "touches", "touch");
        if let Some((number, unit)) = &touch.accesses {
            self.expression(number);
            self.units(*unit);
            self.word("of");
        }
        self.word("a");
        self.size(&touch.region);
        self.word("memory region");
        if let Some(times) = &touch.times {
            self.expression(times);
            self.word("times");
        }
        match &touch.stride {
            None => {}
            Some(Stride::Random) => self.word("with random stride"),
            Some(Stride::Of(number, unit)) => {
                self.word("with stride");
                self.expression(number);
                self.units(*unit);
            }
        }
    }

    fn timed(&mut self, timed: &Timed) {
        self.word("for");
        self.expression(&timed.duration);
        self.word(time_name(timed.unit));
        let warmup = timed.warmup.as_ref().map(|(time, unit)| (time, time_name(*unit)));
        self.warmup(warmup, timed.synchronization);
        self.body(&timed.body);
    }

    fn warmup(&mut self, warmup: Option<(&Expression, &str)>, synchronization: bool) {
        let Some((amount, unit)) = warmup else { return };
        self.word("plus");
        self.expression(amount);
        self.word("warmup");
        self.word(unit);
        if synchronization {
            self.word("and a synchronization");
        }
    }

    fn binding(&mut self, binding: &Binding) {
        self.name(&binding.name);
        self.word("be");
        match &binding.value {
            BindingValue::Number(value) => self.expression(value),
            BindingValue::Group(tasks) => self.tasks(tasks),
            BindingValue::Random(random) => {
                self.word("a random task");
                self.choice(&random.choice);
            }
        }
    }

    fn choice(&mut self, choice: &RandomChoice) {
        let but_not = match choice {
            RandomChoice::Any => &None,
            RandomChoice::OtherThan(task) => {
                self.word("other than");
                self.expression(task);
                &None
            }
            RandomChoice::LessThan { limit, but_not } => {
                self.word("less than");
                self.expression(limit);
                but_not
            }
            RandomChoice::GreaterThan { limit, but_not } => {
                self.word("greater than");
                self.expression(limit);
                but_not
            }
            RandomChoice::In { low, high, but_not } => {
                self.word("in");
                self.interval(low, high);
                but_not
            }
        };
        if let Some(but_not) = but_not {
            self.word("but not");
            self.expression(but_not);
        }
    }

    fn output(&mut self, output: &Output) {
        match output {
            Output::Text(text) => self.string(&text.value),
            Output::ValueOf(name) => {
                self.word("the value of");
                self.string(&name.value);
            }
            Output::Number(value) => self.expression(value),
        }
    }

    fn column(&mut self, column: &LogColumn) {
        match &column.aggregate {
            Aggregate::Values(value) => self.expression(value),
            Aggregate::Each(value) => {
                self.word("each");
                self.expression(value);
            }
            Aggregate::The(value) => {
                self.word("the");
                self.expression(value);
            }
            Aggregate::Functions(functions, value) => {
                self.list(functions, " and", |printer, function| {
                    printer.word("the");
                    match function {
                        AggregateFunction::Percentile(value) => {
                            printer.expression(value);
                            printer.word("percentile");
                        }
                        function => printer.word(function.name()),
                    }
                });
                self.word("of");
                self.expression(value);
            }
            Aggregate::Histogram(value) => {
                self.word("a histogram of");
                self.expression(value);
            }
        }
        self.word("as");
        match &column.title {
            Title::Text(text) => self.string(&text.value),
            Title::ValueOf(name) => {
                self.word("the value of");
                self.string(&name.value);
            }
        }
    }
}

/// True if the verb after the tasks is in the singular.
fn is_one(tasks: &Tasks) -> bool {
    matches!(tasks.kind, TasksKind::One(_) | TasksKind::Group(_))
}

/// True if an `OTHERWISE` after the statement would belong to an `IF` inside it.
fn takes_otherwise(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::If(branch) => branch.otherwise.as_ref().is_none_or(|s| takes_otherwise(s)),
        StatementKind::ForEach(each) => takes_otherwise(&each.body),
        StatementKind::Repeat(repeat) => takes_otherwise(&repeat.body),
        StatementKind::Timed(timed) => takes_otherwise(&timed.body),
        StatementKind::Let(bindings) => takes_otherwise(&bindings.body),
        _ => false,
    }
}
