//! Expressions, relations, ranges and sets of tasks.

use super::Printer;
use pantala_ncptl::language::ast::{
    BinaryOperator, Comparison, Dimension, Expression, ExpressionKind, FileWord, Range, Relation,
    RelationKind, Tasks, TasksKind, UnaryOperator,
};

/// How tightly an expression binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Conditional,
    Sum,
    Product,
    Unary,
    Power,
    Primary,
}

impl Printer {
    pub(super) fn expression(&mut self, expression: &Expression) {
        match &expression.kind {
            ExpressionKind::Integer(value) => self.word(&value.to_string()),
            ExpressionKind::Variable(name) => self.word(name),
            ExpressionKind::MyTask => self.word("my task"),
            ExpressionKind::Unary(operator, operand) => self.unary(*operator, operand),
            ExpressionKind::Binary(operator, left, right) => {
                let tightness = operator_tightness(*operator);
                let (least_left, least_right) = match tightness {
                    Tightness::Power => (Tightness::Primary, Tightness::Unary),
                    Tightness::Product => (Tightness::Product, Tightness::Unary),
                    _ => (Tightness::Sum, Tightness::Product),
                };
                self.operand(left, least_left);
                self.word(operator_name(*operator));
                self.operand(right, least_right);
            }
            ExpressionKind::Conditional { value, condition, otherwise } => {
                self.operand(value, Tightness::Sum);
                self.word("if");
                self.relation(condition);
                self.word("otherwise");
                self.expression(otherwise);
            }
            ExpressionKind::Real(value) => {
                self.word("real(");
                self.expression(value);
                self.sign(")");
            }
            ExpressionKind::Call(function, arguments) => {
                self.word(function.name());
                self.sign("(");
                self.list(arguments, ",", Self::expression);
                self.sign(")");
            }
            ExpressionKind::FileWord(word) => self.file_word(word),
            ExpressionKind::MeshNeighbor { mesh, task, offset } => {
                self.mesh("mesh_neighbor((", mesh, task);
                self.word("(");
                self.list(offset, ",", Self::expression);
                self.sign("))");
            }
            ExpressionKind::MeshCoordinate { mesh, task, axis } => {
                self.mesh("mesh_coordinate((", mesh, task);
                self.expression(axis);
                self.sign(")");
            }
            ExpressionKind::MeshDistance { mesh, from, to } => {
                self.mesh("mesh_distance((", mesh, from);
                self.expression(to);
                self.sign(")");
            }
        }
    }

    /// The name, the dimensions, the first task and a comma.
    fn mesh(&mut self, start: &str, mesh: &[Dimension], task: &Expression) {
        self.word(start);
        self.list(mesh, ",", |printer, dimension| {
            printer.expression(&dimension.extent);
            if dimension.wraps {
                printer.sign("*");
            }
        });
        self.sign("),");
        self.expression(task);
        self.sign(",");
    }

    fn file_word(&mut self, word: &FileWord) {
        self.word(if word.is_static { "static_file_data(" } else { "file_data(" });
        self.string(&word.file.value);
        for number in [&word.column, &word.row].into_iter().flatten() {
            self.sign(",");
            self.expression(number);
        }
        for separator in [&word.column_separator, &word.row_separator].into_iter().flatten() {
            self.sign(",");
            self.string(&separator.value);
        }
        self.sign(")");
    }

    fn bracketed(&mut self, expression: &Expression) {
        self.word("(");
        self.expression(expression);
        self.sign(")");
    }

    /// An operand, in brackets if it binds less tightly than `least`.
    fn operand(&mut self, expression: &Expression, least: Tightness) {
        if tightness(expression) < least {
            self.bracketed(expression);
        } else {
            self.expression(expression);
        }
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Expression) {
        let sign = match operator {
            UnaryOperator::Plus => "+",
            UnaryOperator::Minus => "-",
            UnaryOperator::Not => {
                self.word("not");
                return self.operand(operand, Tightness::Unary);
            }
        };
        self.word(sign);
        // A sign before a keyword would be a mere hyphen.
        if starts_plainly(operand) && tightness(operand) >= Tightness::Unary {
            let start = self.text.len();
            self.expression(operand);
            if self.text[start..].starts_with(' ') {
                self.text.remove(start);
            }
        } else {
            self.sign("(");
            self.expression(operand);
            self.sign(")");
        }
    }

    /// An expression that follows another one: a sign at its start would be an operator.
    pub(super) fn second_expression(&mut self, expression: &Expression) {
        if starts_with_sign(expression) {
            self.bracketed(expression);
        } else {
            self.expression(expression);
        }
    }

    pub(super) fn relation(&mut self, relation: &Relation) {
        match &relation.kind {
            RelationKind::Or(left, right) => {
                self.relation(left);
                self.word("\\/");
                self.relation_operand(right, matches!(right.kind, RelationKind::Or(..)));
            }
            RelationKind::And(left, right) => {
                self.relation_operand(left, matches!(left.kind, RelationKind::Or(..)));
                self.word("/\\");
                let joined = matches!(right.kind, RelationKind::Or(..) | RelationKind::And(..));
                self.relation_operand(right, joined);
            }
            RelationKind::Compare(comparison, left, right) => {
                self.operand(left, Tightness::Sum);
                self.word(comparison_name(*comparison));
                self.operand(right, Tightness::Sum);
            }
            RelationKind::Divides(divisor, value) => {
                self.operand(divisor, Tightness::Sum);
                self.word("divides");
                self.operand(value, Tightness::Sum);
            }
            RelationKind::Even(value) => {
                self.operand(value, Tightness::Sum);
                self.word("is even");
            }
            RelationKind::Odd(value) => {
                self.operand(value, Tightness::Sum);
                self.word("is odd");
            }
            RelationKind::InRanges { value, negated, ranges } => {
                self.operand(value, Tightness::Sum);
                self.word(if *negated { "is not in" } else { "is in" });
                self.ranges(ranges);
            }
            RelationKind::InInterval { value, negated, low, high } => {
                self.operand(value, Tightness::Sum);
                self.word(if *negated { "is not in" } else { "is in" });
                self.interval(low, high);
            }
        }
    }

    fn relation_operand(&mut self, relation: &Relation, brackets: bool) {
        if brackets {
            self.word("(");
            self.relation(relation);
            self.sign(")");
        } else {
            self.relation(relation);
        }
    }

    pub(super) fn interval(&mut self, low: &Expression, high: &Expression) {
        self.word("[");
        self.expression(low);
        self.sign(",");
        self.expression(high);
        self.sign("]");
    }

    pub(super) fn ranges(&mut self, ranges: &[Range]) {
        self.list(ranges, ",", Self::range);
    }

    fn range(&mut self, range: &Range) {
        self.word("{");
        match range {
            Range::List(values) => self.list(values, ",", Self::expression),
            Range::Progression { first, last, span: _ } => {
                self.list(first, ",", Self::expression);
                self.sign(", ...,");
                self.expression(last);
            }
            Range::Comprehension { value, variables, condition } => {
                self.expression(value);
                for (name, ranges) in variables {
                    self.word("for each");
                    self.name(name);
                    self.word("in");
                    self.ranges(ranges);
                }
                if let Some(condition) = condition {
                    self.word("where");
                    self.relation(condition);
                }
            }
        }
        self.sign("}");
    }

    pub(super) fn tasks(&mut self, tasks: &Tasks) {
        match &tasks.kind {
            TasksKind::One(task) => {
                self.word("task");
                self.expression(task);
            }
            TasksKind::SuchThat { variable, condition } => {
                self.word("tasks");
                self.name(variable);
                self.word("such that");
                self.relation(condition);
            }
            TasksKind::All(variable) => {
                self.word("all tasks");
                if let Some(variable) = variable {
                    self.name(variable);
                }
            }
            TasksKind::AllOthers => self.word("all other tasks"),
            TasksKind::Group(name) => {
                self.word("task group");
                self.name(name);
            }
            TasksKind::Ranges(ranges) => {
                self.word("tasks");
                self.ranges(ranges);
            }
        }
    }
}

fn tightness(expression: &Expression) -> Tightness {
    match &expression.kind {
        ExpressionKind::Conditional { .. } => Tightness::Conditional,
        ExpressionKind::Binary(operator, ..) => operator_tightness(*operator),
        ExpressionKind::Unary(..) => Tightness::Unary,
        _ => Tightness::Primary,
    }
}

fn operator_tightness(operator: BinaryOperator) -> Tightness {
    match operator {
        BinaryOperator::Add
        | BinaryOperator::Subtract
        | BinaryOperator::Or
        | BinaryOperator::Xor => Tightness::Sum,
        BinaryOperator::Power => Tightness::Power,
        _ => Tightness::Product,
    }
}

/// The part of an expression that is printed first, if no brackets come before it.
fn first(expression: &Expression) -> Option<&Expression> {
    let (part, least) = match &expression.kind {
        ExpressionKind::Binary(operator, left, _) => match operator_tightness(*operator) {
            Tightness::Power => (left, Tightness::Primary),
            least => (left, least),
        },
        ExpressionKind::Conditional { value, .. } => (value, Tightness::Sum),
        _ => return Some(expression),
    };
    if tightness(part) < least { None } else { first(part) }
}

fn starts_with_sign(expression: &Expression) -> bool {
    first(expression).is_some_and(|first| {
        matches!(first.kind, ExpressionKind::Unary(UnaryOperator::Plus | UnaryOperator::Minus, _))
    })
}

/// True if an expression starts with a number, a name, a sign or a bracket.
fn starts_plainly(expression: &Expression) -> bool {
    first(expression).is_none_or(|first| {
        !matches!(first.kind, ExpressionKind::Unary(UnaryOperator::Not, _))
            && (tightness(first) != Tightness::Primary
                || matches!(first.kind, ExpressionKind::Integer(_) | ExpressionKind::Variable(_)))
    })
}

fn operator_name(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Or => "|",
        BinaryOperator::Xor => "xor",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "mod",
        BinaryOperator::ShiftRight => ">>",
        BinaryOperator::ShiftLeft => "<<",
        BinaryOperator::And => "&",
        BinaryOperator::Power => "**",
    }
}

fn comparison_name(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::Greater => ">",
        Comparison::LessOrEqual => "<=",
        Comparison::GreaterOrEqual => ">=",
    }
}
