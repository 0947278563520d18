//! The records of ranks and of latencies in time: messages, MPI calls, percentiles.

use crate::support::{Ran, Row, fft, finish, halo, job, noise, plan, ps, read, run};
use pantala_sim::Simulation;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Every record of this page.
fn all() -> Value {
    json!({
        "latency_windows_ps": 3_000_000, "nic_windows_ps": 3_000_000, "unexpected": true, "rank_messages": true,
        "rank_calls": true, "call_events": {}, "call_windows_ps": 3_000_000
    })
}

fn mixed(record: &Value) -> Value {
    let ur =
        job("ur", 6, json!({"kind": "uniform_random", "iterations": 5, "message_bytes": 13_000}));
    let mut plan = plan(json!([halo(), fft(), noise(0.3), ur]));
    for (key, value) in record.as_object().unwrap() {
        plan["record"][key] = value.clone();
    }
    plan["nic"]["responses"] = json!(true);
    plan
}

fn number(row: &Row, column: &str) -> u64 {
    row[column].as_u64().unwrap()
}

fn text<'a>(row: &'a Row, column: &str) -> &'a str {
    row[column].as_str().unwrap()
}

/// The latencies of delivered packets or messages, in order, by job and window.
fn latencies(rows: &[Row]) -> BTreeMap<(u64, u64), Vec<u64>> {
    let mut found = BTreeMap::<(u64, u64), Vec<u64>>::new();
    for row in rows {
        let window = ps(&row["delivered_ns"]) / 3_000_000;
        found.entry((number(row, "job"), window)).or_default().push(ps(&row["latency_ns"]));
    }
    found.values_mut().for_each(|latencies| latencies.sort_unstable());
    found
}

/// Each percentile is the exact one of the packets and messages tables.
#[test]
fn percentiles_of_small_windows_are_exact() {
    let ran = run(&mixed(&all()));
    let percentiles: [(&str, usize); 9] = [
        ("p5_ns", 500),
        ("p25_ns", 2_500),
        ("p50_ns", 5_000),
        ("p75_ns", 7_500),
        ("p90_ns", 9_000),
        ("p95_ns", 9_500),
        ("p99_ns", 9_900),
        ("p99_9_ns", 9_990),
        ("p99_99_ns", 9_999),
    ];
    for (kind, table) in [("packet", "packets"), ("message", "messages")] {
        let mut wanted = latencies(ran.rows(table));
        for row in ran.rows("latency_windows").iter().filter(|row| row["kind"] == kind) {
            let start = ps(&row["window_start_ns"]);
            assert_eq!(start % 3_000_000, 0);
            let sorted = wanted.remove(&(number(row, "job"), start / 3_000_000)).unwrap();
            assert_eq!((number(row, "count"), &row["exact"]), (sorted.len() as u64, &json!(true)));
            for (column, share) in percentiles {
                let place = (sorted.len() * share).div_ceil(10_000).max(1) - 1;
                assert_eq!(ps(&row[column]), sorted[place], "{kind} {column}");
            }
            assert_eq!(ps(&row["max_ns"]), sorted[sorted.len() - 1]);
            let mean = sorted.iter().sum::<u64>() as f64 / sorted.len() as f64 / 1_000.0;
            assert!((row["mean_ns"].as_f64().unwrap() / mean - 1.0).abs() < 1e-12);
        }
        assert!(wanted.is_empty(), "{kind}: {:?}", wanted.keys());
    }
}

/// Windows with more latencies than are kept one by one.
#[test]
fn percentiles_of_large_windows_are_close() {
    let mut plan = plan(json!([job(
        "noise",
        40,
        json!({"kind": "pattern", "pattern": "uniform", "load": 0.6})
    )]));
    plan["record"]["latency_windows_ps"] = json!(20_000_000);
    plan["stop"]["duration_ps"] = json!(40_000_000);
    let [one, two] = [1, 2].map(|threads| {
        finish(Simulation::on_threads(read(&plan), 0, threads, |_| {}).unwrap(), |_| true)
    });
    assert_eq!(one.files["latency_windows.parquet"], two.files["latency_windows.parquet"]);
    let mut wanted = BTreeMap::<u64, Vec<u64>>::new();
    for row in one.rows("packets") {
        let window = wanted.entry(ps(&row["delivered_ns"]) / 20_000_000).or_default();
        window.push(ps(&row["latency_ns"]));
    }
    assert_eq!(one.rows("latency_windows").len(), 2);
    for row in one.rows("latency_windows") {
        let sorted = wanted.get_mut(&(ps(&row["window_start_ns"]) / 20_000_000)).unwrap();
        sorted.sort_unstable();
        assert!(sorted.len() > 4_096, "{}", sorted.len());
        assert_eq!((number(row, "count"), &row["exact"]), (sorted.len() as u64, &json!(false)));
        assert_eq!(ps(&row["max_ns"]), sorted[sorted.len() - 1]);
        for (column, share) in [("p5_ns", 500), ("p50_ns", 5_000), ("p99_99_ns", 9_999)] {
            let exact = sorted[(sorted.len() * share).div_ceil(10_000) - 1];
            let told = ps(&row[column]);
            assert!((exact..=exact + exact / 1_000).contains(&told), "{column}: {told} {exact}");
        }
    }
}

/// Under each kind of routing, with windows of any length, on any number of threads.
#[test]
fn windows_and_ranks_sum_to_the_jobs() {
    for (algorithm, seed, window, threads) in [
        ("minimal", 1, 3_000_000, 1),
        ("valiant_node", 2, 123_457, 2),
        ("par", 3, 17_000_000, 3),
        ("q_adaptive", 4, 999_999_999, 5),
    ] {
        let mut plan = mixed(&all());
        plan["routing"]["algorithm"] = json!(algorithm);
        plan["seed"] = json!(seed);
        plan["record"]["latency_windows_ps"] = json!(window);
        plan["record"]["nic_windows_ps"] = json!(window);
        let simulation = Simulation::on_threads(read(&plan), 0, threads, |_| {});
        check_sums(&finish(simulation.unwrap(), |_| true));
    }
}

fn check_sums(ran: &Ran) {
    for row in ran.rows("jobs") {
        let of_job = |other: &Row| other["job"] == row["job"];
        let counted = |kind: &str| {
            ran.sum("latency_windows", "count", |other| of_job(other) && other["kind"] == kind)
        };
        assert_eq!(counted("packet"), number(row, "packets"));
        assert_eq!(counted("request_response"), number(row, "responses"));
        assert!(number(row, "responses") > 0);
        let messages: Vec<&Row> = ran.rows("messages").iter().filter(|m| of_job(m)).collect();
        assert_eq!(counted("message"), messages.len() as u64);
        for direction in ["sent", "received"] {
            let sum = |column: &str| {
                ran.sum("rank_messages", column, |m| of_job(m) && m["direction"] == direction)
            };
            assert_eq!(sum("messages"), messages.len() as u64);
            assert_eq!(sum("bytes"), messages.iter().map(|m| number(m, "bytes")).sum::<u64>());
            let unexpected = messages.iter().filter(|m| m["unexpected"] == true).count();
            assert_eq!(sum("unexpected"), unexpected as u64);
        }
    }
    assert!(ran.rows("messages").iter().any(|m| m["unexpected"] == true));
    assert!(ran.rows("messages").iter().any(|m| m["unexpected"] == false));
}

/// Rank by rank, the rows are what the messages table has.
#[test]
fn the_messages_of_a_rank_are_in_the_messages_table() {
    let ran = run(&mixed(&all()));
    assert_eq!(ran.rows("rank_messages").len(), 2 * (12 + 12 + 6));
    for row in ran.rows("rank_messages") {
        let end = if row["direction"] == "sent" { "source_rank" } else { "destination_rank" };
        let messages = ran.rows("messages").iter();
        let found: Vec<u64> = messages
            .filter(|m| m["job"] == row["job"] && m[end] == row["rank"])
            .map(|m| ps(&m["latency_ns"]))
            .collect();
        assert_eq!(number(row, "messages"), found.len() as u64);
        assert_eq!(row["latency_min_ns"].is_null(), found.is_empty());
        if !found.is_empty() {
            assert_eq!(ps(&row["latency_min_ns"]), *found.iter().min().unwrap());
            assert_eq!(ps(&row["latency_max_ns"]), *found.iter().max().unwrap());
            let mean = found.iter().sum::<u64>() as f64 / found.len() as f64 / 1_000.0;
            assert!((row["latency_mean_ns"].as_f64().unwrap() / mean - 1.0).abs() < 1e-12);
        }
    }
}

/// Numbers, bytes and time: of events, ranks and jobs.
#[test]
fn calls_sum_over_events_and_ranks() {
    for overhead in [0, 40_000] {
        let mut plan = mixed(&all());
        plan["mpi"]["call_overhead_ps"] = json!(overhead);
        plan["mpi"]["receive_overhead_ps"] = json!(overhead);
        let ran = run(&plan);
        type Sums = BTreeMap<(u64, Option<u64>, String), [u64; 3]>;
        let sums = |table: &str, rank: bool| -> Sums {
            let mut sums = Sums::new();
            for row in ran.rows(table) {
                let place = (
                    number(row, "job"),
                    rank.then(|| number(row, "rank")),
                    text(row, "call").to_owned(),
                );
                let calls = row.get("calls").map_or(1, |calls| calls.as_u64().unwrap());
                let sum = sums.entry(place).or_default();
                let more = [calls, number(row, "bytes"), ps(&row["time_ns"])];
                (0..3).for_each(|i| sum[i] += more[i]);
            }
            sums
        };
        assert!(ran.rows("rank_calls").len() > 50);
        assert_eq!(sums("rank_calls", false), sums("calls", false), "ranks");
        assert_eq!(sums("call_events", true), sums("rank_calls", true), "events");
        for rank in ran.rows("ranks") {
            let mut calls = ran.rows("rank_calls").iter().filter(|row| same_rank(row, rank));
            let time: u64 = calls.by_ref().map(|row| ps(&row["time_ns"])).sum();
            assert_eq!(time, ps(&rank["communication_time_ns"]));
        }
    }
}

/// The windows of a call sum to its time in the calls table. Without computations beside the ranks,
/// they are the times of single calls, divided at the ends of windows.
#[test]
fn windows_of_calls_sum_to_the_calls() {
    let window = 3_000_000;
    let ran = run(&mixed(&all()));
    let mut sums = BTreeMap::<(u64, &str), u64>::new();
    let mut windows = BTreeMap::<(u64, u64, &str), u64>::new();
    for row in ran.rows("call_windows") {
        let (job, call, time) = (number(row, "job"), text(row, "call"), ps(&row["time_ns"]));
        assert!(windows.insert((ps(&row["window_start_ns"]), job, call), time).is_none());
        *sums.entry((job, call)).or_default() += time;
    }
    let timed = ran.rows("calls").iter().filter(|row| ps(&row["time_ns"]) > 0);
    let calls = timed.map(|row| ((number(row, "job"), text(row, "call")), ps(&row["time_ns"])));
    assert_eq!(sums, calls.collect());
    let mut divided = BTreeMap::<(u64, u64, &str), u64>::new();
    for row in ran.rows("call_events") {
        let (mut from, end) = (ps(&row["start_ns"]), ps(&row["end_ns"]));
        assert_eq!(end - from, ps(&row["time_ns"]), "no computation beside the rank");
        while from < end {
            let start = from - from % window;
            let until = end.min(start + window);
            let key = (start, number(row, "job"), text(row, "call"));
            *divided.entry(key).or_default() += until - from;
            from = until;
        }
    }
    assert!(windows.len() > 20);
    assert_eq!(windows, divided);
}

fn same_rank(one: &Row, other: &Row) -> bool {
    (&one["job"], &one["rank"]) == (&other["job"], &other["rank"])
}

/// The calls of a rank follow each other, and lie between the start and the end of its program.
#[test]
fn the_calls_of_a_rank_do_not_overlap() {
    let ran = run(&mixed(&all()));
    for rank in ran.rows("ranks") {
        let mut time = ps(&rank["start_ns"]);
        let calls = ran.rows("call_events").iter().filter(|row| same_rank(row, rank));
        let mut last = None;
        for call in calls {
            assert_eq!(number(call, "number"), last.map_or(0, |last: u64| last + 1));
            last = Some(number(call, "number"));
            let (start, end) = (ps(&call["start_ns"]), ps(&call["end_ns"]));
            assert!(time <= start && start <= end, "{rank:?} {call:?}");
            assert_eq!(end - start, ps(&call["time_ns"]), "nothing computes beside it");
            time = end;
        }
        assert!(last.is_some());
        assert!(time <= ps(&rank["end_ns"]));
    }
}

#[test]
fn iterations_divide_into_computing_and_communicating() {
    let ran = run(&mixed(&all()));
    let mut computed = 0;
    for row in ran.rows("iterations") {
        let (computing, communicating) =
            (ps(&row["compute_time_ns"]), ps(&row["communication_time_ns"]));
        assert_eq!(computing + communicating, ps(&row["end_ns"]) - ps(&row["start_ns"]));
        computed += computing;
    }
    let of_ranks: u64 = ran.rows("ranks").iter().map(|row| ps(&row["compute_time_ns"])).sum();
    assert_eq!(computed, of_ranks);
    assert!(computed > 0);
}

/// A choice of jobs and ranks leaves the rows of the whole table.
#[test]
fn chosen_ranks_have_their_calls() {
    let whole = run(&mixed(&all()));
    for (choice, wanted) in [
        (json!({"jobs": ["fft", "ur"]}), [vec![1, 3], (0..12).collect()]),
        (json!({"ranks": [0, 7]}), [vec![0, 1, 3], vec![0, 7]]),
        (json!({"jobs": ["halo"], "ranks": [11]}), [vec![0], vec![11]]),
    ] {
        let ran = run(&mixed(&json!({"call_events": choice})));
        let chosen = |row: &&Row| {
            wanted[0].contains(&number(row, "job")) && wanted[1].contains(&number(row, "rank"))
        };
        let rows: Vec<&Row> = whole.rows("call_events").iter().filter(chosen).collect();
        assert!(rows.len() > 5);
        assert_eq!(ran.rows("call_events").iter().collect::<Vec<_>>(), rows, "{choice}");
    }
}

#[test]
fn records_of_ranks_are_the_same_on_any_number_of_threads() {
    let plan = mixed(&all());
    let runs = [1, 2, 4].map(|threads| {
        finish(Simulation::on_threads(read(&plan), 0, threads, |_| {}).unwrap(), |_| true)
    });
    for other in &runs[1..] {
        assert_eq!(runs[0].document["result_hash"], other.document["result_hash"]);
        for table in [
            "latency_windows",
            "nic_windows",
            "rank_messages",
            "rank_calls",
            "call_events",
            "call_windows",
            "messages",
            "iterations",
        ] {
            assert!(runs[0].rows(table).len() > 20, "{table}");
            let file = format!("{table}.parquet");
            assert_eq!(runs[0].files[&file], other.files[&file], "{table}");
        }
    }
}

/// Windows that the windows of the tables cut.
#[test]
fn windows_of_latencies_do_not_depend_on_the_windows_of_tables() {
    for (table, order) in [("latency_windows", "job"), ("nic_windows", "node")] {
        let of = |window: u64| {
            let mut plan = mixed(&all());
            plan["jobs"] = json!([halo(), fft()]);
            plan["record"]["window_ps"] = json!(window);
            run(&plan).rows(table).to_vec()
        };
        let long = of(100_000_000);
        assert!(long.len() > 10);
        let place = |row: &Row| (ps(&row["window_start_ns"]), number(row, order));
        assert!(long.is_sorted_by_key(place), "{table}");
        assert_eq!(of(2_000_000), long);
        assert_eq!(of(700_000), long);
    }
}

/// The means of all nodes are those of all jobs.
#[test]
fn nodes_receive_all_responses() {
    let ran = run(&mixed(&all()));
    let total = |table: &str| {
        let rows = ran.rows(table).iter();
        rows.fold((0, 0.0), |(count, sum), row| {
            let responses = number(row, "responses");
            let mean = row["request_response_latency_mean_ns"].as_f64().unwrap();
            (count + responses, sum + responses as f64 * mean)
        })
    };
    let (jobs, nodes) = (total("jobs"), total("nic_windows"));
    assert_eq!(jobs.0, nodes.0);
    assert!((jobs.1 / nodes.1 - 1.0).abs() < 1e-9, "{jobs:?} {nodes:?}");
    let nodes = |table: &str, column: &str| -> BTreeSet<u64> {
        ran.rows(table).iter().map(|row| number(row, column)).collect()
    };
    assert_eq!(nodes("nic_windows", "node"), nodes("packets", "source_node"));
}

#[test]
fn nodes_without_responses_have_no_latencies_to_record() {
    let mut plan = mixed(&json!({"nic_windows_ps": 1_000_000}));
    plan["nic"]["responses"] = json!(false);
    let fault = Simulation::new(read(&plan), 0).err().unwrap().to_string();
    assert!(fault.contains("record.nic_windows_ps"), "{fault}");
    assert!(fault.contains("NICs send no responses"), "{fault}");
}

#[test]
fn records_of_ranks_change_no_result() {
    let (off, on): (Ran, Ran) = (run(&mixed(&json!({}))), run(&mixed(&all())));
    for table in ["jobs", "ranks", "calls", "links", "link_windows", "packets"] {
        assert_eq!(off.rows(table), on.rows(table), "{table}");
    }
    for (table, column) in [("messages", "unexpected"), ("iterations", "compute_time_ns")] {
        let without = |ran: &Ran| -> Vec<Row> {
            let mut rows = ran.rows(table).to_vec();
            rows.iter_mut().for_each(|row| drop(row.remove(column)));
            rows
        };
        assert!(off.rows(table).iter().all(|row| row[column].is_null()));
        assert!(on.rows(table).iter().all(|row| !row[column].is_null()));
        assert_eq!(without(&off), without(&on));
    }
    for table in [
        "latency_windows",
        "nic_windows",
        "rank_messages",
        "rank_calls",
        "call_events",
        "call_windows",
    ] {
        assert_eq!((off.rows(table).len(), on.rows(table).is_empty()), (0, false));
    }
}

#[test]
fn what_cannot_be_recorded_of_ranks_is_refused() {
    for (record, told) in [
        (json!({"latency_windows_ps": 90_000_000}), "the window is longer than the run"),
        (json!({"unexpected": true, "messages": false}), "record.unexpected = true: has no effect"),
        (json!({"call_events": {"jobs": ["ftt"]}}), "record.call_events.jobs = ftt: no job has"),
        (
            json!({"call_events": {"jobs": ["ur"], "ranks": [6]}}),
            "record.call_events.ranks = 6: the chosen jobs have at most 6 ranks",
        ),
    ] {
        let mut plan = mixed(&record);
        plan["stop"]["duration_ps"] = json!(20_000_000);
        let error = Simulation::new(read(&plan), 0).err().unwrap().to_string();
        assert!(error.contains(told), "{error}");
    }
}
