//! One seed, one result: whatever the day, the clock, or who watches.

use crate::support::{
    Ran, Row, begin, fft, finish, finish_in, halo, noise, plan, read, run, set_up,
};
use pantala_sim::{End, Simulation};
use serde_json::{Value, json};

fn mixed() -> Value {
    plan(json!([halo(), fft(), noise(0.2)]))
}

/// Rows in an order that follows from their values.
fn sorted(rows: &[Row]) -> Vec<String> {
    let mut rows: Vec<String> = rows.iter().map(|row| json!(row).to_string()).collect();
    rows.sort_unstable();
    rows
}

fn tables_of(ran: &Ran) -> Vec<(&String, &Vec<u8>)> {
    ran.files.iter().filter(|(name, _)| name.ends_with(".parquet")).collect()
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let (one, two) = (run(&mixed()), run(&mixed()));
    assert_eq!(tables_of(&one).len(), 28);
    assert!(tables_of(&one) == tables_of(&two));
    assert_eq!(one.reproducible(), two.reproducible());
    assert_ne!(one.document["provenance"], two.document["provenance"]);
}

#[test]
fn a_run_directory_holds_its_tables_and_nothing_else() {
    let ran = run(&mixed());
    let mut expected: Vec<String> =
        ran.tables.keys().map(|table| format!("{table}.parquet")).collect();
    expected.push("run.json".to_owned());
    expected.sort_unstable();
    assert_eq!(ran.files.keys().cloned().collect::<Vec<_>>(), expected);
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let nowhere = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("nowhere");
    let error = set_up(&mixed()).write_to(&nowhere).unwrap_err().to_string();
    let first = nowhere.join("messages.parquet");
    assert!(error.starts_with(&format!("{}: ", first.display())), "{error}");
    assert!(!error.contains('\n') && !nowhere.exists());
}

#[test]
fn another_seed_gives_another_result() {
    let mut other = mixed();
    other["seed"] = json!(2);
    let (one, two) = (run(&mixed()), run(&other));
    assert_ne!(one.document["result_hash"], two.document["result_hash"]);
    for table in ["jobs", "ranks", "iterations", "messages", "packets", "links"] {
        assert_ne!(one.rows(table), two.rows(table), "{table}");
    }
}

/// The resolved plan in run.json gives the run again, also under another seed's name for the
/// placement.
#[test]
fn a_run_can_be_repeated_from_its_document() {
    let ran = run(&mixed());
    let again = run(&ran.document["plan"]);
    assert_eq!(ran.reproducible(), again.reproducible());
}

/// The window decides the series, the order of streamed tables and how often somebody looks at the
/// clock. If every job ends on its own, it decides nothing else.
#[test]
fn the_window_decides_nothing_but_the_series() {
    let with = |window: u64| {
        let mut plan = plan(json!([halo(), fft()]));
        plan["record"]["window_ps"] = json!(window);
        let mut looks = 0;
        let ran = finish(set_up(&plan), |_| {
            looks += 1;
            true
        });
        (ran, looks)
    };
    let (coarse, few) = with(1_000_000_000);
    for window in [10_000_000, 777_777, 50_000] {
        let (fine, many) = with(window);
        assert!(many > few, "{many} looks, then {few}");
        assert_eq!(fine.simulated(), coarse.simulated());
        assert_eq!(fine.document["counters"], coarse.document["counters"]);
        for (table, rows) in &fine.tables {
            if !table.ends_with("_windows") {
                let coarse = sorted(&coarse.tables[table]);
                assert!(sorted(rows) == coarse, "{table}, windows of {window} ps");
            }
        }
    }
}

/// A run that is made longer when it is over is the longer run, whatever its threads, routing and
/// records.
#[test]
fn a_run_that_goes_on_is_the_longer_run() {
    for (routing, threads, record) in [
        ("ugal_g", 1, true),
        ("q_adaptive", 1, false),
        ("q_adaptive", 3, true),
        ("valiant_node", 2, false),
    ] {
        let with = |duration: u64| {
            let mut plan = plan(json!([halo(), noise(0.6)]));
            plan["routing"]["algorithm"] = json!(routing);
            plan["record"]["window_ps"] = json!(500_000);
            plan["record"]["link_windows"] = json!(record);
            plan["record"]["q_learning"] = json!(routing == "q_adaptive");
            plan["stop"]["duration_ps"] = json!(duration);
            Simulation::on_threads(read(&plan), 0, threads, |_| {}).unwrap()
        };
        let at_once = finish(with(9_300_000), |_| true);
        assert_eq!(at_once.end, End::Duration);
        let mut in_pieces = with(2_500_000);
        let directory = begin(&mut in_pieces);
        for duration in [4_000_000, 4_500_000, 9_300_000] {
            assert_eq!(in_pieces.run(|_| true), End::Duration);
            in_pieces.extend(duration);
        }
        let in_pieces = finish_in(&directory, in_pieces, |_| true);
        assert_eq!(
            in_pieces.reproducible(),
            at_once.reproducible(),
            "{routing} on {threads} threads"
        );
        assert!(tables_of(&in_pieces) == tables_of(&at_once), "{routing} on {threads} threads");
    }
}

/// What is recorded decides nothing but what is written.
#[test]
fn records_change_nothing_else() {
    let all = run(&mixed());
    let mut quiet = mixed();
    for key in ["messages", "iterations", "link_windows"] {
        quiet["record"][key] = json!(false);
    }
    quiet["record"]["packets"] = json!("off");
    let none = run(&quiet);
    for table in ["messages", "iterations", "link_windows", "packets"] {
        assert!(none.rows(table).is_empty() && !all.rows(table).is_empty(), "{table}");
    }
    for table in ["jobs", "ranks", "links", "link_jobs", "job_windows"] {
        assert!(none.rows(table) == all.rows(table), "{table}");
    }
}

#[test]
fn sampled_packets_are_some_of_all() {
    let all = run(&mixed());
    let mut sampled = mixed();
    sampled["record"]["packets"] = json!("sampled");
    sampled["record"]["packet_sample"] = json!(20);
    let some = run(&sampled);
    let (all, some) = (all.rows("packets"), some.rows("packets"));
    assert!(some.iter().all(|packet| all.contains(packet)));
    let share = some.len() as f64 / all.len() as f64;
    assert!((0.5 / 20.0..2.0 / 20.0).contains(&share), "{} of {}", some.len(), all.len());
}
