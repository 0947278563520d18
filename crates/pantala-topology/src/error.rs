//! What is wrong with a topology, said so that it can be put right.

/// A fault in a topology's parameters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {value}: {message}; {remedy}")]
pub struct TopologyError {
    /// The parameter at fault, by its name in a plan: `p`, `a`, `rows`, `columns`, `h`, `g`,
    /// `links_per_local_pair`, `links_per_row_pair`, `links_per_column_pair`, `links_per_pair` or
    /// `mirrored`.
    pub key: &'static str,
    /// The value it had.
    pub value: String,
    /// What is wrong with it.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl TopologyError {
    pub(crate) fn new(
        key: &'static str,
        value: impl ToString,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { key, value: value.to_string(), message: message.into(), remedy: remedy.into() }
    }
}
