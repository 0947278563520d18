//! The handle on a resolved plan: what Python runs, measures and asks.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use pantala_sim::plan::Plan;
use pantala_sim::plan::expected_traffic::of_jobs as expected_traffic;
use pantala_sim::plan::resolve::{self, Resolved};
use pantala_sim::run::document;
use pantala_sim::run::measure::{Measurement, whole_run};
use pantala_sim::run::threads;
use pantala_sim::{End, PlanError, Simulation};
use pyo3::exceptions::{PyKeyError, PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{SimulationError, plan_error, write_error};
use crate::json::json;
use crate::observer::Observer;
use crate::provenance;

/// A resolved plan, or a change of one. A change is checked when it is run or measured, without
/// resolving again what it shares with the plan that it was made of.
#[pyclass(name = "Plan", frozen)]
pub(crate) struct PyPlan {
    resolved: Arc<Resolved>,
    changed: Option<Plan>,
}

impl PyPlan {
    fn plan(&self) -> &Plan {
        self.changed.as_ref().unwrap_or(&self.resolved.plan)
    }

    fn change(&self, plan: Plan) -> Self {
        Self { resolved: Arc::clone(&self.resolved), changed: Some(plan) }
    }

    fn resolved(&self) -> Result<Resolved, PlanError> {
        match &self.changed {
            None => Ok(Resolved::clone(&self.resolved)),
            Some(plan) => self.resolved.resolve_changed(plan.clone()),
        }
    }

    fn simulation(&self, threads: u32) -> Result<Simulation, PlanError> {
        Simulation::of(self.resolved()?, 0, threads)
    }
}

#[pymethods]
impl PyPlan {
    #[new]
    fn new(py: Python<'_>, text: &str) -> PyResult<Self> {
        let resolved = py.detach(|| resolve::parse(text).and_then(resolve::resolve));
        let resolved = resolved.map_err(|e| plan_error(&e))?;
        Ok(Self { resolved: Arc::new(resolved), changed: None })
    }

    /// Resolves a plan, without making again what it shares with this one.
    fn like(&self, py: Python<'_>, text: &str) -> PyResult<Self> {
        let resolved =
            py.detach(|| resolve::parse(text).and_then(|plan| self.resolved.resolve_changed(plan)));
        let resolved = resolved.map_err(|e| plan_error(&e))?;
        Ok(Self { resolved: Arc::new(resolved), changed: None })
    }

    /// The plan as JSON.
    fn json(&self) -> PyResult<String> {
        json(self.plan())
    }

    /// Some of the jobs, on their nodes and with the plan's seed.
    #[expect(clippy::needless_pass_by_value, reason = "Python gives a list")]
    fn subset(&self, jobs: Vec<String>, part: &str) -> Self {
        self.change(self.plan().subset(&jobs, part))
    }

    /// The plan with other tables at its top. Jobs keep their nodes.
    fn with_(&self, tables: &str) -> PyResult<Self> {
        let fault = |e: serde_json::Error| PyValueError::new_err(e.to_string());
        let tables: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(tables).map_err(fault)?;
        let mut plan = serde_json::to_value(self.plan()).map_err(fault)?;
        for (key, table) in tables {
            plan[key] = table;
        }
        let plan = resolve::parse(&plan.to_string()).map_err(|e| plan_error(&e))?;
        Ok(self.change(plan))
    }

    /// The node of each rank of a job.
    fn nodes(&self, job: &str) -> PyResult<Vec<u32>> {
        let found = self.plan().jobs.iter().find(|other| other.name == job);
        found.map(|job| job.node_of_rank()).ok_or_else(|| PyKeyError::new_err(job.to_owned()))
    }

    /// What each job will send, as JSON, as far as its programs tell.
    fn expected_traffic(&self, py: Python<'_>) -> PyResult<String> {
        json(&py.detach(|| expected_traffic(self.plan())).map_err(|e| plan_error(&e))?)
    }

    /// The number of threads that pay on this many idle processors.
    fn threads_worth(&self, py: Python<'_>, processors: u32) -> PyResult<u32> {
        py.detach(|| threads::worth(self.plan(), processors)).map_err(|e| plan_error(&e))
    }

    /// Runs the plan, writes its run directory and returns run.json. After the plan's duration it
    /// calls `extend` with what the run has done so far. `extend` returns a longer duration, or None
    /// to end the run.
    #[pyo3(signature = (directory, threads=1, progress=None, extend=None))]
    fn run(
        &self,
        py: Python<'_>,
        directory: PathBuf,
        threads: u32,
        progress: Option<Py<PyAny>>,
        extend: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let clock = provenance::Clock::start(py)?;
        let simulation = py.detach(|| self.simulation(threads));
        let mut simulation = simulation.map_err(|e| plan_error(&e))?;
        simulation.write_to(Path::new(&directory)).map_err(|e| write_error(&e))?;
        let (setup_seconds, setup_cpu) = (clock.wall(), clock.cpu(py)?);
        let running = provenance::Clock::start(py)?;
        let mut observer = Observer::new(progress);
        let end = loop {
            let end = py.detach(|| simulation.run(|p| observer.observe(p)));
            let (End::Duration, Some(extend)) = (&end, &extend) else { break end };
            let done = PyDict::new(py);
            let delivered: Vec<Vec<(u64, u64)>> = simulation.delivered().collect();
            done.set_item("delivered", delivered)?;
            done.set_item("packets_delivered", simulation.network.totals().packets_delivered)?;
            done.set_item("packets_in_flight", simulation.network.packets_in_flight())?;
            done.set_item("setup_seconds", setup_cpu)?;
            let Some(duration) = extend.call1(py, (done,))?.extract(py)? else { break end };
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
            Some(diagnosis) => Err(SimulationError::new_err((diagnosis.clone(), directory))),
            None if end.planned() => json(&document),
            None => Err(PyKeyboardInterrupt::new_err(())),
        }
    }

    /// Measures one point of a curve and returns it as JSON.
    #[pyo3(signature = (warmup_ps, measure_ps, timeline_ps=0, drain=false, threads=1, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "those of Python, all named there")]
    fn measure(
        &self,
        py: Python<'_>,
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
                let resolved = self.resolved()?;
                let of = Measurement::of(resolved, warmup_ps, measure_ps, timeline_ps, threads)?;
                Ok(if drain { of.draining() } else { of })
            })
            .map_err(|e: PlanError| plan_error(&e))?;
        let setup_seconds = started.elapsed().as_secs_f64();
        let running = provenance::Clock::start(py)?;
        let mut observer = Observer::new(progress);
        let point = py.detach(|| measurement.run(|p| observer.observe(p)));
        let (wall, cpu) = (running.wall(), running.cpu(py)?);
        observer.result()?;
        let Some(point) = point.map_err(SimulationError::new_err)? else {
            return Err(PyKeyboardInterrupt::new_err(()));
        };
        with_times(py, &point, point.bench.packet_hops, setup_seconds, wall, cpu)
    }

    /// Runs the plan without writing files, and returns its results and cost as JSON.
    #[pyo3(signature = (threads=1, progress=None))]
    fn cost(&self, py: Python<'_>, threads: u32, progress: Option<Py<PyAny>>) -> PyResult<String> {
        let started = Instant::now();
        let simulation = py.detach(|| self.simulation(threads));
        let mut simulation = simulation.map_err(|e| plan_error(&e))?;
        let setup_seconds = started.elapsed().as_secs_f64();
        let running = provenance::Clock::start(py)?;
        let mut observer = Observer::new(progress);
        let end = py.detach(|| simulation.run(|p| observer.observe(p)));
        let (wall, cpu) = (running.wall(), running.cpu(py)?);
        observer.result()?;
        if let Some(diagnosis) = end.diagnosis() {
            return Err(SimulationError::new_err(diagnosis.to_owned()));
        }
        if !end.planned() {
            return Err(PyKeyboardInterrupt::new_err(()));
        }
        let whole = py.detach(|| whole_run(simulation)).map_err(|e| write_error(&e))?;
        with_times(py, &whole, whole.bench.packet_hops, setup_seconds, wall, cpu)
    }
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
