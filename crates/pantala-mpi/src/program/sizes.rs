//! Operations with other sizes: every number of bytes replaced by a function of it.

use std::sync::Arc;

use crate::collectives::call::Call;
use crate::collectives::layout::Exchange;
use crate::program::operation::{Incoming, Op, Outgoing};

impl Op {
    /// The operation with other sizes: each number of bytes of a message, and of a rank's part of a
    /// collective, is `size` of what it was. `None` if `size` is `None` for one of them. A receive
    /// for which it is `None` accepts a message of any size.
    #[must_use]
    pub fn with_sizes(self, size: &impl Fn(u64) -> Option<u64>) -> Option<Self> {
        Some(match self {
            Self::Send(message) => Self::Send(message.with_size(size)?),
            Self::Isend(message, request) => Self::Isend(message.with_size(size)?, request),
            Self::Ssend(message) => Self::Ssend(message.with_size(size)?),
            Self::Issend(message, request) => Self::Issend(message.with_size(size)?, request),
            Self::Rsend(message) => Self::Rsend(message.with_size(size)?),
            Self::Bsend(message) => Self::Bsend(message.with_size(size)?),
            Self::Post(message) => Self::Post(message.with_size(size)?),
            Self::Ipost(message, request) => Self::Ipost(message.with_size(size)?, request),
            Self::SendInit(message, request) => Self::SendInit(message.with_size(size)?, request),
            Self::Recv(receive) => Self::Recv(receive.with_size(size)),
            Self::Irecv(receive, request) => Self::Irecv(receive.with_size(size), request),
            Self::Probe(receive) => Self::Probe(receive.with_size(size)),
            Self::Iprobe(receive) => Self::Iprobe(receive.with_size(size)),
            Self::RecvInit(receive, request) => Self::RecvInit(receive.with_size(size), request),
            Self::Sendrecv(message, receive) => {
                Self::Sendrecv(message.with_size(size)?, receive.with_size(size))
            }
            Self::Collective(communicator, call) => {
                Self::Collective(communicator, call.with_sizes(size)?)
            }
            Self::Icollective(communicator, call, request) => {
                Self::Icollective(communicator, call.with_sizes(size)?, request)
            }
            Self::Valued(communicator, call, value) => {
                Self::Valued(communicator, call.with_sizes(size)?, value)
            }
            other @ (Self::Compute(_)
            | Self::Icompute(..)
            | Self::Start(_)
            | Self::Startall { .. }
            | Self::Free(_)
            | Self::Test(_)
            | Self::Testall { .. }
            | Self::Testany { .. }
            | Self::Testsome { .. }
            | Self::Waitany { .. }
            | Self::Waitsome { .. }
            | Self::Wait(_)
            | Self::Waitall { .. }
            | Self::Set(..)
            | Self::CommDup(_)
            | Self::CommSplit(..)
            | Self::CommCreate(..)
            | Self::CommJoin(..)
            | Self::CommFree(_)
            | Self::Finalize(_)
            | Self::IterationStart(_)
            | Self::IterationEnd
            | Self::Abort(_)) => other,
        })
    }
}

impl Outgoing {
    fn with_size(self, size: &impl Fn(u64) -> Option<u64>) -> Option<Self> {
        Some(Self { bytes: size(self.bytes)?, ..self })
    }
}

impl Incoming {
    fn with_size(self, size: &impl Fn(u64) -> Option<u64>) -> Self {
        Self { bytes: size(self.bytes).unwrap_or(u64::MAX), ..self }
    }
}

impl Call {
    /// The call with other sizes, as [`Op::with_sizes`].
    fn with_sizes(self, size: &impl Fn(u64) -> Option<u64>) -> Option<Self> {
        let each = |sizes: &[u64]| -> Option<Arc<[u64]>> {
            sizes.iter().map(|&bytes| size(bytes)).collect()
        };
        Some(match self {
            Self::Barrier => Self::Barrier,
            Self::Bcast { root, bytes } => Self::Bcast { root, bytes: size(bytes)? },
            Self::Reduce { root, bytes } => Self::Reduce { root, bytes: size(bytes)? },
            Self::Allreduce { bytes } => Self::Allreduce { bytes: size(bytes)? },
            Self::ReduceScatterBlock { bytes } => Self::ReduceScatterBlock { bytes: size(bytes)? },
            Self::ReduceScatter { counts } => Self::ReduceScatter { counts: each(&counts)? },
            Self::Allgather { bytes } => Self::Allgather { bytes: size(bytes)? },
            Self::Allgatherv { counts } => Self::Allgatherv { counts: each(&counts)? },
            Self::Gather { root, bytes } => Self::Gather { root, bytes: size(bytes)? },
            Self::Gatherv { root, counts } => Self::Gatherv { root, counts: each(&counts)? },
            Self::Scatter { root, bytes } => Self::Scatter { root, bytes: size(bytes)? },
            Self::Scatterv { root, counts } => Self::Scatterv { root, counts: each(&counts)? },
            Self::Alltoall { bytes } => Self::Alltoall { bytes: size(bytes)? },
            Self::Alltoallv { pairs } => Self::Alltoallv {
                pairs: Arc::new(Exchange {
                    send: each(&pairs.send)?.to_vec(),
                    receive: each(&pairs.receive)?.to_vec(),
                }),
            },
            Self::Scan { bytes } => Self::Scan { bytes: size(bytes)? },
            Self::Exscan { bytes } => Self::Exscan { bytes: size(bytes)? },
        })
    }
}
