//! What q_adaptive learns: recorded, saved, and loaded again.

use crate::support::{Ran, halo, job, noise, plan, ps, read, run};
use pantala_routing::learning::QTable;
use pantala_sim::Simulation;
use pantala_sim::plan::fabric_config::fabric_config;
use pantala_sim::plan::q_tables;
use pantala_sim::plan::resolve::resolve;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Every node sends to the next group for 40 us, by q_adaptive; learning and tables are recorded.
fn learning(load: f64) -> Value {
    let pattern = json!({"kind": "pattern", "pattern": "next_group", "load": load});
    let mut plan = plan(json!([job("next", 40, pattern)]));
    plan["routing"]["algorithm"] = json!("q_adaptive");
    plan["jobs"][0]["placement"] = json!({"kind": "contiguous"});
    plan["stop"]["duration_ps"] = json!(40_000_000_u64);
    plan["record"]["q_tables"] = json!("end");
    plan["record"]["q_learning"] = json!(true);
    plan["record"]["window_ps"] = json!(5_000_000);
    plan
}

/// A file of these bytes that lives as long as this.
struct Kept(PathBuf);

impl Kept {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("{name}-{}.parquet", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).unwrap();
    }
}

fn delivered(ran: &Ran) -> u64 {
    ran.sum("jobs", "packets", |_| true)
}

#[test]
fn learning_is_recorded_over_time_and_at_the_end() {
    let ran = run(&learning(0.4));
    // 20 routers, 4 groups * 2 slots, 3 local ports and 2 global ports, all with links but those
    // that 5 groups leave over.
    let tables = ran.rows("q_tables");
    assert_eq!(tables.len(), 20 * 8 * 3 + 5 * 4 * 8);
    let untrained =
        |row: &&crate::support::Row| [300.0, 330.0].contains(&row["estimate_ns"].as_f64().unwrap());
    assert!(
        tables.iter().all(|row| row["estimate_ns"].as_f64().unwrap().fract() == 0.0),
        "whole nanoseconds"
    );
    let learned = tables.len() - tables.iter().filter(untrained).count();
    assert!(learned > 100, "{learned} estimates have changed");

    let windows = ran.rows("q_learning");
    assert!(windows.iter().all(
        |row| ps(&row["window_start_ns"]) % 5_000_000 == 0 && row["updates"].as_u64() > Some(0)
    ));
    let via = |name: &str| windows.iter().filter(move |row| row["via"] == name).collect::<Vec<_>>();
    let (direct, detour) = (via("direct"), via("detour"));
    assert_eq!(direct.len(), 8);
    let number = |row: &crate::support::Row, column: &str| row[column].as_f64().unwrap();
    // The direct links get dear, and the estimates follow.
    assert!(number(direct[7], "estimate_mean_ns") > 2.0 * number(direct[0], "estimate_mean_ns"));
    assert!(number(direct[0], "feedback_mean_ns") > 326.0);
    assert!(!detour.is_empty());
    for row in windows {
        let off = number(row, "feedback_mean_ns") - number(row, "estimate_mean_ns");
        assert!(off.abs() <= number(row, "error_mean_ns") + 1e-6, "{row:?}");
    }
}

#[test]
fn nothing_is_recorded_unasked() {
    let mut quiet = learning(0.4);
    quiet["record"]["q_tables"] = json!("off");
    quiet["record"]["q_learning"] = json!(false);
    let (quiet, loud) = (run(&quiet), run(&learning(0.4)));
    assert!(quiet.rows("q_tables").is_empty() && quiet.rows("q_learning").is_empty());
    for table in ["jobs", "links", "packets", "job_windows"] {
        assert_eq!(
            quiet.files[&format!("{table}.parquet")],
            loud.files[&format!("{table}.parquet")],
            "{table}"
        );
    }
    assert_eq!(loud.files, run_again_but_run_json(&loud));
}

/// The files of a second run, with run.json of the first: that differs in its provenance.
fn run_again_but_run_json(ran: &Ran) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut files = run(&learning(0.4)).files;
    files.insert("run.json".to_owned(), ran.files["run.json"].clone());
    files
}

#[test]
fn a_run_starts_from_the_tables_of_another() {
    let first = run(&learning(0.4));
    let kept = Kept::new("starts", &first.files["q_tables.parquet"]);
    let mut warm = learning(0.4);
    warm["routing"]["q_adaptive"]["table"] = json!(kept.path());
    let second = run(&warm);
    assert!(
        delivered(&second) * 10 > delivered(&first) * 11,
        "{} after {}",
        delivered(&second),
        delivered(&first)
    );
    let hash = second.document["plan"]["derived"]["q_table_sha256"].as_str().unwrap();
    assert!(hash.len() == 64 && first.document["plan"]["derived"].get("q_table_sha256").is_none());

    // Without traffic to another group nothing is learned, and what was loaded is what is saved.
    let mut idle = warm.clone();
    idle["jobs"] =
        json!([job("idle", 2, json!({"kind": "pattern", "pattern": "uniform", "load": 0.1}))]);
    idle["jobs"][0]["placement"] = json!({"kind": "nodes", "nodes": [0, 2]});
    let idle = run(&idle);
    assert!(idle.sum("jobs", "packets", |_| true) > 100);
    assert_eq!(idle.files["q_tables.parquet"], first.files["q_tables.parquet"]);
    assert!(idle.rows("q_learning").is_empty());
}

/// The fault of a plan whose routing starts from `path`.
fn fault(path: &str, change: impl Fn(&mut Value)) -> String {
    let mut plan = learning(0.4);
    plan["routing"]["q_adaptive"]["table"] = json!(path);
    change(&mut plan);
    let error = Simulation::new(read(&plan), 0).err().expect("a fault");
    assert_eq!(error.key, "routing.q_adaptive.table");
    let line = error.to_string();
    assert!(!line.contains('\n') && line.contains("give q_tables.parquet of a run"), "{line}");
    line
}

/// The campaign of robustness found that readers of Arrow's schema and of Parquet's pages panic.
#[test]
fn damaged_estimates_never_panic() {
    let plan = learning(0.4);
    let ran = run(&plan);
    let file = &ran.files["q_tables.parquet"];
    let resolved = resolve(read(&plan)).unwrap_or_else(|error| panic!("{error}"));
    let config = fabric_config(&resolved.plan);
    let untrained =
        QTable::untrained(&config.routings, config.link_latencies(), &resolved.topology);
    for at in pantala_testing::sample(0..file.len()) {
        let mut damaged = file.clone();
        damaged[at] = if damaged[at] == b'g' { 0x84 } else { b'g' };
        let kept = Kept::new("schema", &damaged);
        let _ = q_tables::load("routing.q_adaptive.table", kept.path(), &untrained);
    }
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    let ran = run(&learning(0.4));
    assert!(fault("nowhere/q_tables.parquet", |_| ()).contains("cannot be read"));
    let text = Kept::new("text", b"router,port\n");
    assert!(fault(text.path(), |_| ()).contains("not a Parquet file"));
    let others = Kept::new("others", &ran.files["links.parquet"]);
    assert!(fault(others.path(), |_| ()).contains("it has no column router"));
    let kept = Kept::new("fits", &ran.files["q_tables.parquet"]);
    let smaller = fault(kept.path(), |plan| {
        plan["topology"]["g"] = json!(4);
        plan["jobs"][0]["ranks"] = json!(32);
    });
    assert!(smaller.contains("this machine has no estimate of router"), "{smaller}");
    let larger = fault(kept.path(), |plan| plan["topology"]["g"] = json!(6));
    assert!(larger.contains("are missing") || larger.contains("has no estimate"), "{larger}");
    // Where no packet is routed by tables, none are read.
    let mut minimal = learning(0.4);
    minimal["routing"]["q_adaptive"]["table"] = json!("nowhere");
    minimal["routing"]["algorithm"] = json!("minimal");
    assert!(resolve(read(&minimal)).is_ok());
}

#[test]
fn all_jobs_learn_in_one_way() {
    let mut plan = learning(0.4);
    plan["jobs"] = json!([halo(), noise(0.2)]);
    plan["jobs"][1]["routing"] = plan["routing"].clone();
    assert!(resolve(read(&plan)).is_ok());
    plan["jobs"][1]["routing"]["q_adaptive"]["exploration"] = json!(0.5);
    let error = resolve(read(&plan)).err().unwrap().to_string();
    assert!(
        error.starts_with("jobs[1].routing.q_adaptive = ") && error.contains("one table"),
        "{error}"
    );
    plan["jobs"][1]["routing"]["algorithm"] = json!("minimal");
    assert!(resolve(read(&plan)).is_ok());
    let two: Value = serde_json::from_str(&plan.to_string()).unwrap();
    assert!(run(&two).end.planned(), "q_adaptive beside minimal");
}
