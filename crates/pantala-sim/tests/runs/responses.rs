//! Runs in which NICs answer every packet: what is counted as what.

use crate::support::{Ran, fft, finish, halo, noise, plan, ps, run, set_up};
use pantala_sim::run::measure::Measurement;
use serde_json::{Value, json};

/// The plan, with responses of `bytes`.
fn answering(mut plan: Value, bytes: u32) -> Value {
    plan["nic"]["responses"] = json!(true);
    plan["nic"]["response_bytes"] = json!(bytes);
    plan
}

fn column<'a>(ran: &'a Ran, name: &str) -> Vec<&'a Value> {
    ran.rows("jobs").iter().map(|job| &job[name]).collect()
}

const PAIR: [&str; 4] = [
    "request_response_latency_mean_ns",
    "request_response_latency_p50_ns",
    "request_response_latency_p95_ns",
    "request_response_latency_p99_ns",
];

/// Links carry both; jobs tell packets and responses apart; packets and windows leave responses
/// out.
#[test]
fn links_count_responses_and_jobs_tell_them_apart() {
    let ran = run(&answering(plan(json!([halo(), fft()])), 100));
    let sum = |name| ran.sum("jobs", name, |_| true);
    let (packets, responses, bytes) = (sum("packets"), sum("responses"), sum("delivered_bytes"));
    assert!(packets > 1_000 && packets == responses);
    for class in ["injection", "ejection"] {
        assert_eq!(ran.sum("links", "packets", |l| l["class"] == class), packets + responses);
        assert_eq!(ran.sum("links", "bytes", |l| l["class"] == class), bytes + 100 * responses);
    }
    assert_eq!(ran.sum("link_jobs", "bytes", |_| true), ran.sum("links", "bytes", |_| true));
    assert_eq!(ran.rows("packets").len() as u64, packets);
    assert_eq!(ran.sum("job_windows", "packets", |_| true), packets);
    assert_eq!(ran.sum("job_windows", "injected_bytes", |_| true), bytes);
    assert_eq!(ran.sum("job_windows", "delivered_bytes", |_| true), bytes);
    assert_eq!(ran.document["counters"]["packets_injected"], packets + responses);
    for job in ran.rows("jobs") {
        let value = |name: &str| job[name].as_f64().unwrap();
        assert!(
            PAIR.iter().zip(&PAIR[1..]).skip(1).all(|(low, high)| value(low) <= value(high)),
            "{job:?}"
        );
        assert!(value("request_response_latency_mean_ns") > value("network_latency_mean_ns"));
    }
}

#[test]
fn without_responses_there_is_nothing_to_tell() {
    let ran = run(&plan(json!([halo()])));
    assert_eq!(column(&ran, "responses"), [0]);
    assert!(PAIR.iter().all(|name| column(&ran, name) == [&Value::Null]));
    // Their size has no say then.
    let mut sized = plan(json!([halo()]));
    sized["nic"]["response_bytes"] = json!(100);
    assert!(run(&sized).files["jobs.parquet"] == ran.files["jobs.parquet"]);
}

/// With responses as long as requests and hardly any traffic, a pair takes twice what a packet
/// takes.
#[test]
fn a_pair_is_two_packets() {
    let mut plan = answering(plan(json!([noise(0.02)])), 512);
    plan["jobs"][0]["ranks"] = json!(40);
    plan["routing"]["algorithm"] = json!("minimal");
    plan["stop"]["duration_ps"] = json!(200_000_000);
    let ran = run(&plan);
    let job = &ran.rows("jobs")[0];
    let value = |name: &str| job[name].as_f64().unwrap();
    assert!(
        (value("request_response_latency_mean_ns") / value("network_latency_mean_ns") / 2.0 - 1.0)
            .abs()
            < 0.02,
        "{job:?}"
    );
    assert!(value("responses") <= value("packets") && value("responses") > 0.99 * value("packets"));
    // In flight at the end: requests, and responses to some of those delivered.
    let counters = &ran.document["counters"];
    assert!(counters["packets_in_flight"].as_u64().unwrap() > 0, "{counters}");
}

/// A warm-up does not count, for responses as for packets.
#[test]
fn responses_of_the_warm_up_do_not_count() {
    let mut plan = answering(plan(json!([noise(0.2)])), 64);
    plan["stop"]["duration_ps"] = json!(30_000_000);
    let whole = run(&plan);
    let warm = finish(
        pantala_sim::Simulation::new(crate::support::read(&plan), 10_000_000).unwrap(),
        |_| true,
    );
    let (all, some) =
        (whole.sum("jobs", "responses", |_| true), warm.sum("jobs", "responses", |_| true));
    assert!((some as f64 / all as f64 - 2.0 / 3.0).abs() < 0.03, "{some} of {all}");
}

/// Responses share the terminal links: with one as long as its request, half of their bandwidth is
/// left.
#[test]
fn accepted_throughput_is_that_of_requests() {
    let mut all = plan(json!([noise(0.3)]));
    all["jobs"][0]["ranks"] = json!(40);
    all["topology"]["links_per_pair"] = json!(2);
    let point = |plan: &Value| {
        let mut measurement =
            Measurement::new(crate::support::read(plan), 20_000_000, 40_000_000, 0).unwrap();
        measurement.run(|_| true).unwrap().unwrap()
    };
    let answered = point(&answering(all.clone(), 128));
    assert!(
        (answered.accepted / 0.3 - 1.0).abs() < 0.03 && !answered.saturated,
        "{}",
        answered.accepted
    );
    assert!(
        answered.latency_mean_ns > point(&all).latency_mean_ns,
        "responses are in nobody's way"
    );
    // A single group, whose links carry what terminals can.
    all["topology"]["g"] = json!(1);
    all["topology"]["links_per_pair"] = json!(0);
    all["jobs"][0]["ranks"] = json!(8);
    all["jobs"][0]["workload"]["load"] = json!(0.9);
    let full = point(&answering(all, 512)).accepted;
    assert!(full < 0.5 && full > 0.45, "{full}");
}

/// Jobs that end do so with every response delivered, and with the same result every time.
#[test]
fn a_run_ends_when_all_is_answered() {
    let mixed = answering(plan(json!([halo(), fft()])), 64);
    let (one, two) = (run(&mixed), run(&mixed));
    assert_eq!(one.end.word(), "finished");
    assert_eq!(one.document["counters"]["packets_in_flight"], 0);
    assert_eq!(one.document["result_hash"], two.document["result_hash"]);
    let latest = one.rows("jobs").iter().map(|job| ps(&job["end_ns"])).max().unwrap();
    assert!(one.simulated() > latest, "the last message has still to be answered");
    // Looks at the network change nothing.
    assert!(set_up(&mixed).network.audit().balanced());
}
