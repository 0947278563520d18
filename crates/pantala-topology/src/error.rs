//! Faults in a topology's parameters.

/// A fault in a topology's parameters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {value}: {message}; {remedy}")]
pub struct TopologyError {
    /// The plan's name of the faulty parameter: `p`, `a`, `rows`, `columns`, `h`, `g`,
    /// `links_per_local_pair`, `links_per_row_pair`, `links_per_column_pair`, `links_per_pair`,
    /// `mirrored`, `global_links` or `failed_links`.
    pub key: &'static str,
    /// The parameter's value.
    pub value: String,
    /// What is wrong with it.
    pub message: String,
    /// The instruction that corrects the value.
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
