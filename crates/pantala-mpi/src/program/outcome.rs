//! What an operation has come to: what a program is told when it is asked for the next one.

use pantala_engine::Time;

use crate::message::Header;
use crate::program::identifiers::{CommunicatorId, Request};

/// A message that has been received or probed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The sending rank of the communicator.
    pub source: u32,
    /// Its tag.
    pub tag: i32,
    /// Its size; of a receive, at most the room that it had.
    pub bytes: u64,
}

/// A request that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Which.
    pub request: Request,
    /// What it has received; `None` if it was no receive.
    pub status: Option<Status>,
}

/// What the last operation of a program has come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// It is done, and there is nothing to say of it. So it is before the first operation.
    #[default]
    Done,
    /// A receive (recv, sendrecv, a wait for one receive or its successful test) has this message;
    /// a probe has found it.
    Received(Status),
    /// A test or iprobe has found nothing.
    NotYet,
    /// These requests are complete (waitany, waitsome, testany, testsome) and can be used again.
    /// Empty if none was active.
    Completed(Vec<Completion>),
    /// This communicator is there now; `None` if the rank is not in it.
    Communicator(Option<CommunicatorId>),
}

/// A message as it has come, in the words of the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    pub(crate) bytes: u64,
    /// The sending rank of the job.
    pub(crate) source: u32,
    /// The context on the wire.
    pub(crate) context: u32,
    pub(crate) tag: i32,
    /// How long its rank is busy with it before the call that it completes returns.
    pub(crate) work: Time,
}

impl Arrived {
    pub(crate) const fn of(header: &Header) -> Self {
        let Header { bytes, source, context, tag, .. } = *header;
        Self { bytes, source, context, tag, work: 0 }
    }
}
