//! The sizes of data types, computed while reading.
//!
//! A program reuses the numbers of freed types, and the table in the file keeps only the last size
//! of each number. So the size comes from the record that made the type. The table serves for types
//! that no record makes, such as those of Fortran.

use std::collections::HashMap;

use super::functions::Function;
use super::handles::{FIRST_TYPE, TYPE_SIZES};
use super::record::Record;

/// The sizes of a rank's data types at one point of its records.
#[derive(Clone, Debug, Default)]
pub(super) struct DataTypes {
    table: Vec<u32>,
    made: HashMap<u16, u64>,
}

impl DataTypes {
    pub(super) fn new(table: &[u32]) -> Self {
        Self { table: table.to_vec(), made: HashMap::new() }
    }

    /// Whether the table gives a predefined type another size than the usual one.
    pub(super) fn changes(table: &[u32]) -> bool {
        let pairs = table.iter().zip(TYPE_SIZES);
        pairs.into_iter().any(|(size, usual)| *size > 0 && u64::from(*size) != usual)
    }

    /// Bytes of a type; `None` if they are unknown.
    #[inline]
    pub(super) fn size(&self, number: i64) -> Option<u64> {
        let number = u16::try_from(number).ok()?;
        let listed = self.table.get(usize::from(number)).map(|size| u64::from(*size));
        match TYPE_SIZES.get(usize::from(number)) {
            Some(usual) => Some(listed.filter(|size| *size > 0).unwrap_or(*usual)),
            None => self.made.get(&number).copied().or(listed),
        }
    }

    /// Keeps the size of the type that a record makes, and forgets the one that it frees.
    pub(super) fn follow(&mut self, record: &Record) {
        use Function as F;
        let number = |place: usize| record.number(place).unwrap_or(0);
        let count = |place: usize| u64::try_from(number(place)).unwrap_or(0);
        let lengths = record.list(0).iter().map(|length| u64::try_from(*length).unwrap_or(0));
        let sum =
            |elements: u64, old: usize| Some(elements.saturating_mul(self.size(number(old))?));
        let (new, size) = match record.function {
            F::Type_contiguous => (2, sum(count(0), 1)),
            F::Type_vector | F::Type_hvector | F::Type_create_hvector => {
                (4, sum(count(0).saturating_mul(count(1)), 3))
            }
            F::Type_indexed | F::Type_hindexed | F::Type_create_hindexed => {
                (2, sum(lengths.fold(0, u64::saturating_add), 1))
            }
            F::Type_create_indexed_block => (3, sum(count(0).saturating_mul(count(1)), 2)),
            F::Type_struct | F::Type_create_struct => {
                let parts = lengths
                    .zip(record.list(2))
                    .map(|(length, old)| Some(length.saturating_mul(self.size(i64::from(*old))?)));
                (1, parts.sum())
            }
            F::Type_dup => (1, self.size(number(0))),
            F::Type_create_resized => (3, self.size(number(0))),
            F::Type_create_subarray => {
                let points = record.list(1).iter().fold(1_u64, |points, length| {
                    points.saturating_mul(u64::try_from(*length).unwrap_or(0))
                });
                (3, sum(points, 2))
            }
            F::Type_create_darray => (5, None),
            F::Type_free => (0, None),
            _ => return,
        };
        let Ok(new) = u16::try_from(number(new)) else { return };
        if new < FIRST_TYPE {
            return;
        }
        match size {
            Some(size) => self.made.insert(new, size),
            None => self.made.remove(&new),
        };
    }
}
