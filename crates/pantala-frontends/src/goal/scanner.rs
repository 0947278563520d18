//! The tokens of a GOAL text, read from a file block by block.

use std::io::{ErrorKind, Read};

/// Size of the buffer.
const BLOCK: usize = 1 << 16;
/// Largest length of a word or number.
const LONGEST: usize = 1_024;

/// A token. A word is in [`Scanner::word`] until the next token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word,
    Number(u64),
    /// One of `: { } -`.
    Mark(u8),
    End,
}

#[derive(Debug)]
pub(super) struct Scanner<R> {
    source: R,
    buffer: Vec<u8>,
    /// The next byte in the buffer, and the end of what has been read.
    at: usize,
    end: usize,
    at_end: bool,
    /// The line of the next byte, from 1.
    next_line: u64,
    /// The line of the last token.
    line: u64,
    word: (usize, usize),
}

impl<R: Read> Scanner<R> {
    pub(super) fn new(source: R) -> Self {
        Self {
            source,
            buffer: vec![0; BLOCK],
            at: 0,
            end: 0,
            at_end: false,
            next_line: 1,
            line: 1,
            word: (0, 0),
        }
    }

    /// The line of the last token.
    pub(super) const fn line(&self) -> u64 {
        self.line
    }

    /// The last token, if it is a word.
    pub(super) fn word(&self) -> &[u8] {
        &self.buffer[self.word.0..self.word.1]
    }

    /// Reads until `count` bytes are in the buffer, or to the end of the file.
    fn fill(&mut self, count: usize) -> Result<(), String> {
        if self.end - self.at >= count || self.at_end {
            return Ok(());
        }
        self.buffer.copy_within(self.at..self.end, 0);
        self.end -= self.at;
        self.at = 0;
        while self.end < self.buffer.len() && !self.at_end {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.at_end = true,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(format!("cannot be read: {error}")),
            }
        }
        Ok(())
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.buffer[..self.end].get(self.at + ahead).copied()
    }

    /// Skips blanks and comments.
    fn skip(&mut self) -> Result<(), String> {
        loop {
            self.fill(2)?;
            match self.peek(0) {
                Some(b'\n') => {
                    self.next_line += 1;
                    self.at += 1;
                }
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'/') if self.peek(1) == Some(b'/') => {
                    while self.peek(0).is_some_and(|byte| byte != b'\n') {
                        self.at += 1;
                        self.fill(1)?;
                    }
                }
                Some(b'/') if self.peek(1) == Some(b'*') => {
                    self.line = self.next_line;
                    self.at += 2;
                    self.skip_to_comment_end()?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn skip_to_comment_end(&mut self) -> Result<(), String> {
        loop {
            self.fill(2)?;
            match self.peek(0) {
                Some(b'*') if self.peek(1) == Some(b'/') => {
                    self.at += 2;
                    return Ok(());
                }
                Some(byte) => {
                    self.next_line += u64::from(byte == b'\n');
                    self.at += 1;
                }
                None => return Err("the comment does not end; write */".to_owned()),
            }
        }
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Result<Token, String> {
        self.skip()?;
        self.fill(LONGEST + 1)?;
        self.line = self.next_line;
        let rest = &self.buffer[self.at..self.end];
        let Some(&first) = rest.first() else {
            return Ok(Token::End);
        };
        let span = |is: fn(&u8) -> bool| {
            rest.iter().take(LONGEST + 1).position(|byte| !is(byte)).unwrap_or(rest.len())
        };
        match first {
            b'0'..=b'9' => {
                let length = span(u8::is_ascii_digit);
                let number = rest[..length].iter().try_fold(0u64, |number, digit| {
                    number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
                });
                self.at += length;
                number.map(Token::Number).ok_or_else(|| {
                    format!("a number is too large; numbers are at most {}", u64::MAX)
                })
            }
            b'a'..=b'z' | b'A'..=b'Z' => {
                let length = span(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
                if length > LONGEST {
                    return Err(format!("a word has more than {LONGEST} characters"));
                }
                self.word = (self.at, self.at + length);
                self.at += length;
                Ok(Token::Word)
            }
            b':' | b'{' | b'}' | b'-' => {
                self.at += 1;
                Ok(Token::Mark(first))
            }
            _ => Err(format!(
                "the character {} has no meaning here; the file is not a GOAL schedule",
                shown(first)
            )),
        }
    }
}

fn shown(byte: u8) -> String {
    if byte.is_ascii_graphic() { format!("'{}'", byte as char) } else { format!("0x{byte:02x}") }
}

#[cfg(test)]
mod tests {
    use super::{Scanner, Token};

    /// Reads one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl std::io::Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let (Some(place), Some((first, rest))) = (into.first_mut(), self.0.split_first())
            else {
                return Ok(0);
            };
            *place = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    fn tokens(text: &str) -> Result<Vec<(Token, u64, String)>, String> {
        let mut scanner = Scanner::new(Slow(text.as_bytes()));
        let mut tokens = Vec::new();
        loop {
            let token = scanner.next()?;
            if token == Token::End {
                return Ok(tokens);
            }
            let word = if token == Token::Word { scanner.word() } else { b"" };
            tokens.push((token, scanner.line(), String::from_utf8(word.to_vec()).unwrap()));
        }
    }

    #[test]
    fn comments_blanks_and_lines() {
        let text = "// one\nab_1:/* two\n\n * / **/send 12b\r\n-1}";
        let mark = |byte, line| (Token::Mark(byte), line, String::new());
        let word = |text: &str, line| (Token::Word, line, text.to_owned());
        let number = |number, line| (Token::Number(number), line, String::new());
        let expected = vec![
            word("ab_1", 2),
            mark(b':', 2),
            word("send", 4),
            number(12, 4),
            word("b", 4),
            mark(b'-', 5),
            number(1, 5),
            mark(b'}', 5),
        ];
        assert_eq!(tokens(text).unwrap(), expected);
    }

    #[test]
    fn bad_tokens() {
        assert!(tokens("/* open").unwrap_err().contains("does not end"));
        assert!(tokens("18446744073709551616").unwrap_err().contains("too large"));
        assert!(tokens("18446744073709551615").is_ok());
        assert!(tokens(&"x".repeat(1_025)).unwrap_err().contains("1024"));
        assert!(tokens(&"x".repeat(1_024)).is_ok());
        assert!(tokens("a ; b").unwrap_err().contains("';'"));
        assert!(tokens("/").is_err());
    }
}
