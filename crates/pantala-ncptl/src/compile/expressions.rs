//! Expressions, relations and ranges.

use crate::compile::{Compiler, files};
use crate::compiled::expression::{Comprehension, Range};
use crate::compiled::expression::{Expr, FileWord, MeshCall, MeshQuestion, Relation};
use crate::compiled::step::{Bytes, Tag};
use crate::compiled::view::Failure;
use crate::language::ast::{
    Amount, DataUnit, Dimension, Expression, ExpressionKind, Range as AstRange,
    Relation as AstRelation, RelationKind, Size, Tag as AstTag,
};
use crate::language::source::Span;
use crate::numbers::tags;
use std::sync::Arc;

impl Compiler {
    pub(super) fn expr(&mut self, expression: &Expression) -> Result<Expr, Failure> {
        let span = expression.span;
        Ok(match &expression.kind {
            ExpressionKind::Integer(value) => Expr::Constant(*value),
            ExpressionKind::Variable(name) => self.scope.value(name, span)?,
            ExpressionKind::MyTask => Expr::MyTask,
            ExpressionKind::Unary(operator, x) => Expr::Unary(*operator, self.boxed(x)?),
            ExpressionKind::Binary(operator, x, y) => {
                Expr::Binary(*operator, self.boxed(x)?, self.boxed(y)?, span)
            }
            ExpressionKind::Conditional { value, condition, otherwise } => {
                let parts = (self.expr(value)?, self.expr(otherwise)?, self.relation(condition)?);
                Expr::Conditional(Box::new((parts.0, parts.2, parts.1)))
            }
            ExpressionKind::Real(x) => Expr::Real(self.boxed(x)?),
            ExpressionKind::Call(function, arguments) => {
                self.unrolled += usize::from(function.is_random());
                Expr::Call(*function, self.exprs(arguments)?.into(), span)
            }
            ExpressionKind::FileWord(word) => {
                let separators = |text: &Option<_>, default: &str| {
                    text.as_ref().map_or(default.to_owned(), |text: &crate::language::ast::Text| {
                        text.value.clone()
                    })
                };
                let columns = separators(&word.column_separator, " \t");
                let rows = separators(&word.row_separator, "\n");
                let rows = files::words(&self.data, &word.file.value, &columns, &rows)
                    .map_err(|message| Failure::new(word.file.span, &message))?;
                let mut number = |number: &Option<Expression>| match number {
                    Some(number) => self.expr(number),
                    None => Ok(Expr::Constant(1)),
                };
                let (column, row) = (number(&word.column)?, number(&word.row)?);
                let file = word.file.value.clone();
                Expr::FileWord(Box::new(FileWord { rows: Arc::new(rows), file, column, row, span }))
            }
            ExpressionKind::MeshNeighbor { mesh, task, offset } => {
                let question = MeshQuestion::Neighbor(self.exprs(offset)?);
                self.mesh(mesh, task, question, span)?
            }
            ExpressionKind::MeshCoordinate { mesh, task, axis } => {
                let question = MeshQuestion::Coordinate(self.expr(axis)?);
                self.mesh(mesh, task, question, span)?
            }
            ExpressionKind::MeshDistance { mesh, from, to } => {
                let question = MeshQuestion::Distance(self.expr(to)?);
                self.mesh(mesh, from, question, span)?
            }
        })
    }

    fn boxed(&mut self, expression: &Expression) -> Result<Box<Expr>, Failure> {
        self.expr(expression).map(Box::new)
    }

    fn exprs(&mut self, expressions: &[Expression]) -> Result<Vec<Expr>, Failure> {
        expressions.iter().map(|expression| self.expr(expression)).collect()
    }

    fn mesh(
        &mut self,
        mesh: &[Dimension],
        task: &Expression,
        question: MeshQuestion,
        span: Span,
    ) -> Result<Expr, Failure> {
        let mesh = mesh
            .iter()
            .map(|dimension| Ok((self.expr(&dimension.extent)?, dimension.wraps)))
            .collect::<Result<_, Failure>>()?;
        Ok(Expr::Mesh(Box::new(MeshCall { mesh, task: self.expr(task)?, question, span })))
    }

    pub(super) fn relation(&mut self, relation: &AstRelation) -> Result<Relation, Failure> {
        Ok(match &relation.kind {
            RelationKind::Or(x, y) => {
                Relation::Or(Box::new(self.relation(x)?), Box::new(self.relation(y)?))
            }
            RelationKind::And(x, y) => {
                Relation::And(Box::new(self.relation(x)?), Box::new(self.relation(y)?))
            }
            RelationKind::Compare(comparison, x, y) => {
                Relation::Compare(*comparison, self.expr(x)?, self.expr(y)?)
            }
            RelationKind::Divides(x, y) => {
                Relation::Divides(self.expr(x)?, self.expr(y)?, relation.span)
            }
            RelationKind::Even(x) => Relation::Parity(self.expr(x)?, false),
            RelationKind::Odd(x) => Relation::Parity(self.expr(x)?, true),
            RelationKind::InRanges { value, negated, ranges } => {
                Relation::InRanges(self.expr(value)?, *negated, self.ranges(ranges)?)
            }
            RelationKind::InInterval { value, negated, low, high } => {
                Relation::InInterval(self.expr(value)?, *negated, self.expr(low)?, self.expr(high)?)
            }
        })
    }

    pub(super) fn ranges(&mut self, ranges: &[AstRange]) -> Result<Vec<Range>, Failure> {
        ranges.iter().map(|range| self.range(range)).collect()
    }

    fn range(&mut self, range: &AstRange) -> Result<Range, Failure> {
        Ok(match range {
            AstRange::List(values) => Range::List(self.exprs(values)?),
            AstRange::Progression { first, last, span } => {
                Range::Progression(self.exprs(first)?, self.expr(last)?, *span)
            }
            AstRange::Comprehension { value, variables, condition } => {
                let mark = self.scope.mark();
                let mut slots = Vec::new();
                for (name, ranges) in variables {
                    let ranges = self.ranges(ranges)?;
                    slots.push((self.scope.bind(&name.text, name.span)?, ranges));
                }
                let comprehension = Comprehension {
                    condition: condition.as_ref().map(|c| self.relation(c)).transpose()?,
                    span: value.span,
                    value: self.expr(value)?,
                    variables: slots,
                };
                self.scope.forget(mark);
                Range::Comprehension(Box::new(comprehension))
            }
        })
    }

    pub(super) fn amount(&mut self, amount: &Amount) -> Result<Expr, Failure> {
        match amount {
            Amount::One => Ok(Expr::Constant(1)),
            Amount::Of(count) => self.expr(count),
        }
    }

    pub(super) fn size(&mut self, size: Option<&Size>) -> Result<Bytes, Failure> {
        Ok(match size {
            None => Bytes::Times(Expr::Constant(0), 1, Span::default()),
            Some(Size::Sized(unit)) => {
                Bytes::Times(Expr::Constant(1), unit.bytes().unwrap_or(1), Span::default())
            }
            Some(Size::Of(value, unit)) => self.bytes(value, *unit)?,
        })
    }

    pub(super) fn bytes(&mut self, value: &Expression, unit: DataUnit) -> Result<Bytes, Failure> {
        let (amount, span) = (self.expr(value)?, value.span);
        Ok(match unit.bytes() {
            Some(bytes) => Bytes::Times(amount, bytes, span),
            None => Bytes::Bits(amount, span),
        })
    }

    pub(super) fn tag(&mut self, tag: Option<&AstTag>) -> Result<Tag, Failure> {
        Ok(match tag {
            None => Tag::Known(0),
            Some(AstTag::Text(text)) => Tag::Known(tags::of_text(&text.value)),
            Some(AstTag::Number(number)) => Tag::Number(self.expr(number)?),
        })
    }
}
