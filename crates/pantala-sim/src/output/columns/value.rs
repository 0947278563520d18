//! The types of column values and their conversion to Arrow arrays.

use arrow_array::builder::{PrimitiveBuilder, StringBuilder};
use arrow_array::types::{Float64Type, Int32Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray};
use arrow_schema::DataType;
use serde::Serialize;
use std::sync::Arc;

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// 8 bits, unsigned.
    U8,
    /// 16 bits, unsigned.
    U16,
    /// 32 bits, unsigned.
    U32,
    /// 64 bits, unsigned.
    U64,
    /// 32 bits, signed.
    I32,
    /// Double precision.
    F64,
    /// True or false.
    Bool,
    /// Text.
    Str,
}

impl ColumnType {
    /// Returns the Arrow type.
    #[must_use]
    pub const fn arrow(self) -> DataType {
        match self {
            Self::U8 => DataType::UInt8,
            Self::U16 => DataType::UInt16,
            Self::U32 => DataType::UInt32,
            Self::U64 => DataType::UInt64,
            Self::I32 => DataType::Int32,
            Self::F64 => DataType::Float64,
            Self::Bool => DataType::Boolean,
            Self::Str => DataType::Utf8,
        }
    }
}

/// A Rust type whose values a column can hold.
pub trait Value {
    /// The type of such a column.
    const TYPE: ColumnType;
    /// Whether values can be absent.
    const NULLABLE: bool = false;
    /// The values of a column under construction.
    type Column: Default;

    /// Appends the value to a column.
    fn append(self, column: &mut Self::Column);

    /// Returns the column as an Arrow array.
    fn finish(column: Self::Column) -> ArrayRef;
}

macro_rules! number {
    ($native:ty, $arrow:ty, $type:expr) => {
        impl Value for $native {
            const TYPE: ColumnType = $type;
            type Column = Vec<$native>;

            #[inline]
            fn append(self, column: &mut Self::Column) {
                column.push(self);
            }

            fn finish(column: Self::Column) -> ArrayRef {
                Arc::new(PrimitiveArray::<$arrow>::from(column))
            }
        }

        impl Value for Option<$native> {
            const TYPE: ColumnType = $type;
            const NULLABLE: bool = true;
            type Column = PrimitiveBuilder<$arrow>;

            #[inline]
            fn append(self, column: &mut Self::Column) {
                column.append_option(self);
            }

            fn finish(mut column: Self::Column) -> ArrayRef {
                Arc::new(column.finish())
            }
        }
    };
}

number!(u8, UInt8Type, ColumnType::U8);
number!(u16, UInt16Type, ColumnType::U16);
number!(u32, UInt32Type, ColumnType::U32);
number!(u64, UInt64Type, ColumnType::U64);
number!(i32, Int32Type, ColumnType::I32);
number!(f64, Float64Type, ColumnType::F64);

impl Value for bool {
    const TYPE: ColumnType = ColumnType::Bool;
    type Column = Vec<bool>;

    #[inline]
    fn append(self, column: &mut Self::Column) {
        column.push(self);
    }

    fn finish(column: Self::Column) -> ArrayRef {
        Arc::new(BooleanArray::from(column))
    }
}

impl Value for Option<bool> {
    const TYPE: ColumnType = ColumnType::Bool;
    const NULLABLE: bool = true;
    type Column = Vec<Self>;

    #[inline]
    fn append(self, column: &mut Self::Column) {
        column.push(self);
    }

    fn finish(column: Self::Column) -> ArrayRef {
        Arc::new(BooleanArray::from(column))
    }
}

macro_rules! text {
    ($text:ty) => {
        impl Value for $text {
            const TYPE: ColumnType = ColumnType::Str;
            type Column = StringBuilder;

            #[inline]
            fn append(self, column: &mut Self::Column) {
                column.append_value(self);
            }

            fn finish(mut column: Self::Column) -> ArrayRef {
                Arc::new(column.finish())
            }
        }

        impl Value for Option<$text> {
            const TYPE: ColumnType = ColumnType::Str;
            const NULLABLE: bool = true;
            type Column = StringBuilder;

            #[inline]
            fn append(self, column: &mut Self::Column) {
                column.append_option(self);
            }

            fn finish(mut column: Self::Column) -> ArrayRef {
                Arc::new(column.finish())
            }
        }
    };
}

text!(&'static str);
text!(String);
