//! Conjugate gradients on a grid of ranks: exchanges with neighbours, and sums of a few bytes over
//! all ranks.
//!
//! MILC and Nekbone of Wang et al. (IPDPS 2020), section IV.B. One iteration: sums, exchanges,
//! sums. In an exchange a rank starts all receives, then all sends, and waits for all. It computes
//! before the exchange, or while messages are on their way. It sends its face to the neighbour
//! along each dimension. With `corners` it also sends to the neighbours across edges and corners.
//!
//! A message to a neighbour holds the points that both ranks touch: `point_bytes` times the product
//! of `points` over the dimensions in which the ranks do not differ. The number of points can
//! change in stages of equally many iterations (polynomial orders). A dimension with one rank has
//! no neighbours.

use pantala_engine::Time;
use pantala_mpi::{Fault, Op};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::programs::Repeats;
use super::lattice::Lattice;
use super::{IterationContext, Motif, Script, bounded, positive, summed};
use crate::process_grid;

/// Parameters of the motif.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConjugateGradient {
    /// The process grid: one to five dimensions, the first fastest.
    pub grid: Vec<u32>,
    /// Whether opposite faces of the grid are neighbours.
    #[serde(default)]
    pub periodic: bool,
    /// Whether ranks across an edge or a corner are also neighbours.
    #[serde(default)]
    pub corners: bool,
    /// A rank's points along each dimension, per stage.
    pub points: Vec<Vec<u64>>,
    /// Bytes per point.
    pub point_bytes: u64,
    /// Number of exchanges per iteration.
    pub exchanges: u32,
    /// Number of sums before the exchanges.
    #[serde(default)]
    pub sums_before: u32,
    /// Number of sums after the exchanges.
    #[serde(default)]
    pub sums_after: u32,
    /// Bytes per sum.
    pub sum_bytes: u64,
    /// Number of iterations.
    pub iterations: u32,
    /// Compute time per exchange, in ps.
    #[serde(default)]
    pub compute_ps: Time,
    /// Whether ranks compute while messages are on their way, instead of before the exchange.
    #[serde(default)]
    pub overlap: bool,
}

/// The largest number of dimensions.
const MAX_STENCIL_DIMENSIONS: usize = 5;

impl ConjugateGradient {
    /// The stage of an iteration.
    fn stage(&self, iteration: u32) -> &[u64] {
        let stage =
            u64::from(iteration) * self.points.len() as u64 / u64::from(self.iterations.max(1));
        &self.points[stage as usize]
    }

    /// The first iteration of a stage.
    fn first(&self, stage: usize) -> u32 {
        (stage as u64 * u64::from(self.iterations)).div_ceil(self.points.len() as u64) as u32
    }

    /// The exchange of a rank with all its neighbours.
    fn exchange(&self, context: &IterationContext, script: &mut Script) {
        let lattice = Lattice { extents: &self.grid, periodic: self.periodic };
        let points = self.stage(context.iteration);
        let around = || {
            directions(self.grid.len())
                .filter(|(_, steps)| self.corners || steps.iter().filter(|s| **s != 0).count() == 1)
                .filter(|(_, steps)| {
                    self.grid.iter().zip(steps).all(|(extent, step)| *step == 0 || *extent > 1)
                })
                .filter_map(|(number, steps)| {
                    let neighbour = lattice.beside(context.rank, &steps[..self.grid.len()])?;
                    let shared = points
                        .iter()
                        .zip(steps)
                        .filter(|(_, step)| *step == 0)
                        .map(|(points, _)| points);
                    Some((neighbour, number, self.point_bytes * shared.product::<u64>()))
                })
        };
        let opposite = 3_i32.pow(self.grid.len() as u32) - 1;
        for (neighbour, number, bytes) in around() {
            script.irecv(neighbour, opposite - number, bytes);
        }
        for (neighbour, number, bytes) in around() {
            script.isend(neighbour, number, bytes);
        }
    }
}

/// Every step of -1, 0 or 1 along `dimensions` dimensions except the zero step. The numbers of
/// opposite steps have the same sum.
fn directions(dimensions: usize) -> impl Iterator<Item = (i32, [i8; MAX_STENCIL_DIMENSIONS])> {
    (0..3_i32.pow(dimensions as u32)).filter_map(move |number| {
        let (mut steps, mut rest) = ([0; MAX_STENCIL_DIMENSIONS], number);
        for step in &mut steps[..dimensions] {
            *step = (rest % 3 - 1) as i8;
            rest /= 3;
        }
        steps.iter().any(|step| *step != 0).then_some((number, steps))
    })
}

impl Motif for ConjugateGradient {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, MAX_STENCIL_DIMENSIONS)?;
        if self.points.is_empty() {
            return Err(Fault::new(
                "points",
                "[]",
                "there must be a stage",
                "give the points of at least one stage",
            ));
        }
        for stage in &self.points {
            if stage.len() != self.grid.len() {
                let message = format!("{} numbers for {} dimensions", stage.len(), self.grid.len());
                return Err(Fault::new(
                    "points",
                    format!("{stage:?}"),
                    message,
                    "give one for each dimension",
                ));
            }
            stage.iter().try_for_each(|points| positive("points", *points))?;
            let volume = stage
                .iter()
                .try_fold(self.point_bytes, |product, points| product.checked_mul(*points));
            if volume.is_none() {
                let remedy = "give fewer points";
                return Err(Fault::new(
                    "points",
                    format!("{stage:?}"),
                    "a rank's bytes exceed 64 bits",
                    remedy,
                ));
            }
        }
        positive("point_bytes", self.point_bytes)?;
        positive("exchanges", u64::from(self.exchanges))?;
        positive("sum_bytes", self.sum_bytes)?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn repeats(&self) -> Option<Repeats> {
        (self.points.len() == 1).then_some(Repeats::ALL)
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        for _ in 0..self.sums_before {
            script.allreduce(self.sum_bytes);
        }
        for _ in 0..self.exchanges {
            if !self.overlap {
                script.compute(self.compute_ps);
            }
            self.exchange(context, script);
            if self.overlap {
                script.compute(self.compute_ps);
            }
            script.waitall();
        }
        for _ in 0..self.sums_after {
            script.allreduce(self.sum_bytes);
        }
    }

    fn summary(&self, context: &IterationContext) -> Vec<(Op, u64)> {
        let stages = (0..self.points.len())
            .map(|stage| (self.first(stage), self.first(stage + 1) - self.first(stage)));
        summed(self, context, &stages.collect::<Vec<_>>())
    }
}
