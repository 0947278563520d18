//! Expressions, relations and ranges.

use super::{Name, Text};
use crate::language::source::Span;

/// An expression with an integer value, or with a real one in `OUTPUTS`, `LOGS` and `REAL`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The expression.
    pub kind: ExpressionKind,
    /// Its place in the source.
    pub span: Span,
}

/// The forms of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// A literal, never negative: `10K`, `5th`.
    Integer(i64),
    /// A variable: declared by the program or predeclared (`num_tasks`, `bytes_sent`).
    Variable(String),
    /// `MY TASK`: the number of the task that evaluates the expression.
    MyTask,
    /// An operator before its operand.
    Unary(UnaryOperator, Box<Expression>),
    /// An operator between two operands.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `value IF condition OTHERWISE otherwise`.
    Conditional {
        /// The value if the condition holds.
        value: Box<Expression>,
        /// The condition.
        condition: Box<Relation>,
        /// The value if it does not hold.
        otherwise: Box<Expression>,
    },
    /// `REAL(e)`: `e` in double precision, rounded to an integer.
    Real(Box<Expression>),
    /// A function of numbers. The parser has checked the number of arguments.
    Call(Function, Vec<Expression>),
    /// `FILE_DATA` or `STATIC_FILE_DATA`.
    FileWord(Box<FileWord>),
    /// `MESH_NEIGHBOR((mesh), task, (offset))`.
    MeshNeighbor {
        /// The extents of the mesh, x first: 1 to 3.
        mesh: Vec<Dimension>,
        /// The task.
        task: Box<Expression>,
        /// The offsets, x first: 1 to 3. A missing offset is 0.
        offset: Vec<Expression>,
    },
    /// `MESH_COORDINATE((mesh), task, axis)`.
    MeshCoordinate {
        /// The extents of the mesh, x first: 1 to 3.
        mesh: Vec<Dimension>,
        /// The task.
        task: Box<Expression>,
        /// 0 for x, 1 for y, 2 for z.
        axis: Box<Expression>,
    },
    /// `MESH_DISTANCE((mesh), from, to)`.
    MeshDistance {
        /// The extents of the mesh, x first: 1 to 3.
        mesh: Vec<Dimension>,
        /// The first task.
        from: Box<Expression>,
        /// The second task.
        to: Box<Expression>,
    },
}

/// One extent of a mesh: `4` or `4*`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    /// The number of tasks.
    pub extent: Expression,
    /// True for a torus: the dimension wraps around.
    pub wraps: bool,
}

/// A word of a text file: `FILE_DATA("name", column, row, "column separators", "row separators")`.
#[derive(Clone, Debug, PartialEq)]
pub struct FileWord {
    /// True for `STATIC_FILE_DATA`: the reference compiler reads the file when it compiles.
    pub is_static: bool,
    /// The name of the file.
    pub file: Text,
    /// The column; from 1, negative from the end; 1 if absent.
    pub column: Option<Expression>,
    /// The row; from 1, negative from the end; 1 if absent.
    pub row: Option<Expression>,
    /// The characters that separate columns; blank and tab if absent.
    pub column_separator: Option<Text>,
    /// The characters that separate rows; newline if absent.
    pub row_separator: Option<Text>,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `NOT`: all bits inverted.
    Not,
}

/// Operators with two operands. All associate to the left but `**`, whose right operand is a unary
/// expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `|`
    Or,
    /// `XOR`
    Xor,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `MOD`
    Modulo,
    /// `>>`
    ShiftRight,
    /// `<<`
    ShiftLeft,
    /// `&`
    And,
    /// `**`
    Power,
}

impl BinaryOperator {
    /// All operators.
    pub const ALL: [Self; 11] = [
        Self::Add,
        Self::Subtract,
        Self::Or,
        Self::Xor,
        Self::Multiply,
        Self::Divide,
        Self::Modulo,
        Self::ShiftRight,
        Self::ShiftLeft,
        Self::And,
        Self::Power,
    ];
}

/// A condition. Relations are no values: they stand after `IF`, `WHERE`, `SUCH THAT` and `WITH`.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// The relation.
    pub kind: RelationKind,
    /// Its place in the source.
    pub span: Span,
}

/// The forms of a relation.
#[derive(Clone, Debug, PartialEq)]
pub enum RelationKind {
    /// `left \/ right`
    Or(Box<Relation>, Box<Relation>),
    /// `left /\ right`; binds tighter than [`Self::Or`].
    And(Box<Relation>, Box<Relation>),
    /// `left = right` and so on.
    Compare(Comparison, Box<Expression>, Box<Expression>),
    /// `divisor DIVIDES value`
    Divides(Box<Expression>, Box<Expression>),
    /// `value IS EVEN`
    Even(Box<Expression>),
    /// `value IS ODD`
    Odd(Box<Expression>),
    /// `value IS [NOT] IN {1, 2}, {4, ..., 8}`
    InRanges {
        /// The value.
        value: Box<Expression>,
        /// True for `IS NOT IN`.
        negated: bool,
        /// The ranges, at least one.
        ranges: Vec<Range>,
    },
    /// `value IS [NOT] IN [low, high]`, both ends included.
    InInterval {
        /// The value.
        value: Box<Expression>,
        /// True for `IS NOT IN`.
        negated: bool,
        /// The lower end.
        low: Box<Expression>,
        /// The upper end.
        high: Box<Expression>,
    },
}

/// Comparisons of two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<=`
    LessOrEqual,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// All comparisons.
    pub const ALL: [Self; 6] = [
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::Greater,
        Self::LessOrEqual,
        Self::GreaterOrEqual,
    ];
}

/// A sequence of integers in braces.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    /// `{3, 1, 2}`: the values as they stand.
    List(Vec<Expression>),
    /// `{1, 2, 4, ..., 1K}`: the progression that the first values begin, up to the last.
    Progression {
        /// The values before the dots, at least one.
        first: Vec<Expression>,
        /// The value after the dots.
        last: Expression,
        /// Its place in the source.
        span: Span,
    },
    /// `{t*t FOR EACH t IN {1, ..., 6} WHERE t IS ODD}`
    Comprehension {
        /// The element. It sees all variables.
        value: Expression,
        /// Variables and their ranges, at least one; the first varies slowest. A range sees the
        /// variables before it.
        variables: Vec<(Name, Vec<Range>)>,
        /// The condition on an element.
        condition: Option<Relation>,
    },
}

/// Functions of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the language's own; Function::name gives them")]
pub enum Function {
    Abs,
    Min,
    Max,
    Sqrt,
    Cbrt,
    Root,
    Bits,
    Log10,
    Factor10,
    Floor,
    Ceiling,
    Round,
    TreeParent,
    TreeChild,
    KnomialParent,
    KnomialChildren,
    KnomialChild,
    ProcessorOf,
    TaskOf,
    RandomUniform,
    RandomGaussian,
    RandomPoisson,
    RandomPareto,
}

impl Function {
    /// All functions.
    pub const ALL: [Self; 23] = [
        Self::Abs,
        Self::Min,
        Self::Max,
        Self::Sqrt,
        Self::Cbrt,
        Self::Root,
        Self::Bits,
        Self::Log10,
        Self::Factor10,
        Self::Floor,
        Self::Ceiling,
        Self::Round,
        Self::TreeParent,
        Self::TreeChild,
        Self::KnomialParent,
        Self::KnomialChildren,
        Self::KnomialChild,
        Self::ProcessorOf,
        Self::TaskOf,
        Self::RandomUniform,
        Self::RandomGaussian,
        Self::RandomPoisson,
        Self::RandomPareto,
    ];

    /// The name in a program, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Abs => "abs",
            Self::Min => "min",
            Self::Max => "max",
            Self::Sqrt => "sqrt",
            Self::Cbrt => "cbrt",
            Self::Root => "root",
            Self::Bits => "bits",
            Self::Log10 => "log10",
            Self::Factor10 => "factor10",
            Self::Floor => "floor",
            Self::Ceiling => "ceiling",
            Self::Round => "round",
            Self::TreeParent => "tree_parent",
            Self::TreeChild => "tree_child",
            Self::KnomialParent => "knomial_parent",
            Self::KnomialChildren => "knomial_children",
            Self::KnomialChild => "knomial_child",
            Self::ProcessorOf => "processor_of",
            Self::TaskOf => "task_of",
            Self::RandomUniform => "random_uniform",
            Self::RandomGaussian => "random_gaussian",
            Self::RandomPoisson => "random_poisson",
            Self::RandomPareto => "random_pareto",
        }
    }

    /// The least and the greatest number of arguments; `None` for any number.
    pub fn arguments(self) -> (usize, Option<usize>) {
        match self {
            Self::Min | Self::Max => (1, None),
            Self::Root | Self::RandomUniform | Self::RandomGaussian => (2, Some(2)),
            Self::TreeParent => (1, Some(2)),
            Self::TreeChild => (2, Some(3)),
            Self::KnomialParent | Self::KnomialChildren => (1, Some(3)),
            Self::KnomialChild => (2, Some(4)),
            Self::RandomPareto => (2, Some(3)),
            _ => (1, Some(1)),
        }
    }

    /// True if each task draws its own number, without agreement with the others.
    pub fn is_random(self) -> bool {
        matches!(
            self,
            Self::RandomUniform | Self::RandomGaussian | Self::RandomPoisson | Self::RandomPareto
        )
    }
}
