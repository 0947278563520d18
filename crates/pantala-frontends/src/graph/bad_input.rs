//! An input file that cannot be read: where, and what is wrong.

/// A fault of an input file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {place}: {message}")]
pub struct BadInput {
    /// The file's name.
    pub file: String,
    /// The place in the file: a line, or a rank and an offset.
    pub place: String,
    /// What is wrong, what is allowed and what to do.
    pub message: String,
}

impl BadInput {
    /// A fault of `file` at `place`.
    #[must_use]
    pub fn new(file: &str, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), place: place.into(), message: message.into() }
    }
}
