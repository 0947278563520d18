//! Plans: reading, resolving, and what resolving fills in.

use crate::support::{fft, halo, noise, plan, read};
use pantala_sim::PLAN_VERSION;
use pantala_sim::plan::resolve::{parse, resolve};
use serde_json::{Value, json};

fn resolved(plan: &Value) -> Value {
    serde_json::to_value(resolve(read(plan)).unwrap().plan).unwrap()
}

#[test]
fn resolving_twice_changes_nothing() {
    for algorithm in ["minimal", "valiant_group", "valiant_node", "ugal_g", "ugal_n"] {
        let mut open = plan(json!([halo(), fft(), noise(0.2)]));
        open["routing"]["algorithm"] = json!(algorithm);
        open["topology"]["links_per_pair"] = json!(0);
        open["jobs"][1]["placement"] = json!({"kind": "contiguous"});
        let once = resolved(&open);
        assert_eq!(resolved(&once), once);
        // Nor does the seed move jobs that have their nodes.
        let mut other = once.clone();
        other["seed"] = json!(99);
        assert_eq!(resolved(&other)["jobs"], once["jobs"]);
    }
}

#[test]
fn resolving_fills_in_what_is_open() {
    let mut open = plan(json!([halo()]));
    open["topology"]["links_per_pair"] = json!(0);
    let plan = resolved(&open);
    assert_eq!(
        (&plan["routing"]["virtual_channels"], &plan["topology"]["links_per_pair"]),
        (&json!(3), &json!(2))
    );
    let nodes = plan["jobs"][0]["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 12);
    assert!(nodes.iter().all(|node| node.as_u64().unwrap() < 40));
    let derived = &plan["derived"];
    for (key, value) in [
        ("nodes", 40),
        ("routers", 20),
        ("groups", 5),
        ("ports_per_router", 7),
        ("virtual_channels", 3),
        ("links_per_pair", 2),
        ("flits_per_packet", 4),
    ] {
        assert_eq!(derived[key], value, "{key}");
    }
    assert_eq!(derived["links"], json!({"local": 60, "global": 40}));
    assert_eq!(
        derived["flit_time_ps"],
        json!({"terminal": 5120, "local": 5120, "global": 5120, "crossbar": 1280})
    );
}

#[test]
fn rounding_of_flit_times_is_told() {
    let mut odd = plan(json!([halo()]));
    odd["links"]["local"]["bandwidth_bytes_per_s"] = json!(3_000_000_000_000_u64);
    odd["flit_bytes"] = json!(4);
    odd["packet_bytes"] = json!(64);
    let derived = resolved(&odd)["derived"].clone();
    // 4 B at 3 TB/s: 1.33 ps, rounded to 1.
    assert_eq!(derived["flit_time_ps"]["local"], 1);
    assert!((derived["flit_time_error_ppm"]["local"].as_f64().unwrap() + 250_000.0).abs() < 1e-6);
    assert_eq!(derived["flit_time_error_ppm"]["terminal"], 0.0);
}

#[test]
fn what_is_derived_is_not_read() {
    let mut plan = resolved(&plan(json!([halo()])));
    plan["derived"]["nodes"] = json!(7);
    assert_eq!(resolved(&plan)["derived"]["nodes"], 40);
}

#[test]
fn numbers_beyond_64_bits_are_refused_with_their_key() {
    for (place, key) in [
        ("/jobs/0/workload/compute_ps", "jobs[0].workload.compute_ps"),
        ("/jobs/0/start_ps", "jobs[0].start_ps"),
        ("/links/local/latency_ps", "links.local.latency_ps"),
        ("/seed", "seed"),
    ] {
        let mut plan = plan(json!([halo()]));
        let (within, field) = place.rsplit_once('/').unwrap();
        plan.pointer_mut(within).unwrap()[field] = json!(1.9e22);
        let error = parse(&plan.to_string()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "{key} = 1.9e22: is more than 64 bits hold; lower it, or the counts, sizes or times \
                 that it follows from"
            )
        );
    }
}

#[test]
fn plans_of_another_version_are_refused() {
    let remedy = "write plans with `pantala check FILE --plan plan.json`";
    for (version, told) in [
        (json!(PLAN_VERSION + 1), "6"),
        (json!(0), "0"),
        (json!("1"), "absent"),
        (Value::Null, "absent"),
    ] {
        let mut plan = plan(json!([halo()]));
        plan["plan_version"] = version;
        let error = parse(&plan.to_string()).unwrap_err();
        assert_eq!(
            (error.key.as_str(), error.value.as_str(), error.remedy.as_str()),
            ("plan_version", told, remedy)
        );
        assert_eq!(error.message, "this version of Pantala reads plans of version 5");
    }
    assert_eq!(parse("{}").unwrap_err().key, "plan_version");
}

#[test]
fn what_is_not_a_plan_is_refused() {
    let error = parse("plan_version = 1").unwrap_err();
    assert!(error.key == "plan" && error.message.starts_with("not JSON: "), "{error}");
    let fault = |change: fn(&mut Value)| {
        let mut plan = plan(json!([halo()]));
        change(&mut plan);
        let error = parse(&plan.to_string()).unwrap_err().to_string();
        assert!(!error.contains('\n'), "{error}");
        error
    };
    let says = |change: fn(&mut Value), told: &str| {
        let error = fault(change);
        assert!(error.starts_with(told), "{error}");
    };
    says(
        |plan| plan["colour"] = json!("blue"),
        "colour = \"blue\": unknown key; known here: plan_version, name, ",
    );
    says(
        |plan| plan["router"]["colour"] = json!(7),
        "router.colour = 7: unknown key; known here: model, ",
    );
    says(
        |plan| plan["router"]["arbiter"] = json!("co\nin\u{0}"),
        "router.arbiter = \"co\\nin\\u{0}\": is not known; use one of round_robin, age, ",
    );
    says(
        |plan| plan["router"]["co\nlour"] = json!(7),
        "router.co\\nlour = ?: unknown key; known here: model, ",
    );
    says(
        |plan| plan["router"]["arbiter"] = json!("coin"),
        "router.arbiter = \"coin\": is not known; use one of round_robin, age, ",
    );
    says(
        |plan| plan["routing"]["algorithm"] = json!("ugal"),
        "routing.algorithm = \"ugal\": is not known; use one of minimal, valiant_group, ",
    );
    says(
        |plan| plan["routing"]["local_order"] = json!("row"),
        "routing.local_order = \"row\": is not known; use one of row_first or column_first",
    );
    says(|plan| plan["routing"]["tie"] = json!(3), "routing.tie = 3: invalid type: ");
    says(|plan| plan["seed"] = json!(-1), "seed = -1: invalid value: ");
    says(
        |plan| plan["jobs"][0]["workload"]["kind"] = json!("halo4d"),
        "jobs[0].workload.kind = \"halo4d\": is not known; use one of ",
    );
    says(
        |plan| plan["jobs"][0]["workload"]["size"] = json!(4),
        "jobs[0].workload.size = 4: unknown key; known here: ",
    );
    let without =
        |plan: &mut Value| drop(plan["nic"].as_object_mut().unwrap().remove("buffer_packets"));
    says(
        without,
        "nic.buffer_packets = absent: is missing; write plans with `pantala check FILE --plan plan.json`",
    );
}

#[test]
fn faults_of_records_are_lines_that_name_the_key() {
    let fault = |record: Value| {
        let mut plan = plan(json!([halo()]));
        for (key, value) in record.as_object().into_iter().flatten() {
            plan["record"][key] = value.clone();
        }
        resolve(read(&plan)).expect_err("refused").to_string()
    };
    // The shortest window divides the others.
    let zero = json!({"ports": {"windows_ps": [2_000_000]}, "routers": {"windows_ps": [0]}});
    assert!(fault(zero).starts_with("record.routers.windows_ps[0] = 0: a window is from 1 to"));
    let hostile = json!({"routers": {"windows_ps": [2_000_000], "jobs": ["a\n\u{202e}b"]}});
    let text = fault(hostile);
    assert!(text.contains(r"record.routers.jobs = a\n\u{202e}b: no job has this name"), "{text}");
}
