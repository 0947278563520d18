//! A record that becomes a row of a table while the run goes on.

use crate::output::columns::Row;
use pantala_engine::Time;

/// A record that becomes one row of a streamed table.
pub(crate) trait Streamed: Sized {
    /// The row.
    type Row: Row;
    /// The sort key of the rows of one window.
    type Key: Ord;

    /// Returns the completion time. The window of this time is the first sort key of the table.
    fn completed(&self) -> Time;

    /// Returns the sort key inside the window.
    fn key(&self) -> Self::Key;

    /// Moves all its times later.
    fn shift(&mut self, by: Time);

    /// Adds another record to this one if both are parts of one row; returns whether they are.
    fn absorb(&mut self, _other: &Self) -> bool {
        false
    }

    /// Returns the row.
    fn into_row(self) -> Self::Row;
}
