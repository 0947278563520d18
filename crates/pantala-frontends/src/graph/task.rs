//! The tasks of a graph.

use pantala_engine::Time;
use pantala_mpi::{
    COMM_WORLD, Call, CommunicatorId, Incoming, Op, Outgoing, Request, Source, TagSelect,
};

/// The number of a processor of a rank: a CPU or a device.
pub type Processor = u16;

/// Stands for no processor: the task needs none.
pub const NO_PROCESSOR: Processor = Processor::MAX;
/// The source of a receive from any rank.
pub const ANY_SOURCE: u32 = u32::MAX;
/// The tag of a receive with any tag.
pub const ANY_TAG: i32 = -1;

/// A task of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Takes no time and needs no processor.
    Nothing,
    /// A computation on a processor, which does one task after the other.
    Compute {
        /// Duration in ps.
        time: Time,
        /// The processor.
        processor: Processor,
    },
    /// A send. It starts when its processor is free, and does not occupy it.
    Send {
        /// Payload bytes.
        bytes: u64,
        /// The receiving rank of the job.
        peer: u32,
        /// The tag.
        tag: i32,
        /// The processor.
        processor: Processor,
        /// Whether the send is complete without a receive: it is eager at any size.
        one_sided: bool,
    },
    /// A receive. It starts at once. It finishes when the message has arrived and its processor is
    /// free.
    Receive {
        /// Size of the receive buffer.
        bytes: u64,
        /// The sending rank of the job, or [`ANY_SOURCE`].
        peer: u32,
        /// The tag, or [`ANY_TAG`].
        tag: i32,
        /// The processor.
        processor: Processor,
    },
    /// A collective of a group of ranks.
    Collective {
        /// The size as [`Operation::call`] takes it.
        bytes: u64,
        /// The number of the collective among those of its group, from 0. The ranks of a group
        /// execute its collectives in this order.
        number: u32,
        /// The root, if there is one: a rank of the group.
        root: u32,
        /// The group.
        communicator: CommunicatorId,
        /// The operation.
        kind: Operation,
    },
}

/// The collectives of graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray)]
pub enum Operation {
    /// `MPI_Allreduce` of `bytes`.
    Allreduce,
    /// `MPI_Reduce` of `bytes`.
    Reduce,
    /// `MPI_Allgather` with `bytes` from each rank.
    Allgather,
    /// `MPI_Gather` with `bytes` from each rank.
    Gather,
    /// `MPI_Scatter` with `bytes` to each rank.
    Scatter,
    /// `MPI_Bcast` of `bytes`.
    Bcast,
    /// `MPI_Alltoall` with `bytes` from each rank to each rank.
    Alltoall,
    /// `MPI_Reduce_scatter_block` with `bytes` for each rank.
    ReduceScatter,
    /// `MPI_Barrier`.
    Barrier,
}

impl Operation {
    /// The call of the MPI layer.
    #[must_use]
    pub const fn call(self, bytes: u64, root: u32) -> Call {
        match self {
            Self::Allreduce => Call::Allreduce { bytes },
            Self::Reduce => Call::Reduce { root, bytes },
            Self::Allgather => Call::Allgather { bytes },
            Self::Gather => Call::Gather { root, bytes },
            Self::Scatter => Call::Scatter { root, bytes },
            Self::Bcast => Call::Bcast { root, bytes },
            Self::Alltoall => Call::Alltoall { bytes },
            Self::ReduceScatter => Call::ReduceScatterBlock { bytes },
            Self::Barrier => Call::Barrier,
        }
    }
}

impl Task {
    /// The processor that the task needs, or [`NO_PROCESSOR`].
    #[must_use]
    pub const fn processor(&self) -> Processor {
        match *self {
            Self::Compute { processor, .. }
            | Self::Send { processor, .. }
            | Self::Receive { processor, .. } => processor,
            Self::Nothing | Self::Collective { .. } => NO_PROCESSOR,
        }
    }

    /// The operation that starts the task as a request, or that executes it if `request` is `None`;
    /// `None` if the task takes no operation.
    pub(super) fn operation(&self, request: Option<Request>) -> Option<Op> {
        match (*self, request) {
            (Self::Nothing, _) => None,
            (Self::Compute { time, .. }, None) => Some(Op::Compute(time)),
            (Self::Compute { time, .. }, Some(request)) => Some(Op::Icompute(time, request)),
            (Self::Send { bytes, peer, tag, one_sided, .. }, request) => {
                let send = Outgoing { communicator: COMM_WORLD, destination: peer, tag, bytes };
                Some(match (request, one_sided) {
                    (None, false) => Op::Send(send),
                    (None, true) => Op::Post(send),
                    (Some(request), false) => Op::Isend(send, request),
                    (Some(request), true) => Op::Ipost(send, request),
                })
            }
            (Self::Receive { bytes, peer, tag, .. }, request) => {
                let source = if peer == ANY_SOURCE { Source::Any } else { Source::Rank(peer) };
                let tag = if tag == ANY_TAG { TagSelect::Any } else { TagSelect::Is(tag) };
                let receive = Incoming { communicator: COMM_WORLD, source, tag, bytes };
                Some(request.map_or(Op::Recv(receive), |request| Op::Irecv(receive, request)))
            }
            (Self::Collective { bytes, root, communicator, kind, .. }, request) => {
                let call = kind.call(bytes, root);
                Some(match request {
                    None => Op::Collective(communicator, call),
                    Some(request) => Op::Icollective(communicator, call, request),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Task;

    #[test]
    fn tasks_are_small() {
        assert_eq!(size_of::<Task>(), 24);
    }
}
