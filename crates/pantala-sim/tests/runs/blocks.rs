//! A machine is simulated in parts on threads, and time passes block by block of groups in each:
//! how many there are of either changes nothing but how fast it goes.

use crate::support::{Ran, fft, finish, halo, job, noise, plan, read};
use pantala_sim::Simulation;
use serde_json::{Value, json};

fn run_in(threads: u32, blocks: u32, plan: &Value) -> Ran {
    let simulation =
        Simulation::on_threads(read(plan), 0, threads, |config| config.blocks = blocks);
    finish(simulation.unwrap_or_else(|error| panic!("{error}")), |_| true)
}

/// All that a run writes, but who made it.
fn written(mut ran: Ran) -> (Vec<(String, Vec<u8>)>, Value) {
    let document = ran.reproducible();
    ran.files.remove("run.json");
    (ran.files.into_iter().collect(), document)
}

/// Two MPI jobs and noise, under every routing but the one that looks at other groups; then with
/// responses, with learning, and with everything recorded.
fn plans() -> Vec<Value> {
    let mut plans = Vec::new();
    for algorithm in
        ["minimal", "valiant_node", "ugal_g", "ugal_n", "par", "q_adaptive", "aries", "codes_padp"]
    {
        let mut one = plan(json!([halo(), fft(), noise(0.4)]));
        one["routing"]["algorithm"] = json!(algorithm);
        one["record"]["window_ps"] = json!(1_000_000);
        plans.push(one);
    }
    let mut answering = plans[3].clone();
    answering["nic"]["responses"] = json!(true);
    answering["nic"]["response_bytes"] = json!(100);
    let mut learning = plan(json!([job(
        "next",
        40,
        json!({"kind": "pattern", "pattern": "next_group", "load": 0.4})
    )]));
    learning["routing"]["algorithm"] = json!("q_adaptive");
    learning["stop"]["duration_ps"] = json!(20_000_000_u64);
    learning["record"]["q_tables"] = json!("end");
    learning["record"]["q_learning"] = json!(true);
    let mut everything = plans[3].clone();
    everything["record"]["packets"] = json!("all");
    everything["record"]["link_windows"] = json!(true);
    let sharing = crate::sharing::with_a_host_stack(&plans[3], 3);
    plans.extend([answering, learning, everything, sharing]);
    plans
}

#[test]
fn the_number_of_blocks_changes_no_byte() {
    for plan in plans() {
        let one = written(run_in(1, 1, &plan));
        for blocks in [2, 3, 5] {
            let some = written(run_in(1, blocks, &plan));
            assert!(
                one.0 == some.0,
                "{}: {blocks} blocks give other tables",
                plan["routing"]["algorithm"]
            );
            assert_eq!(one.1, some.1);
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    for plan in plans() {
        let one = written(run_in(1, 0, &plan));
        // The last are more than there are groups.
        for threads in [2, 3, 4, 8, 100] {
            let some = written(run_in(threads, 0, &plan));
            assert!(
                one.0 == some.0,
                "{}: {threads} threads give other tables",
                plan["routing"]["algorithm"]
            );
            assert_eq!(one.1, some.1);
        }
    }
}

#[test]
fn queues_that_are_read_everywhere_stay_in_one_part() {
    let mut plan = plan(json!([halo(), noise(0.4)]));
    plan["routing"]["algorithm"] = json!("ugal_global");
    assert!(written(run_in(1, 0, &plan)) == written(run_in(3, 0, &plan)));
}

#[test]
fn absurd_numbers_of_threads_are_refused() {
    for threads in [0, 1_025, u32::MAX] {
        let error = Simulation::on_threads(read(&plan(json!([halo()]))), 0, threads, |_| {})
            .err()
            .expect("refused");
        assert_eq!((error.key.as_str(), error.value), ("threads", threads.to_string()));
        assert_eq!(error.message, "must be from 1 to 1024");
    }
}
