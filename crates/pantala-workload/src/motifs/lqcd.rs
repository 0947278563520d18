//! Lattice quantum chromodynamics: conjugate gradients on staggered fermions, a stencil in four
//! dimensions.
//!
//! LQCD of Kang et al. (SC 2022), section IV, after SST's motif, which follows MILC. An iteration
//! handles the even sites and then the odd sites. For the neighbours above and then for those below,
//! and for each of these first for nearest and then for third-nearest (Naik) neighbours of sites, a
//! rank starts the receives from all neighbours and then sends to all of them, one blocking send
//! after another. It waits for the messages from above, one by one, computes, waits for those from
//! below, and computes. Two allreduces follow; the rank computes the residual between them. The
//! grid is open. The dimensions are in rising order above and in falling order below.
//!
//! A rank sends to its neighbours above before it starts the receives from below. So long messages
//! make a wave through the grid, from the last rank to the first, for the even sites and for the odd
//! sites.
//!
//! With `E` pairs of neighbours along a dimension, an iteration moves `8 E` messages along it.

use pantala_engine::Time;
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lattice::Lattice;
use super::{IterationContext, Motif, Script, bounded, positive};
use crate::process_grid;

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lqcd {
    /// The process grid, the first dimension fastest.
    pub grid: [u32; 4],
    /// Bytes to each nearest neighbour along each dimension, for half of the sites.
    pub near_bytes: [u64; 4],
    /// Bytes to each third-nearest neighbour along each dimension, for half of the sites.
    pub far_bytes: [u64; 4],
    /// Bytes of an allreduce.
    pub reduction_bytes: u64,
    /// Number of iterations.
    pub iterations: u32,
    /// Compute time after each of the four waits of an iteration, in ps.
    #[serde(default)]
    pub compute_ps: Time,
    /// Compute time between the two allreduces, in ps.
    #[serde(default)]
    pub residual_ps: Time,
    /// Compute time before the first iteration, in ps.
    #[serde(default)]
    pub start_delay_ps: Time,
}

impl Motif for Lqcd {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, 4)?;
        for (near, far) in self.near_bytes.into_iter().zip(self.far_bytes) {
            positive("near_bytes", near)?;
            positive("far_bytes", far)?;
        }
        positive("reduction_bytes", self.reduction_bytes)?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("start_delay_ps", self.start_delay_ps)?;
        bounded("compute_ps", self.compute_ps)?;
        bounded("residual_ps", self.residual_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn before(&self, _: &IterationContext, script: &mut Script) {
        script.compute(self.start_delay_ps);
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        for _ in ["even", "odd"] {
            self.gather(context.rank, true, script);
            let above = script.started();
            self.gather(context.rank, false, script);
            script.wait_each_before(above);
            script.compute(self.compute_ps);
            script.wait_each();
            script.compute(self.compute_ps);
        }
        script.allreduce(self.reduction_bytes);
        script.compute(self.residual_ps);
        script.allreduce(self.reduction_bytes);
    }
}

impl Lqcd {
    /// Receives from and sends to all neighbours above, or all neighbours below.
    fn gather(&self, rank: u32, up: bool, script: &mut Script) {
        let lattice = Lattice { extents: &self.grid, periodic: false };
        let dimensions = if up { [0, 1, 2, 3] } else { [3, 2, 1, 0] };
        for bytes in [self.near_bytes, self.far_bytes] {
            let neighbours = || {
                dimensions.into_iter().filter_map(|dimension| {
                    lattice.along(rank, dimension, up).map(|neighbour| (neighbour, bytes[dimension]))
                })
            };
            for (neighbour, bytes) in neighbours() {
                script.irecv(neighbour, 0, bytes);
            }
            for (neighbour, bytes) in neighbours() {
                script.send(neighbour, 0, bytes);
            }
        }
    }
}
