//! The reader of a plan's JSON. Its errors name the key, the value and the choices in one line.

use crate::error::PlanError;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The first number that no integer of a plan can be: 2^64.
const BEYOND: f64 = 18_446_744_073_709_551_616.0;

/// Reads a value. `remedy` is the remedy of faults without a specific one.
///
/// # Errors
/// A [`PlanError`] that names the key.
pub(crate) fn read<T: DeserializeOwned>(value: &Value, remedy: &str) -> Result<T, PlanError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        fault(value, if path == "." { "" } else { &path }, &error.into_inner().to_string(), remedy)
    })
}

/// Converts serde's error `text` about the value at `path`.
fn fault(plan: &Value, path: &str, text: &str, remedy: &str) -> PlanError {
    let (path, text) = (&*one_line(path), &*one_line(text));
    let (wrong, expected) = text.split_once(", expected ").unwrap_or((text, ""));
    let name = |prefix: &str| wrong.strip_prefix(prefix).map(|name| name.trim_matches('`'));
    let choices = expected.strip_prefix("one of ").unwrap_or(expected).replace('`', "");
    if let Some(variant) = name("unknown variant ") {
        return PlanError::new(
            path,
            format!("\"{variant}\""),
            "is not known",
            format!("use one of {choices}"),
        );
    }
    if let Some(field) = name("unknown field ") {
        let key = below(path, field);
        let value = shown(plan, &key);
        return PlanError::new(&key, value, "unknown key", format!("known here: {choices}"));
    }
    if let Some(field) = name("missing field ") {
        return PlanError::new(&below(path, field), "absent", "is missing", remedy);
    }
    let number = name("invalid type: floating point ").and_then(|number| number.parse().ok());
    if let Some(number) = number.filter(|&number: &f64| number >= BEYOND) {
        // The error of a workload ends at the workload, not at the key in it.
        let found = at(plan, path).and_then(|place| place_of(number, place, path));
        let key = found.unwrap_or_else(|| path.to_owned());
        return PlanError::new(
            &key,
            format!("{number:e}"),
            "is more than 64 bits hold",
            "lower it, or the counts, sizes or times that it follows from",
        );
    }
    let key = if path.is_empty() { "plan" } else { path };
    PlanError::new(key, shown(plan, path), text, remedy)
}

/// Returns a text with its control characters, such as ends of lines, as escapes.
fn one_line(text: &str) -> String {
    let escaped = |character: char| -> String {
        if character.is_control() { character.escape_default().collect() } else { character.into() }
    };
    text.chars().map(escaped).collect()
}

/// Returns the key of `field` in the object at `path`. The path may end in the field already.
fn below(path: &str, field: &str) -> String {
    match path.rsplit('.').next() {
        _ if path.is_empty() => field.to_owned(),
        Some(last) if last == field => path.to_owned(),
        _ => format!("{path}.{field}"),
    }
}

/// Returns the key of the first `number` in the value at `path`.
fn place_of(number: f64, value: &Value, path: &str) -> Option<String> {
    match value {
        Value::Number(found) => (found.as_f64() == Some(number)).then(|| path.to_owned()),
        Value::Array(items) => {
            let mut numbered = items.iter().enumerate();
            numbered.find_map(|(at, item)| place_of(number, item, &format!("{path}[{at}]")))
        }
        Value::Object(fields) => {
            let mut named = fields.iter();
            named.find_map(|(field, value)| place_of(number, value, &below(path, field)))
        }
        _ => None,
    }
}

/// Returns the value at a key.
fn at<'a>(plan: &'a Value, key: &str) -> Option<&'a Value> {
    let mut steps = key
        .split(['.', '['])
        .map(|step| step.trim_end_matches(']'))
        .filter(|step| !step.is_empty());
    steps.try_fold(plan, |place, step| match place {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        object => object.get(step),
    })
}

/// Returns the value at a key, shortened to fit a line.
fn shown(plan: &Value, key: &str) -> String {
    match at(plan, key) {
        None => "?".to_owned(),
        Some(Value::Object(_) | Value::Array(_)) => "...".to_owned(),
        Some(plain) => plain.to_string(),
    }
}
