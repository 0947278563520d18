//! A hash of the values of a table that grows with its rows.

use crate::output::columns::{ColumnDescriptor, ColumnType};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float64Type, Int32Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use blake3::Hasher;

/// Hashes the values of a table, column by column. The hash depends only on the values and their
/// order. Names, integer widths, metadata, compression, the layout of the file and the size of
/// batches do not change it.
#[derive(Clone, Debug)]
pub(crate) struct ValueHash {
    columns: Vec<ColumnHash>,
    rows: u64,
}

/// The hash of the values of one column.
#[derive(Clone, Debug)]
struct ColumnHash {
    data_type: ColumnType,
    hash: Hasher,
    /// Whether the column counts: it is part of every run, or it has a value.
    counts: bool,
}

impl ValueHash {
    /// Returns the hash of a table without rows.
    pub(crate) fn new(columns: &[ColumnDescriptor]) -> Self {
        let column = |column: &ColumnDescriptor| ColumnHash {
            data_type: column.data_type,
            hash: Hasher::new(),
            counts: column.switch.is_none(),
        };
        Self { columns: columns.iter().map(column).collect(), rows: 0 }
    }

    /// Adds a batch of rows, one array per column.
    pub(crate) fn update(&mut self, arrays: &[ArrayRef]) {
        self.rows += arrays.first().map_or(0, Array::len) as u64;
        let mut bytes = Vec::new();
        for (column, array) in self.columns.iter_mut().zip(arrays) {
            bytes.clear();
            append(&mut bytes, column.data_type, array);
            column.hash.update(&bytes);
            column.counts |= array.null_count() < array.len();
        }
    }

    /// Returns the number of rows.
    pub(crate) const fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the hash of the table: a hash of the number of columns, the number of rows, and the
    /// hash of each column. A column that a key of the plan fills counts only if it has a value.
    pub(crate) fn finish(self) -> [u8; 32] {
        let mut table = Hasher::new();
        let columns = || self.columns.iter().filter(|column| column.counts);
        table.update(&(columns().count() as u64).to_le_bytes());
        table.update(&self.rows.to_le_bytes());
        for column in columns() {
            table.update(column.hash.finalize().as_bytes());
        }
        table.finalize().into()
    }
}

/// Appends the bytes to hash: a one and eight bytes per value, a zero per absent value. A text has
/// its length in the eight bytes and follows them.
fn append(bytes: &mut Vec<u8>, data_type: ColumnType, column: &ArrayRef) {
    fn numbers<T: ArrowPrimitiveType>(
        bytes: &mut Vec<u8>,
        column: &ArrayRef,
        eight: impl Fn(T::Native) -> [u8; 8],
    ) {
        let column = column.as_primitive::<T>();
        bytes.reserve(9 * column.len());
        for value in column {
            present(bytes, value.map(&eight));
        }
    }
    match data_type {
        ColumnType::U8 => numbers::<UInt8Type>(bytes, column, |v| u64::from(v).to_le_bytes()),
        ColumnType::U16 => numbers::<UInt16Type>(bytes, column, |v| u64::from(v).to_le_bytes()),
        ColumnType::U32 => numbers::<UInt32Type>(bytes, column, |v| u64::from(v).to_le_bytes()),
        ColumnType::U64 => numbers::<UInt64Type>(bytes, column, u64::to_le_bytes),
        ColumnType::I32 => numbers::<Int32Type>(bytes, column, |v| i64::from(v).to_le_bytes()),
        ColumnType::F64 => numbers::<Float64Type>(bytes, column, |v| v.to_bits().to_le_bytes()),
        ColumnType::Bool => {
            for value in column.as_boolean() {
                present(bytes, value.map(|v| u64::from(v).to_le_bytes()));
            }
        }
        ColumnType::Str => {
            for value in column.as_string::<i32>() {
                present(bytes, value.map(|text| (text.len() as u64).to_le_bytes()));
                bytes.extend_from_slice(value.unwrap_or_default().as_bytes());
            }
        }
    }
}

fn present(bytes: &mut Vec<u8>, value: Option<[u8; 8]>) {
    match value {
        Some(value) => {
            bytes.push(1);
            bytes.extend_from_slice(&value);
        }
        None => bytes.push(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::columns::Value;

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
            switch: None,
        };
        (descriptor, V::finish(column))
    }

    fn hash(columns: impl IntoIterator<Item = (ColumnDescriptor, ArrayRef)>) -> [u8; 32] {
        let (descriptors, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        let mut hash = ValueHash::new(&descriptors);
        hash.update(&arrays);
        hash.finish()
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
        let different: std::collections::BTreeSet<[u8; 32]> = hashes.into_iter().collect();
        assert_eq!(different.len(), hashes.len());
    }

    /// A run without a key has the hash that it had before there was the key.
    #[test]
    fn a_hash_of_values_does_not_know_columns_of_a_key_without_a_value() {
        let filled = |values: [Option<bool>; 2]| {
            let (descriptor, array) = column(values);
            (ColumnDescriptor { switch: Some("record.key"), ..descriptor }, array)
        };
        let numbers = || column([1_u32, 2]);
        let hashes = [
            hash([numbers()]),
            hash([numbers(), filled([None, None])]),
            hash([numbers(), filled([None, Some(true)])]),
            hash([numbers(), column([None, Some(true)])]),
        ];
        assert_eq!(hashes[0], hashes[1]);
        assert_ne!(hashes[1], hashes[2]);
        assert_eq!(hashes[2], hashes[3]);
    }

    #[test]
    fn a_hash_of_values_does_not_know_batches() {
        let (descriptor, whole) = column([Some(3_u32), None, Some(5), Some(8)]);
        let at_once = hash([(descriptor, whole.clone())]);
        let mut in_pieces = ValueHash::new(&[descriptor]);
        for (start, rows) in [(0, 1), (1, 0), (1, 3)] {
            in_pieces.update(&[whole.slice(start, rows)]);
        }
        assert_eq!((in_pieces.rows(), in_pieces.finish()), (4, at_once));
    }
}
