//! Errors and warnings about a program, with their place in its text.

use std::fmt::Write as _;

use super::source::{Source, Span};

/// The columns of a source line that a message shows at most.
const SHOWN: usize = 100;

/// An error or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, without a period.
    pub message: String,
    /// What the program could have said instead: `SENDS`, `an expression`.
    pub expected: Vec<String>,
    /// The instruction that corrects the program, if it is known.
    pub help: Option<String>,
    /// The piece of the text.
    pub span: Span,
    /// Whether it is of no consequence for a run, such as an unused variable.
    pub harmless: bool,
}

impl Diagnostic {
    /// A diagnostic with a message alone.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), expected: Vec::new(), help: None, span, harmless: false }
    }

    /// The diagnostic with an instruction.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The diagnostic in one line: `file:line:column: message; expected this or that; help`.
    pub fn one_line(&self, source: &Source) -> String {
        let at = source.location(self.span.start);
        format!("{}:{}:{}: {}", source.name(), at.line, at.column, self.text())
    }

    /// The line of [`Self::one_line`] without the place.
    pub fn text(&self) -> String {
        let mut text = self.message.clone();
        if let Some((last, rest)) = self.expected.split_last() {
            let before = if rest.is_empty() { String::new() } else { rest.join(", ") + " or " };
            let _ = write!(text, "; expected {before}{last}");
        }
        if let Some(help) = &self.help {
            let _ = write!(text, "; {help}");
        }
        text
    }

    /// The diagnostic in one line, then the source line and a caret under the place.
    pub fn render(&self, source: &Source) -> String {
        let at = source.location(self.span.start);
        let line: Vec<char> = source.line(at.line).chars().collect();
        let column = (at.column as usize - 1).min(line.len());
        let from = if column < SHOWN { 0 } else { column - SHOWN / 2 };
        let shown = &line[from..line.len().min(from + SHOWN)];
        let plain = |c: &char| if c.is_control() { ' ' } else { *c };
        let text: String = shown.iter().map(plain).collect();
        let spanned = source.text().get(self.span.start as usize..self.span.end as usize);
        let spanned = spanned.map_or(1, |text| text.chars().take_while(|c| *c != '\n').count());
        let carets = spanned.clamp(1, (from + shown.len()).saturating_sub(column).max(1));
        let (number, before) = (at.line.to_string(), " ".repeat(column - from));
        let margin = " ".repeat(number.len());
        format!(
            "{}\n{number} | {}\n{margin} | {before}{}",
            self.one_line(source),
            text.trim_end(),
            "^".repeat(carets)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_shows_the_line_and_a_caret() {
        let source = Source::new("ring.ncptl", "# größe\r\ntask 0 snds.\r\n");
        let span = Span { start: 18, end: 22 };
        let mut diagnostic = Diagnostic::new(span, "unexpected `snds`").help("write SENDS");
        diagnostic.expected = vec!["an operator".into(), "SENDS".into(), "LOGS".into()];
        assert_eq!(
            diagnostic.render(&source),
            "ring.ncptl:2:8: unexpected `snds`; expected an operator, SENDS or LOGS; write SENDS\n\
             2 | task 0 snds.\n  |        ^^^^"
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let source = Source::new("x", format!("{}!{}", "1 ".repeat(500), " 2".repeat(500)));
        let shown = Diagnostic::new(Span { start: 1000, end: 1001 }, "no").render(&source);
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!(lines[0], "x:1:1001: no");
        assert!(lines[1].len() < 120);
        assert_eq!(lines[1].find('!'), lines[2].find('^'));
    }
}
