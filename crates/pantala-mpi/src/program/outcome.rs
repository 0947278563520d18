//! The outcome of an operation, which a program gets with the request for its next operation.

use pantala_engine::Time;

use crate::message::Header;
use crate::program::identifiers::{CommunicatorId, Request};

/// A message that was received or found by a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The sending rank of the communicator.
    pub source: u32,
    /// The message's tag.
    pub tag: i32,
    /// Size of the message in bytes, at most the size of the receive buffer.
    pub bytes: u64,
}

/// A request that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The request.
    pub request: Request,
    /// The message that it has received; `None` if the request was no receive.
    pub status: Option<Status>,
}

/// The outcome of a program's last operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// The operation is done and has no result. Also the outcome before the first operation.
    #[default]
    Done,
    /// A receive has this message, or a probe has found it. Receives are recv, sendrecv, and a wait
    /// or successful test for one receive.
    Received(Status),
    /// A test or iprobe has found nothing.
    NotYet,
    /// These requests are complete and can be reused (waitany, waitsome, testany, testsome). Empty
    /// if none was active.
    Completed(Vec<Completion>),
    /// The new communicator; `None` if the rank is not in it.
    Communicator(Option<CommunicatorId>),
    /// The value that went along with a collective. After a reduce, only that of the root has a
    /// meaning.
    Value(u64),
}

/// A message that has arrived, in ranks of the job and contexts of the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    pub(crate) bytes: u64,
    /// The sending rank of the job.
    pub(crate) source: u32,
    /// The context on the wire.
    pub(crate) context: u32,
    pub(crate) tag: i32,
    /// The time for which its rank is busy with it before the completed call returns, in ps.
    pub(crate) work: Time,
}

impl Arrived {
    pub(crate) const fn of(header: &Header) -> Self {
        let Header { bytes, source, context, tag, .. } = *header;
        Self { bytes, source, context, tag, work: 0 }
    }
}
