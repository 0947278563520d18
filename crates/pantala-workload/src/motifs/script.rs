//! Scripts: the MPI operations of a rank in one iteration, in order.

use pantala_engine::Time;
use pantala_mpi::{
    COMM_WORLD, Call, CommunicatorId, Incoming, IterationMark, Op, Outgoing, PhaseName, Request,
    Source, TagSelect,
};

/// A list of operations that a motif writes and a rank then executes.
///
/// Sends and receives use `COMM_WORLD` unless stated otherwise. Requests are numbered from 0, and
/// again from 0 after each [`waitall`](Self::waitall) or [`wait_each`](Self::wait_each).
#[derive(Clone, Debug, Default)]
pub struct Script {
    ops: Vec<Op>,
    requests: Request,
    /// The number of the first request that `wait_each` has not waited for.
    waited: Request,
    /// The number of communicators of earlier motifs.
    communicators: CommunicatorId,
    /// The mark of the iteration that has started and not ended.
    mark: Option<IterationMark>,
}

impl Script {
    /// Removes all operations, but keeps the memory, and starts an iteration if there is a mark.
    ///
    /// `communicators` is the number of communicators of earlier motifs.
    pub(crate) fn start(&mut self, communicators: CommunicatorId, mark: Option<IterationMark>) {
        self.ops.clear();
        (self.requests, self.waited) = (0, 0);
        self.communicators = communicators;
        self.mark = mark;
        self.ops.extend(mark.map(Op::IterationStart));
    }

    /// The number of communicators of earlier motifs.
    pub(crate) const fn communicators(&self) -> CommunicatorId {
        self.communicators
    }

    /// Ends the iteration.
    pub(crate) fn end(&mut self) {
        if self.mark.take().is_some() {
            self.push(Op::IterationEnd);
        }
    }

    /// Starts a phase of the iteration, which records report by itself. It lasts until the next
    /// phase or the end of the iteration. The first phase starts with the iteration.
    pub fn phase(&mut self, name: PhaseName) {
        let Some(mark) = self.mark else { return };
        let start = Op::IterationStart(IterationMark { phase: Some(name), ..mark });
        if self.ops.len() == 1 {
            self.ops[0] = start;
        } else {
            self.push(Op::IterationEnd);
            self.push(start);
        }
    }

    /// The operation with this index, if there is one.
    #[inline]
    pub(crate) fn at(&self, context: usize) -> Option<&Op> {
        self.ops.get(context)
    }

    /// The operations that send.
    pub(crate) fn sends(&self) -> impl Iterator<Item = Op> + '_ {
        let sends = |op: &&Op| {
            op.sent().is_some() || matches!(op, Op::Collective(..) | Op::Icollective(..))
        };
        self.ops.iter().filter(sends).cloned()
    }

    /// Adds an operation.
    pub fn push(&mut self, op: Op) {
        self.ops.push(op);
    }

    /// Computes for a time in ps. Adds nothing if the time is zero.
    pub fn compute(&mut self, time: Time) {
        if time > 0 {
            self.push(Op::Compute(time));
        }
    }

    /// A blocking send.
    pub fn send(&mut self, destination: u32, tag: i32, bytes: u64) {
        self.push(Op::Send(outgoing(destination, tag, bytes)));
    }

    /// A blocking receive.
    pub fn recv(&mut self, source: u32, tag: i32, bytes: u64) {
        self.push(Op::Recv(incoming(source, tag, bytes)));
    }

    /// Starts a send.
    pub fn isend(&mut self, destination: u32, tag: i32, bytes: u64) {
        let request = self.request();
        self.push(Op::Isend(outgoing(destination, tag, bytes), request));
    }

    /// Starts a receive.
    pub fn irecv(&mut self, source: u32, tag: i32, bytes: u64) {
        let request = self.request();
        self.push(Op::Irecv(incoming(source, tag, bytes), request));
    }

    /// A send and a receive at once.
    pub fn sendrecv(
        &mut self,
        (destination, sent): (u32, u64),
        (source, received): (u32, u64),
        tag: i32,
    ) {
        self.push(Op::Sendrecv(outgoing(destination, tag, sent), incoming(source, tag, received)));
    }

    /// Number of sends and receives started since the last [`waitall`](Self::waitall).
    pub const fn started(&self) -> Request {
        self.requests
    }

    /// Waits for `count` requests from `first` on. Their numbers are not reused.
    pub fn wait(&mut self, first: Request, count: u32) {
        self.push(Op::Waitall { first, count });
    }

    /// Waits for all started requests.
    pub fn waitall(&mut self) {
        self.push(Op::WAITALL);
        (self.requests, self.waited) = (0, 0);
    }

    /// Waits for all started requests, one after the other.
    pub fn wait_each(&mut self) {
        self.wait_each_before(self.requests);
        (self.requests, self.waited) = (0, 0);
    }

    /// Waits for the started requests before number `end`, one after the other. Their numbers are
    /// not reused.
    pub fn wait_each_before(&mut self, end: Request) {
        for request in self.waited..end {
            self.push(Op::Wait(request));
        }
        self.waited = end;
    }

    /// Leaves out the numbers of `count` requests, which earlier iterations have started.
    pub fn skip_requests(&mut self, count: u32) {
        self.requests += count;
    }

    /// A collective among the ranks of a communicator.
    pub fn collective(&mut self, communicator: CommunicatorId, call: Call) {
        self.push(Op::Collective(self.number(communicator), call));
    }

    /// An allreduce among all ranks.
    pub fn allreduce(&mut self, bytes: u64) {
        self.collective(COMM_WORLD, Call::Allreduce { bytes });
    }

    /// The number of a motif's communicator among those of all motifs.
    const fn number(&self, communicator: CommunicatorId) -> CommunicatorId {
        if communicator == COMM_WORLD { COMM_WORLD } else { self.communicators + communicator }
    }

    const fn request(&mut self) -> Request {
        self.requests += 1;
        self.requests - 1
    }
}

const fn outgoing(destination: u32, tag: i32, bytes: u64) -> Outgoing {
    Outgoing { communicator: COMM_WORLD, destination, tag, bytes }
}

const fn incoming(source: u32, tag: i32, bytes: u64) -> Incoming {
    Incoming {
        communicator: COMM_WORLD,
        source: Source::Rank(source),
        tag: TagSelect::Is(tag),
        bytes,
    }
}
