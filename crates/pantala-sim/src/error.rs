//! Errors before and during a run.

use pantala_mpi::Fault;
use pantala_topology::TopologyError;
use parquet::errors::ParquetError;
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
    /// Other faults of the plan that the checks found. Their own `others` are empty.
    pub others: Vec<PlanError>,
}

impl PlanError {
    pub(crate) fn new(
        key: &str,
        value: impl fmt::Display,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let (message, remedy) = (message.into(), remedy.into());
        Self { key: key.to_owned(), value: value.to_string(), message, remedy, others: Vec::new() }
    }

    /// Returns a fault of the object at `prefix` of the plan. The prefix of the plan itself is
    /// empty.
    pub(crate) fn at(prefix: &str, fault: Fault) -> Self {
        let key = match (prefix, fault.key.as_str()) {
            ("", key) => key.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, key) => format!("{prefix}.{key}"),
        };
        Self {
            key,
            value: fault.value,
            message: fault.message,
            remedy: fault.remedy,
            others: Vec::new(),
        }
    }
}

/// The faults found by checks that do not depend on each other.
#[derive(Default)]
pub(crate) struct Faults(Vec<PlanError>);

impl Faults {
    /// Keeps the faults of a check.
    pub(crate) fn note(&mut self, checked: Result<(), PlanError>) {
        if let Err(mut error) = checked {
            let others = std::mem::take(&mut error.others);
            self.0.push(error);
            self.0.extend(others);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the first fault, with the others in it.
    pub(crate) fn result(self) -> Result<(), PlanError> {
        let mut faults = self.0.into_iter();
        match faults.next() {
            None => Ok(()),
            Some(first) => Err(PlanError { others: faults.collect(), ..first }),
        }
    }
}

impl From<TopologyError> for PlanError {
    fn from(error: TopologyError) -> Self {
        Self {
            key: format!("topology.{}", error.key),
            value: error.value,
            message: error.message,
            remedy: error.remedy,
            others: Vec::new(),
        }
    }
}

/// A run directory that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// An error of the file system.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// The cause.
        source: std::io::Error,
    },
    /// A table could not be encoded.
    #[error("{path}: {}", cause(source))]
    Table {
        /// The file.
        path: String,
        /// The cause.
        source: ParquetError,
    },
}

impl WriteError {
    /// Returns the error with the file's name only: the directory may be renamed later.
    #[must_use]
    pub fn of_file(&self) -> String {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        match self {
            Self::File { path, source } => format!("{}: {source}", name(path)),
            Self::Table { path, source } => format!("{}: {}", name(path), cause(source)),
        }
    }
}

/// Returns the cause of an error of a table: an error of the file system in its own words.
fn cause(error: &ParquetError) -> String {
    match error {
        ParquetError::External(source) => source.to_string(),
        other => other.to_string(),
    }
}
