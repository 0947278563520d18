//! A Parquet file that grows batch by batch.

use crate::error::WriteError;
use crate::output::columns::free_memory;
use crate::output::columns::salvage::salvage;
use crate::output::columns::summed::Summed;
use crate::output::columns::{ColumnDescriptor, ColumnType, TableDescriptor};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of a row group; those of very long tables have up to four times as many. The writer holds
/// at most one encoded row group in memory.
pub const ROW_GROUP: usize = 262_144;

/// Number of row groups before their size doubles. What the file says of each group stays in memory
/// until its end, so a long table gets larger groups instead of ever more.
const GROUPS_OF_A_SIZE: usize = 512;

/// How often the size doubles.
const DOUBLINGS: usize = 2;

/// The file of a table. It has a temporary name (`NAME.parquet.partial`) until
/// [`finish`](Self::finish) renames it. A drop before that removes the file.
#[derive(Debug)]
pub(crate) struct TableFile {
    schema: SchemaRef,
    path: PathBuf,
    partial: PathBuf,
    /// What the file says of itself.
    facts: Vec<KeyValue>,
    /// `None` after the file is finished.
    writer: Option<ArrowWriter<Summed<BufWriter<File>>>>,
    /// The fault that ended the file early. Its complete row groups stay.
    fault: Option<WriteError>,
}

/// A file that has its final name.
#[derive(Debug)]
pub(crate) struct Closed {
    /// The CRC-32 of its bytes.
    pub(crate) crc32: u32,
    /// The fault that ended it early, and its number of rows.
    pub(crate) cut: Option<(WriteError, u64)>,
}

impl TableFile {
    /// Opens the file of `table` whose final name is `path`.
    pub(crate) fn create(table: &TableDescriptor, path: &Path) -> Result<Self, WriteError> {
        let schema = Arc::new(schema(table));
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let file = File::create(&partial).map_err(|source| file_error(path, source))?;
        let (facts, path) = (facts(table), path.to_owned());
        let mut opened = Self { schema, path, partial, facts, writer: None, fault: None };
        let writer = properties(table).and_then(|properties| {
            let schema = Arc::clone(&opened.schema);
            ArrowWriter::try_new(Summed::new(BufWriter::new(file)), schema, Some(properties))
        });
        opened.writer = Some(writer.map_err(|source| opened.error(source))?);
        Ok(opened)
    }

    /// Appends rows, one array per column. After a fault, nothing is appended.
    pub(crate) fn append(&mut self, arrays: Vec<ArrayRef>) {
        let Some(writer) = &mut self.writer else { unreachable!("it is not finished") };
        if self.fault.is_none() {
            let written = RecordBatch::try_new(Arc::clone(&self.schema), arrays)
                .map_err(ParquetError::from)
                .and_then(|batch| writer.write(&batch))
                .and_then(|()| flush_full_group(writer));
            self.fault = written.err().map(|source| self.error(source));
        }
    }

    /// Returns whether the file has ended early.
    pub(crate) const fn failed(&self) -> bool {
        self.fault.is_some()
    }

    /// Closes the file and gives it its final name. Returns its CRC-32.
    ///
    /// If a fault has ended the file early, or it cannot be closed, the file keeps its complete row
    /// groups, and the fault is returned with their number of rows.
    ///
    /// # Errors
    /// A [`WriteError`]: nothing of the file could be kept.
    pub(crate) fn finish(mut self) -> Result<Closed, WriteError> {
        let Some(mut writer) = self.writer.take() else { unreachable!("it is not finished") };
        let fault = self.fault.take().or_else(|| writer.finish().err().map(|e| self.error(e)));
        let kept = match fault {
            None => Ok(Closed { crc32: writer.inner().sum(), cut: None }),
            Some(fault) => {
                let groups = writer.flushed_row_groups().to_vec();
                drop(writer);
                match salvage(&self.partial, &self.schema, &self.facts, groups) {
                    Ok((rows, crc32)) => Ok(Closed { crc32, cut: Some((fault, rows)) }),
                    Err(_) => Err(fault), // nothing could be kept, for the same reason
                }
            }
        };
        let renamed = kept.and_then(|kept| match std::fs::rename(&self.partial, &self.path) {
            Ok(()) => Ok(kept),
            Err(source) => Err(file_error(&self.path, source)),
        });
        if renamed.is_err() {
            let _ = std::fs::remove_file(&self.partial);
        }
        renamed
    }

    fn error(&self, source: ParquetError) -> WriteError {
        WriteError::Table { path: self.path.display().to_string(), source }
    }
}

impl Drop for TableFile {
    fn drop(&mut self) {
        if self.writer.take().is_some() {
            // A drop cannot report an error. No reader opens a file with this name.
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}

/// Writes the rows that a writer holds if they fill a row group.
fn flush_full_group<W: Write + Send>(writer: &mut ArrowWriter<W>) -> Result<(), ParquetError> {
    if writer.in_progress_rows() < rows_of_group(writer.flushed_row_groups().len()) {
        return Ok(());
    }
    writer.flush()?;
    free_memory::give_back();
    Ok(())
}

/// Returns the number of rows of a row group; `number` is that of groups before it.
fn rows_of_group(number: usize) -> usize {
    ROW_GROUP << (number / GROUPS_OF_A_SIZE).min(DOUBLINGS)
}

/// Returns the columns of a file, each with its unit and its meaning.
fn schema(table: &TableDescriptor) -> Schema {
    let field = |column: &ColumnDescriptor| {
        let facts = [("unit", column.unit), ("description", column.text.trim())];
        let facts = facts.into_iter().filter(|(_, text)| !text.is_empty());
        Field::new(column.name, column.data_type.arrow(), column.nullable)
            .with_metadata(facts.map(|(key, text)| (key.to_owned(), text.to_owned())).collect())
    };
    Schema::new(table.columns.iter().map(field).collect::<Vec<_>>())
}

/// Returns what a file says of itself: Pantala's version, the table, and the units of its columns
/// as JSON, for readers that do not know Arrow's schema.
fn facts(table: &TableDescriptor) -> Vec<KeyValue> {
    let units: serde_json::Map<_, _> = table
        .columns
        .iter()
        .filter(|column| !column.unit.is_empty())
        .map(|column| (column.name.to_owned(), column.unit.into()))
        .collect();
    let texts = [
        ("pantala", env!("CARGO_PKG_VERSION").to_owned()),
        ("table", table.name.to_owned()),
        ("description", table.text.trim().to_owned()),
        ("units", serde_json::Value::Object(units).to_string()),
    ];
    texts.into_iter().map(|(key, text)| KeyValue::new(key.to_owned(), text)).collect()
}

/// Returns how the columns are encoded. Numbers have no dictionary: their differences or their bytes
/// compress as well, and a dictionary hashes each value, which costs more than the compression.
fn properties(table: &TableDescriptor) -> Result<WriterProperties, ParquetError> {
    let general = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_created_by(format!("pantala {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(facts(table)))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true) // of all pages, which stays in memory until the end
        .set_max_row_group_row_count(None); // see flush_full_group
    let numbers = table.columns.iter().filter_map(|column| {
        let encoding = match column.data_type {
            ColumnType::Bool | ColumnType::Str => return None,
            ColumnType::F64 => Encoding::PLAIN,
            _ => Encoding::DELTA_BINARY_PACKED,
        };
        Some((ColumnPath::from(column.name), encoding))
    });
    let properties = numbers.fold(general, |properties, (column, encoding)| {
        properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, encoding)
    });
    Ok(properties.build())
}

fn file_error(path: &Path, source: std::io::Error) -> WriteError {
    WriteError::File { path: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_groups_grow_in_long_tables_only() {
        let rows = [0, 511, 512, 1_023, 1_024, 100_000].map(rows_of_group);
        assert_eq!(rows.map(|rows| rows / ROW_GROUP), [1, 1, 2, 2, 4, 4]);
    }
}
