//! Errors of programs, found at run time.

use pantala_engine::{Time, counted};

use crate::collectives::kind::CollectiveKind;
use crate::message::Header;
use crate::program::identifiers::{CommunicatorId, MAX_REQUESTS, Request};
use crate::program::place::{At, Place};
use std::fmt;
use std::sync::Arc;

/// An error of a rank's program. The rank stops; other ranks and jobs continue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("job {job} rank {rank}: {operation}{} at {time} ps: {fault}", At(.place))]
pub struct RankError {
    /// The job's number in the plan.
    pub job: u16,
    /// The rank of the job.
    pub rank: u32,
    /// The operation ("send", "allreduce").
    pub operation: &'static str,
    /// The place of the operation.
    pub place: Option<Place>,
    /// Time of the error, in ps.
    pub time: Time,
    /// The fault of the operation.
    pub fault: OperationFault,
}

/// The fault of an operation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OperationFault {
    /// The rank has no such communicator.
    #[error("there is no communicator {communicator}")]
    UnknownCommunicator {
        /// The number that the operation names.
        communicator: CommunicatorId,
    },
    /// The communicator has no such rank.
    #[error("there is no rank {rank} in a communicator of {size}")]
    RankOutOfRange {
        /// The rank that the operation names.
        rank: u32,
        /// The communicator's size.
        size: u32,
    },
    /// The communicator has no such rank to send to or to receive from.
    #[error("there is no rank {peer} in a communicator of {size} ({}, {})", counted(*.bytes, "byte"), tag_in_words(.tag))]
    NoPeer {
        /// The rank that the operation names.
        peer: u32,
        /// The communicator's size.
        size: u32,
        /// The tag; `None` for any.
        tag: Option<i32>,
        /// The size of the message, or of the receive buffer.
        bytes: u64,
    },
    /// User tags are not negative.
    #[error("the tag {tag} is negative")]
    NegativeTag {
        /// The tag that the operation names.
        tag: i32,
    },
    /// The request is still active.
    #[error("request {request} is still active")]
    RequestInUse {
        /// The request that the operation names.
        request: Request,
    },
    /// The request is not active.
    #[error("request {request} is not active")]
    RequestNotActive {
        /// The request that the operation names.
        request: Request,
    },
    /// Requests are numbered below [`MAX_REQUESTS`].
    #[error("request {request} is out of range; requests are numbered from 0 to {}", MAX_REQUESTS - 1)]
    RequestOutOfRange {
        /// The request that the operation names.
        request: Request,
    },
    /// The request is not persistent.
    #[error("request {request} is not persistent")]
    NotPersistent {
        /// The request that the operation names.
        request: Request,
    },
    /// Too many tests and probes in a row have found nothing. No time passes between them.
    #[error(
        "{times} tests in a row have found nothing; time passes only in waits and computations"
    )]
    Polling {
        /// Number of tests and probes.
        times: u32,
    },
    /// The table of a split has the wrong length, or a group has a rank that is not in the
    /// communicator.
    #[error("the split or group does not fit a communicator of {}", counted((*.size).into(), "rank"))]
    NoPartition {
        /// The communicator's size.
        size: u32,
    },
    /// Two communicators of the rank would have the same context. The program must free one before
    /// it makes more.
    #[error("another communicator of this rank has the same context")]
    ContextTaken,
    /// A program cannot free `COMM_WORLD`, nor a communicator that a collective uses.
    #[error("communicator {communicator} is in use")]
    CommunicatorInUse {
        /// The number that the operation names.
        communicator: CommunicatorId,
    },
    /// A message is longer than the receive that it matches.
    #[error(
        "the message of {} from rank {source} (tag {tag}) does not fit a receive of {}",
        counted(*.bytes, "byte"),
        counted(*.room, "byte")
    )]
    Truncated {
        /// The sending rank of the job.
        r#source: u32,
        /// The message's tag.
        tag: i32,
        /// The message's size.
        bytes: u64,
        /// The size of the receive buffer.
        room: u64,
    },
    /// A collective has sizes for a wrong number of ranks.
    #[error(
        "the call has sizes for {}, the communicator has {}",
        counted(*.given as u64, "rank"),
        counted((*.size).into(), "rank")
    )]
    CountsDoNotFit {
        /// Number of sizes.
        given: usize,
        /// The communicator's size.
        size: u32,
    },
    /// The ranks of a communicator call different collectives, or one collective with different
    /// roots.
    #[error("{}", mismatch_in_words(.mine, .rank, .theirs))]
    Mismatch {
        /// The collective and the root of this rank.
        mine: (CollectiveKind, u32),
        /// The other rank of the job.
        rank: u32,
        /// The collective and the root of the other rank; the root is 0 if there is none.
        theirs: (CollectiveKind, u32),
    },
    /// An iteration ends that has not started, or starts inside another one.
    #[error("iteration marks do not alternate")]
    UnbalancedIteration,
    /// The program has ended, but a message that it has not received is there. MPI 4.1, 11.2.3: all
    /// communication of a process must be complete before it finalizes.
    #[error(
        "the message of {} from rank {source} (tag {tag}) is never received",
        counted(*.bytes, "byte")
    )]
    NotReceived {
        /// The sending rank of the job.
        r#source: u32,
        /// The message's tag.
        tag: i32,
        /// The message's size.
        bytes: u64,
    },
    /// The program has ended, but another rank is in a collective that needs it.
    #[error("this rank has ended, but rank {rank} calls {}", .kind.name())]
    NotCalled {
        /// The other rank of the job.
        rank: u32,
        /// The collective.
        kind: CollectiveKind,
    },
    /// The program cannot go on; see [`Op::Abort`](crate::Op::Abort).
    #[error("{reason}")]
    Aborted {
        /// The reason and its place.
        reason: Arc<str>,
    },
    /// The program has ended, but a request is still active.
    #[error("request {request} is never completed: {what}")]
    NotComplete {
        /// The request.
        request: Request,
        /// The operation of the request.
        what: Unfinished,
    },
}

/// The operation of an active request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// A send.
    Send {
        /// The receiving rank of the job.
        destination: u32,
        /// The tag.
        tag: i32,
        /// The message's size.
        bytes: u64,
    },
    /// A receive.
    Receive {
        /// The sending rank of the job; `None` for any.
        source: Option<u32>,
        /// The tag; `None` for any.
        tag: Option<i32>,
        /// The size of the receive buffer.
        bytes: u64,
    },
    /// A collective.
    Collective(CollectiveKind),
    /// A computation beside the rank.
    Computation,
}

fn tag_in_words(tag: &Option<i32>) -> String {
    tag.map_or_else(|| "any tag".to_owned(), |tag| format!("tag {tag}"))
}

fn mismatch_in_words(
    mine: &(CollectiveKind, u32),
    rank: &u32,
    theirs: &(CollectiveKind, u32),
) -> String {
    let ((kind, here), (their_kind, there)) = (mine, theirs);
    if kind == their_kind {
        format!("this rank calls {} with root {here}, rank {rank} with root {there}", kind.name())
    } else {
        format!("this rank calls {} where rank {rank} calls {}", kind.name(), their_kind.name())
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Send { destination, tag, bytes } => {
                let bytes = counted(bytes, "byte");
                write!(f, "a send of {bytes} to rank {destination}, tag {tag}")
            }
            Self::Receive { source, tag, bytes } => {
                write!(f, "a receive of up to {} from ", counted(bytes, "byte"))?;
                let source =
                    source.map_or_else(|| "any rank".to_owned(), |rank| format!("rank {rank}"));
                write!(f, "{source}, {}", tag_in_words(&tag))
            }
            Self::Collective(kind) => f.write_str(kind.non_blocking_name()),
            Self::Computation => f.write_str("a computation"),
        }
    }
}

impl OperationFault {
    /// The fault that a collective's message shows if its kind or root differs from this rank's.
    #[cold]
    pub(crate) fn mismatch(mine: (CollectiveKind, u32), header: &Header) -> Self {
        let kind = CollectiveKind::of_tag(header.tag).unwrap_or(CollectiveKind::Barrier);
        Self::Mismatch { mine, rank: header.source, theirs: (kind, header.instance.root) }
    }
}
