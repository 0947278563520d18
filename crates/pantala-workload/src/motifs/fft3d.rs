//! A 3D FFT on a 2D process array: alltoalls in rows and columns.
//!
//! Kang et al. (SC 2022), section IV, after SST's motif. The forward transform computes and then
//! transposes, with an alltoall in every row and one in every column of the process array. The
//! backward transform computes and transposes back, columns first. With `R` rows and `C` columns,
//! one iteration moves `2 R C ((C - 1) row_message_bytes + (R - 1) column_message_bytes)` bytes.
//!
//! Ranks fill the array row by row: rank `row * columns + column`. A row communicator has `columns`
//! consecutive ranks.

use pantala_engine::Time;
use pantala_mpi::{Call, Communicator, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::process_array::{COLUMN, ROW, rows_and_columns};
use super::{IterationContext, Motif, Script, bounded, positive};
use crate::process_grid;

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fft3d {
    /// The process array: rows and columns.
    pub grid: [u32; 2],
    /// Bytes per pair of ranks in a row's alltoall.
    pub row_message_bytes: u64,
    /// Bytes per pair of ranks in a column's alltoall.
    pub column_message_bytes: u64,
    /// Number of iterations.
    pub iterations: u32,
    /// Compute time of the forward transform, in ps.
    #[serde(default)]
    pub compute_forward_ps: Time,
    /// Compute time of the backward transform, in ps.
    #[serde(default)]
    pub compute_backward_ps: Time,
    /// Compute time before the first iteration, in ps.
    #[serde(default)]
    pub start_delay_ps: Time,
}

impl Motif for Fft3d {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, 2)?;
        positive("row_message_bytes", self.row_message_bytes)?;
        positive("column_message_bytes", self.column_message_bytes)?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("start_delay_ps", self.start_delay_ps)?;
        bounded("compute_forward_ps", self.compute_forward_ps)?;
        bounded("compute_backward_ps", self.compute_backward_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    /// Number 1 is the rank's row, number 2 its column.
    fn communicators(&self, context: &IterationContext) -> Vec<Communicator> {
        rows_and_columns(self.grid, context.rank)
    }

    fn before(&self, _: &IterationContext, script: &mut Script) {
        script.compute(self.start_delay_ps);
    }

    fn iteration(&self, _: &IterationContext, script: &mut Script) {
        let rows = Call::Alltoall { bytes: self.row_message_bytes };
        let columns = Call::Alltoall { bytes: self.column_message_bytes };
        script.compute(self.compute_forward_ps);
        script.collective(ROW, rows.clone());
        script.collective(COLUMN, columns.clone());
        script.compute(self.compute_backward_ps);
        script.collective(COLUMN, columns);
        script.collective(ROW, rows);
    }
}
