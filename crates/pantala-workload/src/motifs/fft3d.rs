//! A 3D FFT on a 2D process array: alltoalls in rows and columns.
//!
//! Kang et al. (SC 2022), section IV, after SST's motif: a forward transform computes, then transposes by an
//! alltoall in every row and one in every column of the process array; the backward transform computes and goes
//! back, columns first. With `R` rows and `C` columns, one iteration moves `2 R C ((C - 1) row_message_bytes + (R -
//! 1) column_message_bytes)` bytes.
//!
//! Ranks fill the array row by row: rank `row * columns + column`; a row communicator is `columns` consecutive ranks.

use pantala_engine::Time;
use pantala_mpi::{Call, Communicator, Fault, Op, Outcome, Program};
use serde::{Deserialize, Serialize};

use super::{Position, bounded, positive};
use crate::grid;

/// The motif's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fft3d {
    /// The process array: rows, columns.
    pub grid: [u32; 2],
    /// Bytes per pair of ranks in a row's alltoall.
    pub row_message_bytes: u64,
    /// Bytes per pair of ranks in a column's alltoall.
    pub column_message_bytes: u64,
    /// Iterations.
    pub iterations: u32,
    /// Compute time of the forward transform, ps.
    #[serde(default)]
    pub compute_forward_ps: Time,
    /// Compute time of the backward transform, ps.
    #[serde(default)]
    pub compute_backward_ps: Time,
}

const ROW: u16 = 1;
const COLUMN: u16 = 2;

impl Fft3d {
    /// Checks the parameters for a job of `ranks`.
    ///
    /// # Errors
    /// A [`Fault`] if the array does not have `ranks` cells, or if a size or a count is zero, or a time beyond all bounds.
    pub fn check(&self, ranks: u32) -> Result<(), Fault> {
        grid::check(self.grid, ranks)?;
        positive("row_message_bytes", self.row_message_bytes)?;
        positive("column_message_bytes", self.column_message_bytes)?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("compute_forward_ps", self.compute_forward_ps)?;
        bounded("compute_backward_ps", self.compute_backward_ps)
    }

    /// The communicators of `rank`: 1 is its row, 2 its column.
    #[must_use]
    pub fn communicators(&self, rank: u32) -> Vec<Communicator> {
        let [rows, columns] = self.grid;
        let (row, column) = (rank / columns, rank % columns);
        vec![
            Communicator::strided(u32::from(ROW), row * columns, 1, columns, column),
            Communicator::strided(u32::from(COLUMN), column, columns, rows, row),
        ]
    }

    /// The alltoalls in rows and in columns.
    const fn transposes(&self) -> [Op; 2] {
        [
            Op::Collective(ROW, Call::Alltoall { bytes: self.row_message_bytes }),
            Op::Collective(COLUMN, Call::Alltoall { bytes: self.column_message_bytes }),
        ]
    }

    /// The program of any rank.
    #[must_use]
    pub const fn program(&self) -> Fft3dRank {
        Fft3dRank { position: Position::new(self.iterations), spec: *self }
    }
}

/// One rank.
#[derive(Clone, Copy, Debug)]
pub struct Fft3dRank {
    position: Position,
    spec: Fft3d,
}

impl Program for Fft3dRank {
    fn next(&mut self, _: &Outcome) -> Option<Op> {
        let Fft3d { compute_forward_ps, compute_backward_ps, .. } = self.spec;
        let [rows, columns] = self.spec.transposes();
        Some(match self.position.step()? {
            0 => Op::IterationStart,
            1 => Op::Compute(compute_forward_ps),
            2 | 6 => rows,
            3 | 5 => columns,
            4 => Op::Compute(compute_backward_ps),
            _ => {
                self.position.turn();
                Op::IterationEnd
            }
        })
    }

    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        Some(self.spec.transposes().map(|transpose| (transpose, 2 * u64::from(self.spec.iterations))).to_vec())
    }
}
