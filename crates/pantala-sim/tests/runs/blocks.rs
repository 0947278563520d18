//! Time passes block by block of groups: how many there are changes nothing but how fast it goes.

use crate::support::{Ran, fft, finish, halo, job, noise, plan, read};
use pantala_sim::Simulation;
use serde_json::{Value, json};

fn run_in(blocks: u32, plan: &Value) -> Ran {
    let simulation = Simulation::with_config(read(plan), 0, |config| config.blocks = blocks);
    finish(simulation.unwrap_or_else(|error| panic!("{error}")), |_| true)
}

/// All that a run writes, but who made it and how many events that took.
fn written(mut ran: Ran) -> (Vec<(String, Vec<u8>)>, Value) {
    let mut document = ran.reproducible();
    document["counters"].as_object_mut().unwrap().remove("events").expect("a count of events");
    ran.files.remove("run.json");
    (ran.files.into_iter().collect(), document)
}

/// Two MPI jobs and noise, under every routing but the one that looks at other groups; then with responses.
#[test]
fn the_number_of_blocks_changes_no_byte() {
    let mut plans = Vec::new();
    for algorithm in ["minimal", "valiant_node", "ugal_g", "ugal_n", "par", "q_adaptive", "aries", "codes_padp"] {
        let mut one = plan(json!([halo(), fft(), noise(0.4)]));
        one["routing"]["algorithm"] = json!(algorithm);
        one["record"]["window_ps"] = json!(1_000_000);
        plans.push(one);
    }
    let mut answering = plans[3].clone();
    answering["nic"]["responses"] = json!(true);
    answering["nic"]["response_bytes"] = json!(100);
    let mut learning = plan(json!([job("next", 40, json!({"kind": "pattern", "pattern": "next_group", "load": 0.4}))]));
    learning["routing"]["algorithm"] = json!("q_adaptive");
    learning["stop"]["duration_ps"] = json!(20_000_000_u64);
    learning["record"]["q_tables"] = json!("end");
    learning["record"]["q_learning"] = json!(true);
    for plan in plans.iter().chain([&answering, &learning]) {
        let one = written(run_in(1, plan));
        for blocks in [2, 3, 5] {
            let some = written(run_in(blocks, plan));
            assert!(one.0 == some.0, "{}: {blocks} blocks give other tables", plan["routing"]["algorithm"]);
            assert_eq!(one.1, some.1);
        }
    }
}
