//! The operation stream of a rank, which every source of programs yields: motifs, operation lists
//! and front ends.

use pantala_engine::{NEVER, Time};

use crate::accounting::rank_totals::CallKind;
use crate::collectives::call::Call;
use crate::communicators::group::{Group, Split};
use crate::program::identifiers::{CommunicatorId, Request, Source, TagSelect};
use crate::program::iteration_mark::IterationMark;
use crate::program::outcome::Outcome;
use crate::program::place::Place;
use crate::program::value::Contribution;
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
    /// The source that the receive accepts.
    pub source: Source,
    /// The tag that the receive accepts.
    pub tag: TagSelect,
    /// Size of the receive buffer. A longer message is an error (truncation), a shorter one is not.
    pub bytes: u64,
}

/// A wait or a test over a set of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetCall {
    /// Wait for all.
    Waitall,
    /// Wait for any, and close the first complete one in the set's order.
    Waitany,
    /// Wait for any, and close all complete ones.
    Waitsome,
    /// Tell whether all are complete. If so, close them.
    Testall,
    /// Tell whether any is complete. If so, close the first one in the set's order.
    Testany,
    /// Tell which are complete, and close them.
    Testsome,
}

/// One MPI operation of one rank.
///
/// `destination`, `source` and roots are ranks of the communicator that the operation names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Compute for this time, in ps.
    Compute(Time),
    /// Start a computation of this time, in ps, beside the rank: on another processor or a device.
    /// The rank continues at once; the request is complete when the time is over. Any number of
    /// computations run at the same time.
    Icompute(Time, Request),
    /// Blocking send. Returns when the send is complete (see [`crate::EagerCompletion`]).
    Send(Outgoing),
    /// Blocking receive. Returns when the last byte of the message has arrived.
    Recv(Incoming),
    /// Start a send.
    Isend(Outgoing, Request),
    /// Start a receive.
    Irecv(Incoming, Request),
    /// Blocking synchronous send. Returns when a receive has matched. The message uses the
    /// rendezvous protocol at any size.
    Ssend(Outgoing),
    /// Start a synchronous send.
    Issend(Outgoing, Request),
    /// Blocking ready send. As in MPICH, it equals [`Op::Send`].
    Rsend(Outgoing),
    /// Buffered send. Returns at once at any size; the buffer is unlimited.
    Bsend(Outgoing),
    /// Blocking one-sided send, which does not wait for its receive: the message uses the eager
    /// protocol at any size.
    /// A message above the eager threshold is not copied, and completes when its last packet has
    /// left the NIC. It is the send of Chakra's graphs, after ASTRA-sim.
    Post(Outgoing),
    /// Start a one-sided send.
    Ipost(Outgoing, Request),
    /// Blocking probe. Returns when a matching message has arrived. The size of the receive buffer
    /// does not matter.
    Probe(Incoming),
    /// Non-blocking probe: tells whether a matching message has arrived.
    Iprobe(Incoming),
    /// Make a persistent send request.
    SendInit(Outgoing, Request),
    /// Make a persistent receive request.
    RecvInit(Incoming, Request),
    /// Start a persistent request.
    Start(Request),
    /// Start all persistent requests among `first .. first + count`.
    Startall {
        /// The first request.
        first: Request,
        /// Number of requests.
        count: u32,
    },
    /// Free a persistent request, which must not be active.
    Free(Request),
    /// Tell whether a request is complete. If so, close it as [`Op::Wait`] does.
    Test(Request),
    /// Tell whether all active requests among these are complete. If so, close them.
    Testall {
        /// The first request.
        first: Request,
        /// Number of requests.
        count: u32,
    },
    /// Tell whether any active request among these is complete. If so, close the lowest.
    Testany {
        /// The first request.
        first: Request,
        /// Number of requests.
        count: u32,
    },
    /// Tell which active requests among these are complete, and close them.
    Testsome {
        /// The first request.
        first: Request,
        /// Number of requests.
        count: u32,
    },
    /// Wait until any active request among these is complete, and close the lowest.
    Waitany {
        /// The first request.
        first: Request,
        /// Number of requests.
        count: u32,
    },
    /// Wait until any active request among these is complete, and close all complete ones.
    Waitsome {
        /// The first request.
        first: Request,
        /// Number of requests.
        count: u32,
    },
    /// Wait for one request, which must be active or persistent.
    Wait(Request),
    /// Wait for all active requests among `first .. first + count`; see [`Op::WAITALL`].
    Waitall {
        /// The first request.
        first: Request,
        /// Number of requests. Slots that are not active are skipped.
        count: u32,
    },
    /// A wait or a test over any set of requests. Outcomes are those of the calls over ranges.
    /// Requests that are not active are skipped, and so is a request that occurs again.
    Set(SetCall, Arc<[Request]>),
    /// A send and a receive at once. Returns when both are complete. On the network,
    /// `MPI_Sendrecv_replace` is identical.
    Sendrecv(Outgoing, Incoming),
    /// A collective among the ranks of a communicator. Returns when this rank's steps are complete.
    Collective(CommunicatorId, Call),
    /// Start a collective. The request is complete when this rank's steps are complete.
    Icollective(CommunicatorId, Call, Request),
    /// A collective along with which one value goes: every rank contributes one, and the outcome is
    /// [`Outcome::Value`]. The value takes no bytes of its own; it is part of the payload.
    Valued(CommunicatorId, Call, Contribution),
    /// Duplicate a communicator.
    CommDup(CommunicatorId),
    /// Split a communicator by color. The simulation moves no data, so every rank names the color
    /// and key of every rank of the communicator, in order. The traffic is that of MPICH.
    CommSplit(CommunicatorId, Arc<[Split]>),
    /// Make a communicator of a group of the communicator's ranks. All ranks call this with the
    /// same group.
    CommCreate(CommunicatorId, Group),
    /// Make a communicator of a group of ranks of the job, which only these ranks call, with the same
    /// group: `MPI_Comm_create_group`, `MPI_Intercomm_merge`. The number is its context, which no
    /// other communicator with one of these ranks may have: from 1 to half of
    /// [`Communicator::MAX_CONTEXT`](crate::Communicator::MAX_CONTEXT).
    CommJoin(u32, Group),
    /// Free a communicator that no message or request uses any more. Its number becomes free.
    CommFree(CommunicatorId),
    /// `MPI_Finalize`, or a part of it.
    Finalize(FinalizePart),
    /// Mark the start of an iteration of the application, or of a phase of it. It takes no time.
    IterationStart(IterationMark),
    /// Mark the end of the iteration or of its phase. It takes no time.
    IterationEnd,
    /// The program cannot go on: its source is corrupt, or the program itself has found an error.
    /// The text gives the reason and its place (file, offset or line). The rank stops as with any
    /// other error.
    Abort(Arc<str>),
}

/// What a rank waits for in `MPI_Finalize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalizePart {
    /// The requests that are active: sends that the program has freed. The program calls it.
    Requests,
    /// A barrier of all ranks. The MPI layer calls it at a program's end if the configuration asks
    /// for it ([`crate::Finalize::Barrier`]).
    Barrier,
}

/// The name of `MPI_Init` in the profile and in the record of calls.
pub(crate) const INIT: &str = "init";
/// The name of `MPI_Finalize` in the profile and in the record of calls.
pub(crate) const FINALIZE: &str = "finalize";

impl Op {
    /// Wait for every active request of the rank.
    pub const WAITALL: Self = Self::Waitall { first: 0, count: u32::MAX };

    /// Whether the operation is an MPI call: neither compute nor a mark.
    #[must_use]
    pub const fn is_call(&self) -> bool {
        !matches!(
            self,
            Self::Compute(_)
                | Self::Icompute(..)
                | Self::IterationStart(_)
                | Self::IterationEnd
                | Self::Abort(_)
        )
    }

    /// Whether the call can wait: for a message, a request or other ranks.
    pub(crate) const fn waits(&self) -> bool {
        matches!(
            self,
            Self::Send(_)
                | Self::Rsend(_)
                | Self::Ssend(_)
                | Self::Bsend(_)
                | Self::Post(_)
                | Self::Recv(_)
                | Self::Sendrecv(..)
                | Self::Wait(_)
                | Self::Waitall { .. }
                | Self::Waitany { .. }
                | Self::Waitsome { .. }
                | Self::Set(SetCall::Waitall | SetCall::Waitany | SetCall::Waitsome, _)
                | Self::Probe(_)
                | Self::Collective(..)
                | Self::Valued(..)
                | Self::CommDup(_)
                | Self::CommSplit(..)
                | Self::CommCreate(..)
                | Self::CommJoin(..)
                | Self::Finalize(_)
        )
    }

    /// The message that the operation itself sends. Collectives and persistent requests send their
    /// messages elsewhere, so they return `None`.
    #[must_use]
    pub const fn sent(&self) -> Option<&Outgoing> {
        match self {
            Self::Send(outgoing)
            | Self::Isend(outgoing, _)
            | Self::Sendrecv(outgoing, _)
            | Self::Ssend(outgoing)
            | Self::Issend(outgoing, _)
            | Self::Rsend(outgoing)
            | Self::Bsend(outgoing)
            | Self::Post(outgoing)
            | Self::Ipost(outgoing, _) => Some(outgoing),
            _ => None,
        }
    }

    /// The kind of call in accounts.
    pub(crate) const fn call_kind(&self) -> CallKind {
        match self {
            Self::Recv(_)
            | Self::Irecv(..)
            | Self::Sendrecv(..)
            | Self::Probe(_)
            | Self::Iprobe(_) => CallKind::Recv,
            Self::Collective(..)
            | Self::Icollective(..)
            | Self::Valued(..)
            | Self::CommDup(_)
            | Self::CommSplit(..)
            | Self::CommCreate(..)
            | Self::CommJoin(..) => CallKind::Collective,
            Self::Finalize(_) => CallKind::Finalize,
            Self::Wait(_)
            | Self::Waitall { .. }
            | Self::Waitany { .. }
            | Self::Waitsome { .. }
            | Self::Test(_)
            | Self::Testall { .. }
            | Self::Testany { .. }
            | Self::Testsome { .. }
            | Self::Set(..) => CallKind::Wait,
            _ => CallKind::Send,
        }
    }

    /// The operation's name in reports and error messages.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Compute(_) => "compute",
            Self::Icompute(..) => "icompute",
            Self::Send(_) | Self::Post(_) => "send",
            Self::Recv(_) => "recv",
            Self::Isend(..) | Self::Ipost(..) => "isend",
            Self::Irecv(..) => "irecv",
            Self::Wait(_) => "wait",
            Self::Waitall { .. } | Self::Set(SetCall::Waitall, _) => "waitall",
            Self::Sendrecv(..) => "sendrecv",
            Self::Collective(_, call) | Self::Valued(_, call, _) => call.kind().name(),
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
            Self::Testall { .. } | Self::Set(SetCall::Testall, _) => "testall",
            Self::Testany { .. } | Self::Set(SetCall::Testany, _) => "testany",
            Self::Testsome { .. } | Self::Set(SetCall::Testsome, _) => "testsome",
            Self::Waitany { .. } | Self::Set(SetCall::Waitany, _) => "waitany",
            Self::Waitsome { .. } | Self::Set(SetCall::Waitsome, _) => "waitsome",
            Self::CommDup(_) => "comm_dup",
            Self::CommSplit(..) => "comm_split",
            Self::CommCreate(..) => "comm_create",
            Self::CommJoin(..) => "comm_join",
            Self::CommFree(_) => "comm_free",
            Self::Finalize(_) => FINALIZE,
            Self::IterationStart(_) => "iteration start",
            Self::IterationEnd => "iteration end",
            Self::Abort(_) => "abort",
        }
    }
}

/// The program of one rank: a lazy stream of operations.
///
/// The MPI layer calls [`next`](Self::next) when the previous operation is complete, or has started
/// if it returns at once. A program therefore holds its position, not its history, and its memory
/// does not grow with iterations.
pub trait OperationStream {
    /// Returns the next operation; `None` at the end of the program. `now` is the simulated time in
    /// ps at which the last operation has returned, and `outcome` is its outcome.
    fn next(&mut self, now: Time, outcome: &Outcome) -> Option<Op>;

    /// Returns all operations of the program, each with its number of executions; `None` if unknown.
    /// Those that make or free communicators are in their order, before those that use the new ones;
    /// the order of others is any. A persistent send is an `Isend` where it starts. Operations
    /// without payload (compute, waits, receives, marks) may be missing. The MPI layer calls it
    /// once, before the first operation, for the progress and for estimates of time and size. So it
    /// need not be exact.
    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        None
    }

    /// Returns the time from which the rank starts no operation, complete or not: the end that a
    /// plan sets for its job.
    #[inline]
    fn stops_at(&self) -> Time {
        NEVER
    }

    /// Returns the place of the last operation in the program, for messages; `None` if it is
    /// unknown, or there is none.
    fn place(&self) -> Option<Place> {
        None
    }
}

impl<P: OperationStream> OperationStream for Box<P> {
    #[inline]
    fn next(&mut self, now: Time, outcome: &Outcome) -> Option<Op> {
        P::next(self, now, outcome)
    }

    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        P::summary(self)
    }

    fn stops_at(&self) -> Time {
        P::stops_at(self)
    }

    fn place(&self) -> Option<Place> {
        P::place(self)
    }
}
