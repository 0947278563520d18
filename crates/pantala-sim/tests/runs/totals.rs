//! The tables agree with one another.

use crate::support::{Ran, fft, halo, job, noise, plan, ps, run};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn mixed() -> Ran {
    let ur =
        job("ur", 6, json!({"kind": "uniform_random", "iterations": 5, "message_bytes": 13_000}));
    run(&plan(json!([halo(), fft(), noise(0.3), ur])))
}

fn by_link(ran: &Ran, table: &str, class: &str) -> BTreeMap<u64, (u64, u64)> {
    let wanted: Vec<&Value> = ran
        .rows("links")
        .iter()
        .filter(|l| class.contains(l["class"].as_str().unwrap()))
        .map(|l| &l["link"])
        .collect();
    let mut sums = BTreeMap::new();
    for row in ran.rows(table).iter().filter(|row| wanted.contains(&&row["link"])) {
        let (bytes, stall) = (row["bytes"].as_u64().unwrap(), ps(&row["stall_ns"]));
        if bytes > 0 || stall > 0 {
            let sum = sums.entry(row["link"].as_u64().unwrap()).or_insert((0, 0));
            *sum = (sum.0 + bytes, sum.1 + stall);
        }
    }
    sums
}

#[test]
fn windows_and_jobs_of_links_add_up() {
    let ran = mixed();
    let all = "injection ejection local global";
    for class in all.split(' ') {
        assert!(by_link(&ran, "links", class).len() > 10, "{class}");
    }
    assert!(ran.sum("links", "bytes", |l| ps(&l["stall_ns"]) > 0) > 0, "some links stall");
    assert_eq!(by_link(&ran, "link_windows", all), by_link(&ran, "links", all));
    assert_eq!(by_link(&ran, "link_jobs", all), by_link(&ran, "links", all));
    // One job: its bytes are the links' bytes.
    let alone = run(&plan(json!([halo()])));
    assert_eq!(by_link(&alone, "link_jobs", all), by_link(&alone, "links", all));
    let of_link_windows = ran.rows("link_windows").iter().map(|row| ps(&row["window_start_ns"]));
    assert!(
        of_link_windows.into_iter().all(|start| start % 10_000_000 == 0 && start < ran.simulated())
    );
}

#[test]
fn what_links_carry_is_what_jobs_send() {
    let ran = run(&plan(json!([halo(), fft()])));
    let packets = ran.sum("jobs", "packets", |_| true);
    for class in ["injection", "ejection"] {
        assert_eq!(ran.sum("links", "packets", |l| l["class"] == class), packets);
        assert_eq!(
            ran.sum("links", "bytes", |l| l["class"] == class),
            ran.sum("jobs", "delivered_bytes", |_| true)
        );
    }
    let hops = ran.sum("packets", "link_hops", |_| true);
    assert_eq!(
        ran.sum("links", "packets", |l| l["class"] == "local" || l["class"] == "global"),
        hops
    );
    assert_eq!(ran.document["counters"]["packet_hops"], hops + packets);
    for link in ran.rows("links") {
        let load = link["utilization"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&load));
        assert!(
            (load - link["busy_ns"].as_f64().unwrap() * 1_000.0 / ran.simulated() as f64).abs()
                < 1e-12
        );
    }
}

#[test]
fn windows_of_jobs_add_up() {
    let ran = mixed();
    for job in ran.rows("jobs") {
        let of_job = |row: &crate::support::Row| row["job"] == job["job"];
        for column in ["injected_bytes", "delivered_bytes", "packets"] {
            assert_eq!(
                json!(ran.sum("job_windows", column, of_job)),
                job[column],
                "{}",
                job["name"]
            );
        }
        let injection: Vec<&Value> = ran
            .rows("links")
            .iter()
            .filter(|l| l["class"] == "injection")
            .map(|l| &l["link"])
            .collect();
        let injected =
            ran.sum("link_jobs", "bytes", |row| of_job(row) && injection.contains(&&row["link"]));
        assert_eq!(ran.sum("job_windows", "injected_bytes", of_job), injected);
        let windows = ran.rows("job_windows").iter().filter(|row| of_job(row));
        let weighted: f64 = windows
            .map(|row| {
                row["packets"].as_f64().unwrap() * row["latency_mean_ns"].as_f64().unwrap_or(0.0)
            })
            .sum();
        let mean = weighted / job["packets"].as_f64().unwrap();
        assert!((mean / job["packet_latency_mean_ns"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    }
    for row in ran.rows("job_windows") {
        let (start, length) = (ps(&row["window_start_ns"]), ps(&row["window_ns"]));
        assert!(
            start % 10_000_000 == 0
                && length > 0
                && length <= 10_000_000
                && start + length <= ran.simulated()
        );
    }
}

#[test]
fn packets_add_up_to_their_jobs() {
    let ran = mixed();
    for job in ran.rows("jobs") {
        let packets: Vec<_> =
            ran.rows("packets").iter().filter(|row| row["job"] == job["job"]).collect();
        let n = packets.len() as f64;
        assert_eq!(job["packets"], packets.len());
        let mean =
            |column: &str| packets.iter().map(|row| row[column].as_f64().unwrap()).sum::<f64>() / n;
        let close = |a: f64, b: &Value| {
            assert!((a - b.as_f64().unwrap()).abs() <= 1e-9 * a.abs(), "{a} {b}")
        };
        close(mean("latency_ns"), &job["packet_latency_mean_ns"]);
        close(mean("delivered_ns") - mean("injected_ns"), &job["network_latency_mean_ns"]);
        close(mean("link_hops"), &job["link_hops_mean"]);
        let nonminimal = packets.iter().filter(|row| row["nonminimal"] == true).count();
        close(nonminimal as f64 / n, &job["nonminimal_share"]);
        let mut latencies: Vec<f64> =
            packets.iter().map(|row| row["latency_ns"].as_f64().unwrap()).collect();
        latencies.sort_by(f64::total_cmp);
        for (column, share) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)] {
            let exact = latencies[(share * n).ceil() as usize - 1];
            let told = job[&format!("packet_latency_{column}_ns")].as_f64().unwrap();
            assert!((told / exact - 1.0).abs() < 2e-3, "{column}: {told} {exact}");
        }
    }
}

/// A job's packets carry its messages and, of each rendezvous, three control messages; nothing
/// else.
#[test]
fn packets_carry_messages_and_control() {
    let ran = mixed();
    for job in ran.rows("jobs").iter().filter(|job| job["name"] != "noise") {
        let of_job = |row: &&crate::support::Row| row["job"] == job["job"];
        let on_the_wire =
            |message: &crate::support::Row| match message["protocol"].as_str().unwrap() {
                "eager" => message["bytes"].as_u64().unwrap(),
                _ => message["bytes"].as_u64().unwrap() + 3 * 64,
            };
        let bytes: u64 = ran.rows("messages").iter().filter(of_job).map(on_the_wire).sum();
        assert_eq!(job["delivered_bytes"], bytes, "{}", job["name"]);
        for (way, count) in [("bytes_sent", "bytes"), ("bytes_received", "bytes")] {
            let ranks: u64 = ran.sum("ranks", way, |row| of_job(&row));
            assert_eq!(ranks, ran.sum("messages", count, |row| of_job(&row)));
        }
        let messages = ran.rows("messages").iter().filter(of_job).count() as u64;
        assert_eq!(ran.sum("ranks", "messages_sent", |row| of_job(&row)), messages);
    }
}

/// A line of four ranks, each of which sends `bytes` to its neighbours three times,
/// `ranks_per_node` to a node: between nodes go the messages of the pairs that a node's border
/// divides, and by rendezvous three control messages with each.
#[test]
fn the_bytes_of_a_job_are_of_messages_and_of_links() {
    const ITERATIONS: u64 = 3;
    for (bytes, control) in [(5_000, 0), (20_000, 3 * 64)] {
        for (ranks_per_node, divided) in [(1, 3), (2, 1), (3, 1), (4, 0)] {
            let workload = json!({"kind": "stencil", "grid": [4], "message_bytes": [bytes], "iterations": ITERATIONS});
            let mut line = job("line", 4, workload);
            line["ranks_per_node"] = json!(ranks_per_node);
            let ran = run(&plan(json!([line, noise(0.2)])));
            let case = format!("{bytes} B, {ranks_per_node} ranks per node");
            let (line, noise) = (&ran.rows("jobs")[0], &ran.rows("jobs")[1]);
            assert_eq!(line["mpi_bytes"], ITERATIONS * 2 * 3 * bytes, "{case}");
            assert_eq!(
                line["injected_bytes"],
                ITERATIONS * 2 * divided * (bytes + control),
                "{case}"
            );
            assert_eq!(line["delivered_bytes"], line["injected_bytes"], "{case}");
            assert_eq!(noise["mpi_bytes"], Value::Null, "{case}");
            assert!(
                noise["injected_bytes"].as_u64() >= noise["delivered_bytes"].as_u64(),
                "{case}"
            );
        }
    }
}

#[test]
fn every_moment_of_a_rank_is_accounted_for() {
    let ran = mixed();
    assert_eq!(ran.rows("ranks").len(), 30, "patterns have no ranks to account for");
    for rank in ran.rows("ranks") {
        let time = |column: &str| ps(&rank[column]);
        assert_eq!(
            time("communication_time_ns") + time("compute_time_ns"),
            time("end_ns") - time("start_ns")
        );
        let kinds = ["send_ns", "recv_ns", "wait_ns", "collective_ns"].map(time);
        assert_eq!(kinds.iter().sum::<u64>(), time("communication_time_ns"));
        let iterations = ran
            .rows("iterations")
            .iter()
            .filter(|row| row["job"] == rank["job"] && row["rank"] == rank["rank"]);
        assert_eq!(
            iterations.map(|row| ps(&row["communication_time_ns"])).sum::<u64>(),
            time("communication_time_ns")
        );
    }
    for job in ran.rows("jobs") {
        let times: Vec<f64> = ran
            .rows("ranks")
            .iter()
            .filter(|row| row["job"] == job["job"])
            .map(|row| row["communication_time_ns"].as_f64().unwrap())
            .collect();
        if times.is_empty() {
            assert_eq!(job["name"], "noise");
            for column in ["mean", "std", "max"] {
                assert_eq!(job[&format!("communication_time_{column}_ns")], Value::Null);
            }
            continue;
        }
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        assert!((mean - job["communication_time_mean_ns"].as_f64().unwrap()).abs() < 1e-6);
        assert_eq!(
            times.iter().copied().fold(0.0, f64::max),
            job["communication_time_max_ns"].as_f64().unwrap()
        );
    }
}

/// A run's links are those of the topology's own table.
#[test]
fn links_are_the_topology_s() {
    let ran = mixed();
    let plan = crate::support::read(&ran.document["plan"]);
    let between: Vec<Value> = (ran.rows("links").iter())
        .filter(|link| link["class"] == "local" || link["class"] == "global")
        .map(|link| {
            let end = |end: &str| {
                ["router", "port", "group"].map(|part| link[&format!("{end}_{part}")].clone())
            };
            json!([link["link"], link["class"], end("source"), end("target")])
        })
        .collect();
    let table = pantala_sim::output::link_table::link_table(&plan.topology).unwrap();
    let expected: Vec<Value> = (table.iter())
        .map(|row| {
            let source = [row.source_router, row.source_port, row.source_group];
            let target = [row.target_router, row.target_port, row.target_group];
            json!([row.link, row.class, source, target])
        })
        .collect();
    assert_eq!(between, expected);
}

#[test]
fn ranks_sit_where_the_plan_says() {
    let ran = mixed();
    for rank in ran.rows("ranks") {
        let number = |column: &str| rank[column].as_u64().unwrap();
        let node = ran.document["plan"]["jobs"][number("job") as usize]["nodes"]
            [number("rank") as usize]
            .as_u64();
        assert_eq!(node, Some(number("node")));
        assert_eq!((number("router"), number("group")), (number("node") / 2, number("node") / 8));
    }
    let links = ran.rows("links").len();
    // 20 routers: 2 ejections and 3 local links each, 5 * 4 global links in all; 40 injections.
    assert_eq!(links, 20 * (2 + 3) + 20 + 40);
}
