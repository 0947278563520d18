//! A record that becomes a row of a table while the run goes on.

use crate::output::columns::Row;
use pantala_engine::Time;

/// A record of a run that becomes one row of a streamed table.
pub(crate) trait Streamed: Sized {
    /// The row.
    type Row: Row;
    /// What orders the rows of one window.
    type Key: Ord;

    /// When the row was complete: the first key of the table's order is the window of this time.
    fn completed(&self) -> Time;

    /// The place among the rows of its window.
    fn key(&self) -> Self::Key;

    /// The row.
    fn into_row(self) -> Self::Row;
}
