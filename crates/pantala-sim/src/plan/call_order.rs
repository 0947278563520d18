//! Whether the order of a workload's calls lets it end, with the MPI layer of a plan.

use pantala_mpi::MpiConfig;
use pantala_workload::call_order::{CallOrder, call_order};
use pantala_workload::{Workload, WorkloadSpec};

use crate::error::PlanError;

/// Executes the calls of a workload without computing and without network delays.
///
/// # Arguments
/// `workload` is the workload object of a job as JSON, and `mpi` the plan's `mpi` object; without
/// it, the one of the defaults. `most` bounds the number of operations.
///
/// # Errors
/// A [`PlanError`] if an object is not of its form, or the workload is faulty or endless.
pub fn of_workload(
    workload: &str,
    ranks: u32,
    mpi: Option<&str>,
    most: u64,
) -> Result<CallOrder, PlanError> {
    let fault = |key: &str, error: serde_json::Error| {
        PlanError::new(key, "", error.to_string(), "give the object of a resolved plan")
    };
    let spec: WorkloadSpec =
        serde_json::from_str(workload).map_err(|error| fault("workload", error))?;
    let config = match mpi {
        Some(text) => serde_json::from_str(text).map_err(|error| fault("mpi", error))?,
        None => MpiConfig::default(),
    };
    call_order(&Workload::from(spec), ranks, config, most)
        .map_err(|fault| PlanError::at("workload", fault))
}
