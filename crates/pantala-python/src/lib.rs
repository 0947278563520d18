//! The PyO3 layer: a handle on a resolved plan, and functions from JSON to JSON. The package
//! `pantala` documents them.

mod errors;
mod json;
mod memory;
mod ncptl;
mod observer;
mod plan;
mod provenance;
mod recorder;
mod trace;

use errors::{plan_error, write_error};
use json::json;
use pantala_sim::output::columns::TableWriter;
use pantala_sim::output::link_table as links;
use pantala_sim::plan::call_order;
use pantala_sim::plan::communication::of_jobs;
use pantala_sim::plan::deadlock::search;
use pantala_sim::plan::export::{ExportError, export_job};
use pantala_sim::plan::network;
use pantala_sim::plan::resolve;
use pantala_sim::plan::{PLAN_VERSION, TopologyPlan};
use pantala_sim::run::simulation::MAX_THREADS;
use pantala_sim::squarest_grid;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::Path;

/// Ends the process with one line if there is no memory.
#[global_allocator]
static ALLOCATOR: memory::OneLine = memory::OneLine;

/// Searches the channel-dependency graph of a plan and returns the result as JSON.
#[pyfunction]
fn deadlock(py: Python<'_>, plan_json: &str) -> PyResult<String> {
    let found =
        py.detach(|| resolve::parse(plan_json).and_then(search)).map_err(|e| plan_error(&e))?;
    json(&found)
}

/// Returns the communication of every job of a plan, computed without a network, as JSON.
#[pyfunction]
fn communication(py: Python<'_>, plan_json: &str) -> PyResult<String> {
    let found = py.detach(|| resolve::parse(plan_json).and_then(|plan| of_jobs(&plan)));
    json(&found.map_err(|e| plan_error(&e))?)
}

/// Executes the calls of a workload without computing and network delays, and returns as JSON
/// whether they end.
#[pyfunction]
#[pyo3(name = "call_order")]
fn order_of_calls(
    py: Python<'_>,
    workload: &str,
    ranks: u32,
    mpi: Option<&str>,
    most: u64,
) -> PyResult<String> {
    let found = py.detach(|| call_order::of_workload(workload, ranks, mpi, most));
    json(&found.map_err(|e| plan_error(&e))?)
}

/// Writes the operations of a job of a plan to an operation file and returns its facts as JSON. The
/// job need not fit the machine.
#[pyfunction]
fn export_operations(py: Python<'_>, plan_json: &str, job: &str, path: &str) -> PyResult<String> {
    let plan = resolve::parse(plan_json).map_err(|e| plan_error(&e))?;
    let sink = recorder::create(path)?;
    let written = py.detach(|| export_job(&plan, job, sink));
    recorder::told(&written.map_err(|error| match error {
        ExportError::Plan(fault) => plan_error(&fault),
        ExportError::Write { .. } => PyValueError::new_err(error.to_string()),
    })?)
}

fn topology_plan(topology_json: &str) -> PyResult<TopologyPlan> {
    serde_json::from_str(topology_json).map_err(|e| PyValueError::new_err(e.to_string()))
}

fn topology_rows(py: Python<'_>, topology_json: &str) -> PyResult<Vec<links::LinkRow>> {
    let plan = topology_plan(topology_json)?;
    py.detach(|| links::link_table(&plan)).map_err(|e| plan_error(&e))
}

/// Returns the ports of all routers as columns.
#[pyfunction]
fn ports<'py>(py: Python<'py>, topology_json: &str) -> PyResult<Bound<'py, PyDict>> {
    let plan = topology_plan(topology_json)?;
    let rows = py.detach(|| network::ports::ports(&plan)).map_err(|e| plan_error(&e))?;
    let columns = PyDict::new(py);
    columns.set_item("router", rows.iter().map(|r| r.router).collect::<Vec<_>>())?;
    columns.set_item("port", rows.iter().map(|r| r.port).collect::<Vec<_>>())?;
    columns.set_item("class", rows.iter().map(|r| r.class.name()).collect::<Vec<_>>())?;
    columns.set_item("peer_router", rows.iter().map(|r| r.peer_router).collect::<Vec<_>>())?;
    columns.set_item("peer_port", rows.iter().map(|r| r.peer_port).collect::<Vec<_>>())?;
    columns.set_item("failed", rows.iter().map(|r| r.failed).collect::<Vec<_>>())?;
    Ok(columns)
}

/// Returns the directed links between routers as columns.
#[pyfunction]
fn link_table<'py>(py: Python<'py>, topology_json: &str) -> PyResult<Bound<'py, PyDict>> {
    let rows = topology_rows(py, topology_json)?;
    let columns = PyDict::new(py);
    let ints = |f: fn(&links::LinkRow) -> u32| rows.iter().map(f).collect::<Vec<u32>>();
    columns.set_item("link", ints(|r| r.link))?;
    columns.set_item("class", rows.iter().map(|r| r.class).collect::<Vec<_>>())?;
    columns.set_item("source_router", ints(|r| r.source_router))?;
    columns.set_item("source_port", ints(|r| r.source_port))?;
    columns.set_item("source_group", ints(|r| r.source_group))?;
    columns.set_item("target_router", ints(|r| r.target_router))?;
    columns.set_item("target_port", ints(|r| r.target_port))?;
    columns.set_item("target_group", ints(|r| r.target_group))?;
    columns.set_item("parallel_index", ints(|r| r.parallel_index))?;
    Ok(columns)
}

/// Writes the directed links between routers to a Parquet file.
#[pyfunction]
fn write_link_table(py: Python<'_>, topology_json: &str, path: &str) -> PyResult<()> {
    let rows = topology_rows(py, topology_json)?;
    py.detach(|| {
        let mut table = TableWriter::create(Path::new(path))?;
        table.append(rows);
        table.complete()
    })
    .map_err(|e| write_error(&e))?;
    Ok(())
}

/// Returns the process grid of this many ranks that is closest to a cube.
#[pyfunction]
fn process_grid(ranks: u32, dimensions: usize) -> Vec<u32> {
    squarest_grid(ranks, dimensions)
}

/// Returns the catalogue of keys, columns and routings as JSON.
#[pyfunction]
fn catalogue() -> String {
    pantala_sim::catalogue::catalogue().to_string()
}

/// The compiled core of Pantala.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add("PLAN_VERSION", PLAN_VERSION)?;
    module.add("MAX_THREADS", MAX_THREADS)?;
    module.add("RUSTC", env!("PANTALA_RUSTC"))?;
    module.add_function(wrap_pyfunction!(deadlock, module)?)?;
    module.add_function(wrap_pyfunction!(ncptl::ncptl_check, module)?)?;
    module.add_function(wrap_pyfunction!(ncptl::ncptl_explain, module)?)?;
    module.add_function(wrap_pyfunction!(communication, module)?)?;
    module.add_function(wrap_pyfunction!(order_of_calls, module)?)?;
    module.add_function(wrap_pyfunction!(export_operations, module)?)?;
    module.add_function(wrap_pyfunction!(recorder::operation_file, module)?)?;
    module.add_function(wrap_pyfunction!(recorder::operation_file_summary, module)?)?;
    module.add_function(wrap_pyfunction!(recorder::merge_operation_files, module)?)?;
    module.add_class::<plan::PyPlan>()?;
    module.add_class::<recorder::PyRecorder>()?;
    module.add_function(wrap_pyfunction!(link_table, module)?)?;
    module.add_function(wrap_pyfunction!(ports, module)?)?;
    module.add_function(wrap_pyfunction!(process_grid, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace_files, module)?)?;
    module.add_function(wrap_pyfunction!(trace::identify_trace, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace_summary, module)?)?;
    module.add_function(wrap_pyfunction!(trace::dumpi_calls, module)?)?;
    module.add_function(wrap_pyfunction!(write_link_table, module)?)
}
