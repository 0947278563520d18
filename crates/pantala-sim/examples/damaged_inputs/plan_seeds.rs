//! Plans: all records, machines in two dimensions, placements, and one wrong value each.

use serde_json::{Value, json};

/// Changes of a plan, by JSON pointer.
type Changes = [(&'static str, fn() -> Value)];

/// A plan that records all there is, on a network of five groups; its job is called noise.
pub(crate) fn all_records(small: Value) -> Value {
    let mut plan = small;
    plan["nic"]["responses"] = json!(true);
    plan["routing"]["algorithm"] = json!("q_adaptive");
    plan["stop"]["duration_ps"] = json!(60_000_000_u64);
    plan["record"] = json!({
        "window_ps": 8_000_000, "packets": "all", "packet_sample": 100, "packet_paths": true,
        "packet_from_ps": 1_000_000, "packet_until_ps": 50_000_000, "packet_jobs": ["noise"],
        "packet_routers": [1, 2], "routing_windows_ps": 3_000_000, "latency_windows_ps": 7_000_000,
        "nic_windows_ps": 5_000_000, "call_windows_ps": 5_000_000, "messages": true,
        "iterations": true, "link_windows": true, "link_window_ps": 0, "q_tables": "end",
        "q_learning": true, "unexpected": true, "rank_messages": true, "rank_calls": true, "sst_stalls": true,
        "ports": {"windows_ps": [2_000_000, 10_000_000], "split": ["vc", "job", "kind"],
                  "classes": ["local"], "routers": [0, 1], "jobs": ["noise"]},
        "system": {"windows_ps": [4_000_000], "by_job": true},
        "routers": {"windows_ps": [6_000_000], "routers": [3], "jobs": ["noise"]},
        "blame": {"window_ps": 5_000_000, "groups": true, "links": 3},
        "call_events": {"jobs": ["noise"], "ranks": [0, 1]},
    });
    plan
}

/// One wrong value of [`all_records`] each.
const WRONG: &[&Changes] = &[
    &[("/record/packet_until_ps", || json!(5))],
    &[("/record/packet_from_ps", || json!(60_000_000))],
    &[("/record/packets", || json!("off"))],
    &[("/record/packets", || json!("off")), ("/record/packet_paths", || json!(false))],
    &[
        ("/record/packets", || json!("off")),
        ("/record/packet_paths", || json!(false)),
        ("/record/packet_jobs", || json!([])),
    ],
    &[("/nic/responses", || json!(false))],
    &[("/record/messages", || json!(false))],
    &[("/record/call_events/ranks", || json!([99]))],
    &[("/record/call_events/jobs", || json!(["none"]))],
    &[("/record/ports/windows_ps", || json!([0]))],
    &[("/record/ports/windows_ps", || json!([2_000_000, 70_000_000]))],
    &[("/record/ports/windows_ps", || json!([2_000_000, 5_000_000]))],
    &[("/record/ports/split", || json!([]))],
    &[("/record/ports/classes", || json!(["row"]))],
    &[("/record/ports/routers", || json!([1_000]))],
    &[("/record/routers/jobs", || json!(["none"]))],
    &[("/record/call_windows_ps", || json!(70_000_000))],
    &[("/record/blame/window_ps", || json!(1)), ("/stop/duration_ps", || json!(1_u64 << 50))],
    &[("/record/call_windows_ps", || json!(1)), ("/stop/duration_ps", || json!(1_u64 << 50))],
    &[("/record/system/windows_ps", || json!([1])), ("/stop/duration_ps", || json!(1_u64 << 40))],
    &[("/record/ports/windows_ps", || json!([1])), ("/stop/duration_ps", || json!(1_u64 << 50))],
    &[("/packet_bytes", || json!(0))],
    &[("/flit_bytes", || json!(1_024))],
    &[("/router/input_buffer_flits", || json!(1))],
    &[("/links/local", || json!(null))],
    &[("/links/row", || json!({"bandwidth_bytes_per_s": 1, "latency_ps": 1}))],
    &[("/routing/algorithm", || json!("none"))],
    &[("/routing/virtual_channels", || json!(1))],
    &[("/detail/coarsen", || json!(4))],
    &[("/skip", || json!({"tolerance_millionths": 10_000, "minimum": 8}))],
    &[("/jobs/0/ranks", || json!(41))],
    &[("/jobs/0/start_ps", || json!(70_000_000))],
    &[("/jobs/0/workload/load", || json!(2.0))],
    &[("/jobs/0/nodes", || json!([0, 0]))],
    &[("/service_nodes", || json!([[0, 39]]))],
    &[("/service_nodes", || json!([[7, 3]]))],
    &[("/router/arbiter", || json!("islip"))],
    &[("/router/credit_delay_ps", || json!(5))],
    &[("/router/credit_latency", || json!("fixed"))],
    &[("/router/output_vc_gap", || json!(1))],
    &[("/router/flow_control", || json!("wormhole"))],
    &[("/router/flow_control", || json!("store_and_forward"))],
    &[("/router/input_queue", || json!("virtual_output"))],
    &[("/stop/target", || json!(["noise"]))],
    &[("/stop/target", || json!(["none"]))],
    &[("/jobs/0/end_ps", || json!(0))],
    &[("/jobs/0/start_ps", || json!(9)), ("/jobs/0/end_ps", || json!(9))],
    &[("/jobs/0/repeat", || json!(true))],
    &[("/jobs/0/ranks_per_node", || json!(2))],
    &[("/routing_all_to_all", || json!({"algorithm": "par"}))],
    &[("/topology/g", || json!(1)), ("/topology/h", || json!(1))],
    &[(
        "/topology/link_failures",
        || json!({"draw": {"link_class": "global", "number": {"share": 0.3}, "seed": 1}}),
    )],
    &[("/topology/link_failures", || json!({"links": [{"router": 0, "port": 5}]}))],
];

/// The kinds of placement of a job.
const PLACEMENTS: &[fn() -> Value] = &[
    || json!({"kind": "contiguous"}),
    || json!({"kind": "contiguous", "first_node": 8}),
    || json!({"kind": "contiguous", "first_node": 39}),
    || json!({"kind": "contiguous", "numbering": "random_groups"}),
    || json!({"kind": "contiguous", "first_node": 8, "numbering": "random_groups"}),
    || json!({"kind": "compact"}),
    || json!({"kind": "dispersed"}),
    || json!({"kind": "random_routers"}),
    || json!({"kind": "random_groups"}),
    || json!({"kind": "hybrid", "random_from_bytes": 4_000}),
    || json!({"kind": "compact", "groups": 1}),
    || json!({"kind": "dispersed", "groups": 9}),
    || json!({"kind": "nodes", "nodes": [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]}),
    || json!({"kind": "nodes", "nodes": [9, 8, 7, 6, 5, 4, 3, 2, 1]}),
    || json!({"kind": "ranks", "nodes": [9, 9, 7, 6, 5, 4, 3, 2, 1, 0]}),
];

/// The plans: that of all records first, then those with a wrong value, then machines and placements.
pub(crate) fn plans(all: &Value) -> Vec<Value> {
    let wrong = WRONG.iter().map(|changes| {
        let mut plan = all.clone();
        for (pointer, value) in *changes {
            put(&mut plan, pointer, value());
        }
        plan
    });
    let placed = PLACEMENTS.iter().map(|placement| {
        let mut plan = all.clone();
        plan["jobs"][0]["placement"] = placement();
        plan
    });
    [all.clone(), two_dimensions(all)].into_iter().chain(wrong).chain(placed).collect()
}

/// A machine of rows and columns.
fn two_dimensions(all: &Value) -> Value {
    let mut plan = all.clone();
    for (key, value) in [("p", 1), ("h", 3), ("a", 8), ("rows", 2), ("columns", 4), ("g", 4)] {
        plan["topology"][key] = json!(value);
    }
    plan["topology"]["kind"] = json!("dragonfly_2d");
    plan["links"]["row"] = plan["links"]["local"].clone();
    plan["links"]["column"] = plan["links"]["local"].take();
    plan["routing"]["algorithm"] = json!("ugal_n");
    plan["record"]["q_tables"] = json!("off");
    plan["record"]["q_learning"] = json!(false);
    plan["record"]["ports"]["classes"] = json!(["row"]);
    plan
}

/// Puts a value at a JSON pointer, whose last key need not be there.
fn put(plan: &mut Value, pointer: &str, value: Value) {
    let Some((parent, key)) = pointer.rsplit_once('/') else { return };
    match plan.pointer_mut(parent) {
        Some(Value::Object(object)) => {
            object.insert(key.to_owned(), value);
        }
        Some(Value::Array(array)) => {
            if let Some(place) = key.parse().ok().and_then(|at: usize| array.get_mut(at)) {
                *place = value;
            }
        }
        _ => {}
    }
}
