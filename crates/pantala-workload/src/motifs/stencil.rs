//! A stencil: every rank of a grid exchanges a message with each neighbour along every dimension.
//!
//! Halo3D, LQCD and Stencil5D of Kang et al. (SC 2022), section IV, in three, four and five
//! dimensions, after SST's Halo3D motif. One iteration: compute, start all receives, start all
//! sends, wait for all. With `N` ranks, one iteration moves `2 (N - N / e)` messages along a
//! dimension of extent `e` of an open grid, and `2 N` of a periodic grid if `e` is above one.
//!
//! The first dimension varies fastest. In a periodic dimension of extent two, both neighbours are
//! the same rank and get one message each. In a dimension of extent one, there is no message.

use pantala_engine::Time;
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lattice::{Lattice, MAX_DIMENSIONS};
use super::{IterationContext, Motif, Script, bounded, positive};
use crate::process_grid;

/// Parameters of the motif.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stencil {
    /// The process grid: one to eight dimensions, the first fastest.
    pub grid: Vec<u32>,
    /// Bytes to each neighbour along each dimension.
    pub message_bytes: Vec<u64>,
    /// Number of iterations.
    pub iterations: u32,
    /// Compute time per iteration, in ps.
    #[serde(default)]
    pub compute_ps: Time,
    /// Whether opposite faces of the grid are neighbours.
    #[serde(default)]
    pub periodic: bool,
}

impl Motif for Stencil {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, MAX_DIMENSIONS)?;
        if self.message_bytes.len() != self.grid.len() {
            let (sizes, dimensions) = (self.message_bytes.len(), self.grid.len());
            let message = format!("{sizes} sizes for {dimensions} dimensions");
            return Err(Fault::new(
                "message_bytes",
                sizes,
                message,
                "give one size for each dimension of the grid",
            ));
        }
        for bytes in &self.message_bytes {
            positive("message_bytes", *bytes)?;
        }
        positive("iterations", u64::from(self.iterations))?;
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        script.compute(self.compute_ps);
        exchange(
            &Lattice { extents: &self.grid, periodic: self.periodic },
            context.rank,
            &self.message_bytes,
            script,
        );
    }
}

/// The exchange of a rank with its neighbours along all dimensions, `bytes` for each: all receives,
/// all sends, one wait.
///
/// A message's tag is its direction of travel: a message from below travels up.
pub(crate) fn exchange(lattice: &Lattice<'_>, rank: u32, bytes: &[u64], script: &mut Script) {
    let faces =
        || (0..lattice.extents.len()).flat_map(|dimension| [(dimension, false), (dimension, true)]);
    let tag = |dimension: usize, up: bool| (2 * dimension + usize::from(up)) as i32;
    for (dimension, up) in faces() {
        if let Some(neighbour) = lattice.along(rank, dimension, up) {
            script.irecv(neighbour, tag(dimension, !up), bytes[dimension]);
        }
    }
    for (dimension, up) in faces() {
        if let Some(neighbour) = lattice.along(rank, dimension, up) {
            script.isend(neighbour, tag(dimension, up), bytes[dimension]);
        }
    }
    script.waitall();
}
