//! Molecular dynamics with long-range forces on a mesh: exchanges of ghost particles and mesh
//! values, transforms of the mesh, small sums.
//!
//! LAMMPS of Wang et al. (IPDPS 2020), section IV.B, after its scalable workload model. A time step
//! has these parts, in order: sums of temperature and pressure; an exchange of ghost positions with
//! the six neighbours, one after the other, each with a started receive, a send and a wait; an
//! exchange of the mesh's charges of the same form; 13 remaps for one forward and three backward
//! transforms; an exchange of the mesh's fields; a sum; exchanges of ghost forces and of ghosts;
//! two sums.
//!
//! Every `rebuild_every` steps the first exchange is replaced: particles migrate, and ghosts are
//! chosen anew. Messages with a length of four bytes precede these exchanges, and five sums follow
//! them. In each of the last `rebuild_checks` steps before, a sum decides whether a rebuild is due.
//!
//! Remaps alternate between exchanges within a row and within a column of a two-dimensional array.

use pantala_engine::Time;
use pantala_mpi::{Fault, Op};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::programs::Repeats;
use super::lattice::Lattice;
use super::{IterationContext, Motif, Script, bounded, positive, summed};
use crate::process_grid;

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParticleMesh {
    /// The process grid, the first dimension fastest. Opposite faces are neighbours.
    pub grid: [u32; 3],
    /// Rows and columns of the array for the transforms, filled row by row.
    pub transform_grid: [u32; 2],
    /// Bytes of ghost positions or forces to a neighbour along each dimension.
    pub ghost_bytes: [u64; 3],
    /// Bytes of new ghosts to a neighbour along each dimension.
    pub border_bytes: [u64; 3],
    /// Bytes of migrating particles to a neighbour along each dimension.
    pub migration_bytes: [u64; 3],
    /// Bytes of the mesh's charges to a neighbour along each dimension.
    pub charge_bytes: [u64; 3],
    /// Bytes of the mesh's fields to a neighbour along each dimension.
    pub field_bytes: [u64; 3],
    /// Bytes to each other rank of a row, and of a column, in a remap.
    pub remap_bytes: [u64; 2],
    /// Number of remaps per step. The first has half the bytes, because its numbers are real.
    pub remaps: u32,
    /// Number of steps between two choices of ghosts.
    pub rebuild_every: u32,
    /// Number of these steps that check whether a rebuild is due.
    pub rebuild_checks: u32,
    /// Number of time steps.
    pub iterations: u32,
    /// Compute time per step, in ps.
    #[serde(default)]
    pub compute_ps: Time,
}

/// The dimensions in ascending order.
const FORTH: [usize; 3] = [0, 1, 2];
const BACK: [usize; 3] = [2, 1, 0];
/// Bytes of a length and of the smaller sums.
const LENGTH: u64 = 4;
/// Bytes of a sum of six numbers.
const SIX: u64 = 48;
const ONE: u64 = 8;
/// Number of sums after a new choice of ghosts.
const SUMS: u32 = 5;
/// The tag of remaps.
const REMAP: i32 = 6;

impl ParticleMesh {
    /// Whether an iteration chooses ghosts anew, and whether it checks for that.
    const fn rebuilds(&self, iteration: u32) -> (bool, bool) {
        let at = iteration % self.rebuild_every;
        (at + 1 == self.rebuild_every, at + self.rebuild_checks >= self.rebuild_every)
    }

    /// Exchanges with both neighbours along each dimension, one after the other. If `told`, a
    /// message with the length precedes each.
    fn shift(
        &self,
        rank: u32,
        order: [usize; 3],
        bytes: [u64; 3],
        told: bool,
        script: &mut Script,
    ) {
        let lattice = Lattice { extents: &self.grid, periodic: true };
        for dimension in order {
            for up in [false, true] {
                let there = lattice.along(rank, dimension, up);
                let Some((to, from)) = there.zip(lattice.along(rank, dimension, !up)) else {
                    continue;
                };
                let tag = (2 * dimension + usize::from(up)) as i32;
                if told {
                    script.sendrecv((to, LENGTH), (from, LENGTH), tag);
                }
                script.irecv(from, tag, bytes[dimension]);
                script.send(to, tag, bytes[dimension]);
                script.waitall();
            }
        }
    }

    /// One remap among the ranks of a row (0) or of a column (1).
    fn remap(&self, rank: u32, way: usize, bytes: u64, script: &mut Script) {
        let [rows, columns] = self.transform_grid;
        let (row, column) = (rank / columns, rank % columns);
        let members = if way == 0 { columns } else { rows };
        let at =
            |member: u32| if way == 0 { row * columns + member } else { member * columns + column };
        let me = if way == 0 { column } else { row };
        for step in 1..members {
            script.irecv(at((me + members - step) % members), REMAP, bytes);
        }
        for step in 1..members {
            script.send(at((me + step) % members), REMAP, bytes);
        }
        script.waitall();
    }
}

impl Motif for ParticleMesh {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, 3)?;
        process_grid::check(&self.transform_grid, ranks, 2)
            .map_err(|fault| Fault { key: "transform_grid".into(), ..fault })?;
        for (key, sizes) in [
            ("ghost_bytes", &self.ghost_bytes[..]),
            ("border_bytes", &self.border_bytes),
            ("migration_bytes", &self.migration_bytes),
            ("charge_bytes", &self.charge_bytes),
            ("field_bytes", &self.field_bytes),
            ("remap_bytes", &self.remap_bytes),
        ] {
            sizes.iter().try_for_each(|bytes| positive(key, *bytes))?;
        }
        positive("rebuild_every", u64::from(self.rebuild_every))?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn repeats(&self) -> Option<Repeats> {
        Some(Repeats { first: 0, period: self.rebuild_every })
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let rank = context.rank;
        let (rebuilt, asked) = self.rebuilds(context.iteration);
        script.compute(self.compute_ps);
        script.allreduce(SIX);
        script.allreduce(SIX);
        if asked {
            script.allreduce(LENGTH);
        }
        if rebuilt {
            self.shift(rank, FORTH, self.migration_bytes, true, script);
            self.shift(rank, FORTH, self.border_bytes, true, script);
            (0..SUMS).for_each(|_| script.allreduce(LENGTH));
        } else {
            self.shift(rank, FORTH, self.ghost_bytes, false, script);
        }
        self.shift(rank, BACK, self.charge_bytes, false, script);
        for remap in 0..self.remaps {
            let way = remap as usize % 2;
            let bytes = self.remap_bytes[way];
            self.remap(rank, way, if remap == 0 { bytes.div_ceil(2) } else { bytes }, script);
        }
        self.shift(rank, FORTH, self.field_bytes, false, script);
        script.allreduce(SIX);
        self.shift(rank, BACK, self.ghost_bytes, false, script);
        self.shift(rank, FORTH, self.ghost_bytes, false, script);
        script.allreduce(ONE);
        script.allreduce(SIX);
    }

    fn summary(&self, context: &IterationContext) -> Vec<(Op, u64)> {
        let (every, iterations) = (self.rebuild_every, self.iterations);
        let times = |at: u32| iterations / every + u32::from(at < iterations % every);
        // Three kinds of steps lie between two rebuilds: without a check, with a check, and the
        // rebuild.
        let asked = every.saturating_sub(self.rebuild_checks.max(1)).min(every - 1);
        let sort = |from: u32, to: u32| (from, (from..to).map(times).sum::<u32>());
        summed(self, context, &[sort(0, asked), sort(asked, every - 1), sort(every - 1, every)])
    }
}
