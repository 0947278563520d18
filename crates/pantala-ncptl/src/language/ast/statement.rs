//! Statements.

use super::{
    DataUnit, Expression, Message, Name, RandomTask, Range, ReceiveSpec, ReduceData, ReduceResult,
    Relation, Size, Tasks, Text, TimeUnit,
};
use crate::language::source::Span;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The statement.
    pub kind: StatementKind,
    /// Its place in the source.
    pub span: Span,
}

/// The forms of a statement. A loop, a `LET` and an `IF` govern one statement, often a block.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `… SENDS …`
    Send(Box<Send>),
    /// `… RECEIVES …`
    Receive(Box<Receive>),
    /// `… MULTICASTS …`
    Multicast(Box<Multicast>),
    /// `… REDUCES …`
    Reduce(Box<Reduce>),
    /// `… SYNCHRONIZES`: a barrier of the tasks.
    Synchronize(Tasks),
    /// `… AWAITS COMPLETION`
    Await(Tasks),
    /// `… COMPUTES FOR …` or `… SLEEPS FOR …`
    Delay(Delay),
    /// `… TOUCHES … MEMORY REGION …`
    TouchMemory(Box<TouchMemory>),
    /// `… TOUCHES … MESSAGE BUFFERS`
    TouchBuffers(Tasks, TouchedBuffers),
    /// `… LOGS …`
    Log(Tasks, Vec<LogColumn>),
    /// `… COMPUTES AGGREGATES`
    ComputeAggregates(Tasks),
    /// `… RESETS ITS COUNTERS` and so on.
    Counters(Tasks, CounterAction),
    /// `ASSERT THAT "text" WITH relation`
    Assert(Text, Relation),
    /// `… OUTPUTS …`
    Output(Tasks, Vec<Output>),
    /// `… IS ASSIGNED TO PROCESSOR …`
    Assign(Tasks, Assignment),
    /// `FOR EACH v IN ranges …`
    ForEach(ForEach),
    /// `FOR n REPETITIONS …`
    Repeat(Repetitions),
    /// `FOR n SECONDS …`
    Timed(Timed),
    /// `LET v BE e WHILE …`
    Let(Let),
    /// `IF relation THEN … [OTHERWISE …]`
    If(Branch),
    /// `{ … THEN … }`, possibly empty.
    Block(Vec<Statement>),
}

/// `source SENDS message TO target`
///
/// The target sees the source's variable. The message and the receive specification see it too,
/// but only if no variable outside the statement has its name: then they see that one. The
/// reference compiler never shows them the source's variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// The senders.
    pub source: Tasks,
    /// True for `ASYNCHRONOUSLY`; `SYNCHRONOUSLY` is the default.
    pub asynchronous: bool,
    /// The messages.
    pub message: Message,
    /// The receivers.
    pub target: Tasks,
    /// True for `TO UNSUSPECTING …`: the receivers post no receive.
    pub unsuspecting: bool,
    /// `WHO RECEIVES THEM …`
    pub receive: Option<ReceiveSpec>,
}

/// `target RECEIVES message FROM source`
///
/// [`Receive::sender_binds_first`] says which of the two sets sees the other's variable. The
/// message sees the source's variable, as in [`Send`].
#[derive(Clone, Debug, PartialEq)]
pub struct Receive {
    /// The receivers.
    pub target: Tasks,
    /// True for `ASYNCHRONOUSLY`; `SYNCHRONOUSLY` is the default.
    pub asynchronous: bool,
    /// The messages; the buffer comes after `INTO`.
    pub message: Message,
    /// The senders.
    pub source: Tasks,
}

/// `source MULTICASTS message TO target`
///
/// The target sees the source's variable, the message does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Multicast {
    /// The senders.
    pub source: Tasks,
    /// The messages.
    pub message: Message,
    /// The receivers.
    pub target: Tasks,
}

/// `source REDUCES data …`
///
/// The target sees the source's variable, the data do not.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduce {
    /// The tasks with data.
    pub source: Tasks,
    /// The data.
    pub data: ReduceData,
    /// The tasks that get the result.
    pub target: ReduceTarget,
}

/// The tasks that get the result of a reduction.
#[derive(Clone, Debug, PartialEq)]
pub enum ReduceTarget {
    /// No `TO`: the sources.
    Sources,
    /// `TO data`: the sources, into other memory.
    SourcesInto(ReduceData),
    /// `TO target [WHO RECEIVES THE RESULT …]`
    Tasks(Tasks, Option<ReduceResult>),
}

/// `tasks COMPUTES FOR 5 MICROSECONDS`
#[derive(Clone, Debug, PartialEq)]
pub struct Delay {
    /// The tasks.
    pub tasks: Tasks,
    /// Computing or sleeping.
    pub kind: DelayKind,
    /// The duration, in `unit`.
    pub duration: Expression,
    /// The unit.
    pub unit: TimeUnit,
}

/// Computing or sleeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DelayKind {
    /// `COMPUTES`
    Computes,
    /// `SLEEPS`
    Sleeps,
}

/// `tasks TOUCHES [n WORDS OF] AN size MEMORY REGION [n TIMES] [WITH … STRIDE …]`
#[derive(Clone, Debug, PartialEq)]
pub struct TouchMemory {
    /// The tasks.
    pub tasks: Tasks,
    /// The number of accesses and their type; each byte once if absent. The unit is one of
    /// [`DataUnit::TYPES`].
    pub accesses: Option<(Expression, DataUnit)>,
    /// The size of the region.
    pub region: Size,
    /// How many times; 1 if absent.
    pub times: Option<Expression>,
    /// The distance between accesses.
    pub stride: Option<Stride>,
}

/// The distance between accesses to memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Stride {
    /// `WITH RANDOM STRIDE`
    Random,
    /// `WITH STRIDE 2 WORDS`; the unit is one of [`DataUnit::TYPES`].
    Of(Expression, DataUnit),
}

/// The buffers of `TOUCHES … MESSAGE BUFFERS`.
#[derive(Clone, Debug, PartialEq)]
pub enum TouchedBuffers {
    /// `ALL MESSAGE BUFFERS`
    All,
    /// `THE CURRENT MESSAGE BUFFER`
    Current,
    /// `MESSAGE BUFFER e`
    Number(Expression),
}

/// One column of a log: `THE MEAN OF elapsed_usecs AS "Time"`.
#[derive(Clone, Debug, PartialEq)]
pub struct LogColumn {
    /// The values.
    pub aggregate: Aggregate,
    /// The title.
    pub title: Title,
    /// Its place in the source.
    pub span: Span,
}

/// The values of a log's column.
#[derive(Clone, Debug, PartialEq)]
pub enum Aggregate {
    /// `e`: every value, one row each.
    Values(Expression),
    /// `EACH e`: every value, one row each.
    Each(Expression),
    /// `THE e`: one value, which never changes.
    The(Expression),
    /// `THE MEAN AND THE MAXIMUM OF e`: at least one function.
    Functions(Vec<AggregateFunction>, Expression),
    /// `A HISTOGRAM OF e`: each value and how often it occurs.
    Histogram(Expression),
}

/// A function of all values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum AggregateFunction {
    /// `[ARITHMETIC] MEAN`
    Mean,
    /// `HARMONIC MEAN`
    HarmonicMean,
    /// `GEOMETRIC MEAN`
    GeometricMean,
    /// `MEDIAN`
    Median,
    /// `STANDARD DEVIATION`
    StandardDeviation,
    /// `MEDIAN ABSOLUTE DEVIATION`
    MedianAbsoluteDeviation,
    /// `VARIANCE`
    Variance,
    /// `SUM`
    Sum,
    /// `MINIMUM`
    Minimum,
    /// `MAXIMUM`
    Maximum,
    /// `FINAL`
    Final,
    /// `95th PERCENTILE`
    Percentile(Expression),
}

impl AggregateFunction {
    /// The function's name in programs and in logs.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::HarmonicMean => "harmonic mean",
            Self::GeometricMean => "geometric mean",
            Self::Median => "median",
            Self::StandardDeviation => "standard deviation",
            Self::MedianAbsoluteDeviation => "median absolute deviation",
            Self::Variance => "variance",
            Self::Sum => "sum",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::Final => "final",
            Self::Percentile(_) => "percentile",
        }
    }
}

/// Actions on the counters of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CounterAction {
    /// `RESETS`: all counters and the clock to 0.
    Reset,
    /// `STORES`: onto a stack.
    Store,
    /// `RESTORES`: from the stack.
    Restore,
}

/// The title of a log's column.
#[derive(Clone, Debug, PartialEq)]
pub enum Title {
    /// `"text"`
    Text(Text),
    /// `THE VALUE OF "name"`
    ValueOf(Text),
}

/// One item of `OUTPUTS`.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// `"text"`
    Text(Text),
    /// `THE VALUE OF "name"`
    ValueOf(Text),
    /// A number in double precision.
    Number(Expression),
}

/// The processor of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Assignment {
    /// `TO PROCESSOR e`
    Processor(Expression),
    /// `TO A RANDOM PROCESSOR`
    Random,
}

/// `FOR EACH variable IN ranges body`
#[derive(Clone, Debug, PartialEq)]
pub struct ForEach {
    /// The variable, visible in the body.
    pub variable: Name,
    /// The values, at least one range.
    pub ranges: Vec<Range>,
    /// The body.
    pub body: Box<Statement>,
}

/// `FOR count REPETITIONS [PLUS warmup WARMUP REPETITIONS [AND A SYNCHRONIZATION]] body`
#[derive(Clone, Debug, PartialEq)]
pub struct Repetitions {
    /// The number of repetitions.
    pub count: Expression,
    /// Repetitions before, without output and counting.
    pub warmup: Option<Expression>,
    /// True for a barrier of all tasks after the warm-up.
    pub synchronization: bool,
    /// The body.
    pub body: Box<Statement>,
}

/// `FOR duration SECONDS [PLUS warmup WARMUP SECONDS [AND A SYNCHRONIZATION]] body`
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// The duration, in `unit`.
    pub duration: Expression,
    /// Its unit.
    pub unit: TimeUnit,
    /// The time before, without output and counting, and its unit.
    pub warmup: Option<(Expression, TimeUnit)>,
    /// True for a barrier of all tasks after the warm-up.
    pub synchronization: bool,
    /// The body.
    pub body: Box<Statement>,
}

/// `LET binding AND binding WHILE body`
#[derive(Clone, Debug, PartialEq)]
pub struct Let {
    /// The bindings, at least one. Each sees the bindings before it.
    pub bindings: Vec<Binding>,
    /// The body.
    pub body: Box<Statement>,
}

/// `name BE value`
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The variable or the task group.
    pub name: Name,
    /// Its value.
    pub value: BindingValue,
}

/// The value of a binding.
#[derive(Clone, Debug, PartialEq)]
pub enum BindingValue {
    /// A number.
    Number(Expression),
    /// A random task.
    Random(RandomTask),
    /// A task group, used as `TASK GROUP name`.
    Group(Tasks),
}

/// `IF condition THEN then [OTHERWISE otherwise]`
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// The condition.
    pub condition: Relation,
    /// The statement if the condition holds.
    pub then: Box<Statement>,
    /// The statement if it does not hold.
    pub otherwise: Option<Box<Statement>>,
}
