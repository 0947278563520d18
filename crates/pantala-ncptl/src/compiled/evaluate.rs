//! The values of expressions, as integers and in double precision.

use crate::compiled::expression::{Expr, Relation};
use crate::compiled::functions::{self, truncated};
use crate::compiled::sequence;
use crate::compiled::view::{Failure, View, at};
use crate::language::ast::{BinaryOperator, Comparison, UnaryOperator};
use crate::numbers::{integers, reals};
impl Expr {
    /// The value as an integer.
    ///
    /// # Errors
    /// If it has none.
    pub fn integer(&self, view: &View) -> Result<i64, Failure> {
        Ok(match self {
            Self::Constant(value) => *value,
            Self::Slot(slot) => view.get(*slot),
            Self::Counter(counter) => view.counters.map_or(0, |all| all.value(*counter) as i64),
            Self::MyTask => view.me,
            Self::Unary(operator, operand) => {
                let x = operand.integer(view)?;
                match operator {
                    UnaryOperator::Plus => x,
                    UnaryOperator::Minus => x.wrapping_neg(),
                    UnaryOperator::Not => !x,
                }
            }
            Self::Binary(operator, left, right, span) => {
                let (x, y) = (left.integer(view)?, right.integer(view)?);
                match operator {
                    BinaryOperator::Add => x.wrapping_add(y),
                    BinaryOperator::Subtract => x.wrapping_sub(y),
                    BinaryOperator::Multiply => x.wrapping_mul(y),
                    BinaryOperator::Or => x | y,
                    BinaryOperator::Xor => x ^ y,
                    BinaryOperator::And => x & y,
                    BinaryOperator::ShiftLeft => integers::shift_left(x, y),
                    BinaryOperator::ShiftRight => integers::shift_right(x, y),
                    BinaryOperator::Divide => return at(*span, integers::divide(x, y)),
                    BinaryOperator::Modulo => return at(*span, integers::modulo(x, y)),
                    BinaryOperator::Power => return at(*span, integers::power(x, y)),
                }
            }
            Self::Conditional(parts) => {
                let (value, condition, otherwise) = &**parts;
                let chosen = if condition.holds(view)? { value } else { otherwise };
                return chosen.integer(view);
            }
            Self::Real(operand) => reals::rounded(operand.real(view)?),
            Self::Call(function, arguments, span) => {
                return functions::integer(*function, arguments, *span, view, Self::integer);
            }
            Self::Mesh(call) => return functions::mesh(call, view, Self::integer),
            Self::FileWord(word) => return functions::file_word(word, view).map(|x| x as i64),
        })
    }

    /// The value in double precision.
    ///
    /// # Errors
    /// If it has none.
    pub fn real(&self, view: &View) -> Result<f64, Failure> {
        Ok(match self {
            Self::Counter(counter) => view.counters.map_or(0.0, |all| all.value(*counter)),
            Self::Constant(_) | Self::Slot(_) | Self::MyTask => self.integer(view)? as f64,
            Self::Mesh(call) => functions::mesh(call, view, truncated)? as f64,
            Self::Unary(operator, operand) => {
                let x = operand.real(view)?;
                match operator {
                    UnaryOperator::Plus => x,
                    UnaryOperator::Minus => -x,
                    UnaryOperator::Not => !(x as i64) as f64,
                }
            }
            Self::Binary(operator, left, right, span) => {
                let (x, y) = (left.real(view)?, right.real(view)?);
                let (m, n) = (x as i64, y as i64);
                match operator {
                    BinaryOperator::Add => x + y,
                    BinaryOperator::Subtract => x - y,
                    BinaryOperator::Multiply => x * y,
                    BinaryOperator::Divide => x / y,
                    BinaryOperator::Power => return at(*span, reals::power(x, y)),
                    BinaryOperator::Or => (m | n) as f64,
                    BinaryOperator::Xor => (m ^ n) as f64,
                    BinaryOperator::And => (m & n) as f64,
                    BinaryOperator::ShiftLeft => integers::shift_left(m, n) as f64,
                    BinaryOperator::ShiftRight => integers::shift_right(m, n) as f64,
                    BinaryOperator::Modulo => at(*span, integers::modulo(m, n))? as f64,
                }
            }
            Self::Conditional(parts) => {
                let (value, condition, otherwise) = &**parts;
                let chosen = if condition.holds_in_reals(view)? { value } else { otherwise };
                return chosen.real(view);
            }
            Self::Real(operand) => return operand.real(view),
            Self::Call(function, arguments, span) => {
                return functions::real(*function, arguments, *span, view);
            }
            Self::FileWord(word) => return functions::file_word(word, view),
        })
    }
}

const fn compare<T: PartialOrd + Copy>(comparison: Comparison) -> fn(T, T) -> bool {
    match comparison {
        Comparison::Equal => |x, y| x == y,
        Comparison::NotEqual => |x, y| x != y,
        Comparison::Less => |x, y| x < y,
        Comparison::Greater => |x, y| x > y,
        Comparison::LessOrEqual => |x, y| x <= y,
        Comparison::GreaterOrEqual => |x, y| x >= y,
    }
}

impl Relation {
    /// Whether the relation holds between integers.
    ///
    /// # Errors
    /// If a value cannot be calculated.
    pub fn holds(&self, view: &View) -> Result<bool, Failure> {
        Ok(match self {
            Self::Or(left, right) => left.holds(view)? || right.holds(view)?,
            Self::And(left, right) => left.holds(view)? && right.holds(view)?,
            Self::Compare(comparison, left, right) => {
                compare(*comparison)(left.integer(view)?, right.integer(view)?)
            }
            Self::Divides(divisor, value, span) => {
                let (divisor, value) = (divisor.integer(view)?, value.integer(view)?);
                at(*span, integers::modulo(value, divisor))? == 0
            }
            Self::Parity(value, odd) => (value.integer(view)? & 1 == 1) == *odd,
            Self::InRanges(value, negated, ranges) => {
                sequence::contains(ranges, value.integer(view)?, view)? != *negated
            }
            Self::InInterval(value, negated, low, high) => {
                let value = value.integer(view)?;
                between(value, low.integer(view)?, high.integer(view)?) != *negated
            }
        })
    }

    /// Whether the relation holds between reals.
    ///
    /// # Errors
    /// If a value cannot be calculated.
    pub fn holds_in_reals(&self, view: &View) -> Result<bool, Failure> {
        Ok(match self {
            Self::Or(left, right) => left.holds_in_reals(view)? || right.holds_in_reals(view)?,
            Self::And(left, right) => left.holds_in_reals(view)? && right.holds_in_reals(view)?,
            Self::Compare(comparison, left, right) => {
                compare(*comparison)(left.real(view)?, right.real(view)?)
            }
            Self::InInterval(value, negated, low, high) => {
                let value = value.real(view)?;
                between(value, low.real(view)?, high.real(view)?) != *negated
            }
            Self::Divides(divisor, value, span) => {
                let (divisor, value) = (truncated(divisor, view)?, truncated(value, view)?);
                at(*span, integers::modulo(value, divisor))? == 0
            }
            Self::Parity(value, odd) => (truncated(value, view)? & 1 == 1) == *odd,
            Self::InRanges(value, negated, ranges) => {
                let value = value.real(view)?;
                let found = value == value.trunc();
                (found && sequence::contains(ranges, value as i64, view)?) != *negated
            }
        })
    }
}

/// Whether a value lies in an interval, whose ends may come in any order.
fn between<T: PartialOrd>(value: T, one: T, other: T) -> bool {
    (one <= value && value <= other) || (other <= value && value <= one)
}
