//! What can go wrong before and during a run, worded for users.

use pantala_mpi::Fault;
use pantala_topology::TopologyError;
use std::fmt;

/// A fault in a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {value}: {message}; {remedy}")]
pub struct PlanError {
    /// The key in the plan, from its root: `jobs[1].workload.grid`.
    pub key: String,
    /// Its value.
    pub value: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl PlanError {
    pub(crate) fn new(
        key: &str,
        value: impl fmt::Display,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { key: key.to_owned(), value: value.to_string(), message: message.into(), remedy: remedy.into() }
    }

    /// A fault found in an object of the plan that stands at `prefix`; the plan itself is at nothing.
    pub(crate) fn at(prefix: &str, fault: Fault) -> Self {
        let key = match (prefix, fault.key.as_str()) {
            ("", key) => key.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, key) => format!("{prefix}.{key}"),
        };
        Self { key, value: fault.value, message: fault.message, remedy: fault.remedy }
    }
}

impl From<TopologyError> for PlanError {
    fn from(error: TopologyError) -> Self {
        Self {
            key: format!("topology.{}", error.key),
            value: error.value,
            message: error.message,
            remedy: error.remedy,
        }
    }
}

/// A run directory that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file system said no.
    #[error("{path}: {source}")]
    File {
        /// Which file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A table could not be encoded.
    #[error("{path}: {source}")]
    Table {
        /// Which file.
        path: String,
        /// Why.
        source: parquet::errors::ParquetError,
    },
}
