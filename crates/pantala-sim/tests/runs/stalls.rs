//! Runs that get stuck end with a diagnosis.
//!
//! What resolves without a warning cannot deadlock a network, and what resolves with one need not
//! come to it (`deadlocks.rs` has plans that do). So these change the network behind a plan that is
//! free: one virtual channel for all.

use crate::support::{Ran, finish, job, plan, read};
use pantala_fabric::FabricConfig;
use pantala_routing::{RoutingConfig, VcMap};
use pantala_sim::{End, Simulation};
use serde_json::{Value, json};

/// One virtual channel for everything, and buffers of one packet.
fn collapse(config: &mut FabricConfig) {
    let vc_map = VcMap::ascending(1, 0, 0, 0, 0);
    config.route_all(RoutingConfig { vc_map, ..config.routings[0].clone() });
    config.router.input_buffer = 4;
    config.router.output_buffer = 4;
}

/// 79 nodes at full load on Valiant paths, beside these jobs.
fn crowded(others: &[Value]) -> Value {
    let flood = job("flood", 79, json!({"kind": "pattern", "pattern": "uniform", "load": 1.0}));
    let jobs: Vec<Value> = std::iter::once(flood).chain(others.iter().cloned()).collect();
    let mut plan = plan(json!(jobs));
    for (key, value) in [("p", 4), ("a", 4), ("h", 1), ("g", 5)] {
        plan["topology"][key] = json!(value);
    }
    plan["routing"]["algorithm"] = json!("valiant_node");
    plan["stop"]["duration_ps"] = json!(20_000_000_000_u64);
    plan["record"]["packets"] = json!("off");
    plan
}

fn stuck(plan: &Value) -> Ran {
    let simulation = Simulation::with_config(read(plan), 0, collapse).unwrap();
    let ran = finish(simulation, |_| true);
    let End::Stalled(text) = &ran.end else { panic!("{:?}", ran.end) };
    assert_eq!(
        (&ran.document["complete"], &ran.document["reason"]),
        (&json!(false), &json!("stalled"))
    );
    assert_eq!(ran.document["diagnosis"], json!(text));
    let in_flight = ran.document["counters"]["packets_in_flight"].as_u64().unwrap();
    let mut lines = text.lines();
    let first = lines.next().unwrap();
    assert!(
        first.starts_with(&format!("{in_flight} packets in flight do not move; a cycle of ")),
        "{first}"
    );
    assert!(lines.next().is_some_and(|line| line.contains("waits for port")), "{text}");
    ran
}

#[test]
fn a_network_without_any_event_is_diagnosed() {
    let one = stuck(&crowded(&[]));
    // The cycle goes from part to part.
    let parted =
        finish(Simulation::on_threads(read(&crowded(&[])), 0, 3, collapse).unwrap(), |_| true);
    assert_eq!((&parted.end, parted.reproducible()), (&one.end, one.reproducible()));
}

/// A job that will start later keeps the clock going; the packets in flight do not wait for it.
#[test]
fn a_network_that_waits_for_nothing_is_diagnosed() {
    let later =
        json!({"kind": "allreduce_loop", "message_bytes": 8, "iterations": 1, "compute_ps": 0});
    let mut plan = crowded(&[job("later", 1, later)]);
    plan["jobs"][1]["start_ps"] = json!(10_000_000_000_u64);
    let ran = stuck(&plan);
    assert!(ran.simulated() < 200_000_000, "{} ps", ran.simulated());
}

/// Events go on for ever, none of them a packet's move: the watchdog ends it.
#[test]
fn the_watchdog_sees_through_other_events() {
    let busy = json!({"kind": "allreduce_loop", "message_bytes": 8, "iterations": 1_000_000, "compute_ps": 100_000});
    let mut plan = crowded(&[job("busy", 1, busy)]);
    let ran = stuck(&plan);
    let time = ran.simulated();
    assert!((100_000_000..200_000_000).contains(&time), "{time} ps");
    plan["stop"]["watchdog_ps"] = json!(300_000_000);
    let longer = stuck(&plan).simulated();
    assert_eq!(longer - time, 200_000_000);
}

/// A link that takes longer than the watchdog's patience is not stuck, and a plan that confuses the
/// two is refused.
#[test]
fn slow_links_are_not_stalls() {
    let mut slow = plan(json!([crate::support::halo()]));
    slow["links"]["global"]["latency_ps"] = json!(90_000_000);
    let error = Simulation::new(read(&slow), 0).err().expect("refused");
    assert_eq!(error.key, "stop.watchdog_ps");
    assert!(error.message.contains("latency of the global links: 90000000 ps"), "{error}");
    let remedy = error.remedy.strip_prefix("set stop.watchdog to ").unwrap();
    let least: u64 = remedy.strip_suffix(" ps or more").unwrap().parse().unwrap();
    slow["stop"]["watchdog_ps"] = json!(least);
    assert_eq!(crate::support::run(&slow).end, End::Finished);
}

/// A rank waits for a message behind others that it has no buffer for. The network is not full, and
/// the diagnosis counts them.
#[test]
fn messages_without_a_buffer_are_a_deadlock() {
    let source = "Task 2 computes for 50 microseconds then task 2 sends a 100 byte message to task 1 \
                  then task 0 sends 40 8 kilobyte messages to task 1.";
    let workload = json!({"kind": "ncptl", "file": "late.ncptl", "source": source, "seed": 1, "touch_per_byte_fs": 0});
    let mut plan = plan(json!([job("late", 3, workload)]));
    plan["mpi"]["short_buffers"] = json!(1);
    plan["mpi"]["extra_buffers"] = json!(2);
    plan["record"]["packets"] = json!("off");
    let ran = finish(Simulation::new(read(&plan), 0).unwrap(), |_| true);
    let End::Stalled(text) = &ran.end else { panic!("{:?}", ran.end) };
    assert!(text.contains("job 'late' rank 1 is blocked in recv"), "{text}");
    assert!(text.contains(" for it in its NIC without a buffer"), "{text}");
}
