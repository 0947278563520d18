//! Faults of plans: one line that names the key, what is wrong with it, and the remedy.

use crate::support::{fft, halo, job, noise, plan, read};
use pantala_sim::PlanError;
use pantala_sim::plan::resolve::{parse, resolve};
use serde_json::{Value, json};

/// The fault of a plan that a change has spoilt.
fn fault(change: impl Fn(&mut Value)) -> PlanError {
    let mut plan = plan(json!([halo(), fft()]));
    change(&mut plan);
    let error = parse(&plan.to_string())
        .and_then(resolve)
        .err()
        .unwrap_or_else(|| panic!("accepted: {plan}"));
    let line = error.to_string();
    assert!(
        !line.contains('\n') && !error.remedy.is_empty() && !error.message.is_empty(),
        "{line}"
    );
    assert_eq!(
        line,
        format!("{} = {}: {}; {}", error.key, error.value, error.message, error.remedy)
    );
    error
}

/// Sets one value, by its place in the plan, and expects the fault there; the line must contain
/// these words.
fn at(place: &str, value: Value, words: &[&str]) {
    let pointer = format!("/{}", place.replace(['.', '['], "/").replace(']', ""));
    let (table, key) = pointer.rsplit_once('/').unwrap();
    let error = fault(|plan| match plan.pointer_mut(table).unwrap() {
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value.clone(),
        table => table[key] = value.clone(),
    });
    assert_eq!(error.key, place, "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "{error}");
    }
}

/// The keys of all faults of a plan that a change has spoilt.
fn keys(change: impl Fn(&mut Value)) -> Vec<String> {
    let error = fault(change);
    std::iter::once(&error).chain(&error.others).map(|fault| fault.key.clone()).collect()
}

#[test]
fn of_several_ranges() {
    let found = keys(|plan| {
        plan["router"]["input_vc_gap"] = json!(5_000);
        plan["links"]["global"]["latency_ps"] = json!(0);
        plan["mpi"]["control_bytes"] = json!(0);
        plan["jobs"][0]["ranks_per_node"] = json!(0);
        plan["jobs"][1]["ranks"] = json!(0);
    });
    for key in [
        "links.global.latency_ps",
        "router.input_vc_gap",
        "mpi.control_bytes",
        "jobs[0].ranks_per_node",
        "jobs[1].ranks",
    ] {
        assert!(found.iter().any(|other| other == key), "{key} is not in {found:?}");
    }
}

#[test]
fn of_several_checks() {
    let found = keys(|plan| {
        plan["links"]["local"]["bandwidth_bytes_per_s"] = json!(1_000_000_000_000_000_u64);
        plan["routing"]["virtual_channels"] = json!(1);
        plan["jobs"][0]["ranks"] = json!(7);
        plan["jobs"][1]["ranks"] = json!(7);
    });
    let halo = found.iter().any(|key| key.starts_with("jobs[0].workload"));
    let fft = found.iter().any(|key| key.starts_with("jobs[1].workload"));
    assert!(halo && fft && found.len() == 4, "{found:?}");
    assert_eq!(found[..2], ["links.local.bandwidth_bytes_per_s", "routing.virtual_channels"]);
}

#[test]
fn of_the_topology() {
    at("topology.p", json!(0), &[]);
    at(
        "topology.g",
        json!(10),
        &["a*h = 8 global ports cannot reach 9 other groups", "lower g to 9"],
    );
    at("topology.links_per_pair", json!(3), &["at most 2", "lower links_per_pair to 2"]);
    at(
        "topology.global_arrangement",
        json!("consecutive"),
        &["is not known", "use one of absolute, palmtree"],
    );
    let error = fault(|plan| {
        plan["topology"]["mirrored"] = json!(true);
        plan["topology"]["global_arrangement"] = json!("absolute");
    });
    assert_eq!(error.key, "topology.mirrored");
}

#[test]
fn of_links_and_sizes() {
    at("flit_bytes", json!(0), &["more than zero", "give a positive value"]);
    at("packet_bytes", json!(0), &["more than zero"]);
    at("packet_bytes", json!(u32::MAX), &["at most 65535 flits", "smaller packet"]);
    for class in ["terminal", "local", "global"] {
        let bandwidth = format!("links.{class}.bandwidth_bytes_per_s");
        at(&bandwidth, json!(0), &["more than zero"]);
        at(
            &bandwidth,
            json!(1_000_000_000_000_000_u64),
            &["= 1000000000000000:", "less than a picosecond", "lower"],
        );
        at(&bandwidth, json!(12), &["ten seconds", "raise the bandwidth"]);
        at(&format!("links.{class}.latency_ps"), json!(0), &["more than zero"]);
        at(&format!("links.{class}.latency_ps"), json!(u64::MAX), &["longer than any run"]);
    }
}

#[test]
fn of_the_router() {
    at("router.crossbar_bandwidth_bytes_per_s", json!(0), &["more than zero"]);
    at("router.crossbar_bandwidth_bytes_per_s", json!(u64::MAX), &["less than a picosecond"]);
    at("router.input_buffer_flits", json!(3), &["whole packet of 4 flits", "enlarge the buffer"]);
    at("router.input_buffer_flits", json!(0), &["more than zero"]);
    at("router.output_buffer_flits", json!(3), &["whole packet"]);
    at("router.output_buffer_flits", json!(u32::MAX), &["at most 1073741824"]);
    at("router.input_latency_ps", json!(u64::MAX), &["longer than any run"]);
    at("router.output_latency_ps", json!(u64::MAX), &["longer than any run"]);
    let mut unlimited = plan(json!([halo()]));
    unlimited["router"]["output_buffer_flits"] = json!(0);
    assert!(resolve(read(&unlimited)).is_ok());
}

#[test]
fn of_the_routing() {
    at("routing.algorithm", json!("dal"), &["is not known", "use one of minimal, valiant_group"]);
    at("routing.virtual_channels", json!(2), &["ugal_g needs 3", "give 3 or more"]);
    at("routing.virtual_channels", json!(17), &["at most 16"]);
    at("routing.aries.shift", json!([]), &["must have at least 1 item"]);
    at("routing.aries.levels", json!(1), &["must be 2 to 65536"]);
    at("routing.q_adaptive.exploration", json!(1.5), &["must be at most 1;"]);
    at("routing.threshold", json!(-0.5), &["must not be negative; give 0 or more"]);
    at("routing.candidates_minimal", json!(0), &["1 to 16"]);
    at("routing.candidates_nonminimal", json!(17), &["1 to 16"]);
}

/// Wherever a routing stands, a fault of it is found there.
#[test]
fn of_routings_by_job_and_class() {
    for place in ["routing_all_to_all", "jobs[1].routing", "jobs[1].routing_all_to_all"] {
        for (key, value, words) in [
            ("algorithm", json!("dal"), "is not known"),
            ("virtual_channels", json!(2), "ugal_g needs 3"),
            ("threshold", json!(-1.0), "must not be negative"),
            ("vc_map", json!("caminos"), "no such map for ugal_g"),
            ("intra_group", json!("valiant"), "ugal_g does not take this path inside a group"),
            ("aries/shift", json!([16]), "at most 15"),
        ] {
            let pointer = format!("/{}", place.replace(['.', '['], "/").replace(']', ""));
            let error = fault(|plan| {
                let (parent, name) = pointer.rsplit_once('/').unwrap();
                let mut routing = plan["routing"].clone();
                *routing.pointer_mut(&format!("/{key}")).unwrap() = value.clone();
                plan.pointer_mut(parent).unwrap()[name] = routing;
            });
            assert!(
                error.key.starts_with(&format!("{place}.{}", key.replace('/', "."))),
                "{error}"
            );
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}

#[test]
fn of_responses() {
    let of = |bytes: u32, channels: u32| {
        fault(|plan| {
            plan["nic"]["responses"] = json!(true);
            plan["nic"]["response_bytes"] = json!(bytes);
            plan["jobs"][1]["routing"] = plan["routing"].clone();
            plan["jobs"][1]["routing"]["virtual_channels"] = json!(channels);
        })
    };
    assert_eq!(
        of(513, 3).to_string(),
        "nic.response_bytes = 513: a response is a packet of 1 to 512 bytes; give a size in that range"
    );
    assert_eq!(
        of(64, 9).to_string(),
        "nic.responses = true: requests and responses need 9 virtual channels each, and a port has at most 16; turn \
         responses off, or route with at most 8 virtual channels"
    );
}

#[test]
fn of_too_many_routings() {
    let routings = |jobs: u32, responses: bool| {
        let mut plan = plan(json!([halo()]));
        plan["nic"]["responses"] = json!(responses);
        plan["nic"]["response_bytes"] = json!(64);
        let all: Vec<Value> = (0..jobs)
            .map(|number| {
                let mut one = job(
                    &format!("job {number}"),
                    1,
                    json!({"kind": "allreduce_loop", "message_bytes": 8,
                    "iterations": 1}),
                );
                one["routing"] = plan["routing"].clone();
                one["routing"]["bias_flits"] = json!(number);
                one
            })
            .collect();
        plan["jobs"] = json!(all);
        resolve(read(&plan)).err().unwrap().to_string()
    };
    for (most, responses) in [(255, false), (127, true)] {
        // One fewer fails later: the machine has 40 nodes.
        assert!(
            routings(most, responses).starts_with(&format!("jobs = {most} ranks:")),
            "{responses}"
        );
        let message = format!(
            "jobs = {}: more than {most} different routings; give jobs the same routings",
            most + 1
        );
        assert_eq!(routings(most + 1, responses), message);
    }
}

#[test]
fn of_mpi() {
    at("mpi.control_bytes", json!(0), &["more than zero"]);
    at("mpi.send_overhead_ps", json!(u64::MAX), &["longer than any run", "at most 1000 s"]);
    at("mpi.send_copy_per_byte_fs", json!(u64::MAX), &["at most 1 ms for a byte"]);
}

#[test]
fn of_times() {
    at("record.window_ps", json!(0), &["more than zero"]);
    at("record.window_ps", json!(u64::MAX), &["longer than any run"]);
    at("record.link_window_ps", json!(u64::MAX), &["longer than any run"]);
    at("record.packet_sample", json!(0), &["more than zero"]);
    at("stop.watchdog_ps", json!(0), &["more than zero"]);
    at("stop.watchdog_ps", json!(u64::MAX), &["longer than any run"]);
    at(
        "stop.watchdog_ps",
        json!(1_000_000),
        &["would count as stuck", "set stop.watchdog to 1400000 ps or more"],
    );
    at("stop.duration_ps", json!(u64::MAX), &["longer than any run", "give at most 1000000 s"]);
    at("seed", json!(u64::MAX), &["at most 9223372036854775807"]);
    at("jobs[1].start_ps", json!(u64::MAX), &["longer than any run"]);
}

#[test]
fn of_jobs() {
    assert_eq!(
        fault(|plan| plan["jobs"] = json!([])).to_string(),
        "jobs = []: no jobs; add at least one [[jobs]] table"
    );
    at("jobs[0].ranks", json!(0), &["more than zero"]);
    at("jobs[1].name", json!("halo"), &["\"halo\"", "another job has this name"]);
    let error = fault(|plan| plan["jobs"] = json!([noise(0.1)]));
    assert_eq!(
        (error.key.as_str(), error.remedy.as_str()),
        ("stop.duration_ps", "set stop.duration")
    );
}

#[test]
fn of_too_many_jobs() {
    let mut plan = read(&plan(json!([halo()])));
    plan.jobs = vec![plan.jobs[0].clone(); 65_536];
    let error = resolve(plan).err().unwrap();
    assert_eq!(error.to_string(), "jobs = 65536: too many jobs; give at most 65,535");
}

#[test]
fn of_workloads() {
    at("jobs[0].workload.grid", json!([2, 2, 4]), &["16 cells", "12 ranks", "[2, 2, 3]"]);
    at("jobs[0].workload.message_bytes", json!([20_000, 0, 20_000]), &["at least 1"]);
    at("jobs[0].workload.iterations", json!(0), &["at least 1"]);
    at("jobs[0].workload.compute_ps", json!(u64::MAX), &["longer than any run"]);
    at("jobs[1].workload.column_message_bytes", json!(0), &["at least 1"]);
    at("jobs[1].workload.compute_backward_ps", json!(u64::MAX), &["longer than any run"]);
    for (key, value) in [("load", json!(1.5)), ("load", json!(0.0))] {
        let error = fault(|plan| {
            plan["jobs"][0] = noise(0.1);
            plan["jobs"][0]["workload"][key] = value.clone();
        });
        assert_eq!(error.key, "jobs[0].workload.load");
    }
}

/// What a pattern asks of its nodes is known once they are: `check` says so, not only `run`.
#[test]
fn of_patterns_on_their_nodes() {
    let error = fault(|plan| {
        let next = json!({"kind": "pattern", "pattern": "next_group", "load": 0.1});
        plan["jobs"][0] = job("next", 8, next);
        plan["jobs"][0]["placement"] = json!({"kind": "contiguous", "first_node": 0});
    });
    assert!(error.key.starts_with("jobs[0].workload"), "{error}");
}

#[test]
fn of_placements() {
    let error = fault(|plan| {
        plan["jobs"][1] =
            job("crowd", 29, json!({"kind": "allreduce_loop", "message_bytes": 8, "iterations": 1}))
    });
    assert_eq!(
        error.to_string(),
        "jobs = 41 ranks: more ranks than the machine's 40 nodes (one rank per node); lower jobs[].ranks or jobs[].count, \
         or take a machine with more nodes (machine.preset, machine.topology)"
    );
    let nodes = |list: &[u32]| json!({"kind": "nodes", "nodes": list});
    let list: Vec<u32> = (0..12).collect();
    at("jobs[1].nodes", json!([1, 2]), &["2 nodes", "12 ranks", "one node per rank"]);
    let places = |first: Value, second: Value| {
        fault(move |plan| {
            plan["jobs"][0]["placement"] = first.clone();
            plan["jobs"][1]["placement"] = second.clone();
        })
    };
    let overlap = places(nodes(&list), nodes(&(11..23).collect::<Vec<_>>()));
    assert_eq!((overlap.key.as_str(), overlap.value.as_str()), ("jobs[1].placement.nodes", "11"));
    assert!(overlap.message.contains("belongs to job \"halo\""), "{overlap}");
    let beyond = places(json!({"kind": "random"}), nodes(&(29..41).collect::<Vec<_>>()));
    assert_eq!(
        (beyond.value.as_str(), beyond.message.as_str()),
        ("40", "the machine has nodes 0 to 39")
    );
    let twice = places(nodes(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]), json!({"kind": "random"}));
    assert_eq!(
        (twice.key.as_str(), twice.message.as_str()),
        ("jobs[0].placement.nodes", "the list has node 10 twice")
    );
    let first = json!({"kind": "contiguous", "first_node": 5});
    let taken = places(nodes(&list), first);
    assert_eq!(taken.key, "jobs[1].placement.first_node");
    assert!(taken.message.contains("nodes 5 to 16 are not all free"), "{taken}");
    let off = places(json!({"kind": "random"}), json!({"kind": "contiguous", "first_node": 30}));
    assert!(off.key == "jobs[1].placement.first_node" && off.message.contains("40 nodes"), "{off}");
    let gaps =
        places(nodes(&[3, 7, 11, 15, 19, 23, 27, 31, 35, 38, 1, 5]), json!({"kind": "contiguous"}));
    assert_eq!(gaps.key, "jobs[1].placement");
    assert_eq!(gaps.message, "there are no 12 consecutive free nodes");
}
