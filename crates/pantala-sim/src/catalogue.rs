//! The catalogue: every key of a plan, every column of a table and every routing, as data for
//! Python, the documentation and the tests.
//!
//! Each entry is declared once, beside the code that it governs:
//!
//! - A key of a plan is a field of a type below [`Plan`](crate::plan::Plan). Its doc comment is its description;
//!   `#[schemars(range(...))]` is its range, which `resolve` enforces; `#[schemars(extend("x-..." =
//!   ...))]` holds the rest: `x-source` (paper and section, or `assumption`), `x-effect` (the
//!   values of other keys under which the key has an effect), `x-zero` (the meaning of 0, for
//!   example `unlimited`). The unit is the suffix of the name: `_ps`, `_fs`, `_bytes`,
//!   `_bytes_per_s`, `_flits`, `_packets`.
//! - A choice is a variant of an enum. Its doc comment is its description.
//! - A column is a field of a row in `tables`; its doc comment is its description, and its unit
//!   follows its type.
//! - A routing is a descriptor in `pantala_routing`.
//!
//! `make generate` writes the JSON Schema of a plan, Python's modules and the reference pages from
//! it.

use crate::output::tables::descriptors;
use crate::plan::schema::plan_schema;
use serde_json::{Value, json};

mod routings;

/// Returns the whole catalogue: `plan` (the JSON Schema of a plan), `tables` and `routings`.
#[must_use]
pub fn catalogue() -> Value {
    json!({
        "plan": plan_schema(),
        "tables": descriptors().collect::<Vec<_>>(),
        "routings": routings::routings(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_switch_of_a_table_is_a_key_of_the_plan() {
        let catalogue = catalogue();
        let plan = &catalogue["plan"];
        let record = &plan["$defs"]["RecordPlan"]["properties"];
        let switches: Vec<&str> = descriptors().filter_map(|table| table.switch).collect();
        assert!(!switches.is_empty());
        for switch in switches {
            let known = match switch.strip_prefix("record.") {
                None => plan["properties"][switch].is_object(),
                Some(key) => [key, &format!("{key}_ps")].iter().any(|&key| record[key].is_object()),
            };
            assert!(known, "{switch}");
        }
    }
}
