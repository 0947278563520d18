//! Errors in the setup of a job.

use crate::program::identifiers::CommunicatorId;

/// An error in the setup of a job of a [`crate::MpiLayer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The job has no ranks.
    #[error("a job needs at least one rank")]
    NoRanks,
    /// The layer has a job of this number.
    #[error("job {job} exists already")]
    JobExists {
        /// The number.
        job: u16,
    },
    /// The layer has no NIC of this number.
    #[error("rank {rank} is on NIC {nic}, which does not exist")]
    UnknownNic {
        /// The rank of the job.
        rank: u32,
        /// The NIC's number.
        nic: u32,
    },
    /// A communicator of the rank has members outside the job, lacks the rank itself, or has the
    /// context of another one.
    #[error(
        "communicator {communicator} of rank {rank} has members outside the job, not the rank itself, or a context that is taken"
    )]
    BadCommunicator {
        /// The rank of the job.
        rank: u32,
        /// The communicator's number.
        communicator: CommunicatorId,
    },
}
