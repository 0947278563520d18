//! Traces: their identity in a plan, and their summary.

use std::path::Path;

use pantala_frontends::trace::{TraceError, TraceFormat, hash_of};
use pyo3::prelude::*;

use crate::errors::UsageError;
use crate::json::json;

fn file_error(error: &TraceError) -> PyErr {
    UsageError::new_err(error.to_string())
}

/// Returns the files of a trace.
#[pyfunction]
pub(crate) fn trace_files(py: Python<'_>, path: &str) -> PyResult<Vec<String>> {
    let path = Path::new(path);
    let files = py.detach(|| TraceFormat::find(path)?.files(path));
    let files = files.map_err(|error| file_error(&error))?;
    Ok(files.iter().map(|file| file.display().to_string()).collect())
}

/// Returns format, hash, number of ranks and warnings of a trace as JSON.
#[pyfunction]
pub(crate) fn identify_trace(py: Python<'_>, path: &str) -> PyResult<String> {
    let path = Path::new(path);
    let identified = || {
        let format = TraceFormat::find(path)?;
        let hash = hash_of(&format.files(path)?)?;
        let opened = format.open(path)?;
        opened.check()?;
        Ok((format, hash, opened.ranks(), opened.summary()?.warnings))
    };
    let found = py.detach(identified);
    json(&found.map_err(|error: TraceError| file_error(&error))?)
}

/// Returns the summary of a trace as JSON.
#[pyfunction]
pub(crate) fn trace_summary(py: Python<'_>, path: &str) -> PyResult<String> {
    let path = Path::new(path);
    let summary = py.detach(|| TraceFormat::find(path)?.open(path)?.summary());
    json(&summary.map_err(|error| file_error(&error))?)
}

/// Returns the calls of DUMPI as JSON: name, meaning in the replay, form or reason.
#[pyfunction]
pub(crate) fn dumpi_calls() -> PyResult<String> {
    use pantala_frontends::dumpi::{Function, Meaning};
    let calls = Function::ALL.iter().filter_map(|function| {
        let (meaning, text) = match function.declaration().meaning {
            Meaning::Replayed => ("replayed", ""),
            Meaning::As(form) => ("replayed as", form),
            Meaning::Ignored(reason) => ("ignored", reason),
            Meaning::Refused(reason) => ("refused", reason),
            Meaning::NeverWritten => return None,
        };
        Some((function.mpi_name(), meaning, text))
    });
    json(&calls.collect::<Vec<_>>())
}
