//! Multigrid V-cycles on a three-dimensional grid of ranks: halo exchanges on finer and coarser
//! levels.
//!
//! MultiGrid and AMG of Yang et al. (SC 2016), section 3.2. A cycle relaxes on every level on the
//! way down, solves on the coarsest level, and relaxes on every level on the way up. A relaxation
//! starts with a halo exchange. A level has half the points of the finer one along each dimension.
//! If a rank has less than one point left along a dimension, only every second, fourth, ... rank
//! along it stays active. Ranks that become idle hand over their data on the way down and get them
//! back on the way up.
//!
//! On geometric levels the neighbours of a rank are the next ranks along each dimension. In a
//! periodic domain, ranks across the boundary are neighbours across edges and corners, too: BoxLib
//! fills the whole boundary there, as a recorded rank of MultiGrid shows. Algebraic
//! levels (Henson and Yang, *BoomerAMG*, Applied Numerical Mathematics 41(1), 2002) have denser
//! matrices than the finest one. From level `corners_from` on, ranks across an edge or a corner are
//! also neighbours. From level `far_from` on, a share of the ranks two steps away are neighbours.
//! They are drawn from the ranks' positions, so that the pattern is irregular, mutual and equal in
//! every run. A message holds the points that both ranks touch, `point_bytes` each.

use pantala_engine::Time;
use pantala_engine::random::mix;
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IterationContext, Motif, Script, bounded, positive};
use crate::process_grid;

/// Parameters of the motif.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Multigrid {
    /// The process grid, the first dimension fastest.
    pub grid: [u32; 3],
    /// A rank's points along each dimension, on the finest level.
    pub points: [u64; 3],
    /// Bytes per point.
    pub point_bytes: u64,
    /// Number of levels; the finest has number 0.
    pub levels: u32,
    /// Number of exchanges on every level except the coarsest, on the way down.
    pub sweeps_down: u32,
    /// The same on the way up.
    pub sweeps_up: u32,
    /// The exchanges on the coarsest level: for each, the bytes of the sums over all ranks that
    /// follow it.
    pub coarse_sum_bytes: Vec<Vec<u64>>,
    /// Bytes of the sums over all ranks at the end of a cycle.
    #[serde(default)]
    pub sum_bytes: Vec<u64>,
    /// The exchanges on the finest level before the first cycle, like `coarse_sum_bytes`.
    #[serde(default)]
    pub before_sum_bytes: Vec<Vec<u64>>,
    /// The exchanges on the finest level after the last cycle, like `coarse_sum_bytes`.
    #[serde(default)]
    pub after_sum_bytes: Vec<Vec<u64>>,
    /// Whether opposite faces of the domain are neighbours.
    #[serde(default)]
    pub periodic: bool,
    /// Whether the sends of an exchange block. An exchange then has two parts: with the ranks inside
    /// the domain, then with those across its boundary.
    #[serde(default)]
    pub blocking: bool,
    /// The first level on which ranks across an edge or a corner are neighbours.
    pub corners_from: u32,
    /// The first level on which ranks two steps away can be neighbours.
    pub far_from: u32,
    /// Percentage of the ranks two steps away that are neighbours.
    #[serde(default)]
    pub far_percent: u32,
    /// Number of cycles.
    pub iterations: u32,
    /// Compute time per cycle, in ps.
    #[serde(default)]
    pub compute_ps: Time,
}

/// The largest number of levels. No number of points has more.
const MAX_LEVELS: u32 = 32;
/// Number of tags per level: the directions of up to two steps along three dimensions, and two for
/// the data handed over.
const TAGS: i32 = 5 * 5 * 5 + 2;

/// One level, as a grid of its active ranks.
#[derive(Clone, Copy, Debug)]
struct Level {
    number: u32,
    /// Number of active ranks along each dimension.
    extents: [u32; 3],
    /// Distance between active ranks along each dimension.
    stride: [u32; 3],
    points: [u64; 3],
}

impl Level {
    fn new(spec: &Multigrid, number: u32) -> Self {
        let halvings = spec.points.map(|points| number.saturating_sub(points.ilog2()));
        let stride = halvings.map(|halvings| 1 << halvings);
        let extents = [0, 1, 2].map(|d| spec.grid[d].div_ceil(stride[d]));
        Self {
            number,
            extents,
            stride,
            points: spec.points.map(|points| (points >> number).max(1)),
        }
    }

    /// The position of a rank among the active ones; `None` if the rank is idle.
    fn cell(&self, at: [u32; 3]) -> Option<[u32; 3]> {
        let active = [0, 1, 2].iter().all(|&d| at[d] % self.stride[d] == 0);
        active.then(|| [0, 1, 2].map(|d| at[d] / self.stride[d]))
    }

    /// Whether two positions, two steps apart, are neighbours. The answer is symmetric.
    fn far(&self, one: [u32; 3], other: [u32; 3], percent: u32) -> bool {
        let key = |cell: [u32; 3]| {
            cell.iter().fold(u64::from(self.number), |key, at| (key << 16) ^ u64::from(*at))
        };
        let (low, high) = if key(one) < key(other) { (one, other) } else { (other, one) };
        mix(key(low) ^ mix(key(high))) % 100 < u64::from(percent)
    }

    /// The exchanges of a position.
    fn around(&self, spec: &Multigrid, cell: [u32; 3]) -> impl Iterator<Item = Exchange> {
        let level = *self;
        let &Multigrid { periodic, corners_from, far_from, far_percent, point_bytes, .. } = spec;
        (0..125).filter_map(move |number| {
            let steps = [number % 5 - 2, number / 5 % 5 - 2, number / 25 - 2];
            let apart = steps.map(i32::abs).into_iter().max()?;
            let moved = steps.iter().filter(|step| **step != 0).count();
            let (mut there, mut across) = (cell, false);
            for d in 0..3 {
                let at = i64::from(cell[d]) + i64::from(steps[d]);
                let extent = i64::from(level.extents[d]);
                if (0..extent).contains(&at) {
                    there[d] = at as u32;
                } else if periodic {
                    (there[d], across) = (at.rem_euclid(extent) as u32, true);
                } else {
                    return None;
                }
            }
            let neighbour = match apart {
                0 => false,
                1 => moved == 1 || across || level.number >= corners_from,
                _ => level.number >= far_from && level.far(cell, there, far_percent),
            };
            let shared = steps
                .iter()
                .zip(level.points)
                .filter(|(step, _)| **step == 0)
                .map(|(_, points)| points);
            let bytes = point_bytes * shared.product::<u64>();
            (neighbour && there != cell).then_some(Exchange { there, number, across, bytes })
        })
    }
}

/// An exchange with one neighbour.
#[derive(Clone, Copy, Debug)]
struct Exchange {
    /// The neighbour's position.
    there: [u32; 3],
    /// The number of the direction.
    number: i32,
    /// Whether the boundary of the domain lies between.
    across: bool,
    bytes: u64,
}

impl Multigrid {
    const fn coordinates(&self, rank: u32) -> [u32; 3] {
        let [x, y, _] = self.grid;
        [rank % x, rank / x % y, rank / (x * y)]
    }

    /// The rank at a position of a level.
    const fn rank(&self, level: &Level, cell: [u32; 3]) -> u32 {
        let [x, y, _] = self.grid;
        let [i, j, k] =
            [cell[0] * level.stride[0], cell[1] * level.stride[1], cell[2] * level.stride[2]];
        i + x * (j + y * k)
    }

    fn exchange(&self, level: &Level, cell: [u32; 3], script: &mut Script) {
        if self.blocking {
            self.exchange_with(level, cell, Some(false), script);
            self.exchange_with(level, cell, Some(true), script);
        } else {
            self.exchange_with(level, cell, None, script);
        }
    }

    /// Exchanges with the neighbours inside the domain, with those across its boundary, or with
    /// all.
    fn exchange_with(
        &self,
        level: &Level,
        cell: [u32; 3],
        across: Option<bool>,
        script: &mut Script,
    ) {
        let tag = |number: i32| level.number as i32 * TAGS + number;
        let part =
            || level.around(self, cell).filter(|with| across.is_none_or(|it| it == with.across));
        for Exchange { there, number, bytes, .. } in part() {
            script.irecv(self.rank(level, there), tag(124 - number), bytes);
        }
        for Exchange { there, number, bytes, .. } in part() {
            let (rank, tag) = (self.rank(level, there), tag(number));
            if self.blocking { script.send(rank, tag, bytes) } else { script.isend(rank, tag, bytes) }
        }
        if part().next().is_some() {
            script.waitall();
        }
    }

    /// Exchanges on one level, each with the sums that follow it.
    fn steps(&self, at: [u32; 3], level: &Level, steps: &[Vec<u64>], script: &mut Script) {
        for sums in steps {
            if let Some(cell) = level.cell(at) {
                self.exchange(level, cell, script);
            }
            sums.iter().for_each(|bytes| script.allreduce(*bytes));
        }
    }

    /// Hands over the data of ranks that become idle on the coarser level, or returns them on the
    /// way up.
    fn move_idle_data(
        &self,
        at: [u32; 3],
        finer: &Level,
        coarser: &Level,
        down: bool,
        script: &mut Script,
    ) {
        let Some(cell) = finer.cell(at) else { return };
        let ratio = [0, 1, 2].map(|d| coarser.stride[d] / finer.stride[d]);
        if ratio == [1; 3] {
            return;
        }
        let bytes = self.point_bytes * finer.points.iter().product::<u64>();
        let tag = finer.number as i32 * TAGS + 125 + i32::from(down);
        let mut transfer = |with: [u32; 3], sends: bool| {
            let rank = self.rank(finer, with);
            if sends { script.isend(rank, tag, bytes) } else { script.irecv(rank, tag, bytes) }
        };
        let parent = [0, 1, 2].map(|d| cell[d] / ratio[d] * ratio[d]);
        if parent == cell {
            let [x, y, z] = ratio;
            for child in 1..x * y * z {
                let child =
                    [cell[0] + child % x, cell[1] + child / x % y, cell[2] + child / (x * y)];
                if child.iter().zip(finer.extents).all(|(at, extent)| *at < extent) {
                    transfer(child, !down);
                }
            }
        } else {
            transfer(parent, down);
        }
        script.waitall();
    }
}

impl Motif for Multigrid {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, 3)?;
        for points in self.points {
            positive("points", points)?;
        }
        let volume = self
            .points
            .iter()
            .try_fold(self.point_bytes, |product, points| product.checked_mul(*points));
        if volume.is_none() {
            return Err(Fault::new(
                "points",
                self.points[0],
                "a rank's bytes exceed 64 bits",
                "give fewer points",
            ));
        }
        positive("point_bytes", self.point_bytes)?;
        positive("levels", u64::from(self.levels))?;
        if self.levels > MAX_LEVELS {
            let message = "points cannot be halved so often";
            return Err(Fault::new(
                "levels",
                self.levels,
                message,
                format!("give at most {MAX_LEVELS}"),
            ));
        }
        let steps = [("coarse_sum_bytes", &self.coarse_sum_bytes), ("before_sum_bytes", &self.before_sum_bytes), ("after_sum_bytes", &self.after_sum_bytes)];
        for (key, steps) in steps {
            steps.iter().flatten().try_for_each(|bytes| positive(key, *bytes))?;
        }
        self.sum_bytes.iter().try_for_each(|bytes| positive("sum_bytes", *bytes))?;
        positive("iterations", u64::from(self.iterations))?;
        if self.far_percent > 100 {
            return Err(Fault::new(
                "far_percent",
                self.far_percent,
                "a percentage is at most 100",
                "give 0 to 100",
            ));
        }
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn before(&self, context: &IterationContext, script: &mut Script) {
        self.steps(self.coordinates(context.rank), &Level::new(self, 0), &self.before_sum_bytes, script);
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let at = self.coordinates(context.rank);
        let levels: Vec<Level> = (0..self.levels).map(|number| Level::new(self, number)).collect();
        let relax = |level: &Level, script: &mut Script| {
            if let Some(cell) = level.cell(at) {
                self.exchange(level, cell, script);
            }
        };
        script.compute(self.compute_ps);
        for pair in levels.windows(2) {
            (0..self.sweeps_down).for_each(|_| relax(&pair[0], script));
            self.move_idle_data(at, &pair[0], &pair[1], true, script);
        }
        self.steps(at, &levels[levels.len() - 1], &self.coarse_sum_bytes, script);
        for pair in levels.windows(2).rev() {
            self.move_idle_data(at, &pair[0], &pair[1], false, script);
            (0..self.sweeps_up).for_each(|_| relax(&pair[0], script));
        }
        self.sum_bytes.iter().for_each(|bytes| script.allreduce(*bytes));
    }

    fn after(&self, context: &IterationContext, script: &mut Script) {
        self.steps(self.coordinates(context.rank), &Level::new(self, 0), &self.after_sum_bytes, script);
    }
}
