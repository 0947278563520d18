//! What a program can do wrong, found while it runs.

use std::fmt;

use pantala_engine::Time;

use crate::collectives::CollectiveKind;
use crate::message::Header;
use crate::op::{CommunicatorId, MAX_REQUESTS, Request};

/// A rank's program asked for something that cannot be. The rank stops there; other ranks and jobs go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramFault {
    /// The rank has no such communicator.
    UnknownCommunicator {
        /// As asked for.
        communicator: CommunicatorId,
    },
    /// The communicator has no such rank.
    RankOutOfRange {
        /// As asked for.
        rank: u32,
        /// The communicator's size.
        size: u32,
    },
    /// The communicator has no such rank to send to or to receive from.
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
    NegativeTag {
        /// As asked for.
        tag: i32,
    },
    /// The request is still active.
    RequestInUse {
        /// As asked for.
        request: Request,
    },
    /// The request is not active.
    RequestNotActive {
        /// As asked for.
        request: Request,
    },
    /// Requests are numbered below [`MAX_REQUESTS`].
    RequestOutOfRange {
        /// As asked for.
        request: Request,
    },
    /// The request does not stand for anything that could be started.
    NotPersistent {
        /// As asked for.
        request: Request,
    },
    /// So many tests and probes in a row have found nothing, and no time passes between them.
    Polling {
        /// How many.
        times: u32,
    },
    /// The split has what another number of ranks says, or the group has a rank that is not in the communicator.
    NoPartition {
        /// The communicator's size.
        size: u32,
    },
    /// Two communicators of the rank would have the same context: give one up before more are made.
    ContextTaken,
    /// The world cannot be given up, nor can a communicator that a collective uses.
    CommunicatorInUse {
        /// As asked for.
        communicator: CommunicatorId,
    },
    /// A message is longer than the receive that it matches.
    Truncated {
        /// The sending rank of the job.
        source: u32,
        /// The message's tag.
        tag: i32,
        /// The message's size.
        bytes: u64,
        /// The receive's size.
        room: u64,
    },
    /// A collective has sizes for another number of ranks than there are.
    CountsDoNotFit {
        /// How many.
        given: usize,
        /// The communicator's size.
        size: u32,
    },
    /// The ranks of a communicator do not call the same collectives in the same order, or not with the same root.
    Mismatch {
        /// What this rank calls.
        mine: (CollectiveKind, u32),
        /// The other rank of the job.
        rank: u32,
        /// What it calls in its place; the number is the root, 0 where there is none.
        theirs: (CollectiveKind, u32),
    },
    /// An iteration ends that has not started, or starts inside another.
    UnbalancedIteration,
    /// The program has ended and a message is there that it has not received (MPI 4.1, 11.2.3: before a process finalizes, all
    /// that involves it must be complete).
    NotReceived {
        /// The sending rank of the job.
        source: u32,
        /// The message's tag.
        tag: i32,
        /// The message's size.
        bytes: u64,
    },
    /// The program has ended and another rank is in a collective that needs it.
    NotCalled {
        /// The other rank of the job.
        rank: u32,
        /// The collective.
        kind: CollectiveKind,
    },
    /// The program has ended and a request is still active.
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

fn tag_in_words(tag: Option<i32>) -> String {
    tag.map_or_else(|| "any tag".to_owned(), |tag| format!("tag {tag}"))
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Send { destination, tag, bytes } => {
                write!(f, "a send of {bytes} bytes to rank {destination}, tag {tag}")
            }
            Self::Receive { source, tag, bytes } => {
                write!(f, "a receive of up to {bytes} bytes from ")?;
                let source = source.map_or_else(|| "any rank".to_owned(), |rank| format!("rank {rank}"));
                write!(f, "{source}, {}", tag_in_words(tag))
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
        Self::Mismatch { mine, rank: header.source, theirs: (kind, header.occasion.root) }
    }
}

impl fmt::Display for ProgramFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownCommunicator { communicator } => {
                write!(f, "there is no communicator {communicator}")
            }
            Self::RankOutOfRange { rank, size } => {
                write!(f, "there is no rank {rank} in a communicator of {size}")
            }
            Self::NoPeer { peer, size, tag, bytes } => {
                write!(f, "there is no rank {peer} in a communicator of {size} ({bytes} bytes, {})", tag_in_words(*tag))
            }
            Self::NotReceived { source, tag, bytes } => {
                write!(f, "the message of {bytes} bytes from rank {source} (tag {tag}) is never received")
            }
            Self::NotCalled { rank, kind } => {
                write!(f, "this rank has ended where rank {rank} calls {}", kind.name())
            }
            Self::NotComplete { request, what } => write!(f, "request {request} is never completed: {what}"),
            Self::NegativeTag { tag } => write!(f, "the tag {tag} is negative"),
            Self::RequestInUse { request } => write!(f, "request {request} is still active"),
            Self::RequestNotActive { request } => write!(f, "request {request} is not active"),
            Self::NotPersistent { request } => write!(f, "request {request} is not persistent"),
            Self::Polling { times } => {
                write!(f, "{times} tests in a row have found nothing; time passes only in waits and computations")
            }
            Self::NoPartition { size } => {
                write!(f, "what is asked for is no part of a communicator of {size}")
            }
            Self::ContextTaken => write!(f, "a communicator of the same context exists"),
            Self::CommunicatorInUse { communicator } => write!(f, "communicator {communicator} is in use"),
            Self::RequestOutOfRange { request } => {
                write!(f, "request {request} is out of range; requests are numbered from 0 to {}", MAX_REQUESTS - 1)
            }
            Self::Truncated { source, tag, bytes, room } => {
                write!(
                    f,
                    "the message of {bytes} bytes from rank {source} (tag {tag}) does not fit a receive of {room} bytes"
                )
            }
            Self::CountsDoNotFit { given, size } => {
                write!(f, "sizes for {given} ranks are given to a communicator of {size}")
            }
            Self::Mismatch { mine, rank, theirs } if mine.0 == theirs.0 => {
                let ((kind, here), there) = (mine, theirs.1);
                write!(f, "this rank calls {} with root {here}, rank {rank} with root {there}", kind.name())
            }
            Self::Mismatch { mine, rank, theirs } => {
                write!(f, "this rank calls {} where rank {rank} calls {}", mine.0.name(), theirs.0.name())
            }
            Self::UnbalancedIteration => write!(f, "iteration marks do not alternate"),
        }
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "job {} rank {}: {} at {} ps: {}", self.job, self.rank, self.operation, self.time, self.fault)
    }
}

impl std::error::Error for ProgramError {}

/// A job that a [`crate::World`] cannot take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// The job has no ranks.
    NoRanks,
    /// The world has a job of this number.
    JobExists {
        /// As asked for.
        job: u16,
    },
    /// The world has no NIC of this number.
    UnknownNic {
        /// The rank of the job.
        rank: u32,
        /// As asked for.
        nic: u32,
    },
    /// A communicator of the rank has members outside the job, does not have the rank where it says, or shares its
    /// context with another.
    BadCommunicator {
        /// The rank of the job.
        rank: u32,
        /// Which of its communicators.
        communicator: CommunicatorId,
    },
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRanks => write!(f, "a job needs at least one rank"),
            Self::JobExists { job } => write!(f, "job {job} is there already"),
            Self::UnknownNic { rank, nic } => {
                write!(f, "rank {rank} is on NIC {nic}, which does not exist")
            }
            Self::BadCommunicator { rank, communicator } => write!(
                f,
                "communicator {communicator} of rank {rank} has members outside the job, not the rank itself, or a context that is taken"
            ),
        }
    }
}

impl std::error::Error for SetupError {}
