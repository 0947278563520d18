//! The core's errors as Python exceptions.

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    pantala._core,
    PlanError,
    PyValueError,
    "A fault in a plan, with attributes key, value, message and remedy; others has those of the other faults."
);
pyo3::create_exception!(
    pantala._core,
    RunError,
    PyRuntimeError,
    "A simulation that could not go on: the diagnosis."
);

pyo3::create_exception!(
    pantala._core,
    FileError,
    PyValueError,
    "A file of a program or a trace that cannot be read: one line with the file and the place."
);

/// Converts a fault of a plan to a `PlanError` of Python.
pub(crate) fn plan_error(py: Python<'_>, error: &pantala_sim::PlanError) -> PyErr {
    let raised = PlanError::new_err(error.to_string());
    let value = raised.value(py);
    for (name, text) in [
        ("key", &error.key),
        ("value", &error.value),
        ("message", &error.message),
        ("remedy", &error.remedy),
    ] {
        if let Err(failed) = value.setattr(name, text) {
            return failed;
        }
    }
    let others: Vec<_> =
        error.others.iter().map(|e| (&e.key, &e.value, &e.message, &e.remedy)).collect();
    match value.setattr("others", others) {
        Ok(()) => raised,
        Err(failed) => failed,
    }
}

/// Converts an error of writing to an `OSError`.
pub(crate) fn write_error(error: &pantala_sim::WriteError) -> PyErr {
    PyOSError::new_err(error.to_string())
}
