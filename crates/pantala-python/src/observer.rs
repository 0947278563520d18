//! While the core runs: progress for Python, and Python's signals.

use pantala_sim::Progress;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::{Duration, Instant};

/// How often Python hears of a run.
const INTERVAL: Duration = Duration::from_millis(200);

/// Calls a Python function about five times a second, and stops the run on Ctrl-C or when the
/// function raises.
pub(crate) struct Observer {
    callback: Option<Py<PyAny>>,
    started: Instant,
    last: Instant,
    raised: Option<PyErr>,
}

impl Observer {
    pub(crate) fn new(callback: Option<Py<PyAny>>) -> Self {
        let now = Instant::now();
        Self { callback, started: now, last: now, raised: None }
    }

    /// Whether the run shall go on.
    pub(crate) fn observe(&mut self, progress: &Progress) -> bool {
        if self.last.elapsed() < INTERVAL {
            return true;
        }
        self.last = Instant::now();
        let wall = self.started.elapsed().as_secs_f64();
        let result = Python::attach(|py| {
            py.check_signals()?;
            let Some(callback) = &self.callback else { return Ok(()) };
            let dict = PyDict::new(py);
            dict.set_item("simulated_ns", progress.now as f64 / 1_000.0)?;
            dict.set_item("packets_delivered", progress.packets_delivered)?;
            dict.set_item("packet_hops", progress.packet_hops)?;
            dict.set_item("wall_seconds", wall)?;
            dict.set_item("ranks_done", progress.ranks_done)?;
            dict.set_item("ranks", progress.ranks)?;
            dict.set_item("fraction", progress.fraction)?;
            callback.call1(py, (dict,)).map(|_| ())
        });
        match result {
            Ok(()) => true,
            Err(error) => {
                self.raised = Some(error);
                false
            }
        }
    }

    /// What stopped the run, if Python did.
    pub(crate) fn result(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}
