//! Which packets are routed how: by system, job and traffic class.

use crate::support::{Ran, Row, fft, halo, job, noise, plan, run};
use serde_json::{Value, json};

/// The system's routing with another algorithm.
fn by(plan: &Value, algorithm: &str) -> Value {
    let mut routing = plan["routing"].clone();
    routing["algorithm"] = json!(algorithm);
    routing
}

/// Shares of non-minimal packets among those that leave their group, by job.
fn diverted(ran: &Ran) -> Vec<f64> {
    let group = |row: &Row, column: &str| row[column].as_u64().unwrap() / 8;
    let count = |job: &Row, nonminimal: bool| {
        let of_job = ran.rows("packets").iter().filter(|row| row["job"] == job["job"]);
        let leaving =
            of_job.filter(|row| group(row, "source_node") != group(row, "destination_node"));
        leaving.filter(|row| !nonminimal || row["nonminimal"] == true).count()
    };
    ran.rows("jobs")
        .iter()
        .map(|job| {
            assert!(count(job, false) > 30, "{} does not leave its groups", job["name"]);
            count(job, true) as f64 / count(job, false) as f64
        })
        .collect()
}

#[test]
fn two_jobs_go_two_ways() {
    let mut plan = plan(json!([noise(0.2), halo(), fft()]));
    plan["routing"] = by(&plan, "minimal");
    plan["jobs"][0]["routing"] = by(&plan, "valiant_node");
    plan["jobs"][2]["routing"] = by(&plan, "valiant_group");
    for responses in [false, true] {
        plan["nic"]["responses"] = json!(responses);
        plan["nic"]["response_bytes"] = json!(64);
        let ran = run(&plan);
        assert_eq!(diverted(&ran), [1.0, 0.0, 1.0]);
        // valiant_node has the most virtual channels, and responses double them.
        let needed = if responses { 8 } else { 4 };
        assert_eq!(ran.document["plan"]["derived"]["virtual_channels"], needed);
        for (job, vc_map) in [(0, 4), (2, 3)] {
            assert_eq!(ran.document["plan"]["jobs"][job]["routing"]["virtual_channels"], vc_map);
        }
    }
}

/// With the same keys, all-to-all traffic goes one way and point-to-point traffic the other.
#[test]
fn traffic_classes_go_two_ways() {
    let mut plan = plan(json!([halo(), fft()]));
    for (first, second, expected) in
        [("valiant_node", "minimal", [1.0, 0.0]), ("minimal", "valiant_node", [0.0, 1.0])]
    {
        for number in 0..2 {
            plan["jobs"][number]["routing"] = by(&plan, first);
            plan["jobs"][number]["routing_all_to_all"] = by(&plan, second);
        }
        assert_eq!(diverted(&run(&plan)), expected);
    }
}

/// Of the places where a routing can stand, in order of precedence, the first that holds one
/// decides.
fn precedence(workload: &Value, slots: &[fn(&mut Value) -> &mut Value]) {
    for given in 0..1 << (slots.len() - 1) {
        // The last, the system's own, is always there.
        let given = given | 1 << (slots.len() - 1);
        let winner = (0..slots.len()).find(|slot| given >> slot & 1 == 1).unwrap();
        for (wins, loses, share) in
            [("valiant_node", "minimal", 1.0), ("minimal", "valiant_node", 0.0)]
        {
            let mut plan = plan(json!([workload]));
            let (wins, loses) = (by(&plan, wins), by(&plan, loses));
            for (number, slot) in
                slots.iter().enumerate().filter(|(number, _)| given >> number & 1 == 1)
            {
                *slot(&mut plan) = if number == winner { wins.clone() } else { loses.clone() };
            }
            assert_eq!(diverted(&run(&plan)), [share], "{given:b}: place {winner} should decide");
        }
    }
}

#[test]
fn all_to_all_is_routed_by_the_job_then_the_system() {
    precedence(
        &fft(),
        &[
            |plan| &mut plan["jobs"][0]["routing_all_to_all"],
            |plan| &mut plan["routing_all_to_all"],
            |plan| &mut plan["jobs"][0]["routing"],
            |plan| &mut plan["routing"],
        ],
    );
}

#[test]
fn point_to_point_is_routed_by_the_job_then_the_system() {
    precedence(&halo(), &[|plan| &mut plan["jobs"][0]["routing"], |plan| &mut plan["routing"]]);
    // What is said of all-to-all does not concern it.
    let mut plan = plan(json!([halo()]));
    plan["routing"] = by(&plan, "minimal");
    plan["routing_all_to_all"] = by(&plan, "valiant_node");
    plan["jobs"][0]["routing_all_to_all"] = by(&plan, "valiant_group");
    assert_eq!(diverted(&run(&plan)), [0.0]);
}

/// A job's packets draw the same detours alone and in company, however others are routed, and
/// whether NICs answer or not.
#[test]
fn draws_do_not_depend_on_company() {
    let tornado = json!({"kind": "pattern", "pattern": "shift", "load": 0.2});
    let mut plan = plan(json!([job("shift", 12, tornado), halo(), noise(0.3)]));
    plan["stop"]["duration_ps"] = json!(20_000_000);
    plan["jobs"][0]["routing"] = by(&plan, "valiant_node");
    plan["jobs"][2]["routing"] = by(&plan, "par");
    let paths = |ran: &Ran| -> Vec<String> {
        let packets = ran.rows("packets").iter().filter(|row| row["job"] == 0);
        let early = packets.filter(|row| row["created_ns"].as_f64().unwrap() < 5_000.0);
        let keys = ["source_node", "destination_node", "created_ns", "link_hops", "nonminimal"];
        let mut paths: Vec<String> =
            early.map(|row| json!(keys.map(|key| row[key].clone())).to_string()).collect();
        paths.sort();
        paths
    };
    let together = run(&plan);
    let mut alone = plan.clone();
    alone["jobs"] = json!([together.document["plan"]["jobs"][0]]);
    let expected = paths(&run(&alone));
    assert!(expected.len() > 200);
    assert!(paths(&together) == expected, "company changes detours");
    for plan in [&mut plan, &mut alone] {
        plan["nic"]["responses"] = json!(true);
        plan["nic"]["response_bytes"] = json!(512);
        assert!(paths(&run(plan)) == expected, "responses change detours");
    }
}
