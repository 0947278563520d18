//! The options of a program and the arguments that set them.

use std::cell::Cell;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::compile::Compiler;
use crate::compile::scope::Scope;
use crate::compiled::view::{Failure, View};
use crate::language::ast::SyntaxTree;

/// The value of an argument: a number, or a text such as `64K`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ArgumentValue {
    /// A number.
    Number(i64),
    /// A number with an ending: K, M, G, T, or E and a decimal exponent.
    Text(String),
}

impl ArgumentValue {
    fn integer(&self) -> Option<i64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Text(text) => integer(text),
        }
    }
}

impl std::fmt::Display for ArgumentValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(value) => value.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// An integer with an ending of the language.
fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = text.trim_start_matches(['+', '-']);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number: i64 = text[..text.len() - digits.len() + end].parse().ok()?;
    let ending = digits[end..].to_ascii_lowercase();
    let factor = match ending.as_str() {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        other => 10i64.checked_pow(other.strip_prefix('e')?.parse().ok()?)?,
    };
    number.checked_mul(factor)
}

/// A wrong argument, or a default that has no value.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionError {
    /// No option has this name.
    Unknown {
        /// The argument.
        argument: String,
        /// The names of the options.
        options: Vec<String>,
    },
    /// The value is no integer.
    NoInteger {
        /// The argument.
        argument: String,
        /// The value.
        value: String,
    },
    /// Two arguments name one option.
    Twice {
        /// An argument.
        argument: String,
        /// The other one.
        other: String,
    },
    /// A default cannot be calculated.
    Default(Failure),
}

/// The values of a program's options. An argument names an option by its variable, or by its long
/// or short form without hyphens.
///
/// # Errors
/// [`OptionError`].
pub fn values(
    program: &SyntaxTree,
    arguments: &BTreeMap<String, ArgumentValue>,
) -> Result<BTreeMap<String, i64>, OptionError> {
    let matches = |argument: &str, option: &crate::language::ast::OptionDeclaration| {
        let argument = argument.trim_start_matches('-');
        argument.eq_ignore_ascii_case(&option.name.text)
            || argument == option.long.value.trim_start_matches('-')
            || argument == option.short.value.trim_start_matches('-')
    };
    for (argument, value) in arguments {
        if !program.options.iter().any(|option| matches(argument, option)) {
            return Err(OptionError::Unknown {
                argument: argument.clone(),
                options: program.options.iter().map(|option| option.name.text.clone()).collect(),
            });
        }
        if value.integer().is_none() {
            let (argument, value) = (argument.clone(), value.to_string());
            return Err(OptionError::NoInteger { argument, value });
        }
    }
    let mut values = BTreeMap::new();
    for option in &program.options {
        let mut given = arguments.iter().filter(|(argument, _)| matches(argument, option));
        let (first, second) = (given.next(), given.next());
        if let (Some((argument, _)), Some((other, _))) = (first, second) {
            let (argument, other) = (argument.clone(), other.clone());
            return Err(OptionError::Twice { argument, other });
        }
        let value = match first.and_then(|(_, value)| value.integer()) {
            Some(value) => value,
            None => {
                let mut compiler = Compiler::new(Scope::new(0, &values), BTreeMap::new());
                let default = compiler.expr(&option.default).map_err(OptionError::Default)?;
                let slots = vec![Cell::new(0); compiler.scope.slots()];
                let view = View {
                    slots: &slots,
                    tasks: 0,
                    me: -1,
                    mapping: None,
                    counters: None,
                    random: None,
                };
                default.integer(&view).map_err(OptionError::Default)?
            }
        };
        values.insert(option.name.text.clone(), value);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_multiply() {
        let cases = [
            ("64", 64),
            ("-3", -3),
            ("2K", 2048),
            ("1m", 1 << 20),
            ("3T", 3 << 40),
            ("10E3", 10_000),
        ];
        for (text, value) in cases {
            assert_eq!(integer(text), Some(value), "{text}");
        }
        for text in ["", "K", "1.5", "2KB", "1E99", "9E18x", "e3", "99999999999999999999"] {
            assert_eq!(integer(text), None, "{text}");
        }
    }
}
