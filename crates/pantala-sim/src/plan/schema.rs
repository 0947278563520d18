//! The JSON Schema of a plan: the declarations of its keys as data.

use crate::plan::Plan;
use serde_json::Value;
use std::sync::LazyLock;

/// Returns the JSON Schema of a plan, built once.
///
/// # Panics
/// Never: every schema can be written as JSON.
pub fn plan_schema() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
        serde_json::to_value(schemars::schema_for!(Plan)).expect("a schema is JSON")
    });
    &SCHEMA
}
