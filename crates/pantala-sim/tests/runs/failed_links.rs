//! Plans whose links are data: given global links, and links that have failed.

use crate::support::{Ran, fft, halo, noise, plan, read, run};
use pantala_sim::output::link_table::link_table;
use pantala_sim::plan::Plan;
use pantala_sim::plan::resolve::resolve;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The 40 nodes of the other tests, three links per pair of groups of 8 routers, 6 global ports.
fn wide() -> Value {
    let mut plan = plan(json!([halo(), fft(), noise(0.3)]));
    plan["topology"]["a"] = json!(4);
    plan["topology"]["h"] = json!(3);
    plan["topology"]["links_per_pair"] = json!(3);
    plan
}

/// The exported global links of a plan's network, each once.
fn exported(plan: &Value) -> Vec<[u32; 4]> {
    let Plan { topology, .. } = read(plan);
    let mut rows = link_table(&topology).unwrap();
    rows.retain(|row| row.class == "global" && row.source_group < row.target_group);
    rows.sort_by_key(|row| (row.source_group, row.target_group, row.parallel_index));
    let ends = |row: pantala_sim::output::link_table::LinkRow| {
        [row.source_router, row.source_port, row.target_router, row.target_port]
    };
    rows.into_iter().map(ends).collect()
}

fn fault(plan: &Value) -> String {
    resolve(read(plan)).expect_err("refused").to_string()
}

fn result_hash(ran: &Ran) -> &Value {
    &ran.document["result_hash"]
}

/// Every file of a run but its document is the same, byte for byte.
#[test]
fn exported_links_give_the_network_again() {
    for arrangement in ["absolute", "palmtree", "circulant", "random"] {
        let mut plan = wide();
        plan["topology"]["global_arrangement"] = json!(arrangement);
        let generated = run(&plan);
        plan["topology"]["global_links"] = json!(exported(&plan));
        plan["topology"]["global_arrangement"] = json!("absolute");
        let given = run(&plan);
        assert_eq!(result_hash(&given), result_hash(&generated), "{arrangement}");
        let tables = given.files.iter().filter(|(name, _)| *name != "run.json");
        assert!(tables.into_iter().all(|(name, bytes)| generated.files[name] == *bytes));
    }
}

/// A resolved plan counts what has failed, and resolves to itself.
#[test]
fn a_plan_counts_its_failed_links() {
    let mut plan = wide();
    let global = exported(&plan)[0];
    // Both ends of one global link, and a local link.
    plan["topology"]["failed_links"] =
        json!([[global[0], global[1]], [global[2], global[3]], [0, 2]]);
    let resolved = resolve(read(&plan)).unwrap().plan;
    let derived = resolved.derived.as_ref().unwrap();
    let counts = BTreeMap::from([("global".to_owned(), 1), ("local".to_owned(), 1)]);
    assert_eq!(derived.failed_links, counts);
    assert_eq!((derived.links_per_pair, derived.most_links_per_pair), (2, Some(3)));
    assert_eq!((derived.links["global"], derived.links["local"]), (58, 58));
    let once = serde_json::to_value(&resolved).unwrap();
    let again = serde_json::to_value(resolve(resolved).unwrap().plan).unwrap();
    assert_eq!(again, once);
}

/// No failed link is in the tables, every message arrives, and whoever counts counts alike.
#[test]
fn a_run_goes_around_failed_links() {
    for algorithm in ["minimal", "par", "aries", "q_adaptive", "valiant_node"] {
        let mut plan = wide();
        plan["stop"]["duration_ps"] = json!(200_000_000);
        plan["routing"]["algorithm"] = json!(algorithm);
        let global = exported(&plan)[4];
        plan["topology"]["failed_links"] = json!([[global[0], global[1]], [5, 2], [9, 3]]);
        let ran = run(&plan);
        let ends =
            |row: &crate::support::Row| (row["source_router"].clone(), row["source_port"].clone());
        for gone in [(global[0], global[1]), (global[2], global[3]), (5, 2), (9, 3)] {
            assert!(
                ran.rows("links").iter().all(|row| ends(row) != (json!(gone.0), json!(gone.1)))
            );
        }
        for name in ["halo", "fft"] {
            let job = ran.rows("jobs").iter().find(|job| job["name"] == name).unwrap();
            assert_eq!(job["complete"], true, "{algorithm}: {job:?}");
        }
        let again = run(&plan);
        assert_eq!(result_hash(&again), result_hash(&ran), "{algorithm}");
    }
}

#[test]
fn what_cannot_be_served_is_refused_with_its_reason() {
    let mut plan = plan(json!([halo()]));
    let link = exported(&plan).into_iter().next().unwrap();
    plan["topology"]["failed_links"] = json!([[link[0], link[1]]]);
    plan["routing"]["algorithm"] = json!("minimal");
    assert_eq!(
        fault(&plan),
        "routing.algorithm = minimal: no link joins groups 0 and 1, and its paths cross directly between any two groups; \
         give these groups a link, or take a routing that can cross a third group, e.g. ugal_g"
    );
    plan["routing"]["algorithm"] = json!("ugal_g");
    assert!(resolve(read(&plan)).is_ok());
    // Router 6 keeps no local link.
    plan["topology"]["failed_links"] = json!([[6, 2], [6, 3], [6, 4]]);
    assert_eq!(
        fault(&plan),
        "routing.algorithm = ugal_g: no path inside group 1 joins routers 4 and 6, and its paths do not return to a group; \
         let fewer links of the group fail"
    );
    plan["topology"]["failed_links"] = json!([[6, 2]]);
    plan["routing"]["algorithm"] = json!("codes_adp");
    assert!(fault(&plan).contains("set vc_map = \"by_hop\""), "{}", fault(&plan));
    plan["routing"]["vc_map"] = json!("by_hop");
    assert_eq!(resolve(read(&plan)).unwrap().plan.routing.virtual_channels, 8);
    plan["topology"]["failed_links"] = json!([[6, 0]]);
    assert!(fault(&plan).starts_with("topology.failed_links = [6, 0]: the port leads to node 12"));
}

/// A group whose links form a ring: the shortest cycle in words, and the remedy that helps.
#[test]
fn a_cycle_around_failed_links_is_named() {
    let mut plan = plan(json!([halo()]));
    plan["topology"]["a"] = json!(5);
    plan["topology"]["columns"] = json!(5);
    plan["routing"]["algorithm"] = json!("minimal");
    // In group 2: the chords of the ring 10, 11, 12, 13, 14.
    plan["topology"]["failed_links"] = json!([[10, 3], [10, 4], [11, 4], [11, 5], [12, 5]]);
    assert_eq!(
        fault(&plan),
        "routing = minimal: packets can wait for each other in a cycle of 5 virtual channels: \
         router 10 to 11 (local, VC 1), router 11 to 12 (local, VC 1), router 12 to 13 (local, VC 1), \
         router 13 to 14 (local, VC 1), router 14 to 10 (local, VC 1); \
         set vc_map = \"by_hop\" for all routings, let other links fail, or set allow_deadlock = true"
    );
    plan["routing"]["vc_map"] = json!("by_hop");
    let resolved = resolve(read(&plan)).unwrap().plan;
    // Two hops in each group and one between them.
    assert_eq!(resolved.routing.virtual_channels, 5);
    assert_eq!(run(&plan).end, pantala_sim::End::Finished);
}

/// Minimal paths have the same hops on one VC per hop.
#[test]
fn a_virtual_channel_per_hop_changes_no_minimal_path() {
    let mut plan = plan(json!([halo(), fft()]));
    plan["routing"]["algorithm"] = json!("minimal");
    let own = run(&plan);
    plan["routing"]["vc_map"] = json!("by_hop");
    let by_hop = run(&plan);
    let hops = |ran: &Ran| ran.sum("packets", "link_hops", |_| true);
    assert_eq!(hops(&own), hops(&by_hop));
    assert_eq!(own.rows("packets").len(), by_hop.rows("packets").len());
}
