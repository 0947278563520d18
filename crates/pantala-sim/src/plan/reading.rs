//! The reader of a plan's JSON. Its errors name the key, the value and the choices in one line.

use crate::error::PlanError;
use serde::de::DeserializeOwned;
use serde_json::Value;

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
    let key = if path.is_empty() { "plan" } else { path };
    PlanError::new(key, shown(plan, path), text, remedy)
}

/// Returns the key of `field` in the object at `path`. The path may end in the field already.
fn below(path: &str, field: &str) -> String {
    match path.rsplit('.').next() {
        _ if path.is_empty() => field.to_owned(),
        Some(last) if last == field => path.to_owned(),
        _ => format!("{path}.{field}"),
    }
}

/// Returns the value at a key, shortened to fit a line.
fn shown(plan: &Value, key: &str) -> String {
    let mut steps = key
        .split(['.', '['])
        .map(|step| step.trim_end_matches(']'))
        .filter(|step| !step.is_empty());
    let found = steps.try_fold(plan, |place, step| match place {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        object => object.get(step),
    });
    match found {
        None => "?".to_owned(),
        Some(Value::Object(_) | Value::Array(_)) => "...".to_owned(),
        Some(plain) => plain.to_string(),
    }
}
