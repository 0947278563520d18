//! A sweep: waves of messages through a grid of two dimensions, from one corner to the opposite
//! one.
//!
//! LU and the sweep of LULESH of Kang et al. (SC 2022), section IV, after SST's motifs. In a step a
//! rank receives from its upstream neighbour in each dimension, computes, and sends to its
//! downstream neighbours. All calls block, so the second send starts when the first is complete.
//! Then the wave of the next step can follow. An iteration has `steps` steps from the first rank to
//! the last and, if `back` is true, as many from the last rank to the first.
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

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// The process grid, the first dimension fastest.
    pub grid: [u32; 2],
    /// Bytes to the neighbour along each dimension, per step.
    pub message_bytes: [u64; 2],
    /// Number of steps per sweep.
    pub steps: u32,
    /// Number of iterations.
    pub iterations: u32,
    /// Whether a sweep in the opposite direction follows every sweep.
    #[serde(default)]
    pub back: bool,
    /// Compute time per step, in ps.
    #[serde(default)]
    pub compute_ps: Time,
    /// Compute time before the first iteration, in ps.
    #[serde(default)]
    pub start_delay_ps: Time,
}

impl Motif for Sweep {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, 2)?;
        for bytes in self.message_bytes {
            positive("message_bytes", bytes)?;
        }
        positive("steps", u64::from(self.steps))?;
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
        let ways: &[(bool, i32)] = if self.back { &[(true, 1_000), (false, 3_000)] } else { &[(true, 1_000)] };
        for &(up, tag) in ways {
            let wave = Wave {
                grid: &self.grid,
                message_bytes: self.message_bytes,
                compute_ps: self.compute_ps,
                up: [up; 2],
                tag,
            };
            for _ in 0..self.steps {
                wave.step(context.rank, script);
            }
        }
    }
}

/// A wave through the grid, from one of its corners to the opposite one.
pub(crate) struct Wave<'a> {
    pub(crate) grid: &'a [u32; 2],
    pub(crate) message_bytes: [u64; 2],
    pub(crate) compute_ps: Time,
    /// Whether the wave travels up along each dimension.
    pub(crate) up: [bool; 2],
    pub(crate) tag: i32,
}

impl Wave<'_> {
    /// One step of a rank: receives, compute, sends.
    pub(crate) fn step(&self, rank: u32, script: &mut Script) {
        let lattice = Lattice { extents: self.grid, periodic: false };
        for (dimension, bytes) in self.message_bytes.into_iter().enumerate() {
            if let Some(upstream) = lattice.along(rank, dimension, !self.up[dimension]) {
                script.recv(upstream, self.tag, bytes);
            }
        }
        script.compute(self.compute_ps);
        for (dimension, bytes) in self.message_bytes.into_iter().enumerate() {
            if let Some(downstream) = lattice.along(rank, dimension, self.up[dimension]) {
                script.send(downstream, self.tag, bytes);
            }
        }
    }
}
