//! The provenance in run.json: host, time, speed and memory of a run.

use pantala_sim::Simulation;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Wall-clock and processor time since a start.
pub(crate) struct Clock {
    wall: Instant,
    cpu: f64,
    started: SystemTime,
}

/// Returns the processor time of all threads of the process.
fn process_time(py: Python<'_>) -> PyResult<f64> {
    py.import("time")?.call_method0("process_time")?.extract()
}

/// Returns the peak memory of the process.
pub(crate) fn peak_rss_bytes(py: Python<'_>) -> PyResult<u64> {
    let resource = py.import("resource")?;
    let usage = resource.call_method1("getrusage", (resource.getattr("RUSAGE_SELF")?,))?;
    // Linux counts in KiB.
    Ok(usage.getattr("ru_maxrss")?.extract::<u64>()? * 1_024)
}

impl Clock {
    pub(crate) fn start(py: Python<'_>) -> PyResult<Self> {
        Ok(Self { wall: Instant::now(), cpu: process_time(py)?, started: SystemTime::now() })
    }

    /// Returns the seconds since the start.
    pub(crate) fn wall(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }

    /// Returns the seconds of processor time since the start.
    pub(crate) fn cpu(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(process_time(py)? - self.cpu)
    }

    /// Returns the `provenance` of a run that has just ended.
    pub(crate) fn provenance(
        &self,
        py: Python<'_>,
        setup_seconds: f64,
        simulation: &Simulation,
    ) -> PyResult<Value> {
        let totals = simulation.network.totals();
        let (wall, cpu) = (self.wall(), self.cpu(py)?);
        let platform = py.import("platform")?;
        let text = |name: &str| -> PyResult<String> { platform.call_method0(name)?.extract() };
        let started = self.started.duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64());
        let started: String = py
            .import("datetime")?
            .getattr("datetime")?
            .call_method1("fromtimestamp", (started, py.import("datetime")?.getattr("UTC")?))?
            .call_method1("isoformat", ("T", "seconds"))?
            .extract()?;
        Ok(json!({
            "host": text("node")?,
            "machine": text("platform")?,
            "python": text("python_version")?,
            "rustc": env!("PANTALA_RUSTC"),
            "git": option_env!("PANTALA_GIT"),
            "started": started,
            "threads": simulation.network.partitions(),
            "events": totals.events,
            "setup_seconds": setup_seconds,
            "wall_seconds": wall,
            "cpu_seconds": cpu,
            "packet_hops_per_cpu_second": totals.packet_hops as f64 / cpu.max(1e-9),
            "peak_rss_bytes": peak_rss_bytes(py)?,
        }))
    }
}
