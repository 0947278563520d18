//! The blame table: waiting times of jobs by the job that causes them.

use crate::support::{Ran, Row, fft, finish, halo, plan, read, run};
use pantala_sim::Simulation;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Two jobs at random places under minimal routing.
fn mix() -> Value {
    let mut plan = plan(json!([fft(), halo()]));
    plan["routing"]["algorithm"] = json!("minimal");
    plan["record"]["blame"] = json!({"window_ps": 5_000_000});
    plan
}

fn number(row: &Row, column: &str) -> u64 {
    row[column].as_u64().unwrap()
}

/// Waiting times by victim and aggressor, in ns.
fn matrix(ran: &Ran) -> BTreeMap<(u64, u64), f64> {
    let mut sums = BTreeMap::new();
    for row in ran.rows("blame") {
        *sums.entry((number(row, "victim"), number(row, "aggressor"))).or_insert(0.0) +=
            row["wait_ns"].as_f64().unwrap();
    }
    sums
}

#[test]
fn the_record_is_off_without_its_table_and_changes_nothing() {
    let mut off = mix();
    off["record"].as_object_mut().unwrap().remove("blame");
    let (on, off) = (run(&mix()), run(&off));
    assert!(off.rows("blame").is_empty() && !on.rows("blame").is_empty());
    for (name, rows) in &off.tables {
        assert!(name == "blame" || &on.tables[name] == rows, "{name}");
    }
    let classes: Vec<&str> =
        on.rows("blame").iter().map(|row| row["class"].as_str().unwrap()).collect();
    for class in ["injection", "ejection", "local", "global"] {
        assert!(classes.contains(&class), "{class}");
    }
}

#[test]
fn threads_share_the_record() {
    let one = run(&mix());
    for threads in [2, 5] {
        let several = Simulation::on_threads(read(&mix()), 0, threads, |_| {}).unwrap();
        assert_eq!(finish(several, |_| true).files["blame.parquet"], one.files["blame.parquet"]);
    }
}

/// The job that makes another one wait is the job without which it waits less.
#[test]
fn blame_agrees_with_a_run_without_the_aggressor() {
    let together = run(&mix());
    let mut alone = together.document["plan"].clone();
    alone["jobs"].as_array_mut().unwrap().pop();
    let alone = run(&alone);
    let (with, without) = (matrix(&together), matrix(&alone));
    let waits = |cells: &BTreeMap<(u64, u64), f64>| -> f64 {
        cells.iter().filter(|((victim, _), _)| *victim == 0).map(|(_, wait)| wait).sum()
    };
    let (charged, less) = (with[&(0, 1)], waits(&with) - waits(&without));
    assert!(charged > 0.0 && less > 0.0, "{charged} {less}");
    assert!(!without.contains_key(&(0, 1)));
}

#[test]
fn windows_that_need_too_much_memory_are_refused() {
    let mut plan = mix();
    plan["stop"]["duration_ps"] = json!(1_000_000_000_000_u64);
    plan["record"]["blame"]["window_ps"] = json!(1_000);
    let message = pantala_sim::plan::resolve::parse(&plan.to_string())
        .and_then(|plan| pantala_sim::plan::resolve::resolve(plan).map(|_| ()))
        .unwrap_err()
        .to_string();
    assert!(message.starts_with("record.blame.window_ps = 1000: 1000000000 windows"), "{message}");
    assert!(message.ends_with("more than 8 GiB; give longer windows"), "{message}");
}

#[test]
fn a_window_of_zero_is_refused() {
    let mut plan = mix();
    plan["record"]["blame"]["window_ps"] = json!(0);
    let message = pantala_sim::plan::resolve::parse(&plan.to_string())
        .and_then(|plan| pantala_sim::plan::resolve::resolve(plan).map(|_| ()))
        .unwrap_err()
        .to_string();
    assert!(message.contains("record.blame.window_ps"), "{message}");
}
