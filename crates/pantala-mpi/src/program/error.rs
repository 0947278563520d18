//! What a program can do wrong, found while it runs.

use pantala_engine::Time;

use crate::collectives::kind::CollectiveKind;
use crate::message::Header;
use crate::program::identifiers::{CommunicatorId, MAX_REQUESTS, Request};
use std::fmt;

/// A rank's program asked for something that cannot be. The rank stops there; other ranks and jobs
/// go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("job {job} rank {rank}: {operation} at {time} ps: {fault}")]
pub struct ProgramError {
    /// The job, as numbered in the plan.
    pub job: u16,
    /// The rank of the job.
    pub rank: u32,
    /// The operation ("send", "allreduce").
    pub operation: &'static str,
    /// When.
    pub time: Time,
    /// What is wrong.
    pub fault: ProgramFault,
}

/// What is wrong with an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramFault {
    /// The rank has no such communicator.
    #[error("there is no communicator {communicator}")]
    UnknownCommunicator {
        /// As asked for.
        communicator: CommunicatorId,
    },
    /// The communicator has no such rank.
    #[error("there is no rank {rank} in a communicator of {size}")]
    RankOutOfRange {
        /// As asked for.
        rank: u32,
        /// The communicator's size.
        size: u32,
    },
    /// The communicator has no such rank to send to or to receive from.
    #[error("there is no rank {peer} in a communicator of {size} ({bytes} bytes, {})", tag_in_words(.tag))]
    NoPeer {
        /// As asked for.
        peer: u32,
        /// The communicator's size.
        size: u32,
        /// The tag; `None` for any.
        tag: Option<i32>,
        /// The message's size, or the room of the receive.
        bytes: u64,
    },
    /// User tags are not negative.
    #[error("the tag {tag} is negative")]
    NegativeTag {
        /// As asked for.
        tag: i32,
    },
    /// The request is still active.
    #[error("request {request} is still active")]
    RequestInUse {
        /// As asked for.
        request: Request,
    },
    /// The request is not active.
    #[error("request {request} is not active")]
    RequestNotActive {
        /// As asked for.
        request: Request,
    },
    /// Requests are numbered below [`MAX_REQUESTS`].
    #[error("request {request} is out of range; requests are numbered from 0 to {}", MAX_REQUESTS - 1)]
    RequestOutOfRange {
        /// As asked for.
        request: Request,
    },
    /// The request does not stand for anything that could be started.
    #[error("request {request} is not persistent")]
    NotPersistent {
        /// As asked for.
        request: Request,
    },
    /// So many tests and probes in a row have found nothing, and no time passes between them.
    #[error(
        "{times} tests in a row have found nothing; time passes only in waits and computations"
    )]
    Polling {
        /// How many.
        times: u32,
    },
    /// The split has what another number of ranks says, or the group has a rank that is not in the
    /// communicator.
    #[error("what is asked for is no part of a communicator of {size}")]
    NoPartition {
        /// The communicator's size.
        size: u32,
    },
    /// Two communicators of the rank would have the same context: give one up before more are made.
    #[error("a communicator of the same context exists")]
    ContextTaken,
    /// The world cannot be given up, nor can a communicator that a collective uses.
    #[error("communicator {communicator} is in use")]
    CommunicatorInUse {
        /// As asked for.
        communicator: CommunicatorId,
    },
    /// A message is longer than the receive that it matches.
    #[error(
        "the message of {bytes} bytes from rank {source} (tag {tag}) does not fit a receive of {room} bytes"
    )]
    Truncated {
        /// The sending rank of the job.
        r#source: u32,
        /// The message's tag.
        tag: i32,
        /// The message's size.
        bytes: u64,
        /// The receive's size.
        room: u64,
    },
    /// A collective has sizes for another number of ranks than there are.
    #[error("sizes for {given} ranks are given to a communicator of {size}")]
    CountsDoNotFit {
        /// How many.
        given: usize,
        /// The communicator's size.
        size: u32,
    },
    /// The ranks of a communicator do not call the same collectives in the same order, or not with
    /// the same root.
    #[error("{}", mismatch_in_words(.mine, .rank, .theirs))]
    Mismatch {
        /// What this rank calls.
        mine: (CollectiveKind, u32),
        /// The other rank of the job.
        rank: u32,
        /// What it calls in its place; the number is the root, 0 where there is none.
        theirs: (CollectiveKind, u32),
    },
    /// An iteration ends that has not started, or starts inside another.
    #[error("iteration marks do not alternate")]
    UnbalancedIteration,
    /// The program has ended and a message is there that it has not received (MPI 4.1, 11.2.3:
    /// before a process finalizes, all that involves it must be complete).
    #[error("the message of {bytes} bytes from rank {source} (tag {tag}) is never received")]
    NotReceived {
        /// The sending rank of the job.
        r#source: u32,
        /// The message's tag.
        tag: i32,
        /// The message's size.
        bytes: u64,
    },
    /// The program has ended and another rank is in a collective that needs it.
    #[error("this rank has ended where rank {rank} calls {}", .kind.name())]
    NotCalled {
        /// The other rank of the job.
        rank: u32,
        /// The collective.
        kind: CollectiveKind,
    },
    /// The program has ended and a request is still active.
    #[error("request {request} is never completed: {what}")]
    NotComplete {
        /// Which.
        request: Request,
        /// What it is for.
        what: Unfinished,
    },
}

/// What an active request is for.
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
        /// Its room.
        bytes: u64,
    },
    /// A collective.
    Collective(CollectiveKind),
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
                write!(f, "a send of {bytes} bytes to rank {destination}, tag {tag}")
            }
            Self::Receive { source, tag, bytes } => {
                write!(f, "a receive of up to {bytes} bytes from ")?;
                let source =
                    source.map_or_else(|| "any rank".to_owned(), |rank| format!("rank {rank}"));
                write!(f, "{source}, {}", tag_in_words(&tag))
            }
            Self::Collective(kind) => f.write_str(kind.non_blocking_name()),
        }
    }
}

impl ProgramFault {
    /// A message of another collective than this rank's, or of another root.
    #[cold]
    pub(crate) fn mismatch(mine: (CollectiveKind, u32), header: &Header) -> Self {
        let kind = CollectiveKind::of_tag(header.tag).unwrap_or(CollectiveKind::Barrier);
        Self::Mismatch { mine, rank: header.source, theirs: (kind, header.instance.root) }
    }
}
