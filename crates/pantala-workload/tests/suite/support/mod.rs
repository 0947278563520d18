//! Endpoints on the ideal network of tests.
#![allow(dead_code, unreachable_pub)]

use pantala_engine::Time;
use pantala_fabric::{Delivery, Host, Pull, Wakes};
use pantala_mpi::{MpiConfig, Recording};
use pantala_testing::ideal_network::Hosts;
pub use pantala_testing::ideal_network::Ideal;
use pantala_workload::{Endpoints, JobSpec, Noise, PatternContext, WorkloadError, WorkloadSpec};

struct Driven<'a>(&'a mut Endpoints);

impl Hosts for Driven<'_> {
    fn start(&mut self, node: u32, wakes: &mut Wakes) {
        self.0.start(node, wakes);
    }
    fn pull(&mut self, node: u32, now: Time, wakes: &mut Wakes) -> Pull {
        let pull = self.0.pull(node, now, wakes);
        if let Pull::Later(time) = pull {
            assert_eq!(time, self.0.next_at(node));
        }
        pull
    }
    fn deliver(&mut self, node: u32, packet: &Delivery, now: Time, wakes: &mut Wakes) {
        self.0.deliver(node, packet, now, wakes);
    }
    fn timer(&mut self, node: u32, now: Time, wakes: &mut Wakes) {
        self.0.timer(node, now, wakes);
    }
}

/// Packets of 512 B, flits of 128 B, 25 GB/s (40 ps per byte), 4 nodes per group.
pub fn endpoints_on(
    jobs: &[JobSpec],
    mpi: &MpiConfig,
    nodes: u32,
    seed: u64,
) -> Result<Endpoints, WorkloadError> {
    recorded(jobs, mpi, Recording::default(), nodes, seed)
}

/// As [`endpoints_on`], with a choice of records.
pub fn recorded(
    jobs: &[JobSpec],
    mpi: &MpiConfig,
    recording: Recording,
    nodes: u32,
    seed: u64,
) -> Result<Endpoints, WorkloadError> {
    let context = PatternContext {
        packet_bytes: 512,
        flit_bytes: 128,
        terminal_bytes_per_second: 25_000_000_000,
        group_of_node: (0..nodes).map(|node| node / 4).collect(),
    };
    Endpoints::new(jobs.to_vec(), *mpi, recording, &context, nodes, seed)
}

pub fn endpoints(jobs: &[JobSpec], nodes: u32) -> Endpoints {
    endpoints_on(jobs, &MpiConfig::default(), nodes, 1).unwrap()
}

/// Runs endpoints until nothing happens any more, or until `end`.
pub fn run(endpoints: &mut Endpoints, network: &mut Ideal, nodes: u32, end: Time) -> Time {
    network.run(&mut Driven(endpoints), nodes, end)
}

/// Runs finite jobs to their end on a network of 1 us latency and 40 ps per byte.
pub fn finish(endpoints: &mut Endpoints, nodes: u32) -> Ideal {
    let mut network = Ideal::new(1_000_000, 40);
    run(endpoints, &mut network, nodes, Time::MAX);
    assert_eq!(endpoints.errors(), []);
    assert!(endpoints.finished(), "{:#?}", endpoints.blocked_report());
    network
}

pub fn job(name: &str, nodes: impl IntoIterator<Item = u32>, workload: &str) -> JobSpec {
    JobSpec {
        name: name.to_owned(),
        nodes: nodes.into_iter().collect(),
        start: 0,
        end: pantala_engine::NEVER,
        repeat: false,
        noise: Noise::default(),
        workload: workload_of(workload).into(),
    }
}

/// A workload from JSON without quotes: `kind: halo3d, grid: [1, 1, 2], ...`.
pub fn workload_of(text: &str) -> WorkloadSpec {
    let mut json = String::from("{");
    let mut word = String::new();
    let flush = |word: &mut String, json: &mut String| {
        let bare =
            word.is_empty() || word.parse::<f64>().is_ok() || word == "true" || word == "false";
        json.push_str(&if bare { word.clone() } else { format!("\"{word}\"") });
        word.clear();
    };
    for c in text.chars() {
        if c.is_alphanumeric() || "_.-".contains(c) {
            word.push(c);
        } else {
            flush(&mut word, &mut json);
            json.push(c);
        }
    }
    flush(&mut word, &mut json);
    json.push('}');
    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{json}: {error}"))
}
