//! Descriptions of messages and of the data of reductions.

use super::{Printer, unit_name};
use pantala_ncptl::language::ast::{
    Alignment, AlignmentKind, Amount, Buffer, BufferPlace, DataUnit, Message, ReceiveSpec,
    ReduceData, ReduceResult, ReducedData, Size, Tag, Touching,
};

impl Printer {
    pub(super) fn message(&mut self, message: &Message, preposition: &str) {
        self.amount(&message.count);
        self.unique(message.unique);
        if let Some(size) = &message.size {
            self.size(size);
        }
        self.alignment(message.alignment.as_ref());
        self.word(if message.count == Amount::One { "message" } else { "messages" });
        self.attributes(message.touching, message.tag.as_ref());
        self.buffer(message.buffer.as_ref(), preposition);
    }

    fn amount(&mut self, amount: &Amount) {
        match amount {
            Amount::One => self.word("a"),
            Amount::Of(number) => self.expression(number),
        }
    }

    fn unique(&mut self, unique: Option<bool>) {
        match unique {
            Some(true) => self.word("unique"),
            Some(false) => self.word("nonunique"),
            None => {}
        }
    }

    pub(super) fn size(&mut self, size: &Size) {
        match size {
            Size::Of(number, unit) => {
                self.second_expression(number);
                self.word(unit_name(*unit));
            }
            Size::Sized(unit) => {
                self.word(unit_name(*unit));
                self.word("sized");
            }
        }
    }

    fn alignment(&mut self, alignment: Option<&Alignment>) {
        let kind = match alignment {
            None => return,
            Some(Alignment::Unaligned) => return self.word("unaligned"),
            Some(Alignment::Of(number, unit, kind)) => {
                self.second_expression(number);
                self.word(unit_name(*unit));
                kind
            }
            Some(Alignment::Type(unit, kind)) => {
                self.word(unit_name(*unit));
                kind
            }
        };
        self.word(match kind {
            AlignmentKind::Aligned => "aligned",
            AlignmentKind::Misaligned => "misaligned",
        });
    }

    fn attributes(&mut self, touching: Option<Touching>, tag: Option<&Tag>) {
        match touching {
            None => {}
            Some(Touching::Touching) => self.word("with data touching"),
            Some(Touching::NoTouching) => self.word("without data touching"),
            Some(Touching::Verification) => self.word("with verification"),
            Some(Touching::NoVerification) => self.word("without verification"),
        }
        if let Some(tag) = tag {
            self.word("using tag");
            match tag {
                Tag::Number(number) => self.expression(number),
                Tag::Text(text) => self.string(&text.value),
            }
        }
    }

    fn buffer(&mut self, buffer: Option<&Buffer>, preposition: &str) {
        let Some(buffer) = buffer else { return };
        self.word(preposition);
        if let Some((offset, unit)) = &buffer.offset {
            self.expression(offset);
            self.word(unit_name(*unit));
            self.word("into");
        }
        match &buffer.place {
            BufferPlace::Default => self.word("the default buffer"),
            BufferPlace::Number(number) => {
                self.word("buffer");
                self.expression(number);
            }
        }
    }

    pub(super) fn receive_spec(&mut self, spec: &ReceiveSpec) {
        self.word("who receives them");
        match spec.asynchronous {
            Some(true) => self.word("asynchronously"),
            Some(false) => self.word("synchronously"),
            None => {}
        }
        if let Some((unique, alignment)) = &spec.into {
            self.word("as");
            self.unique(*unique);
            self.alignment(alignment.as_ref());
            self.word("messages");
        }
        self.attributes(spec.touching, spec.tag.as_ref());
        self.buffer(spec.buffer.as_ref(), "into");
    }

    fn elements(
        &mut self,
        count: &Amount,
        unique: Option<bool>,
        alignment: Option<&Alignment>,
        data_type: DataUnit,
    ) {
        let vowel = *count == Amount::One && data_type == DataUnit::Integer;
        if vowel && unique.is_none() && alignment.is_none() {
            return self.word("an integer");
        }
        self.amount(count);
        self.unique(unique);
        self.alignment(alignment);
        if *count == Amount::One {
            self.word(unit_name(data_type));
        } else {
            self.units(data_type);
        }
    }

    pub(super) fn reduce_data(&mut self, data: &ReduceData) {
        self.elements(&data.count, data.unique, data.alignment.as_ref(), data.data_type);
        self.attributes(data.touching, data.tag.as_ref());
        self.buffer(data.buffer.as_ref(), "from");
    }

    pub(super) fn reduce_result(&mut self, result: &ReduceResult) {
        self.word("who receives the result");
        if let Some(ReducedData { count, unique, alignment, data_type }) = &result.data {
            self.word("as");
            self.elements(count, *unique, alignment.as_ref(), *data_type);
        }
        self.attributes(result.touching, result.tag.as_ref());
        self.buffer(result.buffer.as_ref(), "into");
    }
}
