//! A loop of compute and one collective of all ranks.
//!
//! Ember's Barrier, Bcast, Reduce, Allgather, Allgatherv, Alltoall, Alltoallv, Scatter and Scatterv
//! of SST elements. The plan chooses the algorithm of the collective. The sizes of the collectives
//! ending in v are equal on all ranks, as Ember gives them.

use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::collectives::layout::Exchange;
use pantala_mpi::{COMM_WORLD, Call, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IterationContext, Motif, Script, bounded, positive};

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectiveLoop {
    /// The collective and its sizes.
    pub call: LoopedCall,
    /// Number of iterations.
    pub iterations: u32,
    /// Compute time before each call, in ps.
    #[serde(default)]
    pub compute_ps: Time,
    /// Compute time before the first iteration, in ps.
    #[serde(default)]
    pub start_delay_ps: Time,
}

/// A collective that a loop calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "collective", rename_all = "snake_case", deny_unknown_fields)]
pub enum LoopedCall {
    /// `MPI_Barrier`.
    Barrier,
    /// `MPI_Bcast`.
    Bcast {
        /// The root.
        root: u32,
        /// Bytes of the vector.
        bytes: u64,
    },
    /// `MPI_Reduce`.
    Reduce {
        /// The root.
        root: u32,
        /// Bytes of the vector.
        bytes: u64,
    },
    /// `MPI_Allreduce`.
    Allreduce {
        /// Bytes of the vector.
        bytes: u64,
    },
    /// `MPI_Allgather`.
    Allgather {
        /// Bytes of each rank's block.
        bytes: u64,
    },
    /// `MPI_Allgatherv` with equal blocks.
    Allgatherv {
        /// Bytes of each rank's block.
        bytes: u64,
    },
    /// `MPI_Alltoall`.
    Alltoall {
        /// Bytes per pair of ranks.
        bytes: u64,
    },
    /// `MPI_Alltoallv` with equal blocks.
    Alltoallv {
        /// Bytes per pair of ranks.
        bytes: u64,
    },
    /// `MPI_Scatter`.
    Scatter {
        /// The root.
        root: u32,
        /// Bytes of each rank's block.
        bytes: u64,
    },
    /// `MPI_Scatterv` with equal blocks.
    Scatterv {
        /// The root.
        root: u32,
        /// Bytes of each rank's block.
        bytes: u64,
    },
}

impl LoopedCall {
    const fn root(&self) -> u32 {
        match self {
            Self::Bcast { root, .. }
            | Self::Reduce { root, .. }
            | Self::Scatter { root, .. }
            | Self::Scatterv { root, .. } => *root,
            _ => 0,
        }
    }

    fn call(&self, ranks: u32) -> Call {
        let counts = |bytes: u64| -> Arc<[u64]> { vec![bytes; ranks as usize].into() };
        match *self {
            Self::Barrier => Call::Barrier,
            Self::Bcast { root, bytes } => Call::Bcast { root, bytes },
            Self::Reduce { root, bytes } => Call::Reduce { root, bytes },
            Self::Allreduce { bytes } => Call::Allreduce { bytes },
            Self::Allgather { bytes } => Call::Allgather { bytes },
            Self::Allgatherv { bytes } => Call::Allgatherv { counts: counts(bytes) },
            Self::Alltoall { bytes } => Call::Alltoall { bytes },
            Self::Alltoallv { bytes } => {
                let block = vec![bytes; ranks as usize];
                let pairs = Exchange { send: block.clone(), receive: block };
                Call::Alltoallv { pairs: Arc::new(pairs) }
            }
            Self::Scatter { root, bytes } => Call::Scatter { root, bytes },
            Self::Scatterv { root, bytes } => Call::Scatterv { root, counts: counts(bytes) },
        }
    }
}

impl Motif for CollectiveLoop {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        let root = self.call.root();
        if root >= ranks {
            let message = format!("the job has {ranks} ranks");
            let remedy = format!("write a rank from 0 to {}", ranks.saturating_sub(1));
            return Err(Fault::new("call.root", root, message, remedy));
        }
        positive("iterations", u64::from(self.iterations))?;
        bounded("compute_ps", self.compute_ps)?;
        bounded("start_delay_ps", self.start_delay_ps)
    }

    fn before(&self, _: &IterationContext, script: &mut Script) {
        script.compute(self.start_delay_ps);
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        script.compute(self.compute_ps);
        script.collective(COMM_WORLD, self.call.call(context.ranks));
    }
}
