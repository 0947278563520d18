//! Descriptions of messages.

use super::{DataUnit, Expression, Text};
use crate::language::source::Span;

/// The messages of `SENDS`, `RECEIVES` and `MULTICASTS`.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The number of messages per pair of tasks.
    pub count: Amount,
    /// `UNIQUE` or `NONUNIQUE`, if given: true or false.
    pub unique: Option<bool>,
    /// The size of each message; 0 bytes if absent.
    pub size: Option<Size>,
    /// The alignment of the buffer.
    pub alignment: Option<Alignment>,
    /// What the program does with the content.
    pub touching: Option<Touching>,
    /// The tag; 0 if absent.
    pub tag: Option<Tag>,
    /// The buffer.
    pub buffer: Option<Buffer>,
    /// Its place in the source.
    pub span: Span,
}

/// A number of things: `A` or an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// `A` or `AN`: 1.
    One,
    /// The value of an expression; nothing happens if it is below 1.
    Of(Expression),
}

/// A size in memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Size {
    /// `5 KILOBYTE`
    Of(Expression, DataUnit),
    /// `DOUBLEWORD SIZED`; the unit is one of [`DataUnit::TYPES`].
    Sized(DataUnit),
}

/// An alignment in memory. It changes no message.
#[derive(Clone, Debug, PartialEq)]
pub enum Alignment {
    /// `UNALIGNED`
    Unaligned,
    /// `64 BYTE ALIGNED`, `3 BYTE MISALIGNED`
    Of(Expression, DataUnit, AlignmentKind),
    /// `PAGE ALIGNED`; the unit is one of [`DataUnit::TYPES`].
    Type(DataUnit, AlignmentKind),
}

/// At a boundary, or away from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlignmentKind {
    /// `ALIGNED`
    Aligned,
    /// `MISALIGNED`
    Misaligned,
}

/// What a task does with the content of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Touching {
    /// `WITH DATA TOUCHING`: it reads or writes every byte.
    Touching,
    /// `WITHOUT DATA TOUCHING`
    NoTouching,
    /// `WITH VERIFICATION`: it fills in or checks every byte.
    Verification,
    /// `WITHOUT VERIFICATION`
    NoVerification,
}

/// A message tag.
#[derive(Clone, Debug, PartialEq)]
pub enum Tag {
    /// `USING TAG 5`: the absolute value.
    Number(Expression),
    /// `USING TAG "name"`: a hash of the text.
    Text(Text),
}

/// A message buffer. It changes no message.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// `64 BYTES INTO …`: where the message starts in the buffer.
    pub offset: Option<(Expression, DataUnit)>,
    /// The buffer.
    pub place: BufferPlace,
}

/// The buffer itself.
#[derive(Clone, Debug, PartialEq)]
pub enum BufferPlace {
    /// `THE DEFAULT BUFFER`
    Default,
    /// `BUFFER e`
    Number(Expression),
}

/// `WHO RECEIVES THEM …`: attributes of the receive that differ from those of the send.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReceiveSpec {
    /// `ASYNCHRONOUSLY` or `SYNCHRONOUSLY`, if given: true or false.
    pub asynchronous: Option<bool>,
    /// `AS …`: uniqueness and alignment.
    pub into: Option<(Option<bool>, Option<Alignment>)>,
    /// What the receiver does with the content.
    pub touching: Option<Touching>,
    /// The tag.
    pub tag: Option<Tag>,
    /// The buffer.
    pub buffer: Option<Buffer>,
    /// Its place in the source.
    pub span: Span,
}

/// The data of a reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct ReduceData {
    /// The number of elements.
    pub count: Amount,
    /// `UNIQUE` or `NONUNIQUE`, if given: true or false.
    pub unique: Option<bool>,
    /// The alignment of the buffer.
    pub alignment: Option<Alignment>,
    /// The type of an element: integers or doublewords.
    pub data_type: DataUnit,
    /// What the program does with the content.
    pub touching: Option<Touching>,
    /// The tag, which must be 0.
    pub tag: Option<Tag>,
    /// The buffer, after `FROM`.
    pub buffer: Option<Buffer>,
    /// Its place in the source.
    pub span: Span,
}

/// `WHO RECEIVES THE RESULT …`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReduceResult {
    /// `AS 3 INTEGERS`: count and type must equal those of the data.
    pub data: Option<ReducedData>,
    /// What the receivers do with the content.
    pub touching: Option<Touching>,
    /// The tag, which must be 0.
    pub tag: Option<Tag>,
    /// The buffer, after `INTO`.
    pub buffer: Option<Buffer>,
    /// Its place in the source.
    pub span: Span,
}

/// `AS 3 INTEGERS`: the elements of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedData {
    /// The number of elements.
    pub count: Amount,
    /// `UNIQUE` or `NONUNIQUE`, if given: true or false.
    pub unique: Option<bool>,
    /// The alignment of the buffer.
    pub alignment: Option<Alignment>,
    /// The type of an element.
    pub data_type: DataUnit,
}
