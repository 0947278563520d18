//! Plans whose packets can wait for each other in a cycle: found, refused, or run with a warning;
//! and the watchdog behind them.

use crate::support::{Ran, fft, finish, halo, job, noise, plan, read, run};
use pantala_sim::plan::deadlock::{CycleChannel, Search, search};
use pantala_sim::plan::resolve::resolve;
use pantala_sim::{End, Simulation};
use serde_json::{Value, json};

/// A halo and a transpose, each with a routing of its own.
fn two(first: Value, second: Value) -> Value {
    let mut plan = plan(json!([halo(), fft()]));
    for (job, changes) in [first, second].into_iter().enumerate() {
        plan["jobs"][job]["routing"] = with(&plan["routing"], &changes);
    }
    plan
}

fn with(routing: &Value, changes: &Value) -> Value {
    let mut routing = routing.clone();
    for (key, value) in changes.as_object().unwrap() {
        routing[key] = value.clone();
    }
    routing
}

/// BookSim2's minimal and ugal_g: their maps do not go together.
fn strangers() -> Value {
    two(json!({"algorithm": "minimal", "vc_map": "booksim2"}), json!({"algorithm": "ugal_g"}))
}

fn booksim_ugal() -> Value {
    json!({"algorithm": "booksim_ugal", "vc_map": "booksim2"})
}

fn found(plan: &Value) -> Search {
    search(read(plan)).unwrap()
}

fn warnings(plan: &Value) -> Vec<String> {
    resolve(read(plan)).unwrap().plan.derived.unwrap().warnings
}

#[test]
fn a_plan_without_a_cycle_says_so() {
    let plan = plan(json!([halo(), noise(0.2)]));
    assert_eq!(warnings(&plan), Vec::<String>::new());
    let Search { routings, virtual_channels, channels, dependencies, cycle, exception } =
        found(&plan);
    assert_eq!(
        (routings, virtual_channels, cycle, exception),
        (vec!["ugal_g".to_owned()], 3, None, None)
    );
    // 20 routers with 3 local links each, 20 global links there and 20 back would be g (g - 1), 40
    // nodes there and back.
    assert_eq!(channels, 3 * (20 * 3 + 5 * 4 + 2 * 40));
    assert!(dependencies > channels);
    let document = run(&plan).document;
    assert!(document["plan"]["derived"].get("warnings").is_none());
}

#[test]
fn a_cycle_is_found_and_refused() {
    let mut plan = strangers();
    let Search { routings, cycle, exception, .. } = found(&plan);
    assert_eq!((routings, exception), (vec!["minimal".to_owned(), "ugal_g".to_owned()], None));
    let cycle = cycle.expect("a cycle");
    for (channel, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
        let CycleChannel { class, vc, to_router, .. } = channel;
        assert!(["local", "global"].contains(&class.as_str()) && *vc == 1, "{channel:?}");
        assert_eq!(*to_router, next.router);
    }
    let error = resolve(read(&plan)).expect_err("refused");
    assert_eq!((error.key.as_str(), error.value.as_str()), ("routing", "minimal, ugal_g"));
    assert_eq!(
        error.message,
        format!("packets can wait for each other in a cycle of {} virtual channels", cycle.len())
    );
    assert!(
        error.remedy.contains("vc_map = \"ascending\"")
            && error.remedy.contains("allow_deadlock = true")
    );
    // The user may want it.
    plan["allow_deadlock"] = json!(true);
    let [warning] = warnings(&plan).try_into().unwrap();
    assert!(warning.starts_with(&error.message) && warning.contains("allow_deadlock"), "{warning}");
    let ran = run(&plan);
    assert_eq!(ran.document["plan"]["derived"]["warnings"], json!([warning]));
    assert_eq!(ran.end, End::Finished);
    // SingleProcess each is free.
    for job in [0, 1] {
        let mut alone = plan.clone();
        alone["allow_deadlock"] = json!(false);
        alone["jobs"] = json!([plan["jobs"][job]]);
        assert_eq!(warnings(&alone), Vec::<String>::new());
    }
}

/// Jobs that go along rows first beside jobs that go along columns first.
#[test]
fn two_local_orders_are_refused() {
    let mut plan = two(json!({"local_order": "row_first"}), json!({"local_order": "column_first"}));
    let topology = &mut plan["topology"];
    for (key, value) in [("kind", json!("dragonfly_2d")), ("rows", json!(2)), ("columns", json!(2))]
    {
        topology[key] = value;
    }
    let local = plan["links"].as_object_mut().unwrap().remove("local").unwrap();
    plan["links"]["row"] = local.clone();
    plan["links"]["column"] = local;
    let error = resolve(read(&plan)).expect_err("refused");
    assert!(
        error.message.ends_with("a cycle of 4 virtual channels")
            && error.remedy.contains("one local_order")
    );
    plan["jobs"][1]["routing"]["local_order"] = json!("row_first");
    assert_eq!(warnings(&plan), Vec::<String>::new());
}

/// A rule whose cycle is known runs without being forced, beside others, too; but it does not cover
/// for their cycles.
#[test]
fn exceptions_are_named() {
    let known = two(booksim_ugal(), json!({"algorithm": "ugal_g"}));
    assert_eq!(found(&known).exception.as_deref(), Some("booksim_ugal with 3 VCs"));
    let [warning] = warnings(&known).try_into().unwrap();
    assert!(warning.contains("as is known of booksim_ugal with 3 VCs"), "{warning}");
    for responses in [false, true] {
        let mut covered = strangers();
        covered["nic"]["responses"] = json!(responses);
        covered["nic"]["response_bytes"] = json!(64);
        covered["routing_all_to_all"] = with(&covered["routing"], &booksim_ugal());
        assert_eq!(found(&covered).exception, None);
        assert!(resolve(read(&covered)).is_err());
        covered["jobs"][0]["routing"]["vc_map"] = json!("ascending");
        assert_eq!(found(&covered).exception.as_deref(), Some("booksim_ugal with 3 VCs"));
        assert_eq!(warnings(&covered).len(), 1);
    }
}

/// Every path a detour, and buffers of one packet.
fn flooded(jobs: Value) -> Value {
    let mut plan = plan(jobs);
    for key in ["input_buffer_flits", "output_buffer_flits"] {
        plan["router"][key] = json!(4);
    }
    plan["stop"]["duration_ps"] = json!(20_000_000_000_u64);
    plan["record"]["packets"] = json!("off");
    plan
}

fn flood(name: &str, ranks: u32) -> Value {
    job(name, ranks, json!({"kind": "pattern", "pattern": "uniform", "load": 1.0}))
}

/// Ends as stalled, with a cycle of packets, long before its duration is over.
fn stalls(plan: &Value) -> Ran {
    let ran = finish(Simulation::new(read(plan), 0).unwrap(), |_| true);
    let End::Stalled(text) = &ran.end else { panic!("{:?}", ran.end) };
    assert!(text.lines().next().unwrap().contains("do not move; a cycle of "), "{text}");
    assert_eq!(ran.document["diagnosis"], json!(text));
    assert!(ran.simulated() < 10_000_000_000, "{} ps", ran.simulated());
    ran
}

/// The known cycle is no theory.
#[test]
fn the_watchdog_ends_a_run_of_an_exception() {
    let mut plan = flooded(json!([flood("flood", 40)]));
    plan["routing"] = with(&plan["routing"], &booksim_ugal());
    plan["routing"]["bias_flits"] = json!(-1_000_000);
    plan["routing"]["minimal_up_to_flits"] = json!(-1);
    let ran = stalls(&plan);
    assert_eq!(ran.document["plan"]["derived"]["warnings"].as_array().unwrap().len(), 1);
    // With a virtual channel more it runs on.
    plan["routing"]["vc_map"] = json!("ascending");
    plan["stop"]["duration_ps"] = json!(300_000_000);
    assert_eq!(run(&plan).end, End::Duration);
}

/// Nor is that of a plan which has been forced.
#[test]
fn the_watchdog_ends_a_run_that_was_forced() {
    let mut plan = flooded(json!([flood("one", 20), flood("other", 20)]));
    let changes = json!({"algorithm": "minimal", "vc_map": "booksim2"});
    plan["jobs"][0]["routing"] = with(&plan["routing"], &changes);
    plan["jobs"][1]["routing"] = with(&plan["routing"], &json!({"algorithm": "valiant_group"}));
    let error = Simulation::new(read(&plan), 0).err().expect("refused");
    assert_eq!(error.key, "routing");
    plan["allow_deadlock"] = json!(true);
    stalls(&plan);
}
