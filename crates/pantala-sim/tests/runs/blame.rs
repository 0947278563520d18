//! The blame table: waiting times of jobs by the job that causes them.

use crate::support::{Ran, Row, fft, finish, halo, plan, ps, read, run};
use pantala_sim::Simulation;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Two jobs at random places under minimal routing.
fn mix() -> Value {
    let mut plan = plan(json!([fft(), halo()]));
    plan["routing"]["algorithm"] = json!("minimal");
    plan["record"]["blame"] = json!({"window_ps": 5_000_000, "groups": true, "links": 1_000_000});
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
        assert!(name.starts_with("blame") || &on.tables[name] == rows, "{name}");
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
        let several = finish(several, |_| true);
        for table in ["blame", "blame_groups", "blame_links"] {
            let file = format!("{table}.parquet");
            assert_eq!(several.files[&file], one.files[&file], "{table}");
        }
    }
}

/// Waiting times by window, class, victim and aggressor, in ps.
fn sums(ran: &Ran, table: &str) -> BTreeMap<(u64, String, u64, u64), u64> {
    let mut sums = BTreeMap::new();
    for row in ran.rows(table) {
        let class = row["class"].as_str().unwrap().to_owned();
        let key =
            (ps(&row["window_start_ns"]), class, number(row, "victim"), number(row, "aggressor"));
        *sums.entry(key).or_insert(0) += ps(&row["wait_ns"]);
    }
    sums
}

/// Groups and links divide the waits of the blame table, and each link lies between its groups.
#[test]
fn places_sum_to_the_table() {
    let ran = run(&mix());
    let whole = sums(&ran, "blame");
    assert!(whole.len() > 20);
    assert_eq!(sums(&ran, "blame_groups"), whole);
    assert_eq!(sums(&ran, "blame_links"), whole);
    let ends: BTreeMap<u64, &Row> =
        ran.rows("links").iter().map(|row| (number(row, "link"), row)).collect();
    let mut between = BTreeMap::<_, u64>::new();
    for row in ran.rows("blame_links") {
        let link = ends[&number(row, "link")];
        assert_eq!(link["class"], row["class"]);
        let group = |end: &str| link[end].as_u64();
        let (source, target) = (group("source_group"), group("target_group"));
        let pair = (source.or(target).unwrap(), target.or(source).unwrap());
        *between.entry((pair, number(row, "victim"), number(row, "aggressor"))).or_default() +=
            ps(&row["wait_ns"]);
    }
    let mut told = BTreeMap::<_, u64>::new();
    for row in ran.rows("blame_groups") {
        assert_eq!(ps(&row["window_ns"]), 5_000_000);
        let pair = (number(row, "source_group"), number(row, "target_group"));
        *told.entry((pair, number(row, "victim"), number(row, "aggressor"))).or_default() +=
            ps(&row["wait_ns"]);
    }
    assert_eq!(told, between);
}

/// Fewer links have the same rows as more links, those with the longest waits.
#[test]
fn the_links_most_waited_at_are_chosen() {
    let all = run(&mix());
    let mut few = mix();
    few["record"]["blame"]["links"] = json!(3);
    let mut waits = BTreeMap::<(String, u64), u64>::new();
    for row in all.rows("blame_links") {
        let link = (row["class"].as_str().unwrap().to_owned(), number(row, "link"));
        *waits.entry(link).or_default() += ps(&row["wait_ns"]);
    }
    let mut order: Vec<_> =
        waits.iter().map(|((class, link), wait)| (class, std::cmp::Reverse(wait), link)).collect();
    order.sort_unstable();
    let of_class = order.chunk_by(|one, other| one.0 == other.0);
    let chosen: Vec<u64> =
        of_class.flat_map(|class| class.iter().take(3).map(|(_, _, link)| **link)).collect();
    assert!(chosen.len() > 9 && chosen.len() < waits.len());
    let rows: Vec<&Row> = all
        .rows("blame_links")
        .iter()
        .filter(|row| chosen.contains(&number(row, "link")))
        .collect();
    for threads in [1, 3] {
        let ran = Simulation::on_threads(read(&few), 0, threads, |_| {}).unwrap();
        let ran = finish(ran, |_| true);
        assert_eq!(ran.rows("blame_links").iter().collect::<Vec<_>>(), rows, "{threads}");
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
