//! A wrong value of a plan's key, found before the run and worded for users.

use std::fmt;

/// A fault of one key: its name, its value, what is wrong and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {value}: {message}; {remedy}")]
pub struct Fault {
    /// The key's name in the plan, relative to the object that was checked (`grid`,
    /// `collectives.barrier`).
    pub key: String,
    /// The value in the plan.
    pub value: String,
    /// What is wrong with it.
    pub message: String,
    /// The instruction that corrects the value.
    pub remedy: String,
}

impl Fault {
    /// Creates a fault of `key`.
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
