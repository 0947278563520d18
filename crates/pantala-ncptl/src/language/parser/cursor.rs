//! The place of the parser among the tokens.

use super::{MAX_HEIGHT, MAX_NESTING, MAX_VARIABLES, Parsed};
use crate::language::ast::{Name, Text};
use crate::language::diagnostic::Diagnostic;
use crate::language::source::{Source, Span};
use crate::language::token::{Symbol, Token, TokenKind, Word, spellings};

/// An operator in the list of expectations.
pub(super) const OPERATOR: &str = "an operator";

pub(super) struct Cursor<'a> {
    source: &'a Source,
    tokens: Vec<Token>,
    at: usize,
    /// What the parser has looked for at this token.
    expected: Vec<&'static str>,
    nesting: u32,
    /// The height of the expression or relation that was parsed last.
    pub(super) height: u32,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a Source, tokens: Vec<Token>) -> Self {
        Self { source, tokens, at: 0, expected: Vec::new(), nesting: 0, height: 0 }
    }

    /// The current token. It records no expectation.
    pub(super) fn token(&self) -> &TokenKind {
        &self.tokens[self.at].kind
    }

    /// The token after the current one.
    pub(super) fn after(&self) -> &TokenKind {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    /// The place of the current token.
    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The span from `start` to the end of the token before the current one.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    pub(super) fn advance(&mut self) -> Span {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        self.expected.clear();
        span
    }

    /// Records an expectation.
    pub(super) fn expect(&mut self, what: &'static str) {
        if !self.expected.contains(&what) {
            self.expected.push(what);
        }
    }

    /// True if the current token is the word.
    pub(super) fn at(&mut self, word: Word) -> bool {
        let found = self.is(word);
        if !found {
            self.expect(word.name());
        }
        found
    }

    /// True if the current token is the word. It records no expectation.
    pub(super) fn is(&self, word: Word) -> bool {
        *self.token() == TokenKind::Word(word)
    }

    pub(super) fn at_symbol(&mut self, symbol: Symbol) -> bool {
        let found = *self.token() == TokenKind::Symbol(symbol);
        if !found {
            self.expect(symbol.name());
        }
        found
    }

    pub(super) fn eat(&mut self, word: Word) -> bool {
        let found = self.at(word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn eat_symbol(&mut self, symbol: Symbol) -> bool {
        let found = self.at_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn need(&mut self, word: Word) -> Parsed<()> {
        if self.eat(word) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Needs these words, one after the other.
    pub(super) fn need_all<const N: usize>(&mut self, words: [Word; N]) -> Parsed<()> {
        words.into_iter().try_for_each(|word| self.need(word))
    }

    pub(super) fn need_symbol(&mut self, symbol: Symbol) -> Parsed<()> {
        if self.eat_symbol(symbol) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// The value of the first word of the list that is the current token.
    pub(super) fn choose<T: Copy>(&mut self, choices: &[(Word, T)]) -> Option<T> {
        let choice = choices.iter().find(|(word, _)| self.at(*word))?;
        self.advance();
        Some(choice.1)
    }

    /// Like [`Self::choose`], with one expectation for the whole list.
    pub(super) fn choose_as<T: Copy>(
        &mut self,
        what: &'static str,
        choices: &[(Word, T)],
    ) -> Option<T> {
        let Some(choice) = choices.iter().find(|(word, _)| self.is(*word)) else {
            self.expect(what);
            return None;
        };
        self.advance();
        Some(choice.1)
    }

    pub(super) fn name(&mut self) -> Parsed<Name> {
        match self.token() {
            TokenKind::Identifier(text) => {
                let text = text.clone();
                Ok(Name { text, span: self.advance() })
            }
            _ => {
                self.expect("a name");
                let mut fault = self.unexpected();
                if matches!(self.token(), TokenKind::Word(_) | TokenKind::Function(_)) {
                    fault.help = Some("keywords cannot be names".to_owned());
                }
                Err(fault)
            }
        }
    }

    /// The current token as a string, if it is one.
    pub(super) fn eat_text(&mut self) -> Option<Text> {
        match self.token() {
            TokenKind::Text(value) => {
                let value = value.clone();
                Some(Text { value, span: self.advance() })
            }
            _ => {
                self.expect("a string");
                None
            }
        }
    }

    pub(super) fn text(&mut self) -> Parsed<Text> {
        self.eat_text().ok_or_else(|| self.unexpected())
    }

    /// Items of a list, at least one, separated by what `separator` eats.
    pub(super) fn list<T>(
        &mut self,
        separator: impl Fn(&mut Self) -> bool,
        item: impl Fn(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while separator(self) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Refuses too many variables in one place, of which `number` are before the current token.
    pub(super) fn limit_variables(&self, number: usize) -> Parsed<()> {
        if number < MAX_VARIABLES {
            return Ok(());
        }
        let message = format!("more than {MAX_VARIABLES} variables in one place");
        Err(Box::new(Diagnostic::new(self.span(), message)))
    }

    /// Parses something that can contain itself.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting == MAX_NESTING {
            let message = format!("nested deeper than {MAX_NESTING} levels");
            return Err(Box::new(Diagnostic::new(self.span(), message)));
        }
        self.nesting += 1;
        let parsed = parse(self);
        self.nesting -= 1;
        parsed
    }

    /// Sets the height of an expression whose parts are at most `below` high.
    pub(super) fn raise(&mut self, below: u32, span: Span) -> Parsed<()> {
        self.height = below + 1;
        if self.height > MAX_HEIGHT {
            let message = format!("the expression is nested deeper than {MAX_HEIGHT} operators");
            let help = "split it with LET";
            return Err(Box::new(Diagnostic::new(span, message).help(help)));
        }
        Ok(())
    }

    /// The error at the current token.
    pub(super) fn unexpected(&self) -> Box<Diagnostic> {
        let token = &self.tokens[self.at];
        let text = &self.source.text()[token.span.start as usize..token.span.end as usize];
        let message = match &token.kind {
            TokenKind::End => "unexpected end of the program".to_owned(),
            TokenKind::Text(_) => "unexpected string".to_owned(),
            TokenKind::Symbol(Symbol::Torus) => {
                "unexpected `*` before `,` or `)`, which marks a dimension of a torus".to_owned()
            }
            _ => format!("unexpected `{}`", text.chars().take(40).collect::<String>()),
        };
        let expected = self.expected.iter().map(|&what| what.to_owned()).collect();
        let help = match &token.kind {
            _ if token.hyphen => Some(
                "a hyphen before a keyword means nothing: to subtract, write a blank or ( after it"
                    .to_owned(),
            ),
            TokenKind::Identifier(name) => {
                similar(name).map(|spelling| format!("did you mean {spelling}?"))
            }
            TokenKind::Symbol(Symbol::Period) if self.is_decimal() => {
                Some("numbers are integers; REAL(7/2) computes with fractions".to_owned())
            }
            _ => None,
        };
        Box::new(Diagnostic { expected, help, ..Diagnostic::new(token.span, message) })
    }

    /// The error at `BACKEND`.
    pub(super) fn backend(&self) -> Box<Diagnostic> {
        let message = "BACKEND inserts code in C, which cannot be simulated";
        let help = "write its messages and computations as statements, or remove it";
        Box::new(Diagnostic::new(self.span(), message).help(help))
    }

    /// True if the current token stands between two numbers and touches both.
    fn is_decimal(&self) -> bool {
        let Some(before) = self.at.checked_sub(1) else { return false };
        let Some([left, period, right]) = self.tokens.get(before..before + 3) else { return false };
        matches!((&left.kind, &right.kind), (TokenKind::Integer(_), TokenKind::Integer(_)))
            && left.span.end == period.span.start
            && period.span.end == right.span.start
    }
}

/// The keyword that differs from the name by one or two letters.
fn similar(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_uppercase();
    if !(4..24).contains(&name.len()) {
        return None;
    }
    let distance = |spelling: &str| edits(&name, &spelling.to_ascii_uppercase());
    let (edits, spelling) = spellings()
        .map(|spelling| (distance(spelling), spelling))
        .min_by_key(|(edits, _)| *edits)?;
    (edits <= if name.len() < 6 { 1 } else { 2 }).then_some(spelling)
}

/// The number of letters to add, remove or change to make `a` from `b`.
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
