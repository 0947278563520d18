//! Tables as Arrow columns, Parquet files and hashes.

mod declaration;
mod file;
mod free_memory;
mod hash;
mod salvage;
mod summed;
mod value;
mod writer;

pub(crate) use declaration::table;
pub use declaration::{ColumnDescriptor, Row, TableDescriptor};
pub use file::ROW_GROUP;
pub use value::{ColumnType, Value};
pub use writer::{TableWriter, Written};

use pantala_engine::Time;

/// Converts picoseconds to nanoseconds.
#[must_use]
pub fn ns(time: Time) -> f64 {
    time as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    table! {
        /// One row per thing,
        /// on two lines.
        things: Thing if "record.things" {
            /// A number.
            a: u32,
            /// A duration; null without one.
            b_ns: Option<f64> [ns],
            /// A text.
            c: &'static str,
            /// A truth.
            d: bool,
        }
    }

    #[test]
    fn a_declaration_says_all_about_a_table() {
        let TableDescriptor { name, switch, text, columns } = Thing::TABLE;
        assert_eq!(
            (name, switch, text),
            ("things", Some("record.things"), "One row per thing, on two lines.")
        );
        let told = |c: &ColumnDescriptor| (c.name, c.data_type, c.nullable, c.unit, c.text);
        assert_eq!(
            told(&columns[1]),
            ("b_ns", ColumnType::F64, true, "ns", "A duration; null without one.")
        );
        assert_eq!(columns.iter().map(|c| c.name).collect::<Vec<_>>(), ["a", "b_ns", "c", "d"]);
        assert_eq!(columns[0].unit, "");
    }
}
