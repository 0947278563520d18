//! A writer that takes the rows of a table one by one.

use crate::error::WriteError;
use crate::output::columns::Row;
use crate::output::columns::file::{Closed, TableFile};
use crate::output::columns::hash::ValueHash;
use std::path::Path;

/// Rows per batch. The fixed size makes the bytes of a file depend on its rows only.
const BATCH: usize = 8_192;

/// A writer that hashes the rows of a table and, with a file, writes them. It holds at most one
/// batch of rows and one encoded row group ([`ROW_GROUP`](super::ROW_GROUP)).
#[derive(Debug)]
pub struct TableWriter<R> {
    rows: Vec<R>,
    hash: ValueHash,
    file: Option<TableFile>,
}

/// A complete table.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// Its name.
    pub name: &'static str,
    /// Number of rows.
    pub rows: u64,
    /// The hash of its values.
    pub hash: [u8; 32],
    /// The CRC-32 of its file; `None` without a file.
    pub crc32: Option<u32>,
}

impl<R: Row> TableWriter<R> {
    /// Returns a writer that only hashes.
    #[must_use]
    pub fn hashed() -> Self {
        Self { rows: Vec::new(), hash: ValueHash::new(R::TABLE.columns), file: None }
    }

    /// Returns a writer to the file `path`.
    ///
    /// # Errors
    /// A [`WriteError`] that names the file.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        Ok(Self { file: Some(TableFile::create(&R::TABLE, path)?), ..Self::hashed() })
    }

    /// Returns a writer to a run directory, or one that only hashes.
    pub(crate) fn within(directory: Option<&Path>) -> Result<Self, WriteError> {
        let path = |directory: &Path| directory.join(format!("{}.parquet", R::TABLE.name));
        directory.map_or_else(|| Ok(Self::hashed()), |directory| Self::create(&path(directory)))
    }

    /// Appends rows. After a fault, which [`finish`](Self::finish) returns, nothing is written.
    pub fn append(&mut self, rows: impl IntoIterator<Item = R>) {
        for row in rows {
            self.rows.push(row);
            if self.rows.len() == BATCH {
                self.write_batch();
            }
        }
    }

    /// Returns whether rows could not be written.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.file.as_ref().is_some_and(TableFile::failed)
    }

    fn write_batch(&mut self) {
        let arrays = R::into_arrays(self.rows.drain(..));
        self.hash.update(&arrays);
        if let Some(file) = &mut self.file {
            file.append(arrays);
        }
    }

    /// Completes the table and gives its file the final name. If not all rows could be written, the
    /// file has the rows up to some time, and the fault is returned with them.
    ///
    /// # Errors
    /// A [`WriteError`] that names the file: there is no file.
    pub fn finish(mut self) -> Result<(Written, Option<WriteError>), WriteError> {
        self.write_batch();
        let closed = self.file.map(TableFile::finish).transpose()?;
        let crc32 = closed.as_ref().map(|closed| closed.crc32);
        let (rows, fault) = match closed.and_then(|Closed { cut, .. }| cut) {
            None => (self.hash.rows(), None),
            Some((fault, rows)) => (rows, Some(fault)),
        };
        Ok((Written { name: R::TABLE.name, rows, hash: self.hash.finish(), crc32 }, fault))
    }

    /// Like [`finish`](Self::finish), for a table that is of use only as a whole.
    ///
    /// # Errors
    /// A [`WriteError`] that names the file: it does not have all rows.
    pub fn complete(self) -> Result<Written, WriteError> {
        match self.finish()? {
            (written, None) => Ok(written),
            (_, Some(fault)) => Err(fault),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::columns::table;

    table! {
        /// One row per thing.
        things: Thing {
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

    fn things(count: u32) -> impl Iterator<Item = Thing> {
        (0..count).map(|a| Thing {
            a,
            b_ns: (a % 3 > 0).then_some(f64::from(a) / 7.0),
            c: ["x", "yz"][a as usize % 2],
            d: a % 5 == 0,
        })
    }

    fn directory(test: &str) -> std::path::PathBuf {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tmp");
        let directory = directory.join(format!("writer-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        directory
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// However many rows come at a time.
    #[test]
    fn the_same_rows_are_the_same_bytes_and_the_same_hash() {
        let directory = directory("bytes");
        let written = |pieces: &[u32]| {
            let mut table = TableWriter::within(Some(&directory)).unwrap();
            let mut rows = things(pieces.iter().sum());
            for &piece in pieces {
                table.append(rows.by_ref().take(piece as usize));
            }
            let written = table.complete().unwrap();
            let bytes = std::fs::read(directory.join("things.parquet")).unwrap();
            assert_eq!(written.crc32, Some(crc32fast::hash(&bytes)));
            (written.name, written.rows, written.hash, bytes)
        };
        let at_once = written(&[20_000]);
        assert_eq!((at_once.0, at_once.1, &at_once.3[..4]), ("things", 20_000, &b"PAR1"[..]));
        assert!(at_once == written(&[1, 0, 8_191, 3, 11_805]));
        let mut hashed = TableWriter::hashed();
        hashed.append(things(20_000));
        assert_eq!(hashed.complete().unwrap().hash, at_once.2);
        std::fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn a_table_that_is_not_finished_leaves_no_file() {
        let directory = directory("partial");
        let mut table = TableWriter::within(Some(&directory)).unwrap();
        table.append(things(9_000));
        assert_eq!(names(&directory), ["things.parquet.partial"]);
        drop(table);
        assert!(names(&directory).is_empty());
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
