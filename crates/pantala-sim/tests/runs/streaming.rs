//! Tables that are written while a run goes on: their order, the memory that they take, and what is
//! left of a run that does not come to its end.

use crate::support::{Row, fft, finish, halo, noise, plan, ps, read, run, set_up};
use pantala_sim::output::columns::{ROW_GROUP, Row as _, TableWriter};
use pantala_sim::output::tables::PacketRow;
use pantala_sim::{End, Simulation};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The streamed tables: the column whose window comes first in their order, and the columns that
/// order the rows of a window.
const STREAMED: [(&str, &str, &[&str]); 4] = [
    ("iterations", "end_ns", &["job", "iteration", "rank"]),
    (
        "messages",
        "delivered_ns",
        &["job", "posted_ns", "source_rank", "destination_rank", "tag", "delivered_ns", "bytes"],
    ),
    (
        "packets",
        "delivered_ns",
        &["delivered_ns", "source_node", "created_ns", "injected_ns", "latency_ns"],
    ),
    ("link_windows", "window_start_ns", &["link"]),
];

fn mixed(window: u64) -> Value {
    let mut mixed = plan(json!([halo(), fft(), noise(0.2)]));
    mixed["record"]["window_ps"] = json!(window);
    mixed
}

/// The window of a time in a row.
fn window_of(row: &Row, column: &str, window: u64) -> u64 {
    ps(&row[column]) / window
}

/// The values of numeric columns, as they sort.
fn key(row: &Row, columns: &[&str]) -> Vec<u64> {
    let place = |value: &Value| (value.as_f64().unwrap() * 1_000.0).round() as i64;
    columns.iter().map(|column| place(&row[*column]).wrapping_sub(i64::MIN) as u64).collect()
}

#[test]
fn rows_are_in_the_order_that_their_tables_state() {
    for (window, links) in [(10_000_000, true), (777_777, false), (40_000, true), (3_000, false)] {
        let mut plan = mixed(window);
        plan["record"]["link_windows"] = json!(links);
        let ran = run(&plan);
        for (table, time, columns) in STREAMED {
            let rows = ran.rows(table);
            assert!(rows.len() > 20 || !links, "{table}: {}", rows.len());
            let place = |row: &Row| (window_of(row, time, window), key(row, columns));
            assert!(rows.is_sorted_by_key(place), "{table}, windows of {window} ps");
        }
    }
}

/// Memory holds the rows of one window (and of the step in which it ends), not of the run.
#[test]
fn no_more_rows_are_held_than_a_window_has() {
    for (window, threads) in [(2_000_000, 1), (2_000_000, 3), (500_000, 1)] {
        let mut simulation =
            Simulation::on_threads(read(&mixed(window)), 0, threads, |_| {}).unwrap();
        let directory = directory(&format!("held-{window}-{threads}"));
        simulation.write_to(&directory).unwrap();
        simulation.run(|_| true);
        let held = simulation.max_records_held();
        std::fs::remove_dir_all(&directory).unwrap();
        let ran = run(&mixed(window));
        let mut by_window = BTreeMap::new();
        let mut all = 0;
        for (table, time, _) in STREAMED {
            for row in ran.rows(table) {
                *by_window.entry(window_of(row, time, window)).or_insert(0) += 1;
                all += 1;
            }
        }
        let most = *by_window.values().max().unwrap();
        assert!(all > 3 * most, "{all} rows in all, {most} in a window");
        assert!(held <= most && held > most / 2, "{held} rows held, {most} in a window");
    }
}

/// Packets do not wait for the end of their window, so it may be as long as the run.
#[test]
fn packets_are_not_held_to_the_end_of_a_long_window() {
    let of = |window: u64| {
        let mut plan = plan(json!([noise(0.9)]));
        plan["stop"]["duration_ps"] = json!(150_000_000);
        plan["record"]["window_ps"] = json!(window);
        plan["record"]["link_windows"] = json!(false);
        plan["record"]["packet_paths"] = json!(true);
        plan
    };
    let rows = ["packets.parquet", "packet_hops.parquet"];
    let short = run(&of(1_000_000));
    let long = run(&of(1_000_000_000));
    let count = long.rows("packets").len();
    assert!(count > 50_000, "{count} packets");
    assert!(rows.iter().all(|name| short.files[*name] == long.files[*name]));
    for threads in [1, 3] {
        let plan = read(&of(1_000_000_000));
        let mut simulation = Simulation::on_threads(plan, 0, threads, |_| {}).unwrap();
        simulation.run(|_| true);
        let held = simulation.max_records_held();
        let all = count + long.rows("packet_hops").len();
        assert!(held < all / 2, "{held} of {all} rows held");
    }
}

fn directory(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("streaming-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Until the run is over its tables have temporary names; a run that is given up removes them.
#[test]
fn a_run_that_is_given_up_leaves_no_table() {
    let directory = directory("given-up");
    let mut simulation = set_up(&mixed(1_000_000));
    simulation.write_to(&directory).unwrap();
    let mut looks = 0;
    let end = simulation.run(|_| {
        looks += 1;
        looks < 7
    });
    assert_eq!(end, End::Interrupted);
    let partial = [
        "call_events",
        "iterations",
        "latency_windows",
        "link_windows",
        "messages",
        "nic_windows",
        "packet_hops",
        "packets",
        "port_windows",
        "router_windows",
        "system_windows",
    ];
    assert_eq!(names(&directory), partial.map(|table| format!("{table}.parquet.partial")));
    drop(simulation);
    assert!(names(&directory).is_empty());
    std::fs::remove_dir_all(&directory).unwrap();
}

/// A run that was interrupted has the rows up to then, in the same order.
#[test]
fn an_interrupted_run_has_the_first_rows() {
    let whole = run(&mixed(3_000_000));
    let mut looks = 0;
    let ran = finish(set_up(&mixed(3_000_000)), |_| {
        looks += 1;
        looks < 7
    });
    assert_eq!((ran.end, &ran.document["reason"]), (End::Interrupted, &json!("interrupted")));
    for table in ["messages", "packets"] {
        let windows = whole.rows(table).iter();
        let rows =
            windows.filter(|row| ps(&row["delivered_ns"]) < ps(&ran.document["simulated_ns"]));
        assert!(rows.eq(&ran.tables[table]), "{table}");
    }
}

/// A table that cannot be written ends the run, and its name is told.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run() {
    let directory = directory("full");
    for table in ["iterations", "link_windows", "messages", "packets"] {
        let path = directory.join(format!("{table}.parquet.partial"));
        std::os::unix::fs::symlink("/dev/full", path).unwrap();
    }
    let mut simulation = set_up(&mixed(1_000_000));
    simulation.write_to(&directory).unwrap();
    simulation.run(|_| true);
    let results = simulation.results().unwrap();
    let end = End::Finished;
    let error = pantala_sim::run::document::write(&mut simulation, &results, &end, Value::Null);
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}/", directory.display())), "{error}");
    assert!(error.contains("No space left on device"), "{error}");
    assert!(!names(&directory).contains(&"run.json".to_owned()));
    std::fs::remove_dir_all(&directory).unwrap();
}

/// Resident memory of this process in bytes, now and at its peak.
#[cfg(target_os = "linux")]
fn memory() -> [u64; 2] {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let kilobytes = |name: &str| -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    };
    ["VmRSS:", "VmHWM:"].map(|name| kilobytes(name) * 1_024)
}

/// 10^8 rows of packets take no more memory than a row group does. It runs in a process of its own,
/// so that other tests do not count.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "large: make test-all"]
fn a_hundred_million_packets_take_flat_memory() {
    const ROWS: u64 = 100_000_000;
    const BAR: u64 = 64 << 20;
    const CHILD: &str = "PANTALA_STREAMING_CHILD";
    if std::env::var_os(CHILD).is_none() {
        let test = "streaming::a_hundred_million_packets_take_flat_memory";
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--include-ignored", "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout).into_owned();
        assert!(child.status.success(), "{said}{}", String::from_utf8_lossy(&child.stderr));
        say(&said);
        return;
    }
    let directory = directory("large");
    let path = directory.join("packets.parquet");
    let mut table = TableWriter::<PacketRow>::create(&path).unwrap();
    let before = memory()[0];
    let began = std::time::Instant::now();
    table.append((0..ROWS).map(packet));
    let written = table.complete().unwrap();
    let seconds = began.elapsed().as_secs_f64();
    let taken = memory()[1] - before;
    let bytes = std::fs::metadata(&path).unwrap().len();
    std::fs::remove_dir_all(&directory).unwrap();
    let measured = format!(
        "{ROWS} rows of {} columns, {bytes} bytes, in {seconds:.0} s; {taken} bytes of memory",
        PacketRow::TABLE.columns.len(),
    );
    assert_eq!(written.rows, ROWS);
    assert!(taken < BAR, "{measured}; at most {BAR}; row groups of {ROW_GROUP} rows");
    say(&measured);
}

#[cfg(target_os = "linux")]
#[expect(clippy::print_stdout, reason = "what the test has measured")]
fn say(text: &str) {
    println!("{text}");
}

/// A packet like those of a run under load: times that grow, the rest mixed.
#[cfg(target_os = "linux")]
fn packet(number: u64) -> PacketRow {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let delivered = (600_000 + number * 41) as f64 / 1_000.0;
    let latency = (505_000 + (mixed >> 44)) as f64 / 1_000.0;
    PacketRow {
        packet: (((mixed >> 20) % 1_056) << 32) + number / 1_056,
        job: (mixed >> 60) as u16 % 3,
        rank: (mixed >> 20) as u32 % 528,
        destination_rank: (mixed >> 8) as u32 % 528,
        message: Some(mixed ^ (mixed >> 7)),
        source_node: (mixed >> 20) as u32 % 1_056,
        destination_node: (mixed >> 8) as u32 % 1_056,
        bytes: 512,
        created_ns: delivered - latency,
        injected_ns: delivered - latency * 0.75,
        delivered_ns: delivered,
        latency_ns: latency,
        link_hops: 1 + (mixed >> 50) as u8 % 5,
        nonminimal: mixed & 1 == 1,
        diverted_after: (mixed & 1 == 1).then_some((mixed >> 40) as u8 % 2),
    }
}
