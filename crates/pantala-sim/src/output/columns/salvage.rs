//! What stays of a Parquet file that could not be written to its end.

use crate::output::columns::summed::Summed;
use arrow_schema::Schema;
use parquet::arrow::ArrowSchemaConverter;
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// Cuts a file behind its complete row groups and closes it, so that it can be read. If there is
/// no room for the end of the file, it loses row groups. Returns the number of rows that stay, and
/// the CRC-32 of the file.
///
/// # Errors
/// Not even a table without rows could be written.
pub(super) fn salvage(
    path: &Path,
    schema: &Schema,
    facts: &[KeyValue],
    mut groups: Vec<RowGroupMetaData>,
) -> Result<(u64, u32), ParquetError> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    loop {
        match close(&mut file, schema, facts, &groups) {
            Ok(()) => {
                let rows = groups.iter().map(|group| group.num_rows() as u64).sum();
                let mut sum = Summed::new(std::io::sink());
                std::io::copy(&mut File::open(path)?, &mut sum)?;
                return Ok((rows, sum.sum()));
            }
            Err(error) if groups.pop().is_none() => return Err(error),
            Err(_) => {}
        }
    }
}

/// Writes the end of a file behind some row groups.
fn close(
    file: &mut File,
    schema: &Schema,
    facts: &[KeyValue],
    groups: &[RowGroupMetaData],
) -> Result<(), ParquetError> {
    const MAGIC: u64 = 4;
    let ends = groups.iter().flat_map(|group| group.columns()).map(|column| {
        let (start, length) = column.byte_range();
        start + length
    });
    let end = ends.max().unwrap_or(MAGIC);
    if file.metadata()?.len() < end {
        return Err(ParquetError::General("the row groups are not complete".to_owned()));
    }
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    let rows = groups.iter().map(RowGroupMetaData::num_rows).sum();
    let columns = Arc::new(ArrowSchemaConverter::new().convert(schema)?);
    let by = format!("pantala {}", env!("CARGO_PKG_VERSION"));
    let about = FileMetaData::new(1, rows, Some(by), Some(facts.to_vec()), columns, None);
    let metadata = ParquetMetaData::new(about, groups.to_vec());
    ParquetMetaDataWriter::new(&mut *file, &metadata).finish()
}
