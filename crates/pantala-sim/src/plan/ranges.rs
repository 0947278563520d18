//! The check of a plan's numbers against the ranges of the catalogue.

use crate::error::{Faults, PlanError};
use crate::plan::Plan;
use crate::plan::schema::plan_schema;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::sync::OnceLock;

/// Checks every number of a plan against its declared range.
///
/// # Errors
/// A [`PlanError`] for the first number out of range, with the others.
///
/// # Panics
/// Never: every plan can be written as JSON.
pub fn check(plan: &Plan) -> Result<(), PlanError> {
    static RANGES: OnceLock<Ranges> = OnceLock::new();
    let ranges = RANGES.get_or_init(Ranges::read);
    let value = serde_json::to_value(plan).expect("a plan is JSON");
    let mut faults = Faults::default();
    ranges.check(ROOT, &value, &Key::Root, &mut faults);
    faults.result()
}

/// The place of the whole plan.
const ROOT: usize = 0;

/// The ranges of a plan by place. A place is a value that the schema declares; a schema looks up
/// several words for each value, which takes most of the time of a check.
#[derive(Default)]
struct Ranges {
    places: Vec<Place>,
}

/// What the schema says about a value.
#[derive(Default)]
struct Place {
    /// The kinds of an object: its `kind`, if it has one, and the places of its fields.
    objects: Vec<(Option<&'static Value>, BTreeMap<&'static str, usize>)>,
    /// The place of the items of a list, if they have a range.
    items: Option<usize>,
    /// The least number of items.
    fewest: u64,
    /// The schemas of a number with a range.
    numbers: Vec<Bounds>,
}

struct Bounds {
    schema: &'static Value,
    least: Option<f64>,
    above: Option<f64>,
    most: Option<f64>,
}

impl Ranges {
    fn read() -> Self {
        let schema = plan_schema();
        let mut ranges = Self::default();
        Reader { definitions: &schema["$defs"] }.place(schema, &mut BTreeMap::new(), &mut ranges);
        ranges
    }

    fn check(&self, place: usize, value: &Value, key: &Key, faults: &mut Faults) {
        let place = &self.places[place];
        match value {
            Value::Object(fields) => {
                // An enum without `kind` has one object per variant.
                let of_kind = place
                    .objects
                    .iter()
                    .filter(|(kind, _)| kind.is_none_or(|kind| Some(kind) == value.get("kind")));
                for (name, field) in fields {
                    let below =
                        of_kind.clone().find_map(|(_, declared)| declared.get(name.as_str()));
                    if let Some(&below) = below {
                        self.check(below, field, &Key::Field(key, name), faults);
                    }
                }
            }
            Value::Array(items) => {
                let fewest = place.fewest;
                if (items.len() as u64) < fewest {
                    let message = format!(
                        "must have at least {fewest} {}",
                        if fewest == 1 { "item" } else { "items" }
                    );
                    let fault = PlanError::new(&key.to_string(), value, message, "add the others");
                    faults.note(Err(fault));
                }
                if let Some(below) = place.items {
                    for (i, item) in items.iter().enumerate() {
                        self.check(below, item, &Key::Item(key, i), faults);
                    }
                }
            }
            Value::Number(number) => {
                let number = number.as_f64().unwrap_or(f64::NAN);
                let outside = place.numbers.iter().find(|bounds| bounds.exclude(number));
                if let Some(bounds) = outside {
                    faults.note(check_number(bounds.schema, value, &key.to_string()));
                }
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
}

impl Bounds {
    fn exclude(&self, number: f64) -> bool {
        self.least.is_some_and(|least| number < least)
            || self.above.is_some_and(|least| number <= least)
            || self.most.is_some_and(|most| number > most)
    }
}

/// The key of a value, which becomes text only for a fault.
enum Key<'a> {
    Root,
    Field(&'a Key<'a>, &'a str),
    Item(&'a Key<'a>, usize),
}

impl Display for Key<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => f.write_str(name),
            Self::Field(above, name) => write!(f, "{above}.{name}"),
            Self::Item(above, number) => write!(f, "{above}[{number}]"),
        }
    }
}

/// Reads the ranges from the schema.
struct Reader {
    definitions: &'static Value,
}

impl Reader {
    /// Returns the place of a schema. `known` holds the places that are read already, by the
    /// address of their schema, because a schema can contain itself.
    fn place(
        &self,
        schema: &'static Value,
        known: &mut BTreeMap<*const Value, usize>,
        ranges: &mut Ranges,
    ) -> usize {
        if let Some(&place) = known.get(&std::ptr::from_ref(schema)) {
            return place;
        }
        let number = ranges.places.len();
        known.insert(schema, number);
        ranges.places.push(Place::default());
        let mut place = Place::default();
        let deeper = self.branches(schema).flat_map(|branch| self.branches(branch));
        for branch in deeper {
            if let Some(fields) = branch.get("properties").and_then(Value::as_object) {
                let kind = fields.get("kind").and_then(|kind| kind.get("const"));
                let below = fields
                    .iter()
                    .map(|(name, field)| (name.as_str(), self.place(field, known, ranges)))
                    .collect();
                place.objects.push((kind, below));
            }
        }
        let mut branches = self.branches(schema);
        place.fewest =
            branches.find_map(|branch| branch.get("minItems")?.as_u64()).unwrap_or_default();
        let items = self.branches(schema).find_map(|branch| branch.get("items"));
        place.items = items
            .filter(|items| self.may_fail(items))
            .map(|items| self.place(items, known, ranges));
        place.numbers = self.branches(schema).filter_map(Bounds::of).collect();
        ranges.places[number] = place;
        number
    }

    /// Returns the schema and its alternatives, with references resolved.
    fn branches(&self, schema: &'static Value) -> impl Iterator<Item = &'static Value> + use<> {
        let definitions = self.definitions;
        let alternatives = ["anyOf", "oneOf"]
            .into_iter()
            .filter_map(|word| schema.get(word)?.as_array())
            .flatten();
        std::iter::once(schema).chain(alternatives).map(move |branch| followed(branch, definitions))
    }

    /// Returns whether items of this schema have a range. Lists of nodes are long and have none.
    fn may_fail(&self, items: &'static Value) -> bool {
        items.get("maximum").is_some()
            || items["minimum"].as_f64().is_some_and(|least| least > 0.0)
            || self.branches(items).any(|branch| branch.get("properties").is_some())
    }
}

impl Bounds {
    /// Returns the bounds of a schema; None if it has none.
    fn of(schema: &'static Value) -> Option<Self> {
        let bound = |word: &str| schema[word].as_f64();
        let (least, above, most) = (bound("minimum"), bound("exclusiveMinimum"), bound("maximum"));
        let any = least.or(above).or(most).is_some();
        any.then_some(Self { schema, least, above, most })
    }
}

fn followed(schema: &'static Value, definitions: &'static Value) -> &'static Value {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
    name.map_or(schema, |name| &definitions[name])
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
