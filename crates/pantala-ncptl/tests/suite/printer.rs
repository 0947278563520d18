//! From the syntax tree to the text of a program.
//!
//! The text is canonical: one spelling of each word, brackets only where the grammar needs them,
//! one statement per line. Parsing the text of a tree from the parser gives an equal tree. A tree
//! that no program has (an `IF` without `OTHERWISE` inside the first branch of an `IF` with one)
//! is printed with the braces that keep its meaning.

mod expression;
mod message;
mod statement;

use pantala_ncptl::language::ast::{DataUnit, Name, OptionDeclaration, SyntaxTree, TimeUnit};

/// The canonical text of a program.
pub(crate) fn print(program: &SyntaxTree) -> String {
    let mut printer = Printer { text: String::new(), indent: 0 };
    if let Some(version) = &program.version {
        printer.word("require language version");
        printer.string(&version.value);
        printer.text.push_str(".\n");
    }
    for option in &program.options {
        printer.option(option);
        printer.text.push_str(".\n");
    }
    for sentence in &program.sentences {
        if !printer.text.is_empty() {
            printer.text.push('\n');
        }
        printer.sequence(&sentence.statements);
        printer.text.push_str(".\n");
    }
    printer.text
}

struct Printer {
    text: String,
    indent: usize,
}

impl Printer {
    /// Appends words, with a blank before them unless a line or a bracket starts.
    fn word(&mut self, words: &str) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n', '(', '[', '{']) {
            self.text.push(' ');
        }
        self.text.push_str(words);
    }

    /// Appends a sign without a blank before it.
    fn sign(&mut self, sign: &str) {
        self.text.push_str(sign);
    }

    fn line(&mut self) {
        self.text.push('\n');
        self.text.push_str(&"  ".repeat(self.indent));
    }

    fn string(&mut self, value: &str) {
        self.word("\"");
        for char in value.chars() {
            match char {
                '\n' => self.text.push_str("\\n"),
                '\t' => self.text.push_str("\\t"),
                '\r' => self.text.push_str("\\r"),
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                other => self.text.push(other),
            }
        }
        self.text.push('"');
    }

    /// A data type in the plural.
    fn units(&mut self, data_type: DataUnit) {
        self.word(unit_name(data_type));
        self.sign("s");
    }

    fn name(&mut self, name: &Name) {
        self.word(&name.text);
    }

    /// Items with a separator before all but the first.
    fn list<T>(&mut self, items: &[T], separator: &str, print: impl Fn(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text.push_str(separator);
            }
            print(self, item);
        }
    }

    fn option(&mut self, option: &OptionDeclaration) {
        self.name(&option.name);
        self.word("is");
        self.string(&option.description.value);
        self.word("and comes from");
        self.string(&option.long.value);
        self.word("or");
        self.string(&option.short.value);
        self.word("with default");
        self.expression(&option.default);
    }
}

fn unit_name(unit: DataUnit) -> &'static str {
    match unit {
        DataUnit::Bit => "bit",
        DataUnit::Byte => "byte",
        DataUnit::Halfword => "halfword",
        DataUnit::Word => "word",
        DataUnit::Integer => "integer",
        DataUnit::Doubleword => "doubleword",
        DataUnit::Quadword => "quadword",
        DataUnit::Page => "page",
        DataUnit::Kilobyte => "kilobyte",
        DataUnit::Megabyte => "megabyte",
        DataUnit::Gigabyte => "gigabyte",
    }
}

fn time_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Microsecond => "microseconds",
        TimeUnit::Millisecond => "milliseconds",
        TimeUnit::Second => "seconds",
        TimeUnit::Minute => "minutes",
        TimeUnit::Hour => "hours",
        TimeUnit::Day => "days",
    }
}
