//! Expressions, relations and ranges.
//!
//! A parenthesis where a relation can stand opens a relation or an expression. [`Operand`] is
//! either, so the parser reads the inside once and decides at its end.

use super::Parsed;
use super::cursor::{Cursor, OPERATOR};
use crate::language::ast::{
    BinaryOperator, Comparison, Dimension, Expression, ExpressionKind, FileWord, Function, Range,
    Relation, RelationKind, UnaryOperator,
};
use crate::language::diagnostic::Diagnostic;
use crate::language::source::Span;
use crate::language::token::{Symbol, TokenKind, Word};

enum Operand {
    Expression(Expression),
    Relation(Relation),
}

/// Operators, with the tightness of their binding.
const SUM: u32 = 1;
const PRODUCT: u32 = 2;

impl Cursor<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        match self.conditional(false)? {
            Operand::Expression(expression) => Ok(expression),
            Operand::Relation(_) => Err(self.unexpected()),
        }
    }

    fn boxed(&mut self) -> Parsed<Box<Expression>> {
        Ok(Box::new(self.expression()?))
    }

    pub(super) fn relation(&mut self) -> Parsed<Relation> {
        let operand = self.nested(Self::disjunction)?;
        self.need_relation(operand)
    }

    fn need_relation(&mut self, operand: Operand) -> Parsed<Relation> {
        match operand {
            Operand::Relation(relation) => Ok(relation),
            Operand::Expression(_) => Err(self.unexpected()),
        }
    }

    fn disjunction(&mut self) -> Parsed<Operand> {
        self.joined(Symbol::LogicalOr, Self::conjunction, RelationKind::Or)
    }

    fn conjunction(&mut self) -> Parsed<Operand> {
        self.joined(Symbol::LogicalAnd, Self::comparison, RelationKind::And)
    }

    fn joined(
        &mut self,
        symbol: Symbol,
        part: fn(&mut Self) -> Parsed<Operand>,
        join: fn(Box<Relation>, Box<Relation>) -> RelationKind,
    ) -> Parsed<Operand> {
        let start = self.span();
        let mut left = part(self)?;
        while let Operand::Relation(_) = left {
            let below = self.height;
            if !self.eat_symbol(symbol) {
                break;
            }
            let operand = part(self)?;
            let right = Box::new(self.need_relation(operand)?);
            let left_relation = Box::new(self.need_relation(left)?);
            let span = self.since(start);
            self.raise(below.max(self.height), span)?;
            left = Operand::Relation(Relation { kind: join(left_relation, right), span });
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Parsed<Operand> {
        let start = self.span();
        let left = match self.conditional(true)? {
            Operand::Expression(left) => Box::new(left),
            relation => return Ok(relation),
        };
        let below = self.height;
        self.height = 0;
        let comparison = match self.token() {
            TokenKind::Symbol(symbol) => comparison_of(*symbol),
            _ => None,
        };
        let kind = if let Some(comparison) = comparison {
            self.advance();
            RelationKind::Compare(comparison, left, self.boxed()?)
        } else if self.is(Word::Divides) {
            self.advance();
            RelationKind::Divides(left, self.boxed()?)
        } else if self.is(Word::Are) {
            self.advance();
            self.membership(left)?
        } else {
            self.expect("a comparison");
            self.height = below;
            return Ok(Operand::Expression(*left));
        };
        let span = self.since(start);
        self.raise(below.max(self.height), span)?;
        Ok(Operand::Relation(Relation { kind, span }))
    }

    /// The relation after `value IS`.
    fn membership(&mut self, value: Box<Expression>) -> Parsed<RelationKind> {
        if self.eat(Word::Even) {
            return Ok(RelationKind::Even(value));
        }
        if self.eat(Word::Odd) {
            return Ok(RelationKind::Odd(value));
        }
        let negated = self.eat(Word::Not);
        self.need(Word::In)?;
        if self.eat_symbol(Symbol::OpenBracket) {
            let low = self.boxed()?;
            let below = self.height;
            self.need_symbol(Symbol::Comma)?;
            let high = self.boxed()?;
            self.height = below.max(self.height);
            self.need_symbol(Symbol::CloseBracket)?;
            return Ok(RelationKind::InInterval { value, negated, low, high });
        }
        Ok(RelationKind::InRanges { value, negated, ranges: self.ranges()? })
    }

    /// An expression with `IF … OTHERWISE`; or, if `relations`, a relation in parentheses.
    fn conditional(&mut self, relations: bool) -> Parsed<Operand> {
        let start = self.span();
        let value = match self.binary(SUM, relations)? {
            Operand::Expression(value) => Box::new(value),
            relation => return Ok(relation),
        };
        if !self.is(Word::If) {
            self.expect(OPERATOR);
            return Ok(Operand::Expression(*value));
        }
        self.advance();
        let below = self.height;
        let condition = Box::new(self.relation()?);
        let below = below.max(self.height);
        self.need(Word::Otherwise)?;
        let otherwise = Box::new(self.nested(Self::expression)?);
        let span = self.since(start);
        self.raise(below.max(self.height), span)?;
        let kind = ExpressionKind::Conditional { value, condition, otherwise };
        Ok(Operand::Expression(Expression { kind, span }))
    }

    fn binary(&mut self, tightness: u32, relations: bool) -> Parsed<Operand> {
        let start = self.span();
        let operand = |cursor: &mut Self, relations| match tightness {
            SUM => cursor.binary(PRODUCT, relations),
            _ => cursor.unary(relations),
        };
        let mut left = match operand(self, relations)? {
            Operand::Expression(left) => left,
            relation => return Ok(relation),
        };
        loop {
            let below = self.height;
            let Some(operator) = operator_of(self.token(), tightness) else { break };
            self.advance();
            let Operand::Expression(right) = operand(self, false)? else {
                return Err(self.unexpected());
            };
            let span = self.since(start);
            self.raise(below.max(self.height), span)?;
            let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expression { kind, span };
        }
        Ok(Operand::Expression(left))
    }

    fn unary(&mut self, relations: bool) -> Parsed<Operand> {
        let start = self.span();
        let operator = match self.token() {
            TokenKind::Symbol(Symbol::Plus) => UnaryOperator::Plus,
            TokenKind::Symbol(Symbol::Minus) => UnaryOperator::Minus,
            TokenKind::Word(Word::Not) => UnaryOperator::Not,
            _ => return self.power(relations),
        };
        self.advance();
        let Operand::Expression(operand) = self.nested(|cursor| cursor.unary(false))? else {
            return Err(self.unexpected());
        };
        let span = self.since(start);
        self.raise(self.height, span)?;
        let kind = ExpressionKind::Unary(operator, Box::new(operand));
        Ok(Operand::Expression(Expression { kind, span }))
    }

    fn power(&mut self, relations: bool) -> Parsed<Operand> {
        let start = self.span();
        let base = match self.primary(relations)? {
            Operand::Expression(base) => base,
            relation => return Ok(relation),
        };
        let below = self.height;
        if *self.token() != TokenKind::Symbol(Symbol::Power) {
            return Ok(Operand::Expression(base));
        }
        self.advance();
        let Operand::Expression(exponent) = self.nested(|cursor| cursor.unary(false))? else {
            return Err(self.unexpected());
        };
        let span = self.since(start);
        self.raise(below.max(self.height), span)?;
        let kind =
            ExpressionKind::Binary(BinaryOperator::Power, Box::new(base), Box::new(exponent));
        Ok(Operand::Expression(Expression { kind, span }))
    }

    fn primary(&mut self, relations: bool) -> Parsed<Operand> {
        let start = self.span();
        let bits = self.is(Word::Bits) && *self.after() == TokenKind::Symbol(Symbol::OpenParen);
        let token = if bits { TokenKind::Function(Function::Bits) } else { self.token().clone() };
        let kind = match token {
            TokenKind::Integer(value) => {
                self.advance();
                self.height = 0;
                ExpressionKind::Integer(value)
            }
            TokenKind::Identifier(name) => {
                self.advance();
                self.height = 0;
                ExpressionKind::Variable(name)
            }
            TokenKind::Word(Word::My) => {
                self.advance();
                self.height = 0;
                self.need(Word::Tasks)?;
                ExpressionKind::MyTask
            }
            TokenKind::Symbol(Symbol::OpenParen) => {
                self.advance();
                let inside = if relations {
                    self.nested(Self::disjunction)?
                } else {
                    Operand::Expression(self.nested(Self::expression)?)
                };
                self.need_symbol(Symbol::CloseParen)?;
                return Ok(match inside {
                    Operand::Expression(inside) => {
                        Operand::Expression(Expression { span: self.since(start), ..inside })
                    }
                    relation => relation,
                });
            }
            TokenKind::Function(function) => {
                self.advance();
                self.call(function, start)?
            }
            TokenKind::Word(word) if is_special_function(word) => {
                self.advance();
                self.nested(|cursor| cursor.special_call(word))?
            }
            _ => {
                self.expect("an expression");
                return Err(self.unexpected());
            }
        };
        Ok(Operand::Expression(Expression { kind, span: self.since(start) }))
    }

    fn call(&mut self, function: Function, start: Span) -> Parsed<ExpressionKind> {
        self.need_symbol(Symbol::OpenParen)?;
        let arguments = self.nested(Self::expressions)?;
        self.need_symbol(Symbol::CloseParen)?;
        let span = self.since(start);
        self.raise(self.height, span)?;
        let (least, most) = function.arguments();
        let number = arguments.len();
        if number < least || most.is_some_and(|most| number > most) {
            let name = function.name().to_uppercase();
            let message = match most {
                Some(most) if most == least => format!("{name} takes {least} arguments"),
                Some(most) => format!("{name} takes {least} to {most} arguments"),
                None => format!("{name} takes at least {least} arguments"),
            };
            let message = message.replace("1 arguments", "1 argument");
            return Err(Box::new(Diagnostic::new(span, format!("{message}, not {number}"))));
        }
        Ok(ExpressionKind::Call(function, arguments))
    }

    /// Expressions separated by commas, at least one. The height is the greatest.
    pub(super) fn expressions(&mut self) -> Parsed<Vec<Expression>> {
        let mut items = vec![self.expression()?];
        let mut below = self.height;
        while self.eat_symbol(Symbol::Comma) {
            items.push(self.expression()?);
            below = below.max(self.height);
        }
        self.height = below;
        Ok(items)
    }

    fn special_call(&mut self, word: Word) -> Parsed<ExpressionKind> {
        let start = self.span();
        self.need_symbol(Symbol::OpenParen)?;
        let kind = match word {
            Word::Real => ExpressionKind::Real(self.boxed()?),
            Word::MeshNeighbor | Word::MeshCoordinate | Word::MeshDistance => self.mesh(word)?,
            _ => self.file_word(word == Word::StaticFileData)?,
        };
        self.need_symbol(Symbol::CloseParen)?;
        let span = self.since(start);
        self.raise(self.height, span)?;
        Ok(kind)
    }

    fn mesh(&mut self, word: Word) -> Parsed<ExpressionKind> {
        let start = self.span();
        self.need_symbol(Symbol::OpenParen)?;
        let mut below = 0;
        let mut mesh = Vec::new();
        loop {
            let extent = self.expression()?;
            below = below.max(self.height);
            mesh.push(Dimension { extent, wraps: self.eat_symbol(Symbol::Torus) });
            if !self.eat_symbol(Symbol::Comma) {
                break;
            }
        }
        self.need_symbol(Symbol::CloseParen)?;
        self.at_most_three(mesh.len(), "dimensions", start)?;
        self.need_symbol(Symbol::Comma)?;
        let first = self.boxed()?;
        below = below.max(self.height);
        self.need_symbol(Symbol::Comma)?;
        let kind = if word == Word::MeshNeighbor {
            let start = self.span();
            self.need_symbol(Symbol::OpenParen)?;
            let offset = self.expressions()?;
            self.need_symbol(Symbol::CloseParen)?;
            self.at_most_three(offset.len(), "offsets", start)?;
            ExpressionKind::MeshNeighbor { mesh, task: first, offset }
        } else if word == Word::MeshCoordinate {
            ExpressionKind::MeshCoordinate { mesh, task: first, axis: self.boxed()? }
        } else {
            ExpressionKind::MeshDistance { mesh, from: first, to: self.boxed()? }
        };
        self.height = below.max(self.height);
        Ok(kind)
    }

    fn at_most_three(&self, number: usize, what: &str, start: Span) -> Parsed<()> {
        if number <= 3 {
            return Ok(());
        }
        let message = format!("a mesh has at most 3 {what}, not {number}");
        Err(Box::new(Diagnostic::new(self.since(start), message)))
    }

    fn file_word(&mut self, is_static: bool) -> Parsed<ExpressionKind> {
        let comma = |cursor: &mut Self| cursor.eat_symbol(Symbol::Comma);
        let file = self.text()?;
        self.height = 0;
        let mut word = FileWord {
            is_static,
            file,
            column: None,
            row: None,
            column_separator: None,
            row_separator: None,
        };
        if comma(self) {
            word.column = Some(self.expression()?);
            let below = self.height;
            if comma(self) {
                word.row = Some(self.expression()?);
                self.height = below.max(self.height);
                if comma(self) {
                    word.column_separator = Some(self.text()?);
                    if comma(self) {
                        word.row_separator = Some(self.text()?);
                    }
                }
            }
        }
        Ok(ExpressionKind::FileWord(Box::new(word)))
    }

    /// Ranges separated by commas, at least one. The height is the greatest.
    pub(super) fn ranges(&mut self) -> Parsed<Vec<Range>> {
        let mut ranges = Vec::new();
        let mut below = 0;
        loop {
            ranges.push(self.nested(Self::range)?);
            below = below.max(self.height);
            if !self.eat_symbol(Symbol::Comma) {
                self.height = below;
                return Ok(ranges);
            }
        }
    }

    fn range(&mut self) -> Parsed<Range> {
        let start = self.span();
        self.need_symbol(Symbol::OpenBrace)?;
        let mut first = vec![self.expression()?];
        let mut below = self.height;
        if self.at(Word::For) {
            let value = first.remove(0);
            return self.comprehension(value, start);
        }
        while self.eat_symbol(Symbol::Comma) {
            if self.eat_symbol(Symbol::Dots) {
                self.need_symbol(Symbol::Comma)?;
                let last = self.expression()?;
                self.height = below.max(self.height);
                self.need_symbol(Symbol::CloseBrace)?;
                return Ok(Range::Progression { first, last, span: self.since(start) });
            }
            first.push(self.expression()?);
            below = below.max(self.height);
        }
        self.height = below;
        self.need_symbol(Symbol::CloseBrace)?;
        Ok(Range::List(first))
    }

    /// The rest of a range after its element.
    fn comprehension(&mut self, value: Expression, start: Span) -> Parsed<Range> {
        let mut below = self.height;
        let mut variables = Vec::new();
        while self.eat(Word::For) {
            self.need(Word::Each)?;
            self.limit_variables(variables.len())?;
            let name = self.name()?;
            self.need(Word::In)?;
            variables.push((name, self.ranges()?));
            below = below.max(self.height);
        }
        let condition = if self.eat(Word::Where) {
            let condition = self.relation()?;
            below = below.max(self.height);
            Some(condition)
        } else {
            None
        };
        self.need_symbol(Symbol::CloseBrace)?;
        let span = self.since(start);
        self.raise(below, span)?;
        Ok(Range::Comprehension { value, variables, condition })
    }
}

fn comparison_of(symbol: Symbol) -> Option<Comparison> {
    Some(match symbol {
        Symbol::Equal => Comparison::Equal,
        Symbol::NotEqual => Comparison::NotEqual,
        Symbol::Less => Comparison::Less,
        Symbol::Greater => Comparison::Greater,
        Symbol::LessOrEqual => Comparison::LessOrEqual,
        Symbol::GreaterOrEqual => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

fn operator_of(token: &TokenKind, tightness: u32) -> Option<BinaryOperator> {
    let (operator, binds) = match token {
        TokenKind::Symbol(Symbol::Plus) => (BinaryOperator::Add, SUM),
        TokenKind::Symbol(Symbol::Minus) => (BinaryOperator::Subtract, SUM),
        TokenKind::Symbol(Symbol::Or) => (BinaryOperator::Or, SUM),
        TokenKind::Word(Word::Xor) => (BinaryOperator::Xor, SUM),
        TokenKind::Symbol(Symbol::Star) => (BinaryOperator::Multiply, PRODUCT),
        TokenKind::Symbol(Symbol::Slash) => (BinaryOperator::Divide, PRODUCT),
        TokenKind::Word(Word::Mod) => (BinaryOperator::Modulo, PRODUCT),
        TokenKind::Symbol(Symbol::ShiftRight) => (BinaryOperator::ShiftRight, PRODUCT),
        TokenKind::Symbol(Symbol::ShiftLeft) => (BinaryOperator::ShiftLeft, PRODUCT),
        TokenKind::Symbol(Symbol::And) => (BinaryOperator::And, PRODUCT),
        _ => return None,
    };
    (binds == tightness).then_some(operator)
}

/// True for functions whose arguments have a grammar of their own.
pub(super) fn is_special_function(word: Word) -> bool {
    matches!(
        word,
        Word::Real
            | Word::MeshNeighbor
            | Word::MeshCoordinate
            | Word::MeshDistance
            | Word::FileData
            | Word::StaticFileData
    )
}
