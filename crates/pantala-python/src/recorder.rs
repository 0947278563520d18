//! The recorder of Python programs, and operation files. `pantala.programs` documents them.

use crate::json::json;
use pantala_frontends::operations::recorder::{LAST, Message, NewCommunicator, SendMode, call_of};
use pantala_frontends::operations::{
    Checked, Contents, FileFault, Iterations, Recorder, Written, agreement, merge, summary,
};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Sink = BufWriter<File>;

/// Creates a file to write.
pub(crate) fn create(path: &str) -> PyResult<Sink> {
    let file = File::create(path).map_err(|e| PyOSError::new_err(format!("{path}: {e}")))?;
    Ok(BufWriter::with_capacity(1 << 18, file))
}

/// A finished file as JSON.
pub(crate) fn told(written: &Written) -> PyResult<String> {
    let Written { hash, operations, records, bytes, iterations } = written;
    json(&serde_json::json!({
        "hash": hash, "operations": operations, "records": records, "bytes": bytes,
        "iterations": iterations,
    }))
}

fn fault(text: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(text.to_string())
}

/// Which end of a message a call is. Only a receive may leave rank or tag open, by -1.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Send,
    Receive,
}

const ANY: i64 = -1;

/// The other rank of a message; `None` for any.
fn peer(number: i64, end: End) -> PyResult<Option<u32>> {
    if number == ANY && end == End::Receive {
        return Ok(None);
    }
    let no_rank = || fault(format!("there is no rank {number}; give one from 0 on, or PROC_NULL"));
    u32::try_from(number).map(Some).map_err(|_| no_rank())
}

/// The tag of a message; `None` for any.
fn tag(number: i64, end: End) -> PyResult<Option<i32>> {
    if number == ANY && end == End::Receive {
        return Ok(None);
    }
    let tag = i32::try_from(number).ok().filter(|tag| *tag >= 0);
    let no_tag = || fault(format!("there is no tag {number}; give one from 0 to {}", i32::MAX));
    tag.map(Some).ok_or_else(no_tag)
}

fn message(communicator: u16, (to, label, bytes): (i64, i64, u64), end: End) -> PyResult<Message> {
    Ok(Message { communicator, peer: peer(to, end)?, tag: tag(label, end)?, bytes })
}

type Made = Option<(u16, u32, u32)>;

fn made(new: Option<NewCommunicator>) -> Made {
    new.map(|new| (new.id, new.rank, new.size))
}

/// Records the calls of all ranks of a program.
#[pyclass(name = "Recorder")]
pub(crate) struct PyRecorder(Option<Recorder<Sink>>);

impl PyRecorder {
    fn inner(&mut self) -> PyResult<&mut Recorder<Sink>> {
        self.0.as_mut().ok_or_else(|| fault("the recording is over"))
    }
}

#[pymethods]
impl PyRecorder {
    /// The text of the fault of an operation at which a rank ends.
    #[classattr]
    const LAST: &str = LAST;

    #[new]
    fn new(path: &str, ranks: u32, operations_limit: u64) -> PyResult<Self> {
        let recorder = Recorder::new(create(path)?, ranks, operations_limit).map_err(fault)?;
        Ok(Self(Some(recorder)))
    }

    fn end_at(&mut self, rank: u32, operation: u64) -> PyResult<()> {
        self.inner()?.end_at(rank, operation);
        Ok(())
    }

    fn compute(&mut self, rank: u32, time: u64) -> PyResult<()> {
        self.inner()?.compute(rank, time).map_err(fault)
    }

    fn icompute(&mut self, rank: u32, time: u64) -> PyResult<u64> {
        self.inner()?.icompute(rank, time).map_err(fault)
    }

    #[pyo3(signature = (rank, phase))]
    fn start_iteration(&mut self, rank: u32, phase: Option<&str>) -> PyResult<()> {
        self.inner()?.start_iteration(rank, phase).map_err(fault)
    }

    fn end_iteration(&mut self, rank: u32) -> PyResult<()> {
        self.inner()?.end_iteration(rank).map_err(fault)
    }

    /// A blocking send. The mode is s (standard), y (synchronous), r (ready) or b (buffered).
    fn send(
        &mut self,
        rank: u32,
        mode: char,
        communicator: u16,
        peer: i64,
        tag: i64,
        bytes: u64,
    ) -> PyResult<()> {
        let mode = match mode {
            'y' => SendMode::Synchronous,
            'r' => SendMode::Ready,
            'b' => SendMode::Buffered,
            _ => SendMode::Standard,
        };
        let message = message(communicator, (peer, tag, bytes), End::Send)?;
        self.inner()?.send(rank, mode, &message).map_err(fault)
    }

    fn isend(
        &mut self,
        rank: u32,
        synchronous: bool,
        communicator: u16,
        peer: i64,
        tag: i64,
        bytes: u64,
    ) -> PyResult<u64> {
        let message = message(communicator, (peer, tag, bytes), End::Send)?;
        self.inner()?.isend(rank, synchronous, &message).map_err(fault)
    }

    fn recv(
        &mut self,
        rank: u32,
        communicator: u16,
        peer: i64,
        tag: i64,
        bytes: u64,
    ) -> PyResult<()> {
        let message = message(communicator, (peer, tag, bytes), End::Receive)?;
        self.inner()?.recv(rank, &message).map_err(fault)
    }

    fn irecv(
        &mut self,
        rank: u32,
        communicator: u16,
        peer: i64,
        tag: i64,
        bytes: u64,
    ) -> PyResult<u64> {
        let message = message(communicator, (peer, tag, bytes), End::Receive)?;
        self.inner()?.irecv(rank, &message).map_err(fault)
    }

    fn sendrecv(
        &mut self,
        rank: u32,
        communicator: u16,
        send: (i64, i64, u64),
        receive: (i64, i64, u64),
    ) -> PyResult<()> {
        let send = message(communicator, send, End::Send)?;
        let receive = message(communicator, receive, End::Receive)?;
        self.inner()?.sendrecv(rank, &send, &receive).map_err(fault)
    }

    fn init(
        &mut self,
        rank: u32,
        sends: bool,
        communicator: u16,
        peer: i64,
        tag: i64,
        bytes: u64,
    ) -> PyResult<u64> {
        let end = if sends { End::Send } else { End::Receive };
        let message = message(communicator, (peer, tag, bytes), end)?;
        self.inner()?.init(rank, sends, &message).map_err(fault)
    }

    fn start(&mut self, rank: u32, handle: u64) -> PyResult<()> {
        self.inner()?.start(rank, handle).map_err(fault)
    }

    fn free_request(&mut self, rank: u32, handle: u64) -> PyResult<()> {
        self.inner()?.free_request(rank, handle).map_err(fault)
    }

    fn wait(&mut self, rank: u32, handle: u64) -> PyResult<()> {
        self.inner()?.wait(rank, handle).map_err(fault)
    }

    #[expect(clippy::needless_pass_by_value, reason = "Python gives a list")]
    fn wait_for(&mut self, rank: u32, handles: Vec<u64>) -> PyResult<()> {
        self.inner()?.wait_for(rank, &handles).map_err(fault)
    }

    fn wait_for_all(&mut self, rank: u32) -> PyResult<()> {
        self.inner()?.wait_for_all(rank).map_err(fault)
    }

    #[expect(clippy::too_many_arguments, reason = "those of MPI")]
    #[expect(clippy::needless_pass_by_value, reason = "Python gives lists")]
    fn collective(
        &mut self,
        rank: u32,
        communicator: u16,
        name: &str,
        root: i64,
        bytes: Vec<u64>,
        received: Vec<u64>,
        blocking: bool,
    ) -> PyResult<Option<u64>> {
        let no_root = |_| fault(format!("there is no rank {root}; give a root from 0 on"));
        let root = u32::try_from(root).map_err(no_root)?;
        let call = call_of(name, root, &bytes, &received)
            .ok_or_else(|| fault(format!("there is no collective {name}")))?;
        self.inner()?.collective(rank, communicator, call, blocking).map_err(fault)
    }

    fn duplicate(&mut self, rank: u32, communicator: u16) -> PyResult<Made> {
        self.inner()?.duplicate(rank, communicator).map(made).map_err(fault)
    }

    fn create_of_first(&mut self, rank: u32, communicator: u16, size: u32) -> PyResult<Made> {
        self.inner()?.create_of_first(rank, communicator, size).map(made).map_err(fault)
    }

    #[pyo3(signature = (rank, communicator, color, key))]
    fn call_split(
        &mut self,
        rank: u32,
        communicator: u16,
        color: Option<i64>,
        key: i32,
    ) -> PyResult<usize> {
        let no_color = |number: i64| {
            let most = u32::MAX - 1;
            fault(format!("there is no color {number}; give one from 0 to {most}, or None"))
        };
        let color =
            color.map(|number| u32::try_from(number).map_err(|_| no_color(number))).transpose()?;
        let recorder = self.inner()?;
        let number = recorder.call_split(rank, communicator, color, key).map_err(fault)?;
        recorder.park(rank).map(|()| number).map_err(fault)
    }

    fn split_is_complete(&mut self, rank: u32, communicator: u16, number: usize) -> PyResult<bool> {
        Ok(self.inner()?.split_is_complete(rank, communicator, number))
    }

    fn finish_split(&mut self, rank: u32, communicator: u16, number: usize) -> PyResult<Made> {
        self.inner()?.finish_split(rank, communicator, number).map(made).map_err(fault)
    }

    fn free(&mut self, rank: u32, communicator: u16) -> PyResult<()> {
        self.inner()?.free(rank, communicator).map_err(fault)
    }

    fn end(&mut self, rank: u32) -> PyResult<()> {
        self.inner()?.end(rank).map_err(fault)
    }

    /// Ends the recording and returns the file as JSON: hash, operations, records, bytes.
    fn finish(&mut self) -> PyResult<String> {
        let recorder = self.0.take().ok_or_else(|| fault("the recording is over"))?;
        told(&recorder.finish().map_err(fault)?)
    }
}

/// Opens an operation file, checks all of it, and returns its facts as JSON. `calls_checked` tells
/// whether the calls of all ranks have been compared: those of a very large file are not.
#[pyfunction]
pub(crate) fn operation_file(py: Python<'_>, path: &str) -> PyResult<String> {
    let checked = || {
        let contents = Arc::new(Contents::open(Path::new(path))?);
        let whole = contents.ranks() == (0..contents.job_ranks());
        let calls_checked = whole && agreement(&contents)? == Checked::Fit;
        Ok((contents, calls_checked))
    };
    let (contents, calls_checked) =
        py.detach(checked).map_err(|e: FileFault| fault(format!("{e}; {}", e.remedy())))?;
    json(&serde_json::json!({
        "hash": contents.hash(),
        "job_ranks": contents.job_ranks(),
        "first_rank": contents.ranks().start,
        "ranks": contents.ranks().len(),
        "operations": contents.operations(),
        "records": contents.records(),
        "calls_checked": calls_checked,
        "notes": contents.notes(),
    }))
}

/// Returns the summary of an operation file as JSON.
#[pyfunction]
pub(crate) fn operation_file_summary(py: Python<'_>, path: &str) -> PyResult<String> {
    let summarized = || {
        let contents = Arc::new(Contents::open(Path::new(path))?);
        Ok(summary(&contents, std::fs::metadata(path)?.len()))
    };
    let found = py.detach(summarized);
    json(&found.map_err(|e: FileFault| fault(format!("{e}; {}", e.remedy())))?)
}

/// Merges operation files of some ranks each into one of the whole job. `find_iterations` says
/// whether the loop of all ranks is looked for.
#[pyfunction]
pub(crate) fn merge_operation_files(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    path: &str,
    find_iterations: bool,
    notes: Vec<String>,
) -> PyResult<String> {
    let sink = create(path)?;
    let iterations = if find_iterations { Iterations::Found } else { Iterations::Kept };
    told(&py.detach(|| merge(&paths, iterations, &notes, sink)).map_err(fault)?)
}
