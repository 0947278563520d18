//! The text of a program and positions in it.

/// A piece of the program text, in bytes.
///
/// All spans are equal: a syntax tree that was printed and parsed again equals the first one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

impl Span {
    /// The number of bytes.
    #[expect(clippy::len_without_is_empty, reason = "no span of interest is empty")]
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// The span from the start of `self` to the end of `last`.
    pub fn to(self, last: Self) -> Self {
        Self { start: self.start, end: last.end.max(self.start) }
    }
}

/// A place in the program text as an editor shows it: both numbers start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

/// The text of a program and the name under which messages mention it.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl Source {
    /// A source of the given name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let after_newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts =
            std::iter::once(0).chain(after_newlines.map(|(at, _)| at as u32 + 1)).collect();
        Self { name: name.into(), text, line_starts }
    }

    /// The name for messages: the path as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The place of a byte. A byte after the end of the text counts as the end.
    pub fn location(&self, byte: u32) -> Location {
        let byte = (byte as usize).min(self.text.len());
        let line = self.line_starts.partition_point(|&start| start as usize <= byte) - 1;
        let before = &self.text.as_bytes()[self.line_starts[line] as usize..byte];
        // Bytes 10xxxxxx continue a character.
        let column = before.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        Location { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// The text of a line (from 1), without its end.
    pub fn line(&self, line: u32) -> &str {
        let start = self.line_starts[line as usize - 1] as usize;
        let rest = &self.text[start..];
        rest[..rest.find('\n').unwrap_or(rest.len())].trim_end_matches('\r')
    }
}
