//! A 3D FFT of real numbers in pencils: alltoalls of uneven blocks in rows and columns of a 2D
//! process array.
//!
//! FFT3D of Kang et al. (SC 2022), section IV, after SST's motif. The points form a cube of side
//! `n`. Transforms along the first axis leave `h = n / 2 + 1` complex points. `R` rows divide the
//! first axis after its transform, and the second axis before its transform. `C` columns divide the
//! third axis before its transform, and the second axis after its transform. If an axis does not
//! divide evenly, its first parts have one point more.
//!
//! The forward transform computes along the first axis, transposes in columns, computes, transposes
//! in rows, computes, and ends with a barrier. The backward transform reverses this order. A rank
//! in row `r` and column `c` sends `h_i n_r n_c` points to row `i` and `h_r n_i n_c` points to
//! column `i`, where `h_i` and `n_i` are parts of an axis.
//!
//! Ranks fill the array column by column: rank `row + rows * column`.
//!
//! If `communicator_barriers` is true, the rank takes part in two barriers of all ranks before it
//! waits for `start_delay`, one for each communicator, and in one barrier of its row and one of its
//! column at the end: SST's firefly makes and frees communicators that way.

use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::collectives::Exchange;
use pantala_mpi::{COMM_WORLD, Call, Communicator, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::process_array::{COLUMN, ROW};
use super::{IterationContext, Motif, Script, bounded, positive};
use crate::process_grid;

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PencilFft {
    /// The process array: rows and columns.
    pub grid: [u32; 2],
    /// Points along each side of the cube.
    pub points: u32,
    /// Bytes per complex point.
    pub point_bytes: u64,
    /// Number of iterations, each with a forward and a backward transform.
    pub iterations: u32,
    /// Compute times of the forward transform before, between and after its transpositions, in ps.
    #[serde(default)]
    pub compute_forward_ps: [Time; 3],
    /// Compute times of the backward transform before, between and after its transpositions, in ps.
    #[serde(default)]
    pub compute_backward_ps: [Time; 3],
    /// Whether the creation of each communicator is a barrier of all ranks, and its end a barrier
    /// of its own ranks.
    #[serde(default)]
    pub communicator_barriers: bool,
    /// Compute time before the first iteration, in ps.
    #[serde(default)]
    pub start_delay_ps: Time,
}

impl Motif for PencilFft {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, 2)?;
        let [rows, columns] = self.grid;
        let least = columns.max(rows.saturating_mul(2).saturating_sub(2)).max(1);
        if self.points < least || self.points > MAX_POINTS {
            let message = format!(
                "an array of {rows} x {columns} ranks needs {least} to {MAX_POINTS} points a side"
            );
            return Err(Fault::new(
                "points",
                self.points,
                message,
                format!("write {least} or more"),
            ));
        }
        positive("point_bytes", self.point_bytes)?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("start_delay_ps", self.start_delay_ps)?;
        for time in self.compute_forward_ps {
            bounded("compute_forward_ps", time)?;
        }
        self.compute_backward_ps
            .into_iter()
            .try_for_each(|time| bounded("compute_backward_ps", time))
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    /// Number 1 is the rank's row, number 2 its column.
    fn communicators(&self, context: &IterationContext) -> Vec<Communicator> {
        let [rows, columns] = self.grid;
        let (row, column) = (context.rank % rows, context.rank / rows);
        vec![
            Communicator::strided(u32::from(ROW), row, rows, columns, column),
            Communicator::strided(u32::from(COLUMN), column * rows, 1, rows, row),
        ]
    }

    fn before(&self, _: &IterationContext, script: &mut Script) {
        if self.communicator_barriers {
            for _ in [ROW, COLUMN] {
                script.collective(COMM_WORLD, Call::Barrier);
            }
        }
        script.compute(self.start_delay_ps);
    }

    fn after(&self, _: &IterationContext, script: &mut Script) {
        if self.communicator_barriers {
            for communicator in [ROW, COLUMN] {
                script.collective(communicator, Call::Barrier);
            }
        }
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let [rows, columns] = self.grid;
        let (row, column) = (context.rank % rows, context.rank / rows);
        let bytes = |a: u64, b: u64, c: u64| self.point_bytes * a * b * c;
        let halves = |i: u32| part(self.points / 2 + 1, rows, i);
        let by_rows = |i: u32| part(self.points, rows, i);
        let by_columns = |i: u32| part(self.points, columns, i);
        let here = by_columns(column);
        let in_row = Exchange {
            send: (0..columns).map(|i| bytes(halves(row), by_columns(i), here)).collect(),
            receive: (0..columns).map(|i| bytes(halves(row), here, by_columns(i))).collect(),
        };
        let spread: Vec<u64> = (0..rows).map(|i| bytes(halves(i), by_rows(row), here)).collect();
        let gathered: Vec<u64> = (0..rows).map(|i| bytes(halves(row), by_rows(i), here)).collect();
        let down = Exchange { send: spread.clone(), receive: gathered.clone() };
        let up = Exchange { send: gathered, receive: spread };
        let in_row = Call::Alltoallv { pairs: Arc::new(in_row) };
        let [forward, backward] =
            [down, up].map(|pairs| Call::Alltoallv { pairs: Arc::new(pairs) });
        let ways = [
            (self.compute_forward_ps, [(COLUMN, forward), (ROW, in_row.clone())]),
            (self.compute_backward_ps, [(ROW, in_row), (COLUMN, backward)]),
        ];
        for ([before, between, after], [(one, first), (other, second)]) in ways {
            script.compute(before);
            script.collective(one, first);
            script.compute(between);
            script.collective(other, second);
            script.compute(after);
            script.collective(COMM_WORLD, Call::Barrier);
        }
    }
}

/// The largest cube. It bounds the size of a rank's messages.
const MAX_POINTS: u32 = 65_536;

/// The size of part `i` of `parts` of an axis.
const fn part(points: u32, parts: u32, i: u32) -> u64 {
    (points / parts + (i < points % parts) as u32) as u64
}
