//! The rules of run-time options.

use super::scope::{Place, Scope};
use crate::language::ast::{OptionDeclaration, Text};
use crate::language::diagnostic::Diagnostic;

impl Scope {
    /// Checks an option and makes its variable visible.
    pub(super) fn option(&mut self, option: &OptionDeclaration, all: &[OptionDeclaration]) {
        self.expression(&option.default, Place::Default);
        let before = all.iter().take_while(|other| !std::ptr::eq(*other, option));
        for other in before {
            let same = |message: &str, text: &str| format!("{message} {text} is declared twice");
            if other.name == option.name {
                let message = same("the option", &option.name.text);
                self.error(Diagnostic::new(option.name.span, message));
            }
            for (form, text) in [(&other.long, &option.long), (&other.short, &option.short)] {
                if form.value == text.value {
                    self.error(Diagnostic::new(
                        text.span,
                        same("the form", &text.value.escape_debug().to_string()),
                    ));
                }
            }
        }
        let is_long = |rest: &str| {
            !rest.is_empty()
                && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        };
        let is_short = |rest: &str| {
            rest.len() == 1 && rest.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        self.form(&option.long, "--", is_long, "`--` and letters, digits, `-` or `_`");
        self.form(&option.short, "-", is_short, "`-` and one lower-case letter or digit");
        self.bind(&option.name);
    }

    fn form(&mut self, text: &Text, hyphens: &str, fits: impl Fn(&str) -> bool, allowed: &str) {
        if !text.value.strip_prefix(hyphens).is_some_and(fits) {
            let message = format!("\"{}\" is not an option", text.value.escape_debug());
            let expected = vec![allowed.to_owned()];
            self.error(Diagnostic { expected, ..Diagnostic::new(text.span, message) });
        }
    }
}
