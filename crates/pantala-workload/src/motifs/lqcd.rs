//! Lattice quantum chromodynamics: conjugate gradients on staggered fermions, a stencil in four
//! dimensions.
//!
//! LQCD of Kang et al. (SC 2022), section IV, after SST's motif, which follows MILC. An iteration
//! handles the even sites and then the odd sites. A rank starts its exchanges with the neighbours
//! above: along every dimension one message for nearest and one for third-nearest (Naik)
//! neighbours. It starts the same exchanges with the neighbours below. It waits for those above,
//! computes, waits for those below, and computes. Two allreduces follow; the rank computes the
//! residual between them. The grid is open.
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
        bounded("compute_ps", self.compute_ps)?;
        bounded("residual_ps", self.residual_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        for _ in ["even", "odd"] {
            self.gather(context.rank, true, script);
            let above = script.started();
            self.gather(context.rank, false, script);
            script.wait(0, above);
            script.compute(self.compute_ps);
            script.waitall();
            script.compute(self.compute_ps);
        }
        script.allreduce(self.reduction_bytes);
        script.compute(self.residual_ps);
        script.allreduce(self.reduction_bytes);
    }
}

impl Lqcd {
    /// Starts the receives from and the sends to all neighbours above, or all neighbours below.
    ///
    /// A message's tag encodes its direction of travel and the distance of its data.
    fn gather(&self, rank: u32, up: bool, script: &mut Script) {
        let lattice = Lattice { extents: &self.grid, periodic: false };
        for (reach, bytes) in [self.near_bytes, self.far_bytes].into_iter().enumerate() {
            let tag =
                |dimension: usize, up: bool| (8 * reach + 2 * dimension + usize::from(up)) as i32;
            let neighbours = || {
                (0..4).filter_map(|d| lattice.along(rank, d, up).map(|neighbour| (d, neighbour)))
            };
            for (dimension, neighbour) in neighbours() {
                script.irecv(neighbour, tag(dimension, !up), bytes[dimension]);
            }
            for (dimension, neighbour) in neighbours() {
                script.isend(neighbour, tag(dimension, up), bytes[dimension]);
            }
        }
    }
}
