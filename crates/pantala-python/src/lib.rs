//! The PyO3 layer: functions from JSON to JSON. The package `pantala` documents them.

mod errors;
mod memory;
mod ncptl;
mod observer;
mod provenance;
mod recorder;
mod trace;

use errors::{FileError, PlanError, RunError, plan_error, write_error};
use observer::Observer;
use pantala_sim::output::columns::TableWriter;
use pantala_sim::output::document;
use pantala_sim::output::link_table as links;
use pantala_sim::plan::communication::of_jobs;
use pantala_sim::plan::deadlock::search;
use pantala_sim::plan::expected_traffic::of_jobs as expected_bytes;
use pantala_sim::plan::export::{ExportError, export_job};
use pantala_sim::plan::resolve;
use pantala_sim::plan::{PLAN_VERSION, TopologyPlan};
use pantala_sim::run::measure::{Measurement, whole};
use pantala_sim::run::simulation::MAX_THREADS;
use pantala_sim::run::threads;
use pantala_sim::{End, Simulation, squarest_grid};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::Path;
use std::time::Instant;

/// Ends the process with one line if there is no memory.
#[global_allocator]
static ALLOCATOR: memory::OneLine = memory::OneLine;

fn json<T: serde::Serialize>(value: &T) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// Resolves a plan and returns it as JSON.
#[pyfunction]
#[pyo3(name = "resolve")]
fn resolve_plan(py: Python<'_>, plan_json: &str) -> PyResult<String> {
    let resolved = py
        .detach(|| resolve::parse(plan_json).and_then(resolve::resolve))
        .map_err(|e| plan_error(py, &e))?;
    json(&resolved.plan)
}

/// Runs a plan, writes its run directory and returns run.json. After the plan's duration it calls
/// `extend` with the payload that each job has delivered per window. `extend` returns a longer
/// duration, or None to end the run.
#[pyfunction]
#[pyo3(signature = (plan_json, out_dir, threads=1, progress=None, extend=None))]
fn run(
    py: Python<'_>,
    plan_json: &str,
    out_dir: &str,
    threads: u32,
    progress: Option<Py<PyAny>>,
    extend: Option<Py<PyAny>>,
) -> PyResult<String> {
    let clock = provenance::Clock::start(py)?;
    let mut simulation = py
        .detach(|| {
            resolve::parse(plan_json)
                .and_then(|plan| Simulation::on_threads(plan, 0, threads, |_| {}))
        })
        .map_err(|e| plan_error(py, &e))?;
    simulation.write_to(Path::new(out_dir)).map_err(|e| write_error(&e))?;
    let setup_seconds = clock.wall();
    let running = provenance::Clock::start(py)?;
    let mut observer = Observer::new(progress);
    let end = loop {
        let end = py.detach(|| simulation.run(|p| observer.observe(p)));
        let (End::Duration, Some(extend)) = (&end, &extend) else { break end };
        let delivered: Vec<Vec<(u64, u64)>> = simulation.delivered().collect();
        let Some(duration) = extend.call1(py, (delivered,))?.extract(py)? else { break end };
        simulation.extend(duration);
    };
    let provenance = running.provenance(py, setup_seconds, &simulation)?;
    let document = py
        .detach(|| {
            let results = simulation.results();
            let Some(results) = results else { unreachable!("there is one process") };
            document::write(&mut simulation, &results, &end, provenance)
        })
        .map_err(|e| write_error(&e))?;
    observer.result()?;
    match &document.diagnosis {
        Some(diagnosis) => Err(RunError::new_err(diagnosis.clone())),
        None if end.planned() => json(&document),
        None => Err(PyKeyboardInterrupt::new_err(())),
    }
}

/// Measures one point of a curve and returns it as JSON.
#[pyfunction]
#[pyo3(signature = (plan_json, warmup_ps, measure_ps, timeline_ps=0, drain=false, threads=1, progress=None))]
#[expect(clippy::too_many_arguments, reason = "those of Python, all named there")]
fn measure(
    py: Python<'_>,
    plan_json: &str,
    warmup_ps: u64,
    measure_ps: u64,
    timeline_ps: u64,
    drain: bool,
    threads: u32,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let started = Instant::now();
    let mut measurement = py
        .detach(|| {
            resolve::parse(plan_json)
                .and_then(|plan| {
                    Measurement::on_threads(plan, warmup_ps, measure_ps, timeline_ps, threads)
                })
                .map(|measurement| if drain { measurement.draining() } else { measurement })
        })
        .map_err(|e| plan_error(py, &e))?;
    let setup_seconds = started.elapsed().as_secs_f64();
    let running = provenance::Clock::start(py)?;
    let mut observer = Observer::new(progress);
    let point = py.detach(|| measurement.run(|p| observer.observe(p)));
    let (wall, cpu) = (running.wall(), running.cpu(py)?);
    observer.result()?;
    let Some(point) = point.map_err(RunError::new_err)? else {
        return Err(PyKeyboardInterrupt::new_err(()));
    };
    with_times(py, &point, point.bench.packet_hops, setup_seconds, wall, cpu)
}

/// Runs a plan without writing files, and returns its results and cost as JSON.
#[pyfunction]
#[pyo3(signature = (plan_json, threads=1, progress=None))]
fn cost(
    py: Python<'_>,
    plan_json: &str,
    threads: u32,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let started = Instant::now();
    let mut simulation = py
        .detach(|| {
            resolve::parse(plan_json)
                .and_then(|plan| Simulation::on_threads(plan, 0, threads, |_| {}))
        })
        .map_err(|e| plan_error(py, &e))?;
    let setup_seconds = started.elapsed().as_secs_f64();
    let running = provenance::Clock::start(py)?;
    let mut observer = Observer::new(progress);
    let end = py.detach(|| simulation.run(|p| observer.observe(p)));
    let (wall, cpu) = (running.wall(), running.cpu(py)?);
    observer.result()?;
    if let Some(diagnosis) = end.diagnosis() {
        return Err(RunError::new_err(diagnosis.to_owned()));
    }
    if !end.planned() {
        return Err(PyKeyboardInterrupt::new_err(()));
    }
    let whole = py.detach(|| whole(simulation)).map_err(|e| write_error(&e))?;
    with_times(py, &whole, whole.bench.packet_hops, setup_seconds, wall, cpu)
}

/// Returns a measurement as JSON, with times and memory added to its `bench`.
fn with_times<T: serde::Serialize>(
    py: Python<'_>,
    measured: &T,
    packet_hops: u64,
    setup_seconds: f64,
    wall_seconds: f64,
    cpu_seconds: f64,
) -> PyResult<String> {
    let mut value =
        serde_json::to_value(measured).map_err(|e| PyValueError::new_err(e.to_string()))?;
    let bench = &mut value["bench"];
    bench["cpu_seconds"] = cpu_seconds.into();
    bench["wall_seconds"] = wall_seconds.into();
    bench["setup_seconds"] = setup_seconds.into();
    bench["packet_hops_per_cpu_second"] = (packet_hops as f64 / cpu_seconds.max(1e-9)).into();
    bench["peak_rss_bytes"] = provenance::peak_rss_bytes(py)?.into();
    json(&value)
}

/// Returns the number of threads that pay for a plan on this many idle processors.
#[pyfunction]
fn threads_worth(py: Python<'_>, plan_json: &str, processors: u32) -> PyResult<u32> {
    py.detach(|| resolve::parse(plan_json).and_then(|plan| threads::worth(&plan, processors)))
        .map_err(|e| plan_error(py, &e))
}

/// Searches the channel-dependency graph of a plan and returns the result as JSON.
#[pyfunction]
fn deadlock(py: Python<'_>, plan_json: &str) -> PyResult<String> {
    let found =
        py.detach(|| resolve::parse(plan_json).and_then(search)).map_err(|e| plan_error(py, &e))?;
    json(&found)
}

/// Returns the communication of every job of a plan, computed without a network, as JSON.
#[pyfunction]
fn communication(py: Python<'_>, plan_json: &str) -> PyResult<String> {
    let found = py.detach(|| resolve::parse(plan_json).and_then(|plan| of_jobs(&plan)));
    json(&found.map_err(|e| plan_error(py, &e))?)
}

/// Returns the bytes and messages that each job of a plan will send, and its calls that send, as
/// JSON, as far as its programs tell.
#[pyfunction]
fn expected_traffic(py: Python<'_>, plan_json: &str) -> PyResult<String> {
    let found = py.detach(|| resolve::parse(plan_json).and_then(|plan| expected_bytes(&plan)));
    json(&found.map_err(|e| plan_error(py, &e))?)
}

/// Writes the operations of a job of a plan to an operation file and returns its facts as JSON.
#[pyfunction]
fn export_operations(py: Python<'_>, plan_json: &str, job: &str, path: &str) -> PyResult<String> {
    let plan = resolve::parse(plan_json).map_err(|e| plan_error(py, &e))?;
    let sink = recorder::create(path)?;
    let written = py.detach(|| export_job(&plan, job, sink));
    recorder::told(&written.map_err(|error| match error {
        ExportError::Plan(fault) => plan_error(py, &fault),
        ExportError::Write { .. } => PyValueError::new_err(error.to_string()),
    })?)
}

fn topology_rows(py: Python<'_>, topology_json: &str) -> PyResult<Vec<links::LinkRow>> {
    let plan: TopologyPlan =
        serde_json::from_str(topology_json).map_err(|e| PyValueError::new_err(e.to_string()))?;
    py.detach(|| links::link_table(&plan)).map_err(|e| plan_error(py, &e))
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
    module.add("PlanError", module.py().get_type::<PlanError>())?;
    module.add("RunError", module.py().get_type::<RunError>())?;
    module.add("FileError", module.py().get_type::<FileError>())?;
    module.add_function(wrap_pyfunction!(resolve_plan, module)?)?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(measure, module)?)?;
    module.add_function(wrap_pyfunction!(cost, module)?)?;
    module.add_function(wrap_pyfunction!(expected_traffic, module)?)?;
    module.add_function(wrap_pyfunction!(threads_worth, module)?)?;
    module.add_function(wrap_pyfunction!(deadlock, module)?)?;
    module.add_function(wrap_pyfunction!(ncptl::ncptl_check, module)?)?;
    module.add_function(wrap_pyfunction!(ncptl::ncptl_explain, module)?)?;
    module.add_function(wrap_pyfunction!(communication, module)?)?;
    module.add_function(wrap_pyfunction!(export_operations, module)?)?;
    module.add_function(wrap_pyfunction!(recorder::operation_file, module)?)?;
    module.add_function(wrap_pyfunction!(recorder::merge_operation_files, module)?)?;
    module.add_class::<recorder::PyRecorder>()?;
    module.add_function(wrap_pyfunction!(link_table, module)?)?;
    module.add_function(wrap_pyfunction!(process_grid, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace_files, module)?)?;
    module.add_function(wrap_pyfunction!(trace::identify_trace, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace_summary, module)?)?;
    module.add_function(wrap_pyfunction!(trace::dumpi_calls, module)?)?;
    module.add_function(wrap_pyfunction!(write_link_table, module)?)
}
