//! A point of a curve is what a run of the same plan shows.

use crate::support::{fft, finish, noise, plan, ps, read, set_up};
use pantala_sim::run::measure::{Measurement, Point, whole_run};
use serde_json::{Value, json};

/// A row of a table.
type Row = serde_json::Map<String, Value>;

fn everywhere(load: f64) -> Value {
    let mut all = noise(load);
    all["ranks"] = json!(40);
    plan(json!([all]))
}

fn measure(plan: &Value, warmup: u64, window: u64, timeline: u64) -> Point {
    let mut measurement = Measurement::new(read(plan), warmup, window, timeline).unwrap();
    measurement.run(|_| true).unwrap().unwrap()
}

#[test]
fn without_warm_up_it_is_the_run() {
    let point = measure(&everywhere(0.4), 0, 20_000_000, 0);
    let mut plan = everywhere(0.4);
    plan["stop"]["duration_ps"] = json!(20_000_000);
    let ran = crate::support::run(&plan);
    let job = &ran.rows("jobs")[0];
    assert_eq!((point.load, &json!(point.packets)), (0.4, &job["packets"]));
    for (told, column) in [
        (point.latency_mean_ns, "packet_latency_mean_ns"),
        (point.latency_p50_ns, "packet_latency_p50_ns"),
        (point.latency_p95_ns, "packet_latency_p95_ns"),
        (point.latency_p99_ns, "packet_latency_p99_ns"),
        (point.network_latency_mean_ns, "network_latency_mean_ns"),
        (point.network_latency_p50_ns, "network_latency_p50_ns"),
        (point.network_latency_p99_ns, "network_latency_p99_ns"),
        (point.link_hops_mean, "link_hops_mean"),
        (point.nonminimal_share, "nonminimal_share"),
    ] {
        assert_eq!(json!(told), job[column], "{column}");
    }
    let offered = 20e-6 * 25e9 * 40.0;
    assert!((point.accepted - job["delivered_bytes"].as_f64().unwrap() / offered).abs() < 1e-12);
    assert_eq!(json!(point.bench.packets), ran.document["counters"]["packets_delivered"]);
    assert_eq!(json!(point.bench.packet_hops), ran.document["counters"]["packet_hops"]);
    assert!(point.bench.events > 0);
}

#[test]
fn packets_of_the_warm_up_do_not_count() {
    let point = measure(&everywhere(0.4), 5_000_000, 10_000_000, 0);
    let mut plan = everywhere(0.4);
    plan["stop"]["duration_ps"] = json!(15_000_000);
    let ran = crate::support::run(&plan);
    let counted: Vec<_> =
        ran.rows("packets").iter().filter(|row| ps(&row["delivered_ns"]) >= 5_000_000).collect();
    assert_eq!(point.packets, counted.len() as u64);
    let mean = counted.iter().map(|row| row["latency_ns"].as_f64().unwrap()).sum::<f64>()
        / counted.len() as f64;
    assert!((point.latency_mean_ns.unwrap() / mean - 1.0).abs() < 1e-9);
    assert!((point.accepted / 0.4 - 1.0).abs() < 0.03 && !point.saturated, "{}", point.accepted);
}

#[test]
fn the_timeline_covers_the_warm_up_too() {
    let point = measure(&everywhere(0.4), 5_000_000, 10_000_000, 2_500_000);
    let timeline = point.timeline.as_ref().expect("a timeline was asked for");
    let starts: Vec<f64> = timeline.iter().map(|window| window.window_start_ns).collect();
    assert_eq!(starts, [0.0, 2_500.0, 5_000.0, 7_500.0, 10_000.0, 12_500.0]);
    let mean = timeline[2..].iter().map(|window| window.accepted).sum::<f64>() / 4.0;
    assert!((mean - point.accepted).abs() < 1e-12, "{mean} {}", point.accepted);
    assert!(timeline.iter().all(|window| window.nonminimal_share.is_some()));
    assert!(timeline[0].accepted < timeline[3].accepted, "the network fills first");
    let without = measure(&everywhere(0.4), 5_000_000, 10_000_000, 0);
    assert!(without.timeline.is_none());
    assert_eq!(without.bench.result_hash, point.bench.result_hash, "a timeline changes nothing");
}

/// The spans cover the warm-up and the window. Counts from the start cover both.
#[test]
fn spans_and_counts_from_the_start_are_those_of_the_packets() {
    let (warmup, window) = (5_000_000, 10_000_000);
    let mut plan = everywhere(0.4);
    plan["routing"]["algorithm"] = json!("ugal_n");
    let measured = measure(&plan, warmup, window, 0);
    plan["stop"]["duration_ps"] = json!(warmup + window);
    let ran = crate::support::run(&plan);
    let rows = ran.rows("packets");
    let mean = |of: &dyn Fn(&Row) -> f64, rows: &[&Row]| {
        rows.iter().map(|row| of(row)).sum::<f64>() / rows.len() as f64
    };
    let close =
        |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() <= 1e-9 * expected;
    let hops = |row: &Row| row["link_hops"].as_f64().unwrap();
    let detour = |row: &Row| f64::from(u8::from(row["nonminimal"].as_bool().unwrap()));
    let all: Vec<&Row> = rows.iter().collect();
    assert!(close(measured.link_hops_mean_from_start, mean(&hops, &all)));
    assert!(close(measured.nonminimal_share_from_start, mean(&detour, &all)));
    let spans: Vec<_> = measured.warmup_spans.iter().chain(&measured.spans).collect();
    assert_eq!((measured.warmup_spans.len(), spans.len()), (8, 16));
    for (number, span) in (0..).zip(spans) {
        let start =
            if number < 8 { number * warmup / 8 } else { warmup + (number - 8) * window / 8 };
        let length = if number < 8 { warmup / 8 } else { window / 8 };
        let within = |row: &&&Row| (start..start + length).contains(&ps(&row["delivered_ns"]));
        let mine: Vec<&Row> = all.iter().filter(within).copied().collect();
        assert_eq!(span.packets, mine.len() as u64, "{number}");
        let latency = |row: &Row| row["latency_ns"].as_f64().unwrap();
        assert!(close(span.latency_mean_ns, mean(&latency, &mine)), "{number}");
        assert!(close(span.nonminimal_share, mean(&detour, &mine)), "{number}");
    }
    let accepted = measured.spans.iter().map(|span| span.accepted).sum::<f64>() / 8.0;
    assert!(close(Some(accepted), measured.accepted), "{accepted} {}", measured.accepted);
    assert!(measure(&plan, 0, window, 0).warmup_spans.is_empty());
}

#[test]
fn a_saturated_network_says_so() {
    let mut plan = everywhere(1.0);
    plan["jobs"][0]["workload"]["pattern"] = json!("next_group");
    plan["jobs"][0]["placement"] = json!({"kind": "contiguous"});
    plan["routing"]["algorithm"] = json!("minimal");
    let point = measure(&plan, 20_000_000, 20_000_000, 0);
    // Eight nodes of a group share one link to the next.
    assert!(point.saturated && (point.accepted - 0.125).abs() < 0.005, "{}", point.accepted);
    assert_eq!(point.nonminimal_share, Some(0.0));
}

#[test]
fn a_point_is_repeatable_and_a_seed_counts() {
    let one = measure(&everywhere(0.3), 1_000_000, 4_000_000, 0);
    let two = measure(&everywhere(0.3), 1_000_000, 4_000_000, 0);
    assert_eq!(json!(one), json!(two));
    let mut other = everywhere(0.3);
    other["seed"] = json!(7);
    assert_ne!(one.bench.result_hash, measure(&other, 1_000_000, 4_000_000, 0).bench.result_hash);
}

#[test]
fn it_can_be_stopped() {
    let mut measurement = Measurement::new(read(&everywhere(0.3)), 0, 4_000_000, 0).unwrap();
    assert!(measurement.run(|_| false).unwrap().is_none());
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let error = |plan: &Value, window| Measurement::new(read(plan), 0, window, 0).err().unwrap();
    assert_eq!(error(&everywhere(0.3), 0).key, "measure");
    let motifs = error(&plan(json!([noise(0.3), fft()])), 1_000_000);
    assert_eq!(motifs.to_string(), "jobs = ...: a curve needs patterns; give every job a pattern");
}

/// Whatever the jobs do: what a run cost goes with its run directory.
#[test]
fn a_whole_run_is_the_run() {
    let plan = plan(json!([fft()]));
    let mut simulation = set_up(&plan);
    let end = simulation.run(|_| true);
    let flit_bytes = f64::from(simulation.plan.flit_bytes);
    let (cost, ran) = (whole_run(simulation).unwrap(), crate::support::run(&plan));
    assert!(end.planned());
    assert_eq!(json!(cost.latency_mean_ns), ran.rows("jobs")[0]["packet_latency_mean_ns"]);
    assert_eq!(json!(cost.bench.packets), ran.document["counters"]["packets_delivered"]);
    assert_eq!(json!(cost.bench.packet_hops), ran.document["counters"]["packet_hops"]);
    assert_eq!(json!(cost.bench.result_hash), ran.document["result_hash"]);
    let flits = ran.document["counters"]["flits_delivered"].as_f64().unwrap();
    let seconds = ran.document["simulated_ns"].as_f64().unwrap() * 1e-9;
    let ranks = ran.rows("jobs")[0]["ranks"].as_f64().unwrap();
    let offered = 25e9 / flit_bytes * ranks * seconds;
    assert!((cost.accepted / (flits / offered) - 1.0).abs() < 1e-9, "{}", cost.accepted);
}

/// Jobs of unequal loads offer their mean, rank by rank.
#[test]
fn loads_are_averaged_over_ranks() {
    let mut heavy = noise(0.3);
    heavy["name"] = json!("heavy");
    heavy["ranks"] = json!(20);
    let point = measure(&plan(json!([noise(0.15), heavy])), 2_000_000, 20_000_000, 0);
    assert!((point.load - 0.25).abs() < 1e-12, "{}", point.load);
    assert!((point.accepted / 0.25 - 1.0).abs() < 0.03 && !point.saturated, "{}", point.accepted);
}

/// As SST counts: a lagging source's queue is not part of the latency.
#[test]
fn latency_can_start_at_the_nic() {
    let mut plan = everywhere(1.0);
    plan["jobs"][0]["workload"]["pattern"] = json!("next_group");
    plan["jobs"][0]["placement"] = json!({"kind": "contiguous"});
    plan["routing"]["algorithm"] = json!("minimal");
    plan["stop"]["duration_ps"] = json!(30_000_000);
    let created = finish(set_up(&plan), |_| true);
    plan["nic"]["latency_from"] = json!("nic");
    let nic = finish(set_up(&plan), |_| true);
    let mean =
        |ran: &crate::support::Ran| ran.rows("jobs")[0]["packet_latency_mean_ns"].as_f64().unwrap();
    assert!(mean(&nic) < 0.8 * mean(&created), "{} {}", mean(&nic), mean(&created));
    assert_eq!(
        nic.rows("jobs")[0]["network_latency_mean_ns"],
        created.rows("jobs")[0]["network_latency_mean_ns"]
    );
}

/// All packets injected in the window count. Sources stop after it, and the network is empty at the
/// end.
#[test]
fn draining_counts_what_is_injected() {
    let plan = everywhere(0.4);
    let drain = |warmup, window| {
        let mut measurement = Measurement::new(read(&plan), warmup, window, 0).unwrap().draining();
        measurement.run(|_| true).unwrap().unwrap()
    };
    let (all, early, late) =
        (drain(0, 10_000_000), drain(0, 5_000_000), drain(5_000_000, 5_000_000));
    let delivered = measure(&plan, 0, 10_000_000, 0);
    assert!(all.packets > delivered.packets);
    assert_eq!((all.packets, all.accepted), (all.bench.packets, delivered.accepted));
    assert_eq!((early.packets, early.packets + late.packets), (early.bench.packets, all.packets));
}
