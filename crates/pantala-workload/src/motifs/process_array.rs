//! Process arrays: ranks in rows and columns, filled row by row, and the communicators of both.

use pantala_mpi::{Communicator, CommunicatorId};

/// The communicator of a rank's row.
pub(crate) const ROW: CommunicatorId = 1;
/// The communicator of a rank's column.
pub(crate) const COLUMN: CommunicatorId = 2;

/// The communicators of a rank of an array: [`ROW`] and [`COLUMN`].
pub(crate) fn rows_and_columns([rows, columns]: [u32; 2], rank: u32) -> Vec<Communicator> {
    let (row, column) = (rank / columns, rank % columns);
    vec![
        Communicator::strided(u32::from(ROW), row * columns, 1, columns, column),
        Communicator::strided(u32::from(COLUMN), column, columns, rows, row),
    ]
}
