//! Sets of tasks and random tasks.

use super::Parsed;
use super::cursor::Cursor;
use crate::language::ast::{Expression, RandomChoice, RandomTask, Tasks, TasksKind};
use crate::language::token::{Symbol, TokenKind, Word};

impl Cursor<'_> {
    /// True if a set of tasks starts here.
    pub(super) fn at_tasks(&mut self) -> bool {
        let found = self.is(Word::Tasks) || self.is(Word::All);
        if !found {
            self.expect("a set of tasks");
        }
        found
    }

    /// Any set of tasks; the check of the program tells sources from targets.
    pub(super) fn tasks(&mut self) -> Parsed<Tasks> {
        let start = self.span();
        if !self.at_tasks() {
            return Err(self.unexpected());
        }
        let kind = if self.is(Word::All) {
            self.advance();
            self.all_tasks()?
        } else {
            self.advance();
            self.some_tasks()?
        };
        Ok(Tasks { kind, span: self.since(start) })
    }

    /// The rest after `ALL`.
    fn all_tasks(&mut self) -> Parsed<TasksKind> {
        if self.eat(Word::Other) {
            self.need(Word::Tasks)?;
            return Ok(TasksKind::AllOthers);
        }
        self.need(Word::Tasks)?;
        if !matches!(self.token(), TokenKind::Identifier(_)) {
            self.expect("a name");
            return Ok(TasksKind::All(None));
        }
        let name = self.name()?;
        if self.is(Word::Such) {
            let help = format!("write TASKS {} SUCH THAT without ALL", name.text);
            return Err(Box::new(self.unexpected().help(help)));
        }
        Ok(TasksKind::All(Some(name)))
    }

    /// The rest after `TASKS`.
    fn some_tasks(&mut self) -> Parsed<TasksKind> {
        if self.eat(Word::Group) {
            return Ok(TasksKind::Group(self.name()?));
        }
        if self.at_symbol(Symbol::OpenBrace) {
            return Ok(TasksKind::Ranges(self.ranges()?));
        }
        let named = matches!(self.token(), TokenKind::Identifier(_));
        if named && *self.after() == TokenKind::Word(Word::Such) {
            let variable = self.name()?;
            self.need_all([Word::Such, Word::That])?;
            return Ok(TasksKind::SuchThat { variable, condition: self.relation()? });
        }
        Ok(TasksKind::One(self.expression()?))
    }

    /// The rest of a random task after `A RANDOM TASK`.
    pub(super) fn random_task(&mut self) -> Parsed<RandomChoice> {
        if self.eat(Word::Other) {
            self.need(Word::Than)?;
            return Ok(RandomChoice::OtherThan(self.expression()?));
        }
        if self.eat(Word::Less) {
            self.need(Word::Than)?;
            let limit = self.expression()?;
            return Ok(RandomChoice::LessThan { limit, but_not: self.but_not()? });
        }
        if self.eat(Word::Greater) {
            self.need(Word::Than)?;
            let limit = self.expression()?;
            return Ok(RandomChoice::GreaterThan { limit, but_not: self.but_not()? });
        }
        if self.eat(Word::In) {
            self.need_symbol(Symbol::OpenBracket)?;
            let low = self.expression()?;
            self.need_symbol(Symbol::Comma)?;
            let high = self.expression()?;
            self.need_symbol(Symbol::CloseBracket)?;
            return Ok(RandomChoice::In { low, high, but_not: self.but_not()? });
        }
        Ok(RandomChoice::Any)
    }

    fn but_not(&mut self) -> Parsed<Option<Expression>> {
        if !self.eat(Word::But) {
            return Ok(None);
        }
        self.need(Word::Not)?;
        self.expression().map(Some)
    }

    /// `A RANDOM TASK …`, if it starts here.
    pub(super) fn eat_random_task(&mut self) -> Parsed<Option<RandomTask>> {
        let start = self.span();
        if !self.eat(Word::An) {
            return Ok(None);
        }
        self.need_all([Word::Random, Word::Tasks])?;
        let choice = self.random_task()?;
        Ok(Some(RandomTask { choice, span: self.since(start) }))
    }
}
