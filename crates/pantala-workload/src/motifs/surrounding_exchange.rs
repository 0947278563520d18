//! A stencil of 26 neighbours: exchanges across faces, edges and corners of a three-dimensional
//! grid.
//!
//! Ember's Halo3D26 of SST elements. An iteration computes, starts the receives from and then the
//! sends to all neighbours, and waits for all. Sizes differ by the direction of a face or an edge.
//! The grid is open. On a grid of `X` by `Y` by `Z` ranks, `2 (X - 1) Y Z` messages cross faces
//! along x, `4 X (Y - 1) (Z - 1)` cross edges along x, and `8 (X - 1) (Y - 1) (Z - 1)` cross
//! corners.

use pantala_engine::Time;
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::surroundings::{crossed, exchange};
use super::{IterationContext, Motif, Script, bounded, positive};
use crate::process_grid;

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SurroundingExchange {
    /// The process grid, the first dimension fastest.
    pub grid: [u32; 3],
    /// Bytes to each neighbour across the face along each dimension; 0 for none.
    pub face_bytes: [u64; 3],
    /// Bytes to each neighbour across the edges that run along each dimension; 0 for none.
    pub edge_bytes: [u64; 3],
    /// Bytes to each neighbour across a corner; 0 for none.
    pub corner_bytes: u64,
    /// Number of iterations.
    pub iterations: u32,
    /// Compute time per iteration, in ps.
    #[serde(default)]
    pub compute_ps: Time,
    /// Compute time before the first iteration, in ps.
    #[serde(default)]
    pub start_delay_ps: Time,
}

impl Motif for SurroundingExchange {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, 3)?;
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
        exchange(&self.grid, context.rank, |steps| self.bytes(steps), script);
    }
}

impl SurroundingExchange {
    /// Bytes to the neighbour at these steps.
    fn bytes(&self, steps: &[i8; 3]) -> u64 {
        let dimension = |changed: bool| {
            steps.iter().position(|step| (*step != 0) == changed).unwrap_or_default()
        };
        match crossed(steps) {
            1 => self.face_bytes[dimension(true)],
            2 => self.edge_bytes[dimension(false)],
            _ => self.corner_bytes,
        }
    }
}
