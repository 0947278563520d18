//! Descriptions of messages and of the data of reductions.

use super::Parsed;
use super::cursor::Cursor;
use super::expression::is_special_function;
use crate::language::ast::{
    Alignment, AlignmentKind, Amount, Buffer, BufferPlace, DataUnit, Message, ReceiveSpec,
    ReduceData, ReduceResult, ReducedData, Size, Tag, TimeUnit, Touching,
};
use crate::language::token::{Symbol, TokenKind, Word};

const UNITS: [(Word, DataUnit); 11] = [
    (Word::Bytes, DataUnit::Byte),
    (Word::Halfwords, DataUnit::Halfword),
    (Word::Words, DataUnit::Word),
    (Word::Integers, DataUnit::Integer),
    (Word::Doublewords, DataUnit::Doubleword),
    (Word::Quadwords, DataUnit::Quadword),
    (Word::Pages, DataUnit::Page),
    (Word::Bits, DataUnit::Bit),
    (Word::Kilobyte, DataUnit::Kilobyte),
    (Word::Megabyte, DataUnit::Megabyte),
    (Word::Gigabyte, DataUnit::Gigabyte),
];

const TIMES: [(Word, TimeUnit); 6] = [
    (Word::Microseconds, TimeUnit::Microsecond),
    (Word::Milliseconds, TimeUnit::Millisecond),
    (Word::Seconds, TimeUnit::Second),
    (Word::Minutes, TimeUnit::Minute),
    (Word::Hours, TimeUnit::Hour),
    (Word::Days, TimeUnit::Day),
];

const ALIGNMENTS: [(Word, AlignmentKind); 2] =
    [(Word::Aligned, AlignmentKind::Aligned), (Word::Misaligned, AlignmentKind::Misaligned)];

impl Cursor<'_> {
    /// True if an expression can start here. It records no expectation.
    pub(super) fn is_expression(&self) -> bool {
        match self.token() {
            TokenKind::Integer(_) | TokenKind::Identifier(_) | TokenKind::Function(_) => true,
            TokenKind::Symbol(symbol) => {
                matches!(symbol, Symbol::OpenParen | Symbol::Plus | Symbol::Minus)
            }
            TokenKind::Word(Word::Bits) => *self.after() == TokenKind::Symbol(Symbol::OpenParen),
            TokenKind::Word(word) => {
                matches!(word, Word::Not | Word::My) || is_special_function(*word)
            }
            _ => false,
        }
    }

    pub(super) fn unit(&mut self) -> Parsed<DataUnit> {
        self.choose_as("a unit of data", &UNITS).ok_or_else(|| self.unexpected())
    }

    fn eat_data_type(&mut self) -> Option<DataUnit> {
        self.choose_as("a data type", &UNITS[..DataUnit::TYPES.len()])
    }

    pub(super) fn data_type(&mut self) -> Parsed<DataUnit> {
        self.eat_data_type().ok_or_else(|| self.unexpected())
    }

    pub(super) fn eat_time_unit(&mut self) -> Option<TimeUnit> {
        self.choose_as("a unit of time", &TIMES)
    }

    pub(super) fn time_unit(&mut self) -> Parsed<TimeUnit> {
        self.eat_time_unit().ok_or_else(|| self.unexpected())
    }

    fn amount(&mut self) -> Parsed<Amount> {
        if self.eat(Word::An) { Ok(Amount::One) } else { self.expression().map(Amount::Of) }
    }

    fn unique(&mut self) -> Option<bool> {
        self.choose(&[(Word::Unique, true), (Word::Nonunique, false)])
    }

    /// The size of a memory region.
    pub(super) fn size(&mut self) -> Parsed<Size> {
        if let Some(unit) = self.eat_data_type() {
            self.need(Word::Sized)?;
            return Ok(Size::Sized(unit));
        }
        Ok(Size::Of(self.expression()?, self.unit()?))
    }

    /// The optional size and the optional alignment of a message.
    fn size_and_alignment(&mut self) -> Parsed<(Option<Size>, Option<Alignment>)> {
        let size = if let Some(unit) = self.eat_data_type() {
            if let Some(kind) = self.choose(&ALIGNMENTS) {
                return Ok((None, Some(Alignment::Type(unit, kind))));
            }
            self.need(Word::Sized)?;
            Some(Size::Sized(unit))
        } else if self.is_expression() {
            let (number, unit) = (self.expression()?, self.unit()?);
            if let Some(kind) = self.choose(&ALIGNMENTS) {
                return Ok((None, Some(Alignment::Of(number, unit, kind))));
            }
            Some(Size::Of(number, unit))
        } else {
            self.expect("a size");
            None
        };
        Ok((size, self.alignment()?))
    }

    fn alignment(&mut self) -> Parsed<Option<Alignment>> {
        if self.eat(Word::Unaligned) {
            return Ok(Some(Alignment::Unaligned));
        }
        if let Some(unit) = self.eat_data_type() {
            let kind = self.choose(&ALIGNMENTS).ok_or_else(|| self.unexpected())?;
            return Ok(Some(Alignment::Type(unit, kind)));
        }
        if self.is_expression() {
            let (number, unit) = (self.expression()?, self.unit()?);
            let kind = self.choose(&ALIGNMENTS).ok_or_else(|| self.unexpected())?;
            return Ok(Some(Alignment::Of(number, unit, kind)));
        }
        Ok(None)
    }

    fn touching(&mut self) -> Parsed<Option<Touching>> {
        let Some(with) = self.choose(&[(Word::With, true), (Word::Without, false)]) else {
            return Ok(None);
        };
        if self.eat(Word::Verification) {
            return Ok(Some(if with { Touching::Verification } else { Touching::NoVerification }));
        }
        self.need_all([Word::Data, Word::Touching])?;
        Ok(Some(if with { Touching::Touching } else { Touching::NoTouching }))
    }

    fn tag(&mut self) -> Parsed<Option<Tag>> {
        if !self.eat(Word::Using) {
            return Ok(None);
        }
        self.need(Word::Tag)?;
        if let Some(text) = self.eat_text() {
            return Ok(Some(Tag::Text(text)));
        }
        self.expression().map(|number| Some(Tag::Number(number)))
    }

    /// A buffer after `FROM` or `INTO`, whichever `preposition` is.
    fn buffer(&mut self, preposition: Word) -> Parsed<Option<Buffer>> {
        if !self.eat(preposition) {
            return Ok(None);
        }
        let offset = if self.is_expression() {
            let offset = (self.expression()?, self.unit()?);
            self.need(Word::Into)?;
            Some(offset)
        } else {
            None
        };
        let place = if self.eat(Word::The) {
            self.need_all([Word::Default, Word::Buffers])?;
            BufferPlace::Default
        } else {
            self.need(Word::Buffers)?;
            BufferPlace::Number(self.expression()?)
        };
        Ok(Some(Buffer { offset, place }))
    }

    /// Messages; `preposition` is the word before the buffer.
    pub(super) fn message(&mut self, preposition: Word) -> Parsed<Message> {
        let start = self.span();
        let (count, unique) = (self.amount()?, self.unique());
        let (size, alignment) = self.size_and_alignment()?;
        self.need(Word::Messages)?;
        let (touching, tag) = (self.touching()?, self.tag()?);
        // RECEIVES … FROM task follows at the same word as SENDS … FROM buffer.
        let buffer = self.buffer(preposition)?;
        let span = self.since(start);
        Ok(Message { count, unique, size, alignment, touching, tag, buffer, span })
    }

    /// `ASYNCHRONOUSLY` is true.
    pub(super) fn asynchronous(&mut self) -> Option<bool> {
        self.choose(&[(Word::Asynchronously, true), (Word::Synchronously, false)])
    }

    /// The rest after `WHO RECEIVES THEM`; never empty.
    pub(super) fn receive_spec(&mut self) -> Parsed<ReceiveSpec> {
        let start = self.span();
        let asynchronous = self.asynchronous();
        let into = if self.eat(Word::As) {
            self.eat(Word::An);
            let into = (self.unique(), self.alignment()?);
            self.need(Word::Messages)?;
            Some(into)
        } else {
            None
        };
        let (touching, tag) = (self.touching()?, self.tag()?);
        let buffer = self.buffer(Word::Into)?;
        let span = self.since(start);
        let spec = ReceiveSpec { asynchronous, into, touching, tag, buffer, span };
        if spec == ReceiveSpec::default() { Err(self.unexpected()) } else { Ok(spec) }
    }

    /// Count, uniqueness, alignment and type of the elements of a reduction.
    fn elements(&mut self) -> Parsed<ReducedData> {
        let (count, unique) = (self.amount()?, self.unique());
        let mut alignment = None;
        if let Some(unit) = self.eat_data_type() {
            match self.choose(&ALIGNMENTS) {
                Some(kind) => alignment = Some(Alignment::Type(unit, kind)),
                None => return Ok(ReducedData { count, unique, alignment, data_type: unit }),
            }
        } else {
            alignment = self.alignment()?;
        }
        Ok(ReducedData { count, unique, alignment, data_type: self.data_type()? })
    }

    pub(super) fn reduce_data(&mut self) -> Parsed<ReduceData> {
        let start = self.span();
        let ReducedData { count, unique, alignment, data_type } = self.elements()?;
        let (touching, tag) = (self.touching()?, self.tag()?);
        let buffer = self.buffer(Word::From)?;
        let span = self.since(start);
        Ok(ReduceData { count, unique, alignment, data_type, touching, tag, buffer, span })
    }

    /// The rest after `WHO RECEIVES THE RESULT`.
    pub(super) fn reduce_result(&mut self) -> Parsed<Option<ReduceResult>> {
        let start = self.span();
        let data = if self.eat(Word::As) { Some(self.elements()?) } else { None };
        let (touching, tag) = (self.touching()?, self.tag()?);
        let buffer = self.buffer(Word::Into)?;
        let result = ReduceResult { data, touching, tag, buffer, span: self.since(start) };
        Ok((result != ReduceResult::default()).then_some(result))
    }
}
