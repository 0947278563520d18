//! Errors of setting up a job.

use crate::program::identifiers::CommunicatorId;

/// A job that a [`crate::MpiLayer`] cannot take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The job has no ranks.
    #[error("a job needs at least one rank")]
    NoRanks,
    /// The world has a job of this number.
    #[error("job {job} is there already")]
    JobExists {
        /// As asked for.
        job: u16,
    },
    /// The world has no NIC of this number.
    #[error("rank {rank} is on NIC {nic}, which does not exist")]
    UnknownNic {
        /// The rank of the job.
        rank: u32,
        /// As asked for.
        nic: u32,
    },
    /// A communicator of the rank has members outside the job, does not have the rank where it
    /// says, or shares its context with another.
    #[error(
        "communicator {communicator} of rank {rank} has members outside the job, not the rank itself, or a context that is taken"
    )]
    BadCommunicator {
        /// The rank of the job.
        rank: u32,
        /// Which of its communicators.
        communicator: CommunicatorId,
    },
}
