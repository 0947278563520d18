//! Values as JSON, the form in which results cross to Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Returns a value as JSON.
pub(crate) fn json<T: serde::Serialize>(value: &T) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyValueError::new_err(e.to_string()))
}
