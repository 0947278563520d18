//! Tables as Arrow columns, and Parquet files of them.

use crate::error::WriteError;
use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int32Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int32Array, RecordBatch, UInt8Array, UInt16Array, UInt32Array,
    UInt64Array,
};
use arrow_schema::{DataType, Field, Schema};
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

/// A table under construction: columns in order, all of one length.
#[derive(Debug, Default)]
pub struct Table {
    fields: Vec<Field>,
    columns: Vec<ArrayRef>,
}

macro_rules! column {
    ($(#[$doc:meta])* $name:ident, $array:ident, $type:ty, $data_type:expr) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(self, name: &str, values: impl IntoIterator<Item = $type>) -> Self {
            let array: $array = values.into_iter().map(Some).collect();
            self.push(name, $data_type, false, Arc::new(array))
        }
    };
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    column!(/** A column of bytes. */ u8, UInt8Array, u8, DataType::UInt8);
    column!(/** A column of short integers. */ u16, UInt16Array, u16, DataType::UInt16);
    column!(/** A column of integers. */ u32, UInt32Array, u32, DataType::UInt32);
    column!(/** A column of long integers. */ u64, UInt64Array, u64, DataType::UInt64);
    column!(/** A column of signed integers. */ i32, Int32Array, i32, DataType::Int32);
    column!(/** A column of numbers. */ f64, Float64Array, f64, DataType::Float64);
    column!(/** A column of truths. */ bool, BooleanArray, bool, DataType::Boolean);

    /// A column of integers, some of them absent.
    #[must_use]
    pub fn u32_or_null(self, name: &str, values: impl IntoIterator<Item = Option<u32>>) -> Self {
        let array: UInt32Array = values.into_iter().collect();
        self.push(name, DataType::UInt32, true, Arc::new(array))
    }

    /// A column of numbers, some of them absent.
    #[must_use]
    pub fn f64_or_null(self, name: &str, values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let array: Float64Array = values.into_iter().collect();
        self.push(name, DataType::Float64, true, Arc::new(array))
    }

    /// A column of words.
    #[must_use]
    pub fn str<'a>(self, name: &str, values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut builder = StringBuilder::new();
        for value in values {
            builder.append_value(value);
        }
        self.push(name, DataType::Utf8, false, Arc::new(builder.finish()))
    }

    fn push(mut self, name: &str, data_type: DataType, nullable: bool, column: ArrayRef) -> Self {
        self.fields.push(Field::new(name, data_type, nullable));
        self.columns.push(column);
        self
    }

    /// Rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |c| c.len())
    }

    /// Adds all values of the table to `hash`: column by column in the table's order, each value in eight bytes (a text with its
    /// length before it), an absent one as a mark of its own. Names, integer widths, metadata, compression and the layout of
    /// the file do not count.
    pub fn hash_values(&self, hash: &mut Sha256) {
        hash.update((self.columns.len() as u64).to_le_bytes());
        hash.update((self.rows() as u64).to_le_bytes());
        for column in &self.columns {
            hash_column(hash, column);
        }
    }

    /// The table as a Parquet file in memory: the same bytes for the same rows.
    ///
    /// # Errors
    /// A [`parquet::errors::ParquetError`] if columns differ in length.
    pub fn encode(self) -> Result<Vec<u8>, parquet::errors::ParquetError> {
        let schema = Arc::new(Schema::new(self.fields));
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
///
/// # Panics
/// If the column is of a type that no [`Table`] can have.
fn hash_column(hash: &mut Sha256, column: &ArrayRef) {
    fn numbers<T: ArrowPrimitiveType>(hash: &mut Sha256, column: &ArrayRef, eight: impl Fn(T::Native) -> [u8; 8]) {
        for value in column.as_primitive::<T>() {
            hash_value(hash, value.map(&eight).as_ref().map(|bytes| bytes.as_slice()));
        }
    }
    match column.data_type() {
        DataType::UInt8 => numbers::<UInt8Type>(hash, column, |v| u64::from(v).to_le_bytes()),
        DataType::UInt16 => numbers::<UInt16Type>(hash, column, |v| u64::from(v).to_le_bytes()),
        DataType::UInt32 => numbers::<UInt32Type>(hash, column, |v| u64::from(v).to_le_bytes()),
        DataType::UInt64 => numbers::<UInt64Type>(hash, column, u64::to_le_bytes),
        DataType::Int32 => numbers::<Int32Type>(hash, column, |v| i64::from(v).to_le_bytes()),
        DataType::Float64 => numbers::<Float64Type>(hash, column, |v| v.to_bits().to_le_bytes()),
        DataType::Boolean => {
            for value in column.as_boolean() {
                hash_value(hash, value.map(|v| u64::from(v).to_le_bytes()).as_ref().map(|bytes| bytes.as_slice()));
            }
        }
        DataType::Utf8 => {
            for value in column.as_string::<i32>() {
                let text = value.unwrap_or_default().as_bytes();
                hash_value(hash, value.map(|_| (text.len() as u64).to_le_bytes()).as_ref().map(|b| b.as_slice()));
                hash.update(text);
            }
        }
        other => unreachable!("a table has no columns of {other}"),
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

    #[test]
    fn the_same_rows_are_the_same_bytes() {
        let table = || {
            Table::new()
                .u32("a", [1, 2, 3])
                .f64_or_null("b_ns", [Some(1.5), None, Some(2.5)])
                .str("c", ["x", "y", "z"])
                .bool("d", [true, false, true])
        };
        assert_eq!(table().rows(), 3);
        let bytes = table().encode().unwrap();
        assert_eq!(bytes, table().encode().unwrap());
        assert_eq!(&bytes[..4], b"PAR1");
    }

    fn hash(table: Table) -> String {
        let mut hash = Sha256::new();
        table.hash_values(&mut hash);
        crate::document::hex(&hash.finalize())
    }

    #[test]
    fn a_hash_of_values_does_not_know_names_and_widths() {
        let one = Table::new().u32("a", [1, 2]).f64_or_null("b_ns", [Some(1.5), None]).str("c", ["x", "yz"]);
        let two = Table::new().u64("d", [1, 2]).f64_or_null("e", [Some(1.5), None]).str("f", ["x", "yz"]);
        assert_eq!(hash(one), hash(two));
    }

    #[test]
    fn a_hash_of_values_tells_any_difference() {
        let tables = [
            Table::new().u32("a", [1, 2]),
            Table::new().u32("a", [2, 1]),
            Table::new().u32("a", [1]).u32("b", [2]),
            Table::new().u32_or_null("a", [Some(0), None]),
            Table::new().u32_or_null("a", [None, Some(0)]),
            Table::new().u32_or_null("a", [None, None]),
            Table::new().u32("a", []),
            Table::new(),
            Table::new().str("a", ["x", "yz"]),
            Table::new().str("a", ["xy", "z"]),
            Table::new().i32("a", [-1, 2]),
            Table::new().bool("a", [true, false]),
            Table::new().f64("a", [1.0, 2.0]),
        ];
        let hashes: std::collections::BTreeSet<String> = tables.into_iter().map(hash).collect();
        assert_eq!(hashes.len(), 13);
    }

    #[test]
    fn columns_of_unequal_length_are_refused() {
        assert!(Table::new().u32("a", [1]).u32("b", [1, 2]).encode().is_err());
    }
}
