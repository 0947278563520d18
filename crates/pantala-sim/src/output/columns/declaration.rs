//! The declaration of a table: one place for the name, type, unit and description of every column.

use crate::output::columns::value::ColumnType;
use arrow_array::ArrayRef;
use serde::Serialize;

/// The description of a table for the reference and for Python.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TableDescriptor {
    /// The name. The file in the run directory is `NAME.parquet`.
    pub name: &'static str,
    /// The key of the plan that switches the table on; `None` if every run has it.
    pub switch: Option<&'static str>,
    /// What a row is and how rows are ordered.
    pub text: &'static str,
    /// The columns in the order of the file.
    pub columns: &'static [ColumnDescriptor],
}

/// The description of a column for the reference and for Python.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ColumnDescriptor {
    /// The name.
    pub name: &'static str,
    /// The type of the values.
    #[serde(rename = "type")]
    pub data_type: ColumnType,
    /// Whether values can be absent.
    pub nullable: bool,
    /// The unit: `ns`, `bytes`, or `1` for a ratio. Empty for counts, identifiers and texts.
    pub unit: &'static str,
    /// The meaning of the values.
    pub text: &'static str,
    /// The key of the plan that fills the column. Without it all values are absent, and the hash of
    /// the table does not count the column.
    #[serde(skip)]
    pub switch: Option<&'static str>,
}

/// A row of a declared table. The macro `table!` implements it.
pub trait Row: Sized {
    /// The table.
    const TABLE: TableDescriptor;

    /// Returns the rows as Arrow arrays, one per column.
    fn into_arrays(rows: impl IntoIterator<Item = Self>) -> Vec<ArrayRef>;
}

/// Declares a table: the struct of a row, its conversion to Arrow, and the descriptor for the
/// reference and for Python.
///
/// ```text
/// table! {
///     /// One row per delivered message.
///     messages: MessageRow if "record.messages" {
///         /// Payload of the message.
///         bytes: u64 [bytes],
///         /// Start of the rank's program; null if it has not started.
///         start_ns: Option<f64> [ns],
///         ...
///     }
/// }
/// ```
///
/// The doc comments are the descriptions. A type is one of
/// [`Value`](crate::output::columns::Value), `Option` makes the column nullable, and the unit
/// follows in brackets. `if` names the key of the plan that switches the table on, `=` the key that
/// fills the column.
macro_rules! table {
    (
        $(#[doc = $text:expr])+
        $visible:vis $table:ident: $row:ident $(if $switch:literal)? {
            $( $(#[doc = $column_text:expr])+ $column:ident: $type:ty $([$unit:tt])? $(= $filled:literal)?, )+
        }
    ) => {
        $(#[doc = $text])+
        #[derive(Clone, Debug, PartialEq)]
        $visible struct $row {
            $( $(#[doc = $column_text])+ $visible $column: $type, )+
        }

        impl $crate::output::columns::Row for $row {
            const TABLE: $crate::output::columns::TableDescriptor = $crate::output::columns::TableDescriptor {
                name: stringify!($table),
                switch: $crate::output::columns::table!(@switch $($switch)?),
                text: concat!($($text),+).trim_ascii(),
                columns: &[$(
                    $crate::output::columns::ColumnDescriptor {
                        name: stringify!($column),
                        data_type: <$type as $crate::output::columns::Value>::TYPE,
                        nullable: <$type as $crate::output::columns::Value>::NULLABLE,
                        unit: concat!("" $(, stringify!($unit))?),
                        text: concat!($($column_text),+).trim_ascii(),
                        switch: $crate::output::columns::table!(@switch $($filled)?),
                    },
                )+],
            };

            fn into_arrays(rows: impl IntoIterator<Item = Self>) -> Vec<arrow_array::ArrayRef> {
                #[derive(Default)]
                struct Columns {
                    $( $column: <$type as $crate::output::columns::Value>::Column, )+
                }
                let mut columns = Columns::default();
                for row in rows {
                    $( $crate::output::columns::Value::append(row.$column, &mut columns.$column); )+
                }
                vec![$( <$type as $crate::output::columns::Value>::finish(columns.$column) ),+]
            }
        }
    };
    (@switch) => { None };
    (@switch $switch:literal) => { Some($switch) };
}
pub(crate) use table;
