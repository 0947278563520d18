//! The rule of `--threads auto`, on the machines it was measured on.

use crate::support::{fft, halo, noise, plan, read};
use pantala_sim::run::threads::{PACKET_HOPS_PER_THREAD, packet_hops_per_window, worth};
use serde_json::{Value, json};

/// A pattern on all nodes of a balanced Dragonfly of these routers, with global links of 300 ns.
fn everywhere(p: u32, load: f64) -> Value {
    let (a, h) = (2 * p, p);
    let groups = a * h + 1;
    let mut plan = plan(json!([noise(load)]));
    plan["topology"]["p"] = json!(p);
    plan["topology"]["a"] = json!(a);
    plan["topology"]["h"] = json!(h);
    plan["topology"]["g"] = json!(groups);
    plan["links"]["global"]["latency_ps"] = json!(300_000);
    plan["jobs"][0]["ranks"] = json!(p * a * groups);
    plan["jobs"][0]["nodes"] = json!([]);
    plan
}

fn threads(plan: &Value, processors: u32) -> u32 {
    worth(&read(plan), processors).unwrap()
}

#[test]
fn small_machines_have_one_thread() {
    for load in [0.1, 1.0] {
        assert_eq!(threads(&everywhere(1, load), 64), 1);
    }
    assert_eq!(threads(&plan(json!([halo(), fft()])), 64), 1);
}

#[test]
fn a_thread_has_its_packet_hops() {
    // (p, load, processors): threads. 1,056 nodes have 33 groups, 16,512 nodes 129.
    for (p, load, processors, expected) in [
        (2, 0.5, 64, 1),
        (4, 0.02, 64, 1),
        (4, 0.1, 2, 2),
        (4, 0.1, 64, 2),
        (4, 0.5, 1, 1),
        (4, 0.5, 2, 2),
        (4, 0.5, 64, 11),
        (4, 1.0, 64, 17),
        (8, 0.5, 16, 15),
        (8, 0.5, 64, 43),
    ] {
        let plan = everywhere(p, load);
        let hops = packet_hops_per_window(&read(&plan));
        let threads = threads(&plan, processors);
        assert_eq!(threads, expected, "{hops} packet-hops on {processors} processors");
        assert!(threads == 1 || f64::from(threads) * PACKET_HOPS_PER_THREAD <= hops);
    }
}

/// 33 groups on 16 threads are 3 on the slowest, as on 11.
#[test]
fn no_thread_is_idle_beside_one_with_more_groups() {
    let plan = everywhere(4, 1.0);
    let found: Vec<u32> = [10, 11, 16, 17].map(|processors| threads(&plan, processors)).to_vec();
    assert_eq!(found, [9, 11, 11, 17]);
}

#[test]
fn no_more_threads_than_groups() {
    let mut plan = everywhere(8, 1.0);
    plan["topology"]["g"] = json!(3);
    plan["topology"]["links_per_pair"] = json!(0);
    plan["jobs"][0]["ranks"] = json!(3 * 128);
    plan["links"]["global"]["latency_ps"] = json!(3_000_000);
    assert_eq!(threads(&plan, 64), 3);
}
