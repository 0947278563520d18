//! What a rank does in one iteration: MPI operations in their order.

use pantala_engine::Time;
use pantala_mpi::{
    COMM_WORLD, Call, CommunicatorId, Incoming, Op, Outgoing, Request, Source, TagSelect,
};

/// Operations, written down by a motif and then executed one by one.
///
/// Sends and receives are among all ranks of the job unless it is said otherwise. Requests are
/// numbered as they are made, from 0 again after each [`waitall`](Self::waitall) or
/// [`wait_each`](Self::wait_each).
#[derive(Clone, Debug, Default)]
pub struct Script {
    ops: Vec<Op>,
    requests: Request,
}

impl Script {
    /// Forgets everything; the memory is kept.
    pub(crate) fn clear(&mut self) {
        self.ops.clear();
        self.requests = 0;
    }

    /// The operation at a context, if there is one.
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

    /// Any operation.
    pub fn push(&mut self, op: Op) {
        self.ops.push(op);
    }

    /// Computes for a time, ps; nothing if that is zero.
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

    /// How many sends and receives have been started since the last [`waitall`](Self::waitall).
    pub const fn started(&self) -> Request {
        self.requests
    }

    /// Waits for `count` of what has been started, from the request `first` on; their numbers are
    /// not given anew.
    pub fn wait(&mut self, first: Request, count: u32) {
        self.push(Op::Waitall { first, count });
    }

    /// Waits for everything that has been started.
    pub fn waitall(&mut self) {
        self.push(Op::WAITALL);
        self.requests = 0;
    }

    /// Waits for one after the other of what has been started.
    pub fn wait_each(&mut self) {
        for request in 0..self.requests {
            self.push(Op::Wait(request));
        }
        self.requests = 0;
    }

    /// A collective among the ranks of a communicator.
    pub fn collective(&mut self, communicator: CommunicatorId, call: Call) {
        self.push(Op::Collective(communicator, call));
    }

    /// Starts a collective among the ranks of a communicator.
    pub fn icollective(&mut self, communicator: CommunicatorId, call: Call) {
        let request = self.request();
        self.push(Op::Icollective(communicator, call, request));
    }

    /// An allreduce among all ranks.
    pub fn allreduce(&mut self, bytes: u64) {
        self.collective(COMM_WORLD, Call::Allreduce { bytes });
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
