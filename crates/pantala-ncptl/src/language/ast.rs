//! The syntax tree of a program.
//!
//! The tree keeps the words that change what a program says, and drops the others: `TASK` and
//! `TASKS` are one word, and so are all spellings of a unit. Names are in lower case.

mod expression;
mod message;
mod statement;
mod tasks;

pub use expression::{
    BinaryOperator, Comparison, Dimension, Expression, ExpressionKind, FileWord, Function, Range,
    Relation, RelationKind, UnaryOperator,
};
pub use message::{
    Alignment, AlignmentKind, Amount, Buffer, BufferPlace, Message, ReceiveSpec, ReduceData,
    ReduceResult, ReducedData, Size, Tag, Touching,
};
pub use statement::{
    Aggregate, AggregateFunction, Assignment, Binding, BindingValue, Branch, CounterAction, Delay,
    DelayKind, ForEach, Let, LogColumn, Multicast, Output, Receive, Reduce, ReduceTarget,
    Repetitions, Send, Statement, StatementKind, Stride, Timed, Title, TouchMemory, TouchedBuffers,
};
pub use tasks::{RandomChoice, RandomTask, Tasks, TasksKind};

use crate::language::source::Span;

/// A whole program.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntaxTree {
    /// The language version that the program requires, if any.
    pub version: Option<Text>,
    /// The run-time options in the order of their declaration.
    pub options: Vec<OptionDeclaration>,
    /// The top-level statements. Each starts a new table of the log.
    pub sentences: Vec<Sentence>,
}

/// A top-level statement: statements joined by `THEN`, ended by a period.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentence {
    /// The statements, at least one.
    pub statements: Vec<Statement>,
}

/// A run-time option: `name IS "text" AND COMES FROM "--long" OR "-s" WITH DEFAULT value`.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionDeclaration {
    /// The variable that holds the option's value.
    pub name: Name,
    /// The description for the user.
    pub description: Text,
    /// The long form on a command line, with its two hyphens.
    pub long: Text,
    /// The short form on a command line, with its hyphen.
    pub short: Text,
    /// The value if the user gives none. It can use options declared before.
    pub default: Expression,
}

/// A string of the program, without quotes and escapes.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// The characters.
    pub value: String,
    /// Its place in the source.
    pub span: Span,
}

/// An identifier, in lower case.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The letters.
    pub text: String,
    /// Its place in the source.
    pub span: Span,
}

/// A unit of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataUnit {
    /// An eighth of a byte; a number of bits is rounded up to whole bytes.
    Bit,
    /// One byte.
    Byte,
    /// 2 bytes.
    Halfword,
    /// 4 bytes.
    Word,
    /// 4 bytes: a C `int`.
    Integer,
    /// 8 bytes.
    Doubleword,
    /// 16 bytes.
    Quadword,
    /// 4096 bytes.
    Page,
    /// 1024 bytes.
    Kilobyte,
    /// 1024 kilobytes.
    Megabyte,
    /// 1024 megabytes.
    Gigabyte,
}

impl DataUnit {
    /// All units.
    pub const ALL: [Self; 11] = [
        Self::Bit,
        Self::Byte,
        Self::Halfword,
        Self::Word,
        Self::Integer,
        Self::Doubleword,
        Self::Quadword,
        Self::Page,
        Self::Kilobyte,
        Self::Megabyte,
        Self::Gigabyte,
    ];

    /// The units that are data types too: those of `DOUBLEWORD SIZED` and `REDUCE 3 DOUBLEWORDS`.
    pub const TYPES: [Self; 7] = [
        Self::Byte,
        Self::Halfword,
        Self::Word,
        Self::Integer,
        Self::Doubleword,
        Self::Quadword,
        Self::Page,
    ];

    /// The unit in bytes; `None` for [`Self::Bit`].
    pub fn bytes(self) -> Option<u64> {
        Some(match self {
            Self::Bit => return None,
            Self::Byte => 1,
            Self::Halfword => 2,
            Self::Word | Self::Integer => 4,
            Self::Doubleword => 8,
            Self::Quadword => 16,
            Self::Page => 4096,
            Self::Kilobyte => 1 << 10,
            Self::Megabyte => 1 << 20,
            Self::Gigabyte => 1 << 30,
        })
    }
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    /// 10^-6 s.
    Microsecond,
    /// 10^-3 s.
    Millisecond,
    /// One second.
    Second,
    /// 60 s.
    Minute,
    /// 3600 s.
    Hour,
    /// 86,400 s.
    Day,
}

impl TimeUnit {
    /// All units.
    pub const ALL: [Self; 6] =
        [Self::Microsecond, Self::Millisecond, Self::Second, Self::Minute, Self::Hour, Self::Day];

    /// The unit in microseconds.
    pub fn microseconds(self) -> u64 {
        match self {
            Self::Microsecond => 1,
            Self::Millisecond => 1_000,
            Self::Second => 1_000_000,
            Self::Minute => 60_000_000,
            Self::Hour => 3_600_000_000,
            Self::Day => 86_400_000_000,
        }
    }
}
