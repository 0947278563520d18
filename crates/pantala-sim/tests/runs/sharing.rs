//! Several ranks a node, and hosts that cost time: whole runs.

use crate::support::{Ran, fft, finish, halo, noise, plan, ps, read, run};
use pantala_sim::{End, Simulation};
use serde_json::{Value, json};

/// A plan with so many ranks a node in its MPI jobs, and the host stack of SST's SC22 fork.
pub(crate) fn with_a_host_stack(plan: &Value, ranks_per_node: u32) -> Value {
    let mut plan = plan.clone();
    for (key, value) in [
        ("send_overhead_ps", 13_000_u64),
        ("receive_overhead_ps", 10_000),
        ("gap_ps", 20_000),
        ("gap_per_byte_fs", 41_000),
        ("call_overhead_ps", 30_000),
        ("send_copy_per_byte_fs", 344_000),
        ("registration_ps", 300_000),
        ("registration_per_page_ps", 10_000),
        ("match_delay_ps", 15_000),
        ("host_to_nic_ps", 10_000),
        ("nic_to_host_ps", 15_000),
        ("memory_latency_ps", 80_000),
        ("memory_bandwidth_bytes_per_s", 8_000_000_000),
    ] {
        plan["mpi"][key] = json!(value);
    }
    for job in plan["jobs"].as_array_mut().unwrap() {
        if job["workload"]["kind"] != "pattern" {
            job["ranks_per_node"] = json!(ranks_per_node);
        }
    }
    plan
}

fn shared(ranks_per_node: u32) -> Ran {
    let mut plan = plan(json!([halo(), fft()]));
    for job in [0, 1] {
        plan["jobs"][job]["ranks_per_node"] = json!(ranks_per_node);
    }
    run(&plan)
}

#[test]
fn ranks_are_on_their_nodes() {
    for (ranks_per_node, nodes) in [(1, 12), (3, 4), (5, 3), (12, 1), (100, 1)] {
        let ran = shared(ranks_per_node);
        assert_eq!(ran.end, End::Finished);
        for job in ran.document["plan"]["jobs"].as_array().unwrap() {
            assert_eq!(job["nodes"].as_array().unwrap().len(), nodes);
            assert_eq!(
                (&job["ranks"], &job["ranks_per_node"]),
                (&json!(12), &json!(ranks_per_node))
            );
        }
        assert_eq!(ran.rows("ranks").len(), 24);
        for rank in ran.rows("ranks") {
            let job = &ran.document["plan"]["jobs"][rank["job"].as_u64().unwrap() as usize];
            let place = rank["rank"].as_u64().unwrap() / u64::from(ranks_per_node);
            assert_eq!(rank["node"], job["nodes"][place as usize]);
        }
    }
}

/// What programs do is the same; only what is between nodes is on the network.
#[test]
fn messages_are_the_same() {
    let (alone, together, one_node) = (shared(1), shared(3), shared(12));
    let count = |ran: &Ran| (ran.rows("messages").len(), ran.sum("ranks", "bytes_sent", |_| true));
    assert_eq!(count(&alone), count(&together));
    assert_eq!(count(&alone), count(&one_node));
    let on_links = |ran: &Ran| ran.sum("links", "bytes", |link| link["class"] == "injection");
    assert!(on_links(&together) < on_links(&alone) && on_links(&together) > 0);
    assert_eq!(on_links(&one_node), 0, "all through memory");
}

/// A job of one node: its halo exchange takes the memory's time, whatever the network has to do.
#[test]
fn memory_does_not_feel_the_network() {
    let ends = |jobs: Value| {
        let ran = run(&with_a_host_stack(&plan(jobs), 12));
        ps(&ran.rows("jobs")[0]["end_ns"])
    };
    assert_eq!(ends(json!([halo()])), ends(json!([halo(), noise(0.6)])));
}

/// The host stack of SST's firefly on top of other costs: every key that is off by default.
fn with_firefly(plan: &Value) -> Value {
    let mut plan = plan.clone();
    for key in ["gap_ps", "gap_per_byte_fs"] {
        plan["mpi"][key] = json!(0);
    }
    for (key, value) in [
        ("progress", json!("in_calls")),
        ("finalize", json!("barrier")),
        ("initialization_ps", json!(180_000)),
        ("receive_registration", json!("posted")),
        ("deregistration_ps", json!(300_000)),
        ("match_per_entry_ps", json!(15_000)),
        ("nic_transmit_ps", json!(5_000)),
        ("nic_match_ps", json!(10_000)),
        ("get_service", json!("nic")),
        ("nic_read_ps", json!(200_000)),
        ("nic_order", json!("gets_apart")),
        ("control_bytes", json!(45)),
        ("get_bytes", json!(13)),
        ("acknowledgement_bytes", json!(15)),
        ("eager_header_bytes", json!(45)),
        ("data_header_bytes", json!(13)),
    ] {
        plan["mpi"][key] = value;
    }
    plan
}

#[test]
fn threads_change_nothing() {
    let mut costly = with_a_host_stack(&plan(json!([halo(), fft(), noise(0.4)])), 2);
    costly["jobs"][1]["ranks_per_node"] = json!(5);
    let mut service = with_firefly(&costly);
    service["mpi"]["get_service"] = json!("host");
    for plan in [with_firefly(&costly), service, costly] {
        let tables = |threads| {
            let simulation = Simulation::on_threads(read(&plan), 0, threads, |_| {});
            let ran = finish(simulation.unwrap(), |_| true);
            assert_eq!(ran.end, End::Finished);
            let document = ran.reproducible();
            let files = ran.files.into_iter().filter(|(name, _)| name != "run.json");
            (files.collect::<Vec<_>>(), document)
        };
        let one = tables(1);
        assert!(one == tables(2) && one == tables(3));
    }
}

#[test]
fn gaps_and_two_engines_exclude_each_other() {
    let mut plan = with_firefly(&plan(json!([halo()])));
    plan["mpi"]["gap_ps"] = json!(1_000);
    let told = Simulation::new(read(&plan), 0).err().expect("refused").to_string();
    assert_eq!(
        told,
        "mpi.gap_ps = 1000: the gaps of LogGP do not apply to a NIC that sends gets apart; remove it, \
         or set mpi.nic_order to \"fifo\""
    );
}

#[test]
fn what_cannot_be_is_refused() {
    let told = |job: Value| {
        Simulation::new(read(&plan(json!([job]))), 0).err().expect("refused").to_string()
    };
    let with = |mut job: Value, ranks_per_node: u32| {
        job["ranks_per_node"] = json!(ranks_per_node);
        job
    };
    assert_eq!(
        told(with(noise(0.3), 2)),
        "jobs[0].ranks_per_node = 2: a pattern has one rank per node; leave it out, or run a motif"
    );
    assert!(
        told(with(halo(), 0)).starts_with("jobs[0].ranks_per_node = 0: must be more than zero")
    );
    let mut listed = with(halo(), 5);
    listed["placement"] = json!({"kind": "nodes", "nodes": [1, 2, 3, 4]});
    assert!(told(listed).contains("has 12 ranks, 5 per node: 3 nodes"));
}
