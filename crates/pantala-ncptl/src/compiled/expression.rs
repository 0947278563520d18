//! Expressions whose variables are slots.

use crate::language::ast::{BinaryOperator, Comparison, Function, UnaryOperator};
use crate::language::source::Span;
use std::sync::Arc;

/// The number of a variable. Each binding of the program has a slot of its own.
pub type Slot = u16;

/// The counters of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// `elapsed_usecs`
    ElapsedMicroseconds,
    /// `bytes_sent`
    BytesSent,
    /// `bytes_received`
    BytesReceived,
    /// `msgs_sent`
    MessagesSent,
    /// `msgs_received`
    MessagesReceived,
    /// `total_bytes`
    TotalBytes,
    /// `total_msgs`
    TotalMessages,
    /// `bit_errors`
    BitErrors,
}

impl Counter {
    /// The counter with a name of the language.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "elapsed_usecs" => Self::ElapsedMicroseconds,
            "bytes_sent" => Self::BytesSent,
            "bytes_received" => Self::BytesReceived,
            "msgs_sent" => Self::MessagesSent,
            "msgs_received" => Self::MessagesReceived,
            "total_bytes" => Self::TotalBytes,
            "total_msgs" => Self::TotalMessages,
            "bit_errors" => Self::BitErrors,
            _ => return None,
        })
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A literal, the number of tasks, or the value of an option.
    Constant(i64),
    /// A variable.
    Slot(Slot),
    /// A counter of the task.
    Counter(Counter),
    /// The task that evaluates the expression.
    MyTask,
    /// An operator with one operand.
    Unary(UnaryOperator, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOperator, Box<Expr>, Box<Expr>, Span),
    /// The first expression if the relation holds, or else the second.
    Conditional(Box<(Expr, Relation, Expr)>),
    /// An expression in double precision.
    Real(Box<Expr>),
    /// A function of numbers.
    Call(Function, Box<[Expr]>, Span),
    /// A function of a mesh.
    Mesh(Box<MeshCall>),
    /// A word of a file, at a column and a row.
    FileWord(Box<FileWord>),
}

/// A function of a mesh.
#[derive(Clone, Debug)]
pub struct MeshCall {
    /// Extents, and whether they wrap around.
    pub mesh: Vec<(Expr, bool)>,
    /// The task.
    pub task: Expr,
    /// What it asks for.
    pub question: MeshQuestion,
    /// The call in the text.
    pub span: Span,
}

/// The value of a function of a mesh.
#[derive(Clone, Debug)]
pub enum MeshQuestion {
    /// The task at an offset.
    Neighbor(Vec<Expr>),
    /// The coordinate along an axis.
    Coordinate(Expr),
    /// The distance to another task.
    Distance(Expr),
}

/// A word of a text file.
#[derive(Clone, Debug)]
pub struct FileWord {
    /// The words of each row.
    pub rows: Arc<Vec<Vec<String>>>,
    /// The file, for messages.
    pub file: String,
    /// The column, from 1; negative from the end.
    pub column: Expr,
    /// The row, from 1; negative from the end.
    pub row: Expr,
    /// Its place in the program.
    pub span: Span,
}

/// A condition.
#[derive(Clone, Debug)]
pub enum Relation {
    /// One of the two holds.
    Or(Box<Relation>, Box<Relation>),
    /// Both hold.
    And(Box<Relation>, Box<Relation>),
    /// A comparison.
    Compare(Comparison, Expr, Expr),
    /// The first divides the second.
    Divides(Expr, Expr, Span),
    /// Even (false) or odd (true).
    Parity(Expr, bool),
    /// In the ranges, or not in them (true).
    InRanges(Expr, bool, Vec<Range>),
    /// In the closed interval, or not in it (true).
    InInterval(Expr, bool, Expr, Expr),
}

/// A range.
#[derive(Clone, Debug)]
pub enum Range {
    /// Values as they stand.
    List(Vec<Expr>),
    /// A progression.
    Progression(Vec<Expr>, Expr, Span),
    /// A value for each combination of variables, if the condition holds.
    Comprehension(Box<Comprehension>),
}

/// A value for each combination of variables.
#[derive(Clone, Debug)]
pub struct Comprehension {
    /// The value.
    pub value: Expr,
    /// The variables and their ranges; the first varies slowest.
    pub variables: Vec<(Slot, Vec<Range>)>,
    /// The condition.
    pub condition: Option<Relation>,
    /// Its place in the source.
    pub span: Span,
}
