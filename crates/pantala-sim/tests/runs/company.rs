//! A job does the same alone and in company; only its times change.

use crate::support::{Ran, Row, fft, halo, job, noise, plan, run};
use serde_json::{Value, json};

/// What a job's ranks did, without times and without the job's number.
fn deeds(ran: &Ran, name: &str) -> Vec<Row> {
    let number = &ran.rows("jobs").iter().find(|row| row["name"] == name).unwrap()["job"];
    let keys = ["source_rank", "destination_rank", "tag", "bytes", "protocol"];
    let messages = ran.rows("messages").iter().filter(|row| row["job"] == *number);
    let mut deeds: Vec<Row> = messages
        .map(|row| keys.iter().map(|key| ((*key).to_owned(), row[*key].clone())).collect())
        .collect();
    deeds.sort_by_key(|row| serde_json::to_string(row).unwrap());
    deeds
}

#[test]
fn operations_do_not_depend_on_company() {
    let ur =
        job("ur", 8, json!({"kind": "uniform_random", "iterations": 12, "message_bytes": 13_000}));
    let mut few = noise(0.5);
    few["ranks"] = json!(8);
    let together = run(&plan(json!([halo(), ur, fft(), few])));
    let placed = &together.document["plan"]["jobs"];
    for (number, name) in [(0, "halo"), (1, "ur"), (2, "fft")] {
        let alone = run(&plan(json!([placed[number]])));
        let (with, without) = (deeds(&together, name), deeds(&alone, name));
        assert!(with.len() > 50 && with == without, "{name}: {} and {}", with.len(), without.len());
        let time = |ran: &Ran| {
            ran.rows("jobs").iter().find(|row| row["name"] == name).unwrap()["end_ns"]
                .as_f64()
                .unwrap()
        };
        assert!(time(&together) > time(&alone), "{name} has not felt the others");
    }
}

/// What a pattern creates is a clock's doing: the same packets, the same times.
#[test]
fn patterns_create_the_same_packets() {
    let created = |ran: &Ran, number: u64| -> Vec<Value> {
        let packets = ran.rows("packets").iter().filter(|row| row["job"] == number);
        let early = packets.filter(|row| row["created_ns"].as_f64().unwrap() < 5_000.0);
        let mut created: Vec<Value> = early
            .map(|row| json!([row["source_node"], row["destination_node"], row["created_ns"]]))
            .collect();
        created.sort_by_key(Value::to_string);
        created
    };
    let mut company = plan(json!([halo(), noise(0.2)]));
    company["stop"]["duration_ps"] = json!(20_000_000);
    let together = run(&company);
    let mut alone = plan(json!([together.document["plan"]["jobs"][1]]));
    alone["stop"]["duration_ps"] = json!(20_000_000);
    let alone = created(&run(&alone), 0);
    assert!(alone.len() > 100);
    assert_eq!(created(&together, 1), alone);
}

/// Removing a job whose nodes another one does not want leaves that one's places alone.
#[test]
fn placement_follows_the_name() {
    let one = run(&plan(json!([halo()])));
    let mut other = halo();
    other["name"] = json!("other");
    let two = run(&plan(json!([other])));
    let nodes = |ran: &Ran| ran.document["plan"]["jobs"][0]["nodes"].clone();
    assert_ne!(nodes(&one), nodes(&two));
    assert_eq!(nodes(&one), nodes(&run(&plan(json!([halo(), noise(0.1)])))));
}
