//! Expressions, relations, ranges and sets of tasks.

use pantala_ncptl::language::ast::{
    BinaryOperator, Comparison, Dimension, Expression, ExpressionKind, FileWord, Function, Range,
    Relation, RelationKind, Tasks, TasksKind, UnaryOperator,
};
use pantala_ncptl::language::source::Span;

use super::Builder;

fn expression(kind: ExpressionKind) -> Expression {
    Expression { kind, span: Span::default() }
}

impl Builder {
    /// A number from 0 to 3, often in a roundabout way.
    pub(super) fn small(&mut self) -> Expression {
        let literal = self.literal(4);
        if self.variables.is_empty() || !self.chance(20) {
            return literal;
        }
        let variable = Box::new(self.variable());
        let four = Box::new(expression(ExpressionKind::Integer(4)));
        expression(ExpressionKind::Binary(BinaryOperator::Modulo, variable, four))
    }

    pub(super) fn literal(&mut self, bound: u32) -> Expression {
        expression(ExpressionKind::Integer(self.below(bound).into()))
    }

    fn variable(&mut self) -> Expression {
        let name = if self.variables.is_empty() || self.chance(20) {
            "num_tasks".to_owned()
        } else if self.wild && self.chance(20) {
            self.pick(&["elapsed_usecs", "bit_errors", "unknown"]).to_owned()
        } else {
            let at = self.below(self.variables.len() as u32) as usize;
            self.variables[at].clone()
        };
        expression(ExpressionKind::Variable(name))
    }

    pub(super) fn expression(&mut self) -> Expression {
        if self.depth > 3 || self.empty_tape() {
            return self.literal(20);
        }
        self.depth += 1;
        let kind = self.expression_kind();
        self.depth -= 1;
        expression(kind)
    }

    fn boxed(&mut self) -> Box<Expression> {
        Box::new(self.expression())
    }

    fn expression_kind(&mut self) -> ExpressionKind {
        match self.below(if self.wild { 16 } else { 14 }) {
            0..=2 => self.literal(20).kind,
            3..=5 => self.variable().kind,
            6 => ExpressionKind::Integer(self.pick(&[0, 1 << 20, 1000, i64::MAX, 64, 4096])),
            7 => {
                let all = [UnaryOperator::Minus, UnaryOperator::Plus, UnaryOperator::Not];
                ExpressionKind::Unary(self.pick(&all), self.boxed())
            }
            8..=10 => {
                let operator = self.pick(&BinaryOperator::ALL);
                ExpressionKind::Binary(operator, self.boxed(), self.boxed())
            }
            11 => {
                let (value, otherwise) = (self.boxed(), self.boxed());
                let condition = Box::new(self.relation());
                ExpressionKind::Conditional { value, condition, otherwise }
            }
            12 => self.call(),
            13 => self.mesh(),
            14 => ExpressionKind::MyTask,
            _ => ExpressionKind::FileWord(Box::new(self.file_word())),
        }
    }

    fn call(&mut self) -> ExpressionKind {
        let function = self.pick(&Function::ALL);
        if function.is_random() && !self.wild {
            return ExpressionKind::Real(self.boxed());
        }
        let (least, most) = function.arguments();
        let more = most.unwrap_or(least + 2) - least;
        let number = least + self.below(more as u32 + 1) as usize;
        ExpressionKind::Call(function, (0..number).map(|_| self.expression()).collect())
    }

    fn mesh(&mut self) -> ExpressionKind {
        let mesh = self.some(3, |builder| Dimension {
            extent: if builder.wild { builder.expression() } else { builder.small() },
            wraps: builder.chance(50),
        });
        let first = self.boxed();
        match self.below(3) {
            0 => {
                let offset = self.some(3, Self::expression);
                ExpressionKind::MeshNeighbor { mesh, task: first, offset }
            }
            1 => ExpressionKind::MeshCoordinate { mesh, task: first, axis: self.boxed() },
            _ => ExpressionKind::MeshDistance { mesh, from: first, to: self.boxed() },
        }
    }

    fn file_word(&mut self) -> FileWord {
        let arguments = self.below(5);
        FileWord {
            is_static: self.chance(50),
            file: self.text(),
            column: (arguments > 0).then(|| self.expression()),
            row: (arguments > 1).then(|| self.expression()),
            column_separator: (arguments > 2).then(|| self.text()),
            row_separator: (arguments > 3).then(|| self.text()),
        }
    }

    pub(super) fn relation(&mut self) -> Relation {
        let plain = self.depth > 3 || self.empty_tape();
        self.depth += 1;
        let kind = match if plain { 0 } else { self.below(9) } {
            0..=2 => {
                let comparison = self.pick(&Comparison::ALL);
                RelationKind::Compare(comparison, self.boxed(), self.boxed())
            }
            3 => RelationKind::Or(Box::new(self.relation()), Box::new(self.relation())),
            4 => RelationKind::And(Box::new(self.relation()), Box::new(self.relation())),
            5 => RelationKind::Divides(self.boxed(), self.boxed()),
            6 if self.chance(50) => RelationKind::Even(self.boxed()),
            6 => RelationKind::Odd(self.boxed()),
            7 => {
                let (value, negated) = (self.boxed(), self.chance(50));
                RelationKind::InRanges { value, negated, ranges: self.ranges() }
            }
            _ => {
                let (value, negated) = (self.boxed(), self.chance(50));
                RelationKind::InInterval { value, negated, low: self.boxed(), high: self.boxed() }
            }
        };
        self.depth -= 1;
        Relation { kind, span: Span::default() }
    }

    /// A condition for an assertion: it mostly holds, so that the program goes on.
    pub(super) fn assertion(&mut self) -> Relation {
        if self.wild || self.chance(10) {
            return self.relation();
        }
        let zero = || Box::new(expression(ExpressionKind::Integer(0)));
        let kind = RelationKind::Compare(Comparison::Equal, zero(), zero());
        Relation { kind, span: Span::default() }
    }

    /// Ranges with few values.
    pub(super) fn ranges(&mut self) -> Vec<Range> {
        self.some(2, Self::range)
    }

    fn range(&mut self) -> Range {
        self.depth += 1;
        let deep = self.depth > 4 || self.empty_tape();
        let range = match if deep { 0 } else { self.below(3) } {
            0 => Range::List(self.some(3, Self::expression)),
            1 => {
                let make = if self.wild { Self::expression } else { Self::small };
                // Any one or two values begin a progression; most three do not.
                let first = self.some(if self.wild { 3 } else { 2 }, make);
                Range::Progression { first, last: make(self), span: Span::default() }
            }
            _ => {
                let (name, ranges) = (self.name(), self.ranges());
                self.with(Some(&name), |builder| Range::Comprehension {
                    value: builder.expression(),
                    condition: builder.maybe(40, Self::relation),
                    variables: vec![(name.clone(), ranges)],
                })
            }
        };
        self.depth -= 1;
        range
    }

    /// A set of tasks that can send.
    pub(super) fn source(&mut self) -> Tasks {
        let kind = match self.below(6) {
            0 => TasksKind::All(None),
            1 => TasksKind::All(Some(self.name())),
            2 if self.wild => TasksKind::AllOthers,
            _ => self.some_tasks(),
        };
        Tasks { kind, span: Span::default() }
    }

    /// A set of tasks that can receive.
    pub(super) fn target(&mut self) -> Tasks {
        let kind = match self.below(6) {
            0 => TasksKind::AllOthers,
            1 if self.wild => TasksKind::All(None),
            _ => self.some_tasks(),
        };
        Tasks { kind, span: Span::default() }
    }

    fn some_tasks(&mut self) -> TasksKind {
        match self.below(6) {
            0 => {
                let variable = self.name();
                let condition = self.with(Some(&variable), Self::relation);
                TasksKind::SuchThat { variable, condition }
            }
            1 => TasksKind::Ranges(self.ranges()),
            2 if self.wild => TasksKind::Group(self.name()),
            2 if !self.groups.is_empty() => {
                let at = self.below(self.groups.len() as u32) as usize;
                let text = self.groups[at].clone();
                TasksKind::Group(pantala_ncptl::language::ast::Name { text, span: Span::default() })
            }
            3 => TasksKind::One(self.expression()),
            _ => TasksKind::One(self.literal(8)),
        }
    }
}
