//! A setting that cannot be: found before anything runs, worded for users.

use std::fmt;

/// A semantic fault in a specification: which key, its value, what is wrong and what would be
/// right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {value}: {message}; {remedy}")]
pub struct Fault {
    /// The key, in the words of the plan, relative to the object that was checked (`grid`,
    /// `collectives.barrier`).
    pub key: String,
    /// The value as given.
    pub value: String,
    /// What is wrong with it.
    pub message: String,
    /// What to write instead.
    pub remedy: String,
}

impl Fault {
    /// A fault of `key`.
    #[must_use]
    pub fn new(
        key: &str,
        value: impl fmt::Display,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            key: key.to_owned(),
            value: value.to_string(),
            message: message.into(),
            remedy: remedy.into(),
        }
    }
}
