//! A sweep: a wave of messages through a grid of two dimensions, from one corner to the opposite
//! one, step after step.
//!
//! LU and the sweep of LULESH of Kang et al. (SC 2022), section IV, after SST's motifs. In a step a
//! rank receives from its upstream neighbour in each dimension, computes, and sends to its
//! downstream neighbours; as soon as it has, the next step's wave may follow. An iteration is so
//! many steps from the first rank to the last and, if `back`, as many from the last to the first.
//!
//! On a grid of `X` by `Y` ranks, a step moves `(X - 1) Y` messages along the first dimension and
//! `X (Y - 1)` along the second.

use pantala_engine::Time;
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lattice::Lattice;
use super::{IterationContext, Motif, Script, bounded, positive};
use crate::process_grid;

/// The motif's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// The process grid, the first dimension fastest.
    pub grid: [u32; 2],
    /// Bytes to the neighbour along each dimension, in a step.
    pub message_bytes: [u64; 2],
    /// Steps of a sweep.
    pub steps: u32,
    /// Iterations.
    pub iterations: u32,
    /// Whether every sweep is followed by one back.
    #[serde(default)]
    pub back: bool,
    /// Compute time of a step, ps.
    #[serde(default)]
    pub compute_ps: Time,
}

impl Motif for Sweep {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, 2)?;
        for bytes in self.message_bytes {
            positive("message_bytes", bytes)?;
        }
        positive("steps", u64::from(self.steps))?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let mut wave = Wave {
            grid: &self.grid,
            message_bytes: self.message_bytes,
            compute_ps: self.compute_ps,
            up: true,
        };
        for _ in 0..self.steps {
            wave.step(context.rank, script);
        }
        if self.back {
            wave.up = false;
            for _ in 0..self.steps {
                wave.step(context.rank, script);
            }
        }
    }
}

/// What a rank does when a wave passes.
pub(crate) struct Wave<'a> {
    pub(crate) grid: &'a [u32; 2],
    pub(crate) message_bytes: [u64; 2],
    pub(crate) compute_ps: Time,
    /// Whether it comes from the first rank; else it comes from the last.
    pub(crate) up: bool,
}

impl Wave<'_> {
    /// One step of a rank: receives, computing, sends, a wait for these.
    pub(crate) fn step(&self, rank: u32, script: &mut Script) {
        let lattice = Lattice { extents: self.grid, periodic: false };
        let tag = |dimension: usize| FIRST_TAG + (2 * dimension + usize::from(self.up)) as i32;
        for (dimension, bytes) in self.message_bytes.into_iter().enumerate() {
            if let Some(upstream) = lattice.along(rank, dimension, !self.up) {
                script.recv(upstream, tag(dimension), bytes);
            }
        }
        script.compute(self.compute_ps);
        for (dimension, bytes) in self.message_bytes.into_iter().enumerate() {
            if let Some(downstream) = lattice.along(rank, dimension, self.up) {
                script.isend(downstream, tag(dimension), bytes);
            }
        }
        script.waitall();
    }
}

/// Tags below it are a stencil's, in motifs that have both.
const FIRST_TAG: i32 = 32;
