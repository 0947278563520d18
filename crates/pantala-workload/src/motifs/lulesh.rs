//! Shock hydrodynamics: a stencil of 26 neighbours in three dimensions, then a sweep.
//!
//! LULESH of Kang et al. (SC 2022), section IV, after their motif for SST. An iteration is a
//! broadcast, a reduction, an exchange, and a sweep; a rank computes after each of the four. The
//! exchange covers all neighbours across faces, edges and corners of an open grid. The sweep has
//! many steps, from the first rank to the last, on the same ranks as a grid of two dimensions. A
//! phase whose messages have no bytes is skipped.
//!
//! On a cube of `n` ranks per side, the stencil moves `6 n n (n - 1)` messages across faces, `12 n
//! (n - 1)^2` across edges and `8 (n - 1)^3` across corners.

use pantala_engine::Time;
use pantala_mpi::{COMM_WORLD, Call, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lattice::Lattice;
use super::sweep::Wave;
use super::{IterationContext, Motif, Script, bounded, positive};
use crate::process_grid;

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lulesh {
    /// The process grid of the stencil, the first dimension fastest.
    pub grid: [u32; 3],
    /// Bytes to each neighbour across a face, an edge and a corner.
    pub message_bytes: [u64; 3],
    /// The process grid of the sweep, the first dimension fastest.
    pub sweep_grid: [u32; 2],
    /// Bytes to each downstream neighbour in a step of the sweep.
    pub sweep_bytes: u64,
    /// Number of steps of a sweep.
    pub sweep_steps: u32,
    /// Bytes of the broadcast and of the reduction.
    pub collective_bytes: u64,
    /// Number of iterations.
    pub iterations: u32,
    /// Compute time after each of the four phases, in ps.
    #[serde(default)]
    pub compute_ps: Time,
}

impl Motif for Lulesh {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, 3)?;
        process_grid::check(&self.sweep_grid, ranks, 2)
            .map_err(|fault| Fault { key: "sweep_grid".into(), ..fault })?;
        positive("sweep_steps", u64::from(self.sweep_steps))?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let bytes = self.collective_bytes;
        for call in [Call::Bcast { root: 0, bytes }, Call::Reduce { root: 0, bytes }] {
            if bytes > 0 {
                script.collective(COMM_WORLD, call);
            }
            script.compute(self.compute_ps);
        }
        self.exchange(context.rank, script);
        script.compute(self.compute_ps);
        if self.sweep_bytes > 0 {
            let message_bytes = [self.sweep_bytes; 2];
            let wave = Wave { grid: &self.sweep_grid, message_bytes, compute_ps: 0, up: true };
            for _ in 0..self.sweep_steps {
                wave.step(context.rank, script);
            }
        }
        script.compute(self.compute_ps);
    }
}

impl Lulesh {
    /// Starts all receives and all sends, and waits. A message's tag is its direction of travel.
    fn exchange(&self, rank: u32, script: &mut Script) {
        let lattice = Lattice { extents: &self.grid, periodic: false };
        let neighbours = || {
            (0..27i8).filter(|way| *way != 13).filter_map(|way| {
                let steps = [way % 3 - 1, way / 3 % 3 - 1, way / 9 - 1];
                let across = steps.iter().filter(|step| **step != 0).count();
                let bytes = self.message_bytes[across - 1];
                (bytes > 0)
                    .then(|| lattice.beside(rank, &steps))
                    .flatten()
                    .map(|there| (i32::from(way), there, bytes))
            })
        };
        for (way, neighbour, bytes) in neighbours() {
            script.irecv(neighbour, 26 - way, bytes);
        }
        for (way, neighbour, bytes) in neighbours() {
            script.isend(neighbour, way, bytes);
        }
        script.waitall();
    }
}
