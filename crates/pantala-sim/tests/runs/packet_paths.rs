//! The records of single packets: their choice, their paths, and the routing of each job in windows.

use crate::support::{Ran, Row, fft, finish, halo, job, noise, plan, ps, read, run};
use pantala_sim::Simulation;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// One flit on a link, one flit through the crossbar, and a stage of the router.
const FLIT: u64 = 5_120;
const CROSSBAR_FLIT: u64 = 1_280;
const STAGE: u64 = 10_000;
const TERMINAL: u64 = 10_000;

fn mixed(record: &Value) -> Value {
    let ur =
        job("ur", 6, json!({"kind": "uniform_random", "iterations": 5, "message_bytes": 13_000}));
    with(plan(json!([halo(), fft(), noise(0.3), ur])), record)
}

fn with(mut plan: Value, record: &Value) -> Value {
    for (key, value) in record.as_object().unwrap() {
        plan["record"][key] = value.clone();
    }
    plan
}

fn number(row: &Row, column: &str) -> u64 {
    row[column].as_u64().unwrap()
}

/// The hops of each packet, in order.
fn hops(ran: &Ran) -> BTreeMap<u64, Vec<&Row>> {
    let mut hops = BTreeMap::<u64, Vec<&Row>>::new();
    for row in ran.rows("packet_hops") {
        let path = hops.entry(number(row, "packet")).or_default();
        assert_eq!(number(row, "hop") as usize, path.len());
        path.push(row);
    }
    hops
}

/// Router and port at the far end of every link, and the time from the start of a head on it until
/// the head can be routed there.
fn links(ran: &Ran) -> BTreeMap<(u64, u64), (u64, u64, u64)> {
    let between = ran.rows("links").iter().filter(|row| !row["source_router"].is_null());
    between
        .filter(|row| !row["target_router"].is_null())
        .map(|row| {
            let latency = if row["class"] == "global" { 300_000 } else { 30_000 };
            let [router, port, target, target_port] =
                ["source_router", "source_port", "target_router", "target_port"]
                    .map(|column| number(row, column));
            ((router, port), (target, target_port, FLIT + latency + STAGE))
        })
        .collect()
}

/// Latency is the wait before the injection, then unloaded times and waits router by router, then
/// the flits of the packet on the ejection link: to the picosecond.
#[test]
fn the_parts_of_a_latency_add_up() {
    let ran = run(&mixed(&json!({"packet_paths": true})));
    let (hops, links) = (hops(&ran), links(&ran));
    let idle = STAGE + CROSSBAR_FLIT;
    let mut waited = 0;
    assert_eq!(hops.len(), ran.rows("packets").len());
    for packet in ran.rows("packets") {
        let path = &hops[&number(packet, "packet")];
        assert_eq!(path.len() as u64, number(packet, "link_hops") + 1);
        assert_eq!(number(path[0], "router"), number(packet, "source_node") / 2);
        let last = path[path.len() - 1];
        assert_eq!(number(last, "router"), number(packet, "destination_node") / 2);
        assert_eq!(number(last, "port_out"), number(packet, "destination_node") % 2);
        let mut time = ps(&packet["injected_ns"]) + FLIT + TERMINAL + STAGE;
        for (place, hop) in path.iter().enumerate() {
            assert_eq!(ps(&hop["arrived_ns"]), time, "{packet:?} {hop:?}");
            time += idle + ps(&hop["wait_ns"]);
            waited += ps(&hop["wait_ns"]);
            assert_eq!(ps(&hop["departed_ns"]), time);
            let out = (number(hop, "router"), number(hop, "port_out"));
            if let Some(next) = path.get(place + 1) {
                let (router, port, on_link) = links[&out];
                assert_eq!((number(next, "router"), number(next, "port_in")), (router, port));
                assert_eq!(next["vc_in"], hop["vc_out"]);
                time += on_link;
            }
        }
        time += number(packet, "bytes").div_ceil(128) * FLIT + TERMINAL;
        assert_eq!(ps(&packet["delivered_ns"]), time);
        assert_eq!(ps(&packet["latency_ns"]), time - ps(&packet["created_ns"]));
    }
    assert!(waited > 1_000_000, "{waited}");
}

#[test]
fn nobody_waits_in_an_idle_network() {
    let pair = job("pair", 2, json!({"kind": "ping_pong", "message_bytes": 500, "iterations": 4}));
    let ran = run(&with(plan(json!([pair])), &json!({"packet_paths": true})));
    assert!(ran.rows("packet_hops").len() > 10);
    for hop in ran.rows("packet_hops") {
        assert_eq!(ps(&hop["wait_ns"]), 0, "{hop:?}");
        assert_eq!(ps(&hop["departed_ns"]) - ps(&hop["arrived_ns"]), STAGE + CROSSBAR_FLIT);
    }
}

#[test]
fn paths_are_the_same_on_any_number_of_threads() {
    let plan = mixed(&json!({
        "packet_paths": true, "packet_routers": [3, 11], "routing_windows_ps": 3_000_000
    }));
    let [one, three] = [1, 3].map(|threads| {
        finish(Simulation::on_threads(read(&plan), 0, threads, |_| {}).unwrap(), |_| true)
    });
    assert_eq!(one.document["result_hash"], three.document["result_hash"]);
    for table in ["packets", "packet_hops", "routing_windows", "messages"] {
        assert!(one.rows(table).len() > 20, "{table}");
        assert_eq!(
            one.files[&format!("{table}.parquet")],
            three.files[&format!("{table}.parquet")]
        );
    }
}

#[test]
fn the_record_changes_no_result() {
    let (off, on) = (
        run(&mixed(&json!({}))),
        run(&mixed(&json!({"packet_paths": true, "routing_windows_ps": 1_000_000}))),
    );
    for table in ["jobs", "ranks", "links", "link_windows", "messages", "packets"] {
        assert_eq!(off.rows(table), on.rows(table), "{table}");
    }
}

/// Each choice leaves the rows of the whole table that it names.
#[test]
fn a_choice_of_packets_is_a_part_of_the_tables() {
    let all = run(&mixed(&json!({"packet_paths": true})));
    let whole = hops(&all);
    let passes = |packet: &Row, routers: &[u64]| {
        whole[&number(packet, "packet")].iter().any(|hop| routers.contains(&number(hop, "router")))
    };
    type Wanted<'a> = Box<dyn Fn(&Row) -> bool + 'a>;
    let cases: [(Value, Wanted<'_>); 4] = [
        (
            json!({"packet_jobs": ["fft", "ur"]}),
            Box::new(|packet| [1, 3].contains(&number(packet, "job"))),
        ),
        (json!({"packet_routers": [5, 6]}), Box::new(|packet| passes(packet, &[5, 6]))),
        (
            json!({"packet_from_ps": 2_000_000, "packet_until_ps": 4_000_000}),
            Box::new(|packet| (2_000_000..4_000_000).contains(&ps(&packet["injected_ns"]))),
        ),
        (
            json!({"packet_jobs": ["ur"], "packet_routers": [7, 8], "packet_from_ps": 1_000_000}),
            Box::new(|packet| {
                packet["job"] == 3
                    && passes(packet, &[7, 8])
                    && ps(&packet["injected_ns"]) >= 1_000_000
            }),
        ),
    ];
    for (choice, wanted) in cases {
        for paths in [true, false] {
            let mut record = choice.clone();
            record["packet_paths"] = json!(paths);
            let ran = run(&mixed(&record));
            let expected: Vec<&Row> =
                all.rows("packets").iter().filter(|row| wanted(row)).collect();
            assert!(expected.len() > 20, "{choice}: {}", expected.len());
            assert_eq!(ran.rows("packets").iter().collect::<Vec<_>>(), expected, "{choice}");
            let numbers: BTreeSet<u64> = expected.iter().map(|row| number(row, "packet")).collect();
            let of = all.rows("packet_hops").iter();
            let hops: Vec<&Row> =
                of.filter(|row| paths && numbers.contains(&number(row, "packet"))).collect();
            assert_eq!(ran.rows("packet_hops").iter().collect::<Vec<_>>(), hops, "{choice}");
        }
    }
}

#[test]
fn a_sample_of_packets_has_its_paths() {
    let sampled =
        run(&mixed(&json!({"packets": "sampled", "packet_sample": 7, "packet_paths": true})));
    let all = run(&mixed(&json!({"packet_paths": true})));
    assert!(sampled.rows("packets").len() > 50);
    let (whole, part) = (hops(&all), hops(&sampled));
    assert_eq!(part.len(), sampled.rows("packets").len());
    assert!(part.iter().all(|(packet, path)| whole[packet] == *path));
}

/// A packet has its number, its ranks and its message.
#[test]
fn packets_belong_to_ranks_and_messages() {
    let ran = run(&mixed(&json!({})));
    let numbers: BTreeSet<u64> =
        ran.rows("packets").iter().map(|row| number(row, "packet")).collect();
    assert_eq!(numbers.len(), ran.rows("packets").len());
    let mut sent = BTreeMap::<u64, BTreeSet<u64>>::new();
    let mut bytes = BTreeMap::<(u64, u64), u64>::new();
    for row in ran.rows("packets") {
        let packet = number(row, "packet");
        assert_eq!(packet >> 32, number(row, "source_node"));
        sent.entry(packet >> 32).or_default().insert(packet & u64::from(u32::MAX));
        if row["job"] == 2 {
            assert!(row["message"].is_null());
            continue;
        }
        let to_ranks = (number(row, "rank"), number(row, "destination_rank"));
        assert_ne!(to_ranks.0, to_ranks.1);
        *bytes.entry((number(row, "job"), number(row, "message"))).or_default() +=
            number(row, "bytes");
    }
    let mut eager = 0;
    for message in ran.rows("messages") {
        let sum = bytes[&(number(message, "job"), number(message, "message"))];
        if message["protocol"] == "eager" {
            assert_eq!(sum, number(message, "bytes"));
            eager += 1;
        } else {
            assert!(sum > number(message, "bytes"), "control messages belong to it");
        }
    }
    assert!(eager > 0 && eager < ran.rows("messages").len());
    // The finite jobs have delivered all that they have sent.
    let finite = ran.rows("packets").iter().find(|row| row["job"] == 0).unwrap();
    let of_node = &sent[&number(finite, "source_node")];
    assert_eq!(of_node.last().unwrap() + 1, of_node.len() as u64);
}

#[test]
fn a_packet_has_its_number_alone_and_in_company() {
    let together = run(&mixed(&json!({})));
    let alone = run(&plan(json!([together.document["plan"]["jobs"][1]])));
    let told = |ran: &Ran, job: u64| -> BTreeSet<String> {
        let columns = ["packet", "message", "rank", "destination_rank", "bytes"];
        let rows = ran.rows("packets").iter().filter(|row| row["job"] == job);
        rows.map(|row| json!(columns.map(|column| row[column].clone())).to_string()).collect()
    };
    let shared = told(&together, 1).intersection(&told(&alone, 0)).count();
    assert_eq!(told(&together, 1).len(), told(&alone, 0).len());
    // The order of a node's packets may differ where a message waits for another rank.
    assert!(shared * 10 > told(&alone, 0).len() * 9, "{shared} of {}", told(&alone, 0).len());
}

/// Windows and jobs add up to the jobs table, under each kind of routing.
#[test]
fn windows_of_routing_add_up_to_the_jobs() {
    for algorithm in ["minimal", "valiant_node", "ugal_g", "par", "q_adaptive"] {
        let mut plan = mixed(&json!({"routing_windows_ps": 1_500_000}));
        plan["routing"]["algorithm"] = json!(algorithm);
        let ran = run(&plan);
        let mut sums = BTreeMap::<u64, [u64; 5]>::new();
        for row in ran.rows("routing_windows") {
            assert_eq!(ps(&row["window_start_ns"]) % 1_500_000, 0);
            let columns = ["packets", "minimal", "nonminimal_at_source", "rerouted", "link_hops"];
            let sum = sums.entry(number(row, "job")).or_default();
            for (sum, column) in sum.iter_mut().zip(columns) {
                *sum += number(row, column);
            }
            assert_eq!(number(row, "nonminimal"), number(row, "packets") - number(row, "minimal"));
        }
        let mut kinds = [0; 3];
        for job in ran.rows("jobs") {
            let [packets, minimal, at_source, rerouted, hops] = sums[&number(job, "job")];
            assert_eq!(packets, number(job, "packets"));
            assert_eq!(packets, minimal + at_source + rerouted);
            let share = |part: u64| part as f64 / packets as f64;
            assert_eq!(job["link_hops_mean"].as_f64().unwrap(), share(hops));
            assert_eq!(job["nonminimal_share"].as_f64().unwrap(), share(at_source + rerouted));
            kinds = [kinds[0] + minimal, kinds[1] + at_source, kinds[2] + rerouted];
        }
        let taken = kinds.map(|count| count > 0);
        let expected = match algorithm {
            "minimal" => [true, false, false],
            "par" => [true; 3],
            _ => [true, true, false],
        };
        assert_eq!(taken, expected, "{algorithm}: {kinds:?}");
        let late = |row: &&Row| row["diverted_after"].as_u64().is_some_and(|hops| hops > 0);
        assert_eq!(ran.rows("packets").iter().filter(late).count() as u64, kinds[2]);
    }
}

#[test]
fn other_routers_have_paths() {
    for changes in [
        json!({"flow_control": "wormhole", "crossbar_contention": "port_and_vc"}),
        json!({"credit_check": "crossbar", "link_order": "arrival"}),
        json!({"flow_control": "store_and_forward"}),
        json!({"input_queue": "virtual_output", "credit_check": "crossbar", "credit_return": "head", "crossbar_delay": "none"}),
    ] {
        let mut plan =
            mixed(&json!({"packet_paths": true, "packets": "sampled", "packet_sample": 3}));
        for (key, value) in changes.as_object().unwrap() {
            plan["router"][key] = value.clone();
        }
        plan["nic"]["responses"] = json!(true);
        let ran = run(&plan);
        let hops = hops(&ran);
        assert!(hops.len() > 100);
        assert_eq!(hops.len(), ran.rows("packets").len());
        for packet in ran.rows("packets") {
            let path = &hops[&number(packet, "packet")];
            assert_eq!(path.len() as u64, number(packet, "link_hops") + 1, "{changes}");
            let mut time = ps(&packet["injected_ns"]);
            for hop in path {
                let (arrived, departed) = (ps(&hop["arrived_ns"]), ps(&hop["departed_ns"]));
                assert!(time < arrived && arrived < departed, "{changes} {packet:?} {hop:?}");
                assert!(ps(&hop["wait_ns"]) < departed - arrived);
                time = departed;
            }
            assert!(time < ps(&packet["delivered_ns"]));
        }
    }
}

#[test]
fn what_cannot_be_chosen_is_refused() {
    for (record, text) in [
        (
            json!({"packet_jobs": ["ftt"]}),
            "record.packet_jobs = ftt: no job has this name; choose among halo, fft",
        ),
        (json!({"packet_routers": [20]}), "record.packet_routers = 20: there are 20 routers"),
        (
            json!({"packet_from_ps": 5, "packet_until_ps": 5}),
            "record.packet_until_ps = 5: is not after packet_from, 5 ps",
        ),
        (
            json!({"packet_from_ps": 20_000_000}),
            "record.packet_from_ps = 20000000: is beyond the run",
        ),
        (
            json!({"packet_until_ps": 30_000_000}),
            "record.packet_until_ps = 30000000: is beyond the run",
        ),
        (
            json!({"packets": "off", "packet_paths": true}),
            "record.packet_paths = true: has no effect",
        ),
        (json!({"packets": "off", "packet_jobs": ["fft"]}), "set record.packets to all or sampled"),
        (json!({"routing_windows_ps": 90_000_000}), "the window is longer than the run"),
    ] {
        let mut plan = mixed(&record);
        plan["stop"]["duration_ps"] = json!(20_000_000);
        let told = Simulation::new(read(&plan), 0).err().unwrap().to_string();
        assert!(told.contains(text), "{told}");
    }
}
