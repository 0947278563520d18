//! Tables as Arrow columns, and Parquet files of them.

use crate::error::WriteError;
use arrow_array::builder::StringBuilder;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int32Array, RecordBatch, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema};
use pantala_engine::Time;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
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

    /// Writes the table to `path` and returns its bytes.
    ///
    /// # Errors
    /// A [`WriteError`] naming the file.
    pub fn write(self, path: &Path) -> Result<Vec<u8>, WriteError> {
        let name = || path.display().to_string();
        let bytes = self.encode().map_err(|source| WriteError::Table { path: name(), source })?;
        std::fs::write(path, &bytes).map_err(|source| WriteError::File { path: name(), source })?;
        Ok(bytes)
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

    #[test]
    fn columns_of_unequal_length_are_refused() {
        assert!(Table::new().u32("a", [1]).u32("b", [1, 2]).encode().is_err());
    }
}
