//! The routings of the catalogue: every descriptor of the fabric as data.

use pantala_routing::{Algorithm, Mode, RoutingKey, Setting};
use serde_json::{Map, Value, json};

/// Every routing, in the order of the docs, and the keys that have an effect under some of them
/// only.
pub(super) fn routings() -> Value {
    json!({ "keys": RoutingKey::ALL, "algorithms": Algorithm::ALL.map(routing) })
}

fn routing(algorithm: Algorithm) -> Value {
    let it = algorithm.descriptor();
    json!({
        "name": algorithm.name(),
        "title": it.title,
        "rule": it.rule,
        "source": it.source,
        "through": it.through,
        "decides": it.decides,
        "information": it.information,
        "virtual_channels": it.vc_map.count,
        "maps": it.maps.iter().map(|(map, vc_map)| json!([map, vc_map.count])).collect::<Vec<_>>(),
        "max_hops": (it.max_hops)(1),
        "max_hops_2d": it.carries_2d.then(|| (it.max_hops)(2)),
        "reads": it.reads,
        "defaults": settings(it.defaults),
        "assumptions": reasons(it.assumptions),
        "modes": it.modes.iter().map(mode).collect::<Vec<_>>(),
    })
}

fn mode(mode: &Mode) -> Value {
    json!({
        "name": mode.name,
        "rule": mode.rule,
        "fixed": settings(mode.fixed),
        "defaults": settings(mode.defaults),
        "assumptions": reasons(mode.assumptions),
    })
}

/// Values by key.
fn settings(settings: &[Setting]) -> Value {
    let one = |setting| match json!(setting) {
        Value::Object(value) => value,
        _ => Map::new(),
    };
    settings.iter().flat_map(one).collect::<Map<_, _>>().into()
}

/// Reasons by key.
fn reasons(reasons: &[(&str, &str)]) -> Value {
    reasons
        .iter()
        .map(|(key, reason)| ((*key).to_owned(), json!(reason)))
        .collect::<Map<_, _>>()
        .into()
}
