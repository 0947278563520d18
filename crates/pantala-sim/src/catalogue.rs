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

    /// Returns the schema that a key refers to; its own without a reference.
    fn resolved<'a>(plan: &'a Value, key: &'a Value) -> &'a Value {
        let all = key["anyOf"].as_array();
        let reference = all.and_then(|all| all.iter().find_map(|one| one.get("$ref")));
        let reference = reference.or(key.get("$ref")).and_then(Value::as_str);
        reference.map_or(key, |name| &plan["$defs"][name.trim_start_matches("#/$defs/")])
    }

    #[test]
    fn the_switch_of_a_table_is_a_key_of_the_plan() {
        let catalogue = catalogue();
        let plan = &catalogue["plan"];
        let switches: Vec<&str> = descriptors().filter_map(|table| table.switch).collect();
        assert!(!switches.is_empty());
        for switch in switches {
            let mut at = Some(plan);
            for key in switch.split('.') {
                let of = at.map(|at| &at["properties"]);
                let names = [key, &format!("{key}_ps")];
                let found = of.and_then(|of| names.iter().find_map(|&name| of.get(name)));
                at = found.map(|found| resolved(plan, found));
            }
            assert!(at.is_some(), "{switch}");
        }
    }
}
