//! The records of links in windows: port_windows, system_windows and router_windows.

use crate::support::{Ran, Row, fft, finish, halo, job, noise, plan, ps, read, run};
use pantala_sim::Simulation;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn mixed(record: &Value) -> Value {
    let ur =
        job("ur", 6, json!({"kind": "uniform_random", "iterations": 5, "message_bytes": 13_000}));
    let mut plan = plan(json!([halo(), fft(), noise(0.3), ur]));
    for (key, value) in record.as_object().unwrap() {
        plan["record"][key] = value.clone();
    }
    plan
}

/// Packets, bytes, busy time and stall by link.
fn sums(rows: &[Row], key: impl Fn(&Row) -> String) -> BTreeMap<String, [u64; 4]> {
    let mut sums = BTreeMap::<String, [u64; 4]>::new();
    for row in rows {
        let own = [
            row["packets"].as_u64().unwrap(),
            row["bytes"].as_u64().unwrap(),
            ps(&row["busy_ns"]),
            ps(&row["stall_ns"]),
        ];
        let sum = sums.entry(key(row)).or_default();
        for (sum, own) in sum.iter_mut().zip(own) {
            *sum += own;
        }
    }
    sums.retain(|_, sum| *sum != [0; 4]);
    sums
}

fn of_window(ran: &Ran, table: &str, window: u64) -> Vec<Row> {
    let rows = ran.rows(table).iter().filter(|row| ps(&row["window_ns"]) == window);
    rows.cloned().collect()
}

#[test]
fn windows_of_links_of_any_length_add_up_to_their_links() {
    for length in [300_000, 7_777_777, 10_000_000, 35_000_000, 1_000_000_000_000] {
        let ran = run(&mixed(&json!({"link_window_ps": length})));
        let windows = ran.rows("link_windows");
        let place = |row: &Row| {
            let number = |column: &str| row[column].as_u64().unwrap();
            (ps(&row["window_start_ns"]), number("link"), number("job"))
        };
        assert!(windows.is_sorted_by_key(place), "windows of {length} ps");
        assert!(windows.iter().all(|row| ps(&row["window_start_ns"]) % length == 0));
        let sums = |rows: &[Row]| {
            let mut sums = BTreeMap::<_, [u64; 2]>::new();
            for row in rows {
                let sum = sums.entry((row["link"].as_u64(), row["job"].as_u64())).or_default();
                sum[0] += row["bytes"].as_u64().unwrap();
                sum[1] += ps(&row["stall_ns"]);
            }
            sums
        };
        assert_eq!(sums(windows), sums(ran.rows("link_jobs")), "windows of {length} ps");
    }
}

#[test]
fn windows_of_ports_add_up_to_their_links() {
    let splits = [json!([]), json!(["vc"]), json!(["job", "kind"]), json!(["vc", "job", "kind"])];
    for split in splits {
        let ran = run(&mixed(&json!({
            "ports": {"windows_ps": [300_000, 7_500_000], "split": split}
        })));
        let links = sums(ran.rows("links"), |row| row["link"].to_string());
        for window in [300_000, 7_500_000] {
            let rows = of_window(&ran, "port_windows", window);
            assert!(rows.iter().all(|row| ps(&row["window_start_ns"]) % window == 0));
            assert_eq!(sums(&rows, |row| row["link"].to_string()), links, "{split} {window}");
            for row in &rows {
                assert!(ps(&row["busy_ns"]) <= window && ps(&row["stall_ns"]) <= window);
            }
        }
    }
}

/// A run with an endless job ends at the end of a window. Its last window is a whole one, and what
/// the links still send counts in it.
#[test]
fn a_run_that_ends_with_a_window_has_no_empty_window() {
    for window in [500_000, 10_000_000] {
        let windows = json!({"windows_ps": [window]});
        let ran = run(&mixed(&json!({"ports": windows, "system": windows, "routers": windows})));
        assert_eq!(ran.simulated() % window, 0);
        for table in ["port_windows", "system_windows", "router_windows"] {
            let start = |row: &Row| ps(&row["window_start_ns"]);
            let last = ran.rows(table).iter().map(start).max();
            assert_eq!(last, Some(ran.simulated() - window), "{table}");
        }
        let by = |row: &Row| row["link"].to_string();
        assert_eq!(sums(ran.rows("port_windows"), by), sums(ran.rows("links"), by));
        let by = |row: &Row| row["class"].to_string();
        assert_eq!(sums(ran.rows("system_windows"), by), sums(ran.rows("links"), by));
    }
}

#[test]
fn a_split_keeps_saturation_and_occupancy() {
    let beyond = |split: &Value, vcs: bool| {
        let ran = run(&mixed(&json!({"ports": {"windows_ps": [500_000], "split": split}})));
        let rows = ran.rows("port_windows").iter();
        let rows = rows.filter(|row| !row["saturated_ns"].is_null() && row["vc"].is_null() != vcs);
        rows.map(|row| {
            assert!(row["job"].is_null() && row["kind"].is_null());
            let keys = ["window_start_ns", "link", "vc"];
            let counts = ["saturated_ns", "occupancy_mean_flits", "occupancy_max_flits"];
            let told = |names: [&str; 3]| names.map(|name| row[name].to_string());
            (told(keys), told(counts))
        })
        .collect::<BTreeMap<_, _>>()
    };
    let (whole, by_vc) = (beyond(&json!([]), false), beyond(&json!(["vc"]), true));
    assert!(whole.values().any(|[saturated, ..]| saturated != "0.0"));
    assert!(by_vc.len() > whole.len());
    for split in [json!(["vc"]), json!(["job"]), json!(["kind", "job"]), json!(["vc", "job"])] {
        assert_eq!(beyond(&split, false), whole, "{split}");
    }
    assert_eq!(beyond(&json!(["vc", "job", "kind"]), true), by_vc);
}

#[test]
fn without_windows_a_row_covers_the_run() {
    let ran = run(&mixed(&json!({"ports": {"split": ["job"]}, "system": {}, "routers": {}})));
    for table in ["port_windows", "system_windows", "router_windows"] {
        let of_run = of_window(&ran, table, ran.simulated());
        assert!(!of_run.is_empty() && of_run.len() == ran.rows(table).len(), "{table}");
    }
    // Bytes by link and job, as link_jobs has them.
    let bytes = |table: &str| -> BTreeMap<(u64, u64), (u64, u64)> {
        // Rows without a job have saturation and occupancy, and no traffic.
        let rows = ran.rows(table).iter().filter(|row| !row["job"].is_null());
        rows.map(|row| {
            let key = (row["link"].as_u64().unwrap(), row["job"].as_u64().unwrap());
            (key, (row["bytes"].as_u64().unwrap(), ps(&row["stall_ns"])))
        })
        .collect()
    };
    assert_eq!(bytes("port_windows"), bytes("link_jobs"));
}

#[test]
fn classes_and_routers_add_up() {
    let ran = run(&mixed(&json!({
        "system": {"windows_ps": [1_000_000], "by_job": true},
        "routers": {"windows_ps": [2_000_000]}
    })));
    let class = |row: &Row| row["class"].to_string();
    assert_eq!(sums(ran.rows("system_windows"), class), sums(ran.rows("links"), class));
    let number = |class: &str| ran.rows("links").iter().filter(|l| l["class"] == class).count();
    for row in ran.rows("system_windows") {
        assert_eq!(row["links"], number(row["class"].as_str().unwrap()));
    }
    let mut routers = BTreeMap::<u64, u64>::new();
    for row in ran.rows("links").iter().filter(|row| row["bytes"] != 0) {
        if let Some(router) = row["source_router"].as_u64() {
            *routers.entry(router).or_default() += row["bytes"].as_u64().unwrap();
        }
    }
    let mut counted = BTreeMap::<u64, u64>::new();
    for row in ran.rows("router_windows") {
        *counted.entry(row["router"].as_u64().unwrap()).or_default() +=
            row["bytes"].as_u64().unwrap();
    }
    assert_eq!(counted, routers);
}

#[test]
fn a_row_of_a_class_has_traffic_a_stall_or_saturation() {
    let ran = run(&mixed(&json!({"system": {"windows_ps": [500_000]}})));
    for row in ran.rows("system_windows") {
        let counts = ["packets", "busy_ns", "stall_ns", "saturated_ns"];
        assert!(counts.iter().any(|count| row[*count].as_f64().unwrap() > 0.0), "{row:?}");
    }
}

#[test]
fn records_are_the_same_on_any_number_of_threads() {
    let plan = mixed(&json!({
        "ports": {"windows_ps": [500_000, 10_000_000], "split": ["vc", "job"]},
        "system": {"windows_ps": [1_000_000]},
        "routers": {"windows_ps": [10_000_000]}
    }));
    let [one, three] = [1, 3].map(|threads| {
        finish(Simulation::on_threads(read(&plan), 0, threads, |_| {}).unwrap(), |_| true)
    });
    assert_eq!(one.document["result_hash"], three.document["result_hash"]);
    for table in ["port_windows", "system_windows", "router_windows"] {
        assert_eq!(one.rows(table), three.rows(table), "{table}");
        assert!(one.rows(table).len() > 20);
    }
}

/// What a record counts depends on all records of links: by class, by link or by VC. Its rows do
/// not, nor do they depend on packets being sent ahead of busy links, which some records forbid.
#[test]
fn a_record_is_the_same_beside_others() {
    let models = [
        json!({}),
        // That of SST, of which the event loop has a build.
        json!({
            "serialization": "none", "link_decision": "after_flit", "credit_return": "head",
            "arbiter": "lru", "crossbar_clock": "flit"
        }),
        json!({"crossbar_clock": "flit", "credit_return": "flit", "arbiter": "age"}),
        json!({"credit_check": "crossbar", "output_release": "tail", "buffer_unit": "packet"}),
        json!({"flow_control": "wormhole", "crossbar_contention": "port_and_vc"}),
        json!({"credit_check": "crossbar", "link_order": "arrival", "arbiter": "age"}),
        json!({"flow_control": "wormhole", "crossbar_contention": "port_and_vc",
            "credit_check": "crossbar", "link_order": "arrival"}),
        json!({"input_queue": "virtual_output", "crossbar_delay": "none", "credit_return": "head", "credit_check": "crossbar"}),
    ];
    let ports = json!({"windows_ps": [1_000_000], "split": ["vc"]});
    let mut saturated = 0;
    for (model, buffer) in models.iter().flat_map(|model| [(model, 12), (model, 60)]) {
        let rows = |record: Value| {
            let mut plan = mixed(&record);
            plan["router"]["input_buffer_flits"] = json!(buffer);
            plan["stop"]["duration_ps"] = json!(40_000_000);
            for (key, value) in model.as_object().unwrap() {
                plan["router"][key] = value.clone();
            }
            run(&plan)
        };
        let system = json!({"windows_ps": [1_000_000, 7_000_000]});
        let routers = json!({"windows_ps": [3_000_000]});
        let alone = rows(json!({"packets": "off", "system": system}));
        saturated +=
            alone.rows("system_windows").iter().map(|row| ps(&row["saturated_ns"])).sum::<u64>();
        let by_router = rows(json!({"packets": "off", "routers": routers}));
        for others in [
            json!({"system": system, "routers": routers, "packets": "off"}),
            json!({"system": system, "routers": routers, "ports": ports}),
            json!({"system": system, "routers": routers, "blame": {"window_ps": 5_000_000}}),
        ] {
            let beside = rows(others.clone());
            let same = |table, one: &Ran| {
                assert_eq!(one.rows(table), beside.rows(table), "{table}: {model} {others}");
            };
            same("system_windows", &alone);
            same("router_windows", &by_router);
        }
    }
    assert!(saturated > 0);
}

/// A lone packet is granted in one window and starts on its link in the next one, with nothing else
/// to count in either. Both windows are shorter than its way.
#[test]
fn a_packet_that_starts_in_the_next_window_counts_there() {
    let source = "Task 0 sends a 300 byte message to task 1.";
    let workload = json!({"kind": "ncptl", "file": "one.ncptl", "source": source, "seed": 1,
        "touch_per_byte_fs": 0});
    let one = json!([job("one", 2, workload)]);
    for window in (1_000..30_000).step_by(1_000) {
        let windows = json!({"windows_ps": [window]});
        let rows = |record: Value| {
            let mut plan = plan(one.clone());
            for (key, value) in record.as_object().unwrap() {
                plan["record"][key] = value.clone();
            }
            run(&plan).rows("system_windows").to_vec()
        };
        let alone = rows(json!({"packets": "off", "system": windows}));
        assert_eq!(alone, rows(json!({"system": windows, "ports": windows})), "{window} ps");
    }
}

#[test]
fn records_change_no_result() {
    let (off, on) = (run(&mixed(&json!({}))), run(&mixed(&json!({"ports": {}}))));
    for table in ["jobs", "ranks", "links", "link_windows", "messages"] {
        assert_eq!(off.rows(table), on.rows(table), "{table}");
    }
}

#[test]
fn what_cannot_be_recorded_is_refused() {
    for (record, text) in [
        (
            json!({"ports": {"windows_ps": [0]}}),
            "record.ports.windows_ps[0] = 0: a window is from 1",
        ),
        (
            json!({"ports": {"windows_ps": [300]}, "system": {"windows_ps": [500]}}),
            "record.system.windows_ps[0] = 500: is no multiple of the shortest window",
        ),
        (json!({"ports": {"routers": [99_999]}}), "record.ports.routers = 99999: there are "),
        (json!({"routers": {"jobs": ["x"]}}), "record.routers.jobs = x: no job has this name"),
        (json!({"ports": {"jobs": ["ur"]}}), "add job to record.ports.split"),
        (json!({"ports": {"classes": ["row"]}}), "choose among injection, ejection, local, global"),
    ] {
        let told = Simulation::new(read(&mixed(&record)), 0).err().unwrap().to_string();
        assert!(told.contains(text), "{told}");
    }
}
