//! The operation stream: what every front end (motif, program, trace) yields, one rank at a time.

use pantala_engine::Time;

use crate::accounting::account::CallKind;
use crate::collectives::call::Call;
use crate::communicators::group::{Group, Split};
use crate::program::identifiers::{CommunicatorId, Request, Source, TagSelect};
use crate::program::outcome::Outcome;
use std::sync::Arc;

/// The arguments of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The communicator.
    pub communicator: CommunicatorId,
    /// Destination rank in the communicator.
    pub destination: u32,
    /// Tag, not negative.
    pub tag: i32,
    /// Payload bytes; zero is legal.
    pub bytes: u64,
}

/// The arguments of a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// The communicator.
    pub communicator: CommunicatorId,
    /// Which source.
    pub source: Source,
    /// Which tag.
    pub tag: TagSelect,
    /// Room for this many bytes: a longer message is an error (truncation), a shorter one is not.
    pub bytes: u64,
}

/// One MPI operation of one rank.
///
/// Ranks (`destination`, `source`, roots) are ranks of the communicator that the operation names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Compute for this long (ps).
    Compute(Time),
    /// Blocking send: returns when the send completes (see [`crate::EagerCompletion`] and the
    /// rendezvous).
    Send(Outgoing),
    /// Blocking receive: returns when the message's last byte is there.
    Recv(Incoming),
    /// Start a send.
    Isend(Outgoing, Request),
    /// Start a receive.
    Irecv(Incoming, Request),
    /// Blocking synchronous send: returns when a receive has matched, whatever the size (it goes by
    /// rendezvous).
    Ssend(Outgoing),
    /// Start a synchronous send.
    Issend(Outgoing, Request),
    /// Blocking ready send: as [`Op::Send`], which makes no use of the promise that a receive is
    /// posted, as in MPICH.
    Rsend(Outgoing),
    /// Buffered send: returns at once, whatever the size; the buffer is never short.
    Bsend(Outgoing),
    /// Blocking probe: returns when a message that fits is there to be received; its room does not
    /// matter.
    Probe(Incoming),
    /// Whether a message that fits is there to be received.
    Iprobe(Incoming),
    /// Let a request stand for a send, to be started as often as wanted.
    SendInit(Outgoing, Request),
    /// Let a request stand for a receive.
    RecvInit(Incoming, Request),
    /// Start what a persistent request stands for.
    Start(Request),
    /// Start all persistent requests among `first .. first + count`.
    Startall {
        /// The first request.
        first: Request,
        /// How many.
        count: u32,
    },
    /// Give up a persistent request, which must not be active.
    Free(Request),
    /// Whether a request is complete; if so, it is closed as by [`Op::Wait`].
    Test(Request),
    /// Whether all active requests among these are complete; if so, they are closed.
    Testall {
        /// The first request.
        first: Request,
        /// How many.
        count: u32,
    },
    /// Whether any active request among these is complete; if so, the lowest is closed.
    Testany {
        /// The first request.
        first: Request,
        /// How many.
        count: u32,
    },
    /// Which active requests among these are complete; they are closed.
    Testsome {
        /// The first request.
        first: Request,
        /// How many.
        count: u32,
    },
    /// Wait until any active request among these is complete; the lowest is closed.
    Waitany {
        /// The first request.
        first: Request,
        /// How many.
        count: u32,
    },
    /// Wait until any active request among these is complete; all that are complete are closed.
    Waitsome {
        /// The first request.
        first: Request,
        /// How many.
        count: u32,
    },
    /// Wait for one request, which must be active or stand.
    Wait(Request),
    /// Wait for all active requests among `first .. first + count`; see [`Op::WAITALL`].
    Waitall {
        /// The first request.
        first: Request,
        /// How many requests; slots that are not active are skipped.
        count: u32,
    },
    /// A send and a receive at once; returns when both are complete. `MPI_Sendrecv_replace` is the
    /// same to the network.
    Sendrecv(Outgoing, Incoming),
    /// A collective among the ranks of a communicator; returns when this rank's part is done.
    Collective(CommunicatorId, Call),
    /// Start a collective; the request is complete when this rank's part is done.
    Icollective(CommunicatorId, Call, Request),
    /// Make a communicator of the same ranks.
    CommDup(CommunicatorId),
    /// Make communicators of the ranks of each colour. The simulation moves no data, so every rank
    /// brings what all ranks of the communicator say, in their order; what travels is as much as
    /// MPICH sends.
    CommSplit(CommunicatorId, Arc<[Split]>),
    /// Make a communicator of a group of the communicator's ranks; all its ranks call this, with
    /// the same group.
    CommCreate(CommunicatorId, Group),
    /// Give up a communicator, which no message or request uses any more; its number can be given
    /// again.
    CommFree(CommunicatorId),
    /// An iteration of the application starts (a mark, it takes no time).
    IterationStart,
    /// The iteration ends (a mark, it takes no time).
    IterationEnd,
}

impl Op {
    /// Wait for every active request of the rank.
    pub const WAITALL: Self = Self::Waitall { first: 0, count: u32::MAX };

    /// Whether it is a call of MPI: all but computing and marks.
    pub(crate) const fn is_call(&self) -> bool {
        !matches!(self, Self::Compute(_) | Self::IterationStart | Self::IterationEnd)
    }

    /// The message that the operation sends by itself; a persistent request is named where it is
    /// started, and a collective's messages are its algorithm's.
    #[must_use]
    pub const fn sent(&self) -> Option<&Outgoing> {
        match self {
            Self::Send(outgoing)
            | Self::Isend(outgoing, _)
            | Self::Sendrecv(outgoing, _)
            | Self::Ssend(outgoing)
            | Self::Issend(outgoing, _)
            | Self::Rsend(outgoing)
            | Self::Bsend(outgoing) => Some(outgoing),
            _ => None,
        }
    }

    /// The kind of call, for accounts.
    pub(crate) const fn call_kind(&self) -> CallKind {
        match self {
            Self::Recv(_)
            | Self::Irecv(..)
            | Self::Sendrecv(..)
            | Self::Probe(_)
            | Self::Iprobe(_) => CallKind::Recv,
            Self::Collective(..)
            | Self::Icollective(..)
            | Self::CommDup(_)
            | Self::CommSplit(..)
            | Self::CommCreate(..) => CallKind::Collective,
            Self::Wait(_)
            | Self::Waitall { .. }
            | Self::Waitany { .. }
            | Self::Waitsome { .. }
            | Self::Test(_)
            | Self::Testall { .. }
            | Self::Testany { .. }
            | Self::Testsome { .. } => CallKind::Wait,
            _ => CallKind::Send,
        }
    }

    /// The operation's name, for messages to people.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Compute(_) => "compute",
            Self::Send(_) => "send",
            Self::Recv(_) => "recv",
            Self::Isend(..) => "isend",
            Self::Irecv(..) => "irecv",
            Self::Wait(_) => "wait",
            Self::Waitall { .. } => "waitall",
            Self::Sendrecv(..) => "sendrecv",
            Self::Collective(_, call) => call.kind().name(),
            Self::Icollective(_, call, _) => call.kind().non_blocking_name(),
            Self::Ssend(_) => "ssend",
            Self::Issend(..) => "issend",
            Self::Rsend(_) => "rsend",
            Self::Bsend(_) => "bsend",
            Self::Probe(_) => "probe",
            Self::Iprobe(_) => "iprobe",
            Self::SendInit(..) => "send_init",
            Self::RecvInit(..) => "recv_init",
            Self::Start(_) => "start",
            Self::Startall { .. } => "startall",
            Self::Free(_) => "request_free",
            Self::Test(_) => "test",
            Self::Testall { .. } => "testall",
            Self::Testany { .. } => "testany",
            Self::Testsome { .. } => "testsome",
            Self::Waitany { .. } => "waitany",
            Self::Waitsome { .. } => "waitsome",
            Self::CommDup(_) => "comm_dup",
            Self::CommSplit(..) => "comm_split",
            Self::CommCreate(..) => "comm_create",
            Self::CommFree(_) => "comm_free",
            Self::IterationStart => "iteration start",
            Self::IterationEnd => "iteration end",
        }
    }
}

/// The program of one rank: a lazy stream of operations.
///
/// [`next`](Self::next) is called when the previous operation has completed (or, for those that
/// return at once, has started), so a program holds its position, never its history: memory does
/// not grow with iterations.
pub trait Program {
    /// The next operation; `None` when the program has ended. `outcome` is what the last one has
    /// come to.
    fn next(&mut self, outcome: &Outcome) -> Option<Op>;

    /// All that the program will do: operations, each with how often, in any order; `None` if it
    /// cannot be told. What moves no payload (compute, waits, receives, marks) may be left out.
    /// PendingOutcome once, before the first operation; for progress displays only, so it need not be exact.
    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        None
    }
}
