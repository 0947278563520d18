//! The variables on which expressions depend.

use crate::compiled::expression::Range;
use crate::compiled::expression::{Expr, MeshQuestion, Relation, Slot};
use crate::compiled::step::{Bytes, Tag};
use crate::compiled::tasks::TaskSet;
use crate::language::ast::Function;

/// The slots of expressions, in the order of their first use, and whether they use the mapping.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// The slots.
    pub slots: Vec<Slot>,
    /// Whether a function asks for processors.
    pub mapping: bool,
    /// Whether `MY TASK` occurs.
    pub my_task: bool,
}

impl Uses {
    /// Adds the uses of an expression.
    pub fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Constant(_) | Expr::Counter(_) => {}
            Expr::MyTask => self.my_task = true,
            Expr::Slot(slot) => {
                if !self.slots.contains(slot) {
                    self.slots.push(*slot);
                }
            }
            Expr::Unary(_, x) | Expr::Real(x) => self.expr(x),
            Expr::Binary(_, x, y, _) => self.all([&**x, &**y]),
            Expr::Conditional(parts) => {
                self.all([&parts.0, &parts.2]);
                self.relation(&parts.1);
            }
            Expr::Call(function, arguments, _) => {
                self.mapping |= matches!(function, Function::ProcessorOf | Function::TaskOf);
                self.all(arguments.iter());
            }
            Expr::Mesh(call) => {
                self.all(call.mesh.iter().map(|(extent, _)| extent));
                self.expr(&call.task);
                match &call.question {
                    MeshQuestion::Neighbor(offset) => self.all(offset),
                    MeshQuestion::Coordinate(x) | MeshQuestion::Distance(x) => self.expr(x),
                }
            }
            Expr::FileWord(word) => self.all([&word.column, &word.row]),
        }
    }

    fn all<'a>(&mut self, expressions: impl IntoIterator<Item = &'a Expr>) {
        expressions.into_iter().for_each(|expr| self.expr(expr));
    }

    /// Adds the uses of a relation.
    pub fn relation(&mut self, relation: &Relation) {
        match relation {
            Relation::Or(x, y) | Relation::And(x, y) => {
                self.relation(x);
                self.relation(y);
            }
            Relation::Compare(_, x, y) | Relation::Divides(x, y, _) => self.all([x, y]),
            Relation::Parity(x, _) => self.expr(x),
            Relation::InRanges(x, _, ranges) => {
                self.expr(x);
                self.ranges(ranges);
            }
            Relation::InInterval(x, _, low, high) => self.all([x, low, high]),
        }
    }

    /// Adds the uses of ranges.
    pub fn ranges(&mut self, ranges: &[Range]) {
        for range in ranges {
            match range {
                Range::List(values) => self.all(values),
                Range::Progression(first, last, _) => {
                    self.all(first);
                    self.expr(last);
                }
                Range::Comprehension(comprehension) => {
                    for (_, ranges) in &comprehension.variables {
                        self.ranges(ranges);
                    }
                    self.expr(&comprehension.value);
                    if let Some(condition) = &comprehension.condition {
                        self.relation(condition);
                    }
                }
            }
        }
    }

    /// Adds the uses of a set of tasks.
    pub fn tasks(&mut self, tasks: &TaskSet) {
        match tasks {
            TaskSet::One(task) => self.expr(task),
            TaskSet::SuchThat(_, relation) => self.relation(relation),
            TaskSet::All(_) | TaskSet::AllOthers => {}
            TaskSet::Ranges(ranges) => self.ranges(ranges),
        }
    }

    /// Adds the uses of a size.
    pub fn bytes(&mut self, bytes: &Bytes) {
        match bytes {
            Bytes::Times(value, ..) | Bytes::Bits(value, _) => self.expr(value),
        }
    }

    /// Adds the uses of a tag.
    pub fn tag(&mut self, tag: &Tag) {
        if let Tag::Number(value) = tag {
            self.expr(value);
        }
    }
}
