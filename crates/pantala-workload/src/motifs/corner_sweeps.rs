//! Sweeps from several corners: waves of blocking messages through a grid of two dimensions.
//!
//! Ember's Sweep2D (on a line of ranks) and Sweep3D of SST elements. An iteration has
//! `rounds` rounds, and a round has the sweeps of the list in order. In a step of a sweep a rank
//! receives from the upstream neighbour along each dimension, computes, and sends to the downstream
//! neighbours, all with blocking calls. On a grid of `X` by `Y` ranks a step moves `(X - 1) Y`
//! messages along the first dimension and `X (Y - 1)` along the second.

use pantala_engine::Time;
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sweep::Wave;
use super::{IterationContext, Motif, Script, bounded, positive};
use crate::process_grid;

/// Parameters of the motif.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CornerSweeps {
    /// The process grid, the first dimension fastest.
    pub grid: [u32; 2],
    /// Bytes to the neighbour along each dimension, per step.
    pub message_bytes: [u64; 2],
    /// The sweeps of a round, in order.
    pub sweeps: Vec<Sweeping>,
    /// Number of steps per sweep.
    pub steps: u32,
    /// Number of rounds per iteration.
    pub rounds: u32,
    /// Number of iterations.
    pub iterations: u32,
    /// Compute time per step, in ps.
    #[serde(default)]
    pub compute_ps: Time,
    /// Compute time before the first iteration, in ps.
    #[serde(default)]
    pub start_delay_ps: Time,
}

/// One sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweeping {
    /// The way of the wave along each dimension.
    pub ways: [Direction; 2],
    /// The tag of its messages.
    pub tag: u32,
}

/// The way of a wave along a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// To larger coordinates.
    Up,
    /// To smaller coordinates.
    Down,
}

impl Motif for CornerSweeps {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, 2)?;
        positive("sweeps", self.sweeps.len() as u64)?;
        for (number, sweep) in self.sweeps.iter().enumerate() {
            if i32::try_from(sweep.tag).is_err() {
                let key = format!("sweeps[{number}].tag");
                return Err(Fault::new(&key, sweep.tag, "is too large", "write less than 2^31"));
            }
        }
        positive("steps", u64::from(self.steps))?;
        positive("rounds", u64::from(self.rounds))?;
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
        for _ in 0..self.rounds {
            for sweep in &self.sweeps {
                let wave = Wave {
                    grid: &self.grid,
                    message_bytes: self.message_bytes,
                    compute_ps: self.compute_ps,
                    up: sweep.ways.map(|way| way == Direction::Up),
                    tag: sweep.tag as i32,
                };
                (0..self.steps).for_each(|_| wave.step(context.rank, script));
            }
        }
    }
}

