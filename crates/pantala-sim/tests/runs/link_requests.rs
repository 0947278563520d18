//! Plans that ask for links: all links from the rows of a file, and links that fail by name or at
//! random.

use crate::support::{halo, plan, read};
use pantala_sim::output::link_table::link_table;
use pantala_sim::plan::network::ports::ports;
use pantala_sim::plan::resolve::resolve;
use pantala_sim::plan::{Plan, TopologyPlan};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Five groups of four routers, two links per pair of groups.
fn small() -> Value {
    let mut plan = plan(json!([halo()]));
    plan["topology"]["links_per_pair"] = json!(2);
    plan
}

fn with(key: &str, value: Value) -> Value {
    let mut plan = small();
    plan["topology"][key] = value;
    plan
}

/// The resolved topology of a plan. Its only links are lists of numbers.
fn resolved(plan: &Value) -> TopologyPlan {
    let Plan { topology, .. } = resolve(read(plan)).unwrap_or_else(|error| panic!("{error}")).plan;
    assert!(topology.links_file.is_none() && topology.link_failures.is_none());
    topology
}

fn fault(plan: &Value) -> String {
    resolve(read(plan)).expect_err("refused").to_string()
}

/// The ends that fail.
fn failing(failures: Value) -> Vec<[u32; 2]> {
    resolved(&with("link_failures", failures)).failed_links
}

fn drawn(class: &str, number: Value, seed: u64) -> BTreeSet<[u32; 2]> {
    let links = json!({"draw": {"link_class": class, "number": number, "seed": seed}});
    // Any local link may fail here, also all of them, so the plan is not resolved as a whole.
    let plan = read(&with("link_failures", links));
    let rows = ports(&plan.topology).unwrap_or_else(|error| panic!("{error}"));
    let lower = rows.iter().filter(|row| row.failed);
    let mut ends: Vec<[u32; 2]> = lower.map(|row| [row.router, row.port.into()]).collect();
    let whole: BTreeMap<_, _> = ports(&read(&small()).topology)
        .unwrap()
        .into_iter()
        .map(|row| ([row.router, row.port.into()], row))
        .collect();
    ends.retain(|end| {
        let row = whole[end];
        *end < [row.peer_router.unwrap(), row.peer_port.unwrap().into()]
    });
    ends.into_iter().collect()
}

/// All links of the small network in both directions, as the columns of a file.
fn file() -> Value {
    let rows = link_table(&read(&small()).topology).unwrap();
    let column = |f: fn(&pantala_sim::output::link_table::LinkRow) -> Value| {
        rows.iter().map(f).collect::<Vec<_>>()
    };
    json!({
        "name": "links.csv",
        "first": {"line": 2},
        "source_router": column(|row| json!(row.source_router)),
        "source_port": column(|row| json!(row.source_port)),
        "target_router": column(|row| json!(row.target_router)),
        "target_port": column(|row| json!(row.target_port)),
        "class": column(|row| json!(row.class)),
        "parallel_index": column(|row| json!(row.parallel_index)),
    })
}

/// Keeps these rows of a file, in this order.
fn kept(file: &mut Value, rows: impl Fn(usize) -> Vec<usize>) {
    for (_, column) in file.as_object_mut().unwrap() {
        if let Some(values) = column.as_array() {
            let chosen = rows(values.len()).into_iter().map(|row| values[row].clone());
            *column = chosen.collect();
        }
    }
}

#[test]
fn a_file_of_all_links_is_the_network() {
    let numbers = small();
    let expected = link_table(&read(&numbers).topology).unwrap();
    let mut once = file();
    let lower: Vec<usize> = (0..expected.len())
        .rev()
        .filter(|&row| expected[row].source_router > expected[row].target_router)
        .collect();
    kept(&mut once, |_| lower.clone());
    once.as_object_mut().unwrap().remove("class");
    for given in [file(), once] {
        let topology = resolved(&with("links_file", given));
        assert!(topology.failed_links.is_empty());
        assert_eq!(link_table(&topology).unwrap(), expected);
    }
}

#[test]
fn rows_of_nodes_are_left_out() {
    let mut given = file();
    for (key, value) in [("class", json!("injection")), ("source_router", Value::Null)] {
        given[key].as_array_mut().unwrap().push(value);
    }
    for key in ["source_port", "target_router", "target_port", "parallel_index"] {
        given[key].as_array_mut().unwrap().push(Value::Null);
    }
    assert_eq!(
        resolved(&with("links_file", given)).global_links,
        resolved(&with("links_file", file())).global_links
    );
}

/// A link inside a group that a file lacks has failed; it is not drawn again.
#[test]
fn links_that_a_file_lacks_have_failed() {
    let mut given = file();
    let rows = link_table(&read(&small()).topology).unwrap();
    let pair = |row: &pantala_sim::output::link_table::LinkRow| {
        BTreeSet::from([row.source_router, row.target_router]) == BTreeSet::from([4, 6])
    };
    let rest: Vec<usize> = (0..rows.len()).filter(|&row| !pair(&rows[row])).collect();
    kept(&mut given, |_| rest.clone());
    let mut plan = with("links_file", given);
    assert_eq!(resolved(&plan).failed_links, [[4, 3]]);
    plan["topology"]["link_failures"] = json!({
        "links": [{"routers": [4, 6]}],
        "draw": {"link_class": "local", "number": {"count": 30}, "seed": 0}
    });
    assert_eq!(
        fault(&plan),
        "topology.failed_links.count = 30: is more than the 29 local links; lower it"
    );
}

#[test]
fn the_faults_of_a_file_name_the_row() {
    const GLOBAL: usize = 3; // router 0's three local ports come first
    let set = |row: usize, key: &str, value: Value| {
        let mut given = file();
        given[key][row] = value;
        given
    };
    let rows = |rows: fn(usize) -> Vec<usize>| {
        let mut given = file();
        kept(&mut given, rows);
        given
    };
    for (given, message) in [
        (
            set(0, "source_router", json!(99)),
            "line 2 names router 99, but there are 20, counted from 0",
        ),
        (
            set(0, "source_router", json!(-1)),
            "line 2 has source_router -1; give routers and ports from 0",
        ),
        (
            set(1, "target_port", Value::Null),
            "line 3 has no target_port; give routers and ports from 0",
        ),
        (
            set(0, "source_port", json!(7)),
            "line 2 names port 7, but a router has 7; correct the row",
        ),
        (set(0, "target_port", json!(1)), "line 2 names port 1, which belongs to a node"),
        (
            set(0, "target_port", json!(5)),
            "line 2 joins a local port with a global port (ports 2 and 5)",
        ),
        (
            set(0, "target_router", json!(2)),
            "line 2 is a local link that the group does not have: port 2 of router 0 leads to port 2 of router 1;",
        ),
        (set(0, "class", json!("row")), "line 2 has class \"row\", but port 2 is a local port"),
        (
            set(GLOBAL, "target_router", json!(1)),
            "line 5 joins group 0 with itself by a global link",
        ),
        (set(GLOBAL, "target_port", json!(5)), "line 5 has no row for the other direction"),
        (rows(|n| (0..n).chain([0]).collect()), "is the link of line 2 again"),
        (
            rows(|n| (1..n).collect()),
            "has no row for the other direction, as other links have; give all links once",
        ),
        (rows(|_| vec![]), "has no links between routers; name a table with links"),
    ] {
        let found = fault(&with("links_file", given));
        assert!(found.starts_with("topology.links_file = \"links.csv\": "), "{found}");
        assert!(found.contains(message), "{found} instead of {message}");
    }
    let twice = json!({
        "name": "links", "first": {"row": 1}, "source_router": [0, 8], "source_port": [5, 5],
        "target_router": [4, 0], "target_port": [5, 5]
    });
    assert_eq!(
        fault(&with("links_file", twice)),
        "topology.links_file = \"links\": row 2 uses port 5 of router 0, as does row 1; give each port one link"
    );
}

#[test]
fn either_end_and_the_pair_of_routers_name_one_link() {
    let rows = link_table(&read(&small()).topology).unwrap();
    let link = rows.iter().find(|row| row.class == "global").unwrap();
    let ends = [
        json!({"port": [link.source_router, link.source_port]}),
        json!({"port": [link.target_router, link.target_port]}),
        json!({"routers": [link.target_router, link.source_router]}),
    ];
    let expected = [[link.source_router, link.source_port]];
    for named in &ends {
        assert_eq!(failing(json!({"links": [named]})), expected);
    }
    assert_eq!(failing(json!({"links": ends})), expected);
    let in_file = json!({"name": "f", "links": [[{"line": 1}, ends[1]], [{"line": 3}, ends[2]]]});
    assert_eq!(failing(json!({"file": in_file})), expected);
    // All parallel links between two routers.
    let mut parallel = with("link_failures", json!({"links": [{"routers": [0, 1]}]}));
    parallel["topology"]["links_per_local_pair"] = json!(3);
    assert_eq!(resolved(&parallel).failed_links, [[0, 2], [0, 3], [0, 4]]);
}

#[test]
fn the_faults_of_failed_links_name_key_and_value() {
    let named = |link: Value| json!({"links": [{"port": [3, 5]}, link]});
    let draw = |class: &str, number: Value| json!({"draw": {"link_class": class, "number": number, "seed": 0}});
    let list = "list the links with `pantala topology ... --links FILE`";
    for (failures, expected) in [
        (
            named(json!({"port": [3, 12]})),
            format!("links[1] = \"3:12\": router 3 has no link to a router at port 12; {list}"),
        ),
        (
            named(json!({"port": [3, 0]})),
            format!("links[1] = \"3:0\": router 3 has no link to a router at port 0; {list}"),
        ),
        (
            named(json!({"routers": [0, 7]})),
            format!("links[1] = \"0-7\": no link joins routers 0 and 7; {list}"),
        ),
        (
            named(json!({"routers": [0, 0]})),
            format!("links[1] = \"0-0\": no link joins routers 0 and 0; {list}"),
        ),
        (
            json!({"file": {"name": "f.txt", "links": [[{"line": 4}, {"port": [99, 2]}]]}}),
            format!(
                "file = \"f.txt\": line 4: router 99 has no link to a router at port 2; {list}"
            ),
        ),
        (
            json!({"file": {"name": "f.parquet", "links": [[{"row": 1}, {"port": [-1, 2]}]]}}),
            format!(
                "file = \"f.parquet\": row 1: router -1 has no link to a router at port 2; {list}"
            ),
        ),
        (
            draw("row", json!({"count": 1})),
            "link_class = \"row\": is no link class of this topology; choose one of local, global"
                .to_owned(),
        ),
        (
            draw("global", json!({"count": 30})),
            "count = 30: is more than the 20 global links; lower it".to_owned(),
        ),
    ] {
        assert_eq!(
            fault(&with("link_failures", failures)),
            format!("topology.failed_links.{expected}")
        );
    }
    let share = fault(&with("link_failures", draw("local", json!({"share": 1.5}))));
    assert!(share.ends_with("share = 1.5: must be at most 1; give 1 or less"), "{share}");
}

#[test]
fn draws_follow_their_seed_and_grow_with_their_share() {
    let mut before = BTreeSet::new();
    let mut sizes = Vec::new();
    for share in [0.0, 0.1, 0.25, 0.5, 1.0] {
        let now = drawn("local", json!({"share": share}), 3);
        assert!(before.is_subset(&now));
        sizes.push(now.len());
        before = now;
    }
    assert_eq!(sizes, [0, 3, 8, 15, 30]);
    let three = |seed| drawn("global", json!({"count": 3}), seed);
    assert_eq!(three(1), three(1));
    assert_ne!(three(1), three(2));
    // Drawn links come from those that are left.
    let both = json!({
        "links": [{"routers": [0, 1]}, {"routers": [0, 2]}],
        "draw": {"link_class": "local", "number": {"count": 3}, "seed": 0}
    });
    assert_eq!(failing(both).len(), 5);
}

/// Each of 20 global links fails in 15 % of the draws of three; 6 standard deviations.
#[test]
fn every_link_is_drawn_equally_often() {
    const DRAWS: u32 = 2_000;
    let mut times: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for seed in 0..DRAWS {
        for end in drawn("global", json!({"count": 3}), seed.into()) {
            *times.entry(end).or_default() += 1;
        }
    }
    assert_eq!(times.len(), 20);
    let (mean, deviation) = (f64::from(DRAWS) * 0.15, (f64::from(DRAWS) * 0.15 * 0.85).sqrt());
    assert!(
        times.values().all(|&count| (f64::from(count) - mean).abs() < 6.0 * deviation),
        "{times:?}"
    );
}

/// A resolved plan resolves to itself.
#[test]
fn a_resolved_plan_keeps_its_links() {
    let mut plan = with(
        "link_failures",
        json!({"draw": {"link_class": "local", "number": {"count": 2}, "seed": 7}}),
    );
    plan["topology"]["links_file"] = file();
    let first = resolve(read(&plan)).unwrap().plan;
    assert_eq!(first.topology.failed_links.len(), 2);
    let once = serde_json::to_value(&first).unwrap();
    assert_eq!(serde_json::to_value(resolve(first).unwrap().plan).unwrap(), once);
}

#[test]
fn ports_tell_class_peer_and_failure() {
    let plan = read(&with("link_failures", json!({"links": [{"routers": [0, 1]}]})));
    let rows = ports(&plan.topology).unwrap();
    assert_eq!(rows.len(), 20 * 7);
    let classes: Vec<&str> = rows[..7].iter().map(|row| row.class.name()).collect();
    assert_eq!(classes, ["terminal", "terminal", "local", "local", "local", "global", "global"]);
    let failed: Vec<(u32, u16)> =
        rows.iter().filter(|row| row.failed).map(|row| (row.router, row.port)).collect();
    assert_eq!(failed, [(0, 2), (1, 2)]);
    let linked = rows.iter().filter(|row| row.peer_router.is_some()).count();
    assert_eq!(linked, link_table(&plan.topology).unwrap().len());
    for row in rows.iter().filter(|row| row.peer_router.is_some()) {
        let peer = rows.iter().find(|other| {
            (Some(other.router), Some(other.port)) == (row.peer_router, row.peer_port)
        });
        let peer = peer.unwrap();
        assert_eq!((peer.peer_router, peer.peer_port), (Some(row.router), Some(row.port)));
        assert_eq!(peer.class, row.class);
    }
}
