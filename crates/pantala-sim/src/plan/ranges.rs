//! The check of a plan's numbers against the ranges of the catalogue.

use crate::catalogue::plan_schema;
use crate::error::{Faults, PlanError};
use crate::plan::Plan;
use serde_json::Value;

/// Checks every number of a plan against its declared range.
///
/// # Errors
/// A [`PlanError`] for the first number out of range, with the others.
///
/// # Panics
/// Never: every plan can be written as JSON.
pub fn check(plan: &Plan) -> Result<(), PlanError> {
    let schema = plan_schema();
    let value = serde_json::to_value(plan).expect("a plan is JSON");
    let mut faults = Faults::default();
    Walk { definitions: &schema["$defs"] }.check(schema, &value, "", &mut faults);
    faults.result()
}

struct Walk<'a> {
    definitions: &'a Value,
}

impl Walk<'_> {
    fn check(&self, schema: &Value, value: &Value, key: &str, faults: &mut Faults) {
        match value {
            Value::Object(fields) => {
                let declared = self.object(schema, value);
                for (name, field) in fields {
                    if let Some(below) = declared.and_then(|object| object["properties"].get(name))
                    {
                        let place =
                            if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                        self.check(below, field, &place, faults);
                    }
                }
            }
            Value::Array(items) => {
                let fewest = self
                    .branches(schema)
                    .find_map(|branch| branch.get("minItems")?.as_u64())
                    .unwrap_or(0);
                if (items.len() as u64) < fewest {
                    let message = format!(
                        "must have at least {fewest} {}",
                        if fewest == 1 { "item" } else { "items" }
                    );
                    faults.note(Err(PlanError::new(key, value, message, "add the others")));
                }
                let Some(declared) = self.branches(schema).find_map(|branch| branch.get("items"))
                else {
                    return;
                };
                if self.may_fail(declared) {
                    for (i, item) in items.iter().enumerate() {
                        self.check(declared, item, &format!("{key}[{i}]"), faults);
                    }
                }
            }
            Value::Number(_) => {
                faults.note(
                    self.branches(schema).try_for_each(|branch| check_number(branch, value, key)),
                );
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }

    /// Returns the schema and its alternatives, with references resolved.
    fn branches<'a>(&'a self, schema: &'a Value) -> impl Iterator<Item = &'a Value> {
        let alternatives = ["anyOf", "oneOf"]
            .into_iter()
            .filter_map(|word| schema.get(word)?.as_array())
            .flatten();
        std::iter::once(schema).chain(alternatives).map(|branch| self.followed(branch))
    }

    fn followed<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let name =
            schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
        name.map_or(schema, |name| &self.definitions[name])
    }

    /// Returns the declaration of an object: among several kinds, the declaration with the object's
    /// `kind`.
    fn object<'a>(&'a self, schema: &'a Value, value: &Value) -> Option<&'a Value> {
        let deeper = self.branches(schema).flat_map(|branch| self.branches(branch));
        deeper.filter(|branch| branch.get("properties").is_some()).find(|branch| {
            branch["properties"]["kind"]
                .get("const")
                .is_none_or(|kind| Some(kind) == value.get("kind"))
        })
    }

    /// Returns whether items of this schema have a range. Lists of nodes are long and have none.
    fn may_fail(&self, items: &Value) -> bool {
        items.get("maximum").is_some()
            || items["minimum"].as_f64().is_some_and(|least| least > 0.0)
            || self.branches(items).any(|branch| branch.get("properties").is_some())
    }
}

/// Checks one number. Messages give times in seconds.
fn check_number(schema: &Value, value: &Value, key: &str) -> Result<(), PlanError> {
    let (least, most) = (&schema["minimum"], &schema["maximum"]);
    let number = value.as_f64().unwrap_or(f64::NAN);
    let too_small = least.as_f64().is_some_and(|least| number < least)
        || schema["exclusiveMinimum"].as_f64().is_some_and(|least| number <= least);
    let too_large = most.as_f64().is_some_and(|most| number > most);
    if !too_small && !too_large {
        return Ok(());
    }
    let (lowest, highest) = (bound(least).filter(|least| least != "0"), bound(most));
    let has_unit =
        ["_ps", "_fs", "_bytes", "_per_s", "_flits"].iter().any(|unit| key.ends_with(unit));
    let in_seconds = most.as_f64().unwrap_or_default() / 1e12;
    let (message, remedy) = match (lowest, highest) {
        (_, highest) if too_small && number == 0.0 && (highest.is_none() || has_unit) => {
            ("must be more than zero".to_owned(), "give a positive value".to_owned())
        }
        (_, Some(_)) if too_large && key.ends_with("_ps") => {
            ("is longer than any run".to_owned(), format!("give at most {in_seconds} s"))
        }
        (_, Some(_)) if too_large && key.ends_with("_fs") => (
            format!("must be at most {in_seconds} ms for a byte"),
            format!("give {in_seconds} ms/B or less"),
        ),
        (Some(least), Some(most)) => {
            (format!("must be {least} to {most}"), "give a value in that range".to_owned())
        }
        (None, Some(most)) if too_large => {
            (format!("must be at most {most}"), format!("give {most} or less"))
        }
        (Some(least), None) => {
            (format!("must be at least {least}"), format!("give {least} or more"))
        }
        (None, _) => ("must not be negative".to_owned(), "give 0 or more".to_owned()),
    };
    Err(PlanError::new(key, value, message, remedy))
}

/// Formats a bound, whole numbers without a fraction.
fn bound(value: &Value) -> Option<String> {
    match value.as_f64() {
        Some(number) if value.is_f64() && number.fract() == 0.0 => Some(format!("{number:.0}")),
        _ => value.is_number().then(|| value.to_string()),
    }
}
