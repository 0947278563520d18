//! Shock hydrodynamics: a stencil of 26 neighbours in three dimensions, then a sweep.
//!
//! LULESH of Kang et al. (SC 2022), section IV, after their motif for SST. An iteration has four
//! phases: a broadcast, a reduction, an exchange, and a sweep. A rank computes at the end of each,
//! and reports each by itself (`bcast`, `reduce`, `nn26`, `sweep`). The exchange covers all
//! neighbours across faces, edges and corners of an open grid. The sweep has many steps, from the
//! first rank to the last, on the same ranks as a grid of two dimensions. A phase whose messages
//! have no bytes only computes.
//!
//! On a cube of `n` ranks per side, the stencil moves `6 n n (n - 1)` messages across faces, `12 n
//! (n - 1)^2` across edges and `8 (n - 1)^3` across corners.

use pantala_engine::Time;
use pantala_mpi::{COMM_WORLD, Call, Fault, PhaseName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::surroundings::{crossed, exchange};
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
    /// Bytes of the broadcast.
    pub bcast_bytes: u64,
    /// Bytes of the reduction.
    pub reduce_bytes: u64,
    /// Number of iterations.
    pub iterations: u32,
    /// Compute time at the end of each of the four phases, in ps.
    #[serde(default)]
    pub compute_ps: Time,
    /// Compute time before the first iteration, in ps.
    #[serde(default)]
    pub start_delay_ps: Time,
}

impl Motif for Lulesh {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, 3)?;
        process_grid::check(&self.sweep_grid, ranks, 2)
            .map_err(|fault| Fault { key: "sweep_grid".into(), ..fault })?;
        positive("sweep_steps", u64::from(self.sweep_steps))?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("start_delay_ps", self.start_delay_ps)?;
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn before(&self, _: &IterationContext, script: &mut Script) {
        script.compute(self.start_delay_ps);
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        script.phase(BCAST);
        if self.bcast_bytes > 0 {
            script.collective(COMM_WORLD, Call::Bcast { root: 0, bytes: self.bcast_bytes });
        }
        script.compute(self.compute_ps);
        script.phase(REDUCE);
        if self.reduce_bytes > 0 {
            script.collective(COMM_WORLD, Call::Reduce { root: 0, bytes: self.reduce_bytes });
        }
        script.compute(self.compute_ps);
        script.phase(NN26);
        let bytes = |steps: &[i8; 3]| self.message_bytes[crossed(steps) - 1];
        exchange(&self.grid, context.rank, bytes, script);
        script.compute(self.compute_ps);
        script.phase(SWEEP);
        if self.sweep_bytes > 0 {
            let message_bytes = [self.sweep_bytes; 2];
            let wave = Wave {
                grid: &self.sweep_grid,
                message_bytes,
                compute_ps: 0,
                up: [true; 2],
                tag: 1_000,
            };
            for _ in 0..self.sweep_steps {
                wave.step(context.rank, script);
            }
        }
        script.compute(self.compute_ps);
    }
}

const BCAST: PhaseName = PhaseName::new("bcast");
const REDUCE: PhaseName = PhaseName::new("reduce");
const NN26: PhaseName = PhaseName::new("nn26");
const SWEEP: PhaseName = PhaseName::new("sweep");
