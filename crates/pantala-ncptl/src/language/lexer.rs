//! From text to tokens.

use super::diagnostic::Diagnostic;
use super::source::{Source, Span};
use super::token::{Symbol, Token, TokenKind, keyword};

/// The longest program text, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// The tokens of a program, the last one [`TokenKind::End`], and warnings.
pub(super) fn tokens(source: &Source) -> Result<(Vec<Token>, Vec<Diagnostic>), Diagnostic> {
    let text = source.text();
    if text.len() > MAX_BYTES {
        let message = format!("the program has {} bytes; at most {MAX_BYTES} fit", text.len());
        return Err(Diagnostic::new(Span::default(), message));
    }
    let mut lexer = Lexer { text, at: 0, warnings: Vec::new() };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next()?;
        let end = token.kind == TokenKind::End;
        tokens.push(token);
        if end {
            return Ok((tokens, lexer.warnings));
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    warnings: Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Result<Token, Diagnostic> {
        self.skip_space();
        let mut hyphen = false;
        if self.rest().starts_with('-') && keyword(word(&self.rest()[1..])).is_some() {
            // A hyphen immediately before a keyword means nothing: `5-byte message`.
            self.at += 1;
            hyphen = true;
        }
        let start = self.at;
        let kind = match self.rest().chars().next() {
            None => TokenKind::End,
            Some('0'..='9') => self.integer()?,
            Some('"') => self.string()?,
            Some(first) if first.is_ascii_alphabetic() => {
                let word = word(self.rest());
                self.at += word.len();
                keyword(word).unwrap_or_else(|| TokenKind::Identifier(word.to_ascii_lowercase()))
            }
            Some(first) => match self.symbol() {
                Some(symbol) => TokenKind::Symbol(symbol),
                None => {
                    let span = span(start, start + first.len_utf8());
                    let message = format!("unexpected character `{}`", first.escape_debug());
                    return Err(Diagnostic::new(span, message));
                }
            },
        };
        Ok(Token { kind, span: span(start, self.at), hyphen })
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            if !self.rest().starts_with('#') {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn symbol(&mut self) -> Option<Symbol> {
        let found = Symbol::ALL.iter().find(|symbol| self.rest().starts_with(symbol.text()));
        let symbol = *found?;
        if symbol == Symbol::Torus {
            return None;
        }
        self.at += symbol.text().len();
        let after = self.rest().trim_start_matches([' ', '\t', '\r', '\n']);
        let torus = symbol == Symbol::Star && after.starts_with([',', ')']);
        Some(if torus { Symbol::Torus } else { symbol })
    }

    /// Digits, then a multiplier (`K`, `M`, `G`, `T`, `E` and digits), then an ordinal ending.
    fn integer(&mut self) -> Result<TokenKind, Diagnostic> {
        let start = self.at;
        let digits = self.digits();
        let value: Option<i64> = digits.parse().ok();
        let suffix = word(self.rest()).to_ascii_uppercase();
        let (length, factor) = match suffix_of(&suffix) {
            Some(found) => found,
            None => {
                let span = span(start, self.at + suffix.len());
                let message = format!("`{}` is not a number", &self.text[start..][..span.len()]);
                return Err(Diagnostic {
                    expected: vec![
                        "a number with K, M, G, T, E and digits or an ordinal ending".into(),
                    ],
                    ..Diagnostic::new(span, message)
                });
            }
        };
        self.at += length;
        let value = value.and_then(|value| match factor {
            Factor::Times(factor) => value.checked_mul(factor),
            Factor::Tens(_) if value == 0 => Some(0),
            Factor::Tens(power) => value.checked_mul(10i64.checked_pow(power?)?),
        });
        value.map(TokenKind::Integer).ok_or_else(|| {
            let message = format!("`{}` is too large", &self.text[start..self.at]);
            Diagnostic::new(span(start, self.at), message)
                .help(format!("write a number up to {}", i64::MAX))
        })
    }

    fn digits(&mut self) -> String {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let digits = rest[..length].to_owned();
        self.at += length;
        digits
    }

    fn string(&mut self) -> Result<TokenKind, Diagnostic> {
        let start = self.at;
        let mut value = String::new();
        let mut chars = self.text[start + 1..].char_indices();
        while let Some((at, char)) = chars.next() {
            let here = start + 1 + at;
            match char {
                '"' => {
                    self.at = here + 1;
                    return Ok(TokenKind::Text(value));
                }
                '\\' => match chars.next().map(|(_, escaped)| escaped) {
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some('r') => value.push('\r'),
                    Some('\n') => {}
                    Some('\r') if self.text[here + 2..].starts_with('\n') => {
                        chars.next();
                    }
                    Some(other) => {
                        if matches!(other, '"' | '\\') {
                            value.push(other);
                        } else {
                            let span = span(here, here + 1 + other.len_utf8());
                            let message = format!("`\\{}` means nothing", other.escape_debug());
                            let help = "write \\n, \\t, \\r, \\\\ or \\\"";
                            self.warnings.push(Diagnostic::new(span, message).help(help));
                        }
                    }
                    None => break,
                },
                other => value.push(other),
            }
        }
        Err(Diagnostic::new(span(start, start + 1), "the string does not end").help("write \""))
    }
}

enum Factor {
    Times(i64),
    /// A power of ten; `None` if it is beyond all numbers.
    Tens(Option<u32>),
}

/// How many letters (upper case) after digits belong to the number, and the factor. `None` if the
/// letters neither belong to the number nor are a keyword of their own.
fn suffix_of(letters: &str) -> Option<(usize, Factor)> {
    let is_end = |rest: &str| rest.is_empty() || keyword(rest).is_some();
    let is_ordinal = |rest: &str| {
        rest.get(..2).is_some_and(|ending| matches!(ending, "ST" | "ND" | "RD" | "TH"))
            && is_end(&rest[2..])
    };
    let length = |used: usize| {
        let rest = &letters[used..];
        if is_ordinal(rest) { Some(used + 2) } else { is_end(rest).then_some(used) }
    };
    if let Some(length) = length(0) {
        return Some((length, Factor::Times(1)));
    }
    let factor = match letters.as_bytes()[0] {
        b'K' => 1 << 10,
        b'M' => 1 << 20,
        b'G' => 1 << 30,
        b'T' => 1 << 40,
        b'E' => {
            let digits = letters[1..].bytes().take_while(u8::is_ascii_digit).count();
            let power = letters[1..1 + digits].parse().ok();
            return (digits > 0).then(|| Some((length(1 + digits)?, Factor::Tens(power))))?;
        }
        _ => return None,
    };
    Some((length(1)?, Factor::Times(factor)))
}

/// The letters, digits and underscores at the start of a text that starts with a letter.
fn word(text: &str) -> &str {
    if !text.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return "";
    }
    let end = text.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_');
    &text[..end.unwrap_or(text.len())]
}

fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let (tokens, _) = tokens(&Source::new("x", text)).unwrap();
        tokens.into_iter().map(|token| token.kind).filter(|kind| *kind != TokenKind::End).collect()
    }

    fn integers(text: &str) -> Vec<i64> {
        let value = |kind| match kind {
            TokenKind::Integer(value) => value,
            other => panic!("{other:?}"),
        };
        kinds(text).into_iter().map(value).collect()
    }

    #[test]
    fn integers_have_multipliers_and_ordinal_endings() {
        assert_eq!(integers("10E3 2K 1M 3T 21st"), [10_000, 2048, 1 << 20, 3 << 40, 21]);
        assert_eq!(integers("5th 2nd 3RD 1g 4Kth 0E99 7e0"), [5, 2, 3, 1 << 30, 4096, 0, 7]);
        assert_eq!(integers("9223372036854775807"), [i64::MAX]);
        for wrong in ["9223372036854775808", "1E19", "1E99999999999", "9G9", "5x", "8P", "10E"] {
            assert!(tokens(&Source::new("x", wrong)).is_err(), "{wrong}");
        }
        assert_eq!(kinds("5byte").len(), 2);
        assert_eq!(kinds("2Kbyte"), [TokenKind::Integer(2048), keyword("byte").unwrap()]);
    }

    #[test]
    fn a_hyphen_before_a_keyword_means_nothing() {
        assert_eq!(kinds("0-byte"), kinds("0 byte"));
        assert_eq!(kinds("y-abs(x)"), kinds("y abs(x)"));
        assert_eq!(kinds("x-num_tasks").len(), 3);
        assert_eq!(kinds("y- abs").len(), 3);
        assert_eq!(kinds("y-(abs").len(), 4);
    }

    #[test]
    fn a_star_before_a_comma_marks_a_torus() {
        let star = TokenKind::Symbol(Symbol::Star);
        let torus = TokenKind::Symbol(Symbol::Torus);
        let stars = |text| kinds(text).into_iter().filter(|k| *k == star || *k == torus);
        assert_eq!(
            stars("4*, 3 * 2 * ) *").collect::<Vec<_>>(),
            [torus.clone(), star.clone(), torus.clone(), star.clone()]
        );
    }

    #[test]
    fn case_and_comments_mean_nothing_outside_strings() {
        assert_eq!(kinds("TaSk X # a comment \"\r\n\tSENDS"), kinds("tasks x send"));
        let text = "\"A # b\\n\\\"\\\\ c \\\n\\q é\"";
        assert_eq!(kinds(text), [TokenKind::Text("A # b\n\"\\ c  é".into())]);
        let (_, warnings) = tokens(&Source::new("x", text)).unwrap();
        assert_eq!(warnings.len(), 1);
        assert!(tokens(&Source::new("x", "\"no end\\")).is_err());
        assert!(tokens(&Source::new("x", "task ½")).is_err());
    }
}
