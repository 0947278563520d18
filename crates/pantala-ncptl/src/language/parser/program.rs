//! Programs: headers and top-level statements.

use super::Parsed;
use super::cursor::Cursor;
use crate::language::ast::{OptionDeclaration, Sentence, SyntaxTree};
use crate::language::token::{Symbol, TokenKind, Word};

impl Cursor<'_> {
    pub(super) fn program(mut self) -> Parsed<SyntaxTree> {
        let mut program = SyntaxTree { version: None, options: Vec::new(), sentences: Vec::new() };
        loop {
            if matches!(self.token(), TokenKind::Identifier(_)) {
                self.limit_variables(program.options.len())?;
                program.options.push(self.option()?);
            } else if self.eat(Word::Require) {
                self.need_all([Word::Language, Word::Version])?;
                program.version = Some(self.text()?);
            } else if self.is(Word::The) {
                self.advance();
                if self.at(Word::Backend) {
                    return Err(self.backend());
                }
                return Err(self.unexpected());
            } else {
                self.expect("an option's name");
                break;
            }
            self.eat_symbol(Symbol::Period);
        }
        while *self.token() != TokenKind::End {
            program.sentences.push(Sentence { statements: self.sequence()? });
            self.eat_symbol(Symbol::Period);
        }
        Ok(program)
    }

    fn option(&mut self) -> Parsed<OptionDeclaration> {
        let name = self.name()?;
        self.need(Word::Are)?;
        let description = self.text()?;
        self.need_all([Word::And, Word::Comes, Word::From])?;
        let long = self.text()?;
        self.need(Word::Or)?;
        let short = self.text()?;
        self.need_all([Word::With, Word::Default])?;
        Ok(OptionDeclaration { name, description, long, short, default: self.expression()? })
    }
}
