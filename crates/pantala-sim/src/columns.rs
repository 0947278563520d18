//! Tables as Arrow columns, and Parquet files of them.

mod declaration;
mod value;

pub(crate) use declaration::table;
pub use declaration::{ColumnDescriptor, Row, TableDescriptor};
pub use value::{ColumnType, Value};

use crate::error::WriteError;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float64Type, Int32Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use pantala_engine::Time;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;

/// Picoseconds as nanoseconds.
#[must_use]
pub fn ns(time: Time) -> f64 {
    time as f64 / 1_000.0
}

/// A filled table.
#[derive(Debug)]
pub struct Table {
    descriptor: TableDescriptor,
    columns: Vec<ArrayRef>,
}

impl Table {
    /// The table with these rows.
    #[must_use]
    pub fn of<R: Row>(rows: impl IntoIterator<Item = R>) -> Self {
        Self { descriptor: R::TABLE, columns: R::into_arrays(rows) }
    }

    /// The table's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.descriptor.name
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |c| c.len())
    }

    /// Adds all values of the table to `hash`: column by column in the table's order, each value in
    /// eight bytes (a text with its length before it), an absent one as a mark of its own. Names,
    /// integer widths, metadata, compression and the layout of the file do not count.
    pub fn hash_values(&self, hash: &mut Sha256) {
        hash.update((self.columns.len() as u64).to_le_bytes());
        hash.update((self.rows() as u64).to_le_bytes());
        for (column, values) in self.descriptor.columns.iter().zip(&self.columns) {
            hash_column(hash, column.data_type, values);
        }
    }

    /// The table as a Parquet file in memory: the same bytes for the same rows.
    ///
    /// # Errors
    /// A [`parquet::errors::ParquetError`] of the library that writes the file.
    pub fn encode(self) -> Result<Vec<u8>, parquet::errors::ParquetError> {
        let field = |c: &ColumnDescriptor| Field::new(c.name, c.data_type.arrow(), c.nullable);
        let schema =
            Arc::new(Schema::new(self.descriptor.columns.iter().map(field).collect::<Vec<_>>()));
        let batch = RecordBatch::try_new(Arc::clone(&schema), self.columns)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            .set_created_by(format!("pantala {}", env!("CARGO_PKG_VERSION")))
            .build();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties))?;
        writer.write(&batch)?;
        writer.close()?;
        Ok(bytes)
    }

    /// Writes the table to `path`.
    ///
    /// # Errors
    /// A [`WriteError`] naming the file.
    pub fn write(self, path: &Path) -> Result<(), WriteError> {
        let name = || path.display().to_string();
        let bytes = self.encode().map_err(|source| WriteError::Table { path: name(), source })?;
        std::fs::write(path, &bytes).map_err(|source| WriteError::File { path: name(), source })
    }
}

/// Adds one column to `hash`.
fn hash_column(hash: &mut Sha256, data_type: ColumnType, column: &ArrayRef) {
    fn numbers<T: ArrowPrimitiveType>(
        hash: &mut Sha256,
        column: &ArrayRef,
        eight: impl Fn(T::Native) -> [u8; 8],
    ) {
        for value in column.as_primitive::<T>() {
            hash_value(hash, value.map(&eight).as_ref().map(|bytes| bytes.as_slice()));
        }
    }
    match data_type {
        ColumnType::U8 => numbers::<UInt8Type>(hash, column, |v| u64::from(v).to_le_bytes()),
        ColumnType::U16 => numbers::<UInt16Type>(hash, column, |v| u64::from(v).to_le_bytes()),
        ColumnType::U32 => numbers::<UInt32Type>(hash, column, |v| u64::from(v).to_le_bytes()),
        ColumnType::U64 => numbers::<UInt64Type>(hash, column, u64::to_le_bytes),
        ColumnType::I32 => numbers::<Int32Type>(hash, column, |v| i64::from(v).to_le_bytes()),
        ColumnType::F64 => numbers::<Float64Type>(hash, column, |v| v.to_bits().to_le_bytes()),
        ColumnType::Bool => {
            for value in column.as_boolean() {
                hash_value(
                    hash,
                    value
                        .map(|v| u64::from(v).to_le_bytes())
                        .as_ref()
                        .map(|bytes| bytes.as_slice()),
                );
            }
        }
        ColumnType::Str => {
            for value in column.as_string::<i32>() {
                let text = value.unwrap_or_default().as_bytes();
                hash_value(
                    hash,
                    value.map(|_| (text.len() as u64).to_le_bytes()).as_ref().map(|b| b.as_slice()),
                );
                hash.update(text);
            }
        }
    }
}

fn hash_value(hash: &mut Sha256, bytes: Option<&[u8]>) {
    match bytes {
        Some(bytes) => {
            hash.update([1]);
            hash.update(bytes);
        }
        None => hash.update([0]),
    }
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

    #[test]
    fn the_same_rows_are_the_same_bytes() {
        let table = || {
            Table::of([
                Thing { a: 1, b_ns: Some(1.5), c: "x", d: true },
                Thing { a: 2, b_ns: None, c: "y", d: false },
                Thing { a: 3, b_ns: Some(2.5), c: "z", d: true },
            ])
        };
        assert_eq!((table().name(), table().rows()), ("things", 3));
        let bytes = table().encode().unwrap();
        assert_eq!(bytes, table().encode().unwrap());
        assert_eq!(&bytes[..4], b"PAR1");
    }

    /// A column of a table that is not declared.
    fn column<V: Value>(values: impl IntoIterator<Item = V>) -> (ColumnDescriptor, ArrayRef) {
        let mut column = V::Column::default();
        values.into_iter().for_each(|value| value.append(&mut column));
        let descriptor = ColumnDescriptor {
            name: "",
            data_type: V::TYPE,
            nullable: V::NULLABLE,
            unit: "",
            text: "",
        };
        (descriptor, V::finish(column))
    }

    fn hash(columns: impl IntoIterator<Item = (ColumnDescriptor, ArrayRef)>) -> String {
        let (descriptors, columns): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        let descriptor =
            TableDescriptor { name: "", switch: None, text: "", columns: descriptors.leak() };
        let mut hash = Sha256::new();
        Table { descriptor, columns }.hash_values(&mut hash);
        crate::document::hex(&hash.finalize())
    }

    #[test]
    fn a_hash_of_values_does_not_know_widths() {
        let durations = || column([Some(1.5), None]);
        let one = hash([column([1_u32, 2]), durations(), column(["x", "yz"])]);
        let two =
            hash([column([1_u64, 2]), durations(), column(["x".to_owned(), "yz".to_owned()])]);
        assert_eq!(one, two);
    }

    #[test]
    fn a_hash_of_values_tells_any_difference() {
        let hashes = [
            hash([column([1_u32, 2])]),
            hash([column([2_u32, 1])]),
            hash([column([1_u32]), column([2_u32])]),
            hash([column([Some(0_u32), None])]),
            hash([column([None, Some(0_u32)])]),
            hash([column([None::<u32>, None])]),
            hash([column([0_u32; 0])]),
            hash([]),
            hash([column(["x", "yz"])]),
            hash([column(["xy", "z"])]),
            hash([column([-1_i32, 2])]),
            hash([column([true, false])]),
            hash([column([1.0, 2.0])]),
        ];
        let different: std::collections::BTreeSet<&String> = hashes.iter().collect();
        assert_eq!(different.len(), hashes.len());
    }
}
