//! The core's errors as the exceptions of the package `pantala`.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

pyo3::import_exception!(pantala.errors, PlanError);
pyo3::import_exception!(pantala.errors, SimulationError);
pyo3::import_exception!(pantala.errors, UsageError);

/// Converts a fault of a plan, with the faults that were found beside it.
pub(crate) fn plan_error(error: &pantala_sim::PlanError) -> PyErr {
    let parts = |e: &pantala_sim::PlanError| {
        (e.key.clone(), e.value.clone(), e.message.clone(), e.remedy.clone())
    };
    let (key, value, message, remedy) = parts(error);
    let others: Vec<_> = error.others.iter().map(parts).collect();
    PlanError::new_err((key, value, message, remedy, others))
}

/// Converts an error of writing to an `OSError`.
pub(crate) fn write_error(error: &pantala_sim::WriteError) -> PyErr {
    PyOSError::new_err(error.to_string())
}
