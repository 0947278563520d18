//! The observer of a running simulation: it reports progress to Python and handles signals.

use pantala_sim::Progress;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::{Duration, Instant};

/// Time between two reports to Python.
const INTERVAL: Duration = Duration::from_millis(200);

/// Calls a Python function about five times a second. It stops the run on Ctrl-C, or if the
/// function raises an exception.
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

    /// Reports progress if it is time, and returns whether the run continues.
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

    /// Returns the exception that stopped the run, if there is one.
    pub(crate) fn result(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}
