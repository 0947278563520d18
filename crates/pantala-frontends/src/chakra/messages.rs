//! The protobuf messages of a trace, as far as they matter. All other fields are passed over.

use prost::bytes::{Buf, Bytes};
use prost::{DecodeError, Message, Oneof};

/// The first message of a file.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct GlobalMetadata {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) version: Bytes,
}

/// A node of the graph.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Node {
    #[prost(uint64, tag = "1")]
    pub(super) id: u64,
    #[prost(int32, tag = "3")]
    pub(super) kind: i32,
    #[prost(uint64, repeated, tag = "4")]
    ctrl_deps: Vec<u64>,
    /// Once [`Node::read`] has read the node, those of control, too.
    #[prost(uint64, repeated, tag = "5")]
    pub(super) data_deps: Vec<u64>,
    #[prost(uint64, tag = "7")]
    pub(super) duration_micros: u64,
    #[prost(message, repeated, tag = "10")]
    pub(super) attributes: Vec<Attribute>,
}

impl Node {
    /// Reads a node in place of this one. Its dependencies of control are added to those of data: a
    /// node waits for both, as in ASTRA-sim (`RESOLVE_CTRL_DEPS` of its `feeder_v3`).
    pub(super) fn read(&mut self, message: impl Buf) -> Result<(), DecodeError> {
        self.clear();
        self.merge(message)?;
        if !self.ctrl_deps.is_empty() {
            self.data_deps.append(&mut self.ctrl_deps);
            self.data_deps.sort_unstable();
            self.data_deps.dedup();
        }
        Ok(())
    }
}

/// An attribute of a node.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Attribute {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) name: Bytes,
    #[prost(oneof = "Value", tags = "7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 28, 29, 31")]
    pub(super) value: Option<Value>,
}

/// The value of an attribute. Fractions and lists of numbers have no meaning for the replay.
#[derive(Clone, PartialEq, Eq, Oneof)]
pub(super) enum Value {
    #[prost(int32, tag = "7")]
    Int32(i32),
    #[prost(int64, tag = "9")]
    Int64(i64),
    #[prost(uint32, tag = "11")]
    Uint32(u32),
    #[prost(uint64, tag = "13")]
    Uint64(u64),
    #[prost(sint32, tag = "15")]
    Sint32(i32),
    #[prost(sint64, tag = "17")]
    Sint64(i64),
    #[prost(fixed32, tag = "19")]
    Fixed32(u32),
    #[prost(fixed64, tag = "21")]
    Fixed64(u64),
    #[prost(sfixed32, tag = "23")]
    Sfixed32(i32),
    #[prost(sfixed64, tag = "25")]
    Sfixed64(i64),
    #[prost(bool, tag = "27")]
    Bool(bool),
    #[prost(message, tag = "28")]
    Bools(Bools),
    #[prost(bytes = "bytes", tag = "29")]
    Text(Bytes),
    #[prost(bytes = "bytes", tag = "31")]
    Bytes(Bytes),
}

/// A list of truth values.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Bools {
    #[prost(bool, repeated, tag = "1")]
    pub(super) values: Vec<bool>,
}

impl Value {
    /// The value as a number, if it is one.
    pub(super) fn number(&self) -> Option<i128> {
        match *self {
            Self::Int32(value) | Self::Sint32(value) | Self::Sfixed32(value) => Some(value.into()),
            Self::Int64(value) | Self::Sint64(value) | Self::Sfixed64(value) => Some(value.into()),
            Self::Uint32(value) | Self::Fixed32(value) => Some(value.into()),
            Self::Uint64(value) | Self::Fixed64(value) => Some(value.into()),
            Self::Bool(value) => Some(value.into()),
            Self::Text(_) | Self::Bytes(_) | Self::Bools(_) => None,
        }
    }
}
