//! A network in several partitions gives the results of one partition, packet by packet and link by
//! link.

use crate::choices::{choices, configuration, machines};
use crate::support::*;
use pantala_engine::Time;
use pantala_fabric::{
    Audit, Delivery, Diagnosis, FabricConfig, Host, JobTraffic, LinkCounters, Network,
    PartitionMap, Pull, Totals, Wakes,
};
use pantala_routing::learning::{Estimate, LearningWindow};
use pantala_routing::{Algorithm, Information};
use pantala_topology::Topology;
use proptest::prelude::*;
use std::sync::Arc;

/// A network in this number of partitions, each with the traffic of its own NICs.
fn network(
    config: &FabricConfig,
    topology: &Arc<Topology>,
    count: u32,
    load: f64,
    quiet: Time,
) -> Network<Uniform, Log> {
    let partitions = Arc::new(PartitionMap::new(topology, count));
    let keys: Vec<u64> = (0..u64::from(topology.terminals())).collect();
    let ends = (0..partitions.count())
        .map(|_| (Uniform::new(topology.terminals(), config, load, quiet), Log::default()));
    Network::new(
        config,
        Arc::clone(topology),
        Arc::clone(&partitions),
        0..partitions.count(),
        &keys,
        ends,
    )
}

/// All that can be seen of a run.
#[derive(Debug, PartialEq)]
pub(crate) struct Run {
    packets: Vec<Seen>,
    totals: Totals,
    /// In the middle of the run, and at its end.
    links: [Vec<(LinkCounters, Vec<JobTraffic>)>; 2],
    estimates: Vec<Estimate>,
    learning: Vec<LearningWindow>,
    now: Time,
    audits: Vec<Audit>,
}

/// The counters of all links at `now`, and those of each job.
fn links(
    net: &Network<Uniform, Log>,
    topology: &Topology,
    now: Time,
) -> Vec<(LinkCounters, Vec<JobTraffic>)> {
    let ports = topology.ports_per_router() as u16;
    let outputs =
        (0..topology.routers()).flat_map(|router| (0..ports).map(move |port| (router, port)));
    let outputs = outputs.map(|(router, port)| {
        (net.link_counters(router, port, now), net.link_jobs(router, port, now).collect())
    });
    let nics = (0..topology.terminals()).map(|terminal| {
        (net.injection_counters(terminal, now), net.injection_jobs(terminal, now).collect())
    });
    outputs.chain(nics).collect()
}

pub(crate) fn run(
    config: &FabricConfig,
    topology: &Arc<Topology>,
    count: u32,
    quiet: Time,
    scramble: Option<u64>,
) -> Run {
    let mut net = network(config, topology, count, 0.8, quiet);
    assert_eq!(u32::from(net.partitions()), count.min(topology.groups()));
    if let Some(seed) = scramble {
        net.scramble(seed);
    }
    net.record_learning(100_000);
    // Audit once in the middle, when many messages between partitions are on their way.
    net.advance(quiet / 2);
    let mut audits = vec![net.audit()];
    let middle = links(&net, topology, quiet / 2);
    net.advance(Time::MAX);
    net.learn_before(net.now() + 1);
    audits.push(net.audit());
    assert_eq!(net.packets_in_flight(), 0, "{}", net.diagnose());
    let mut packets: Vec<Seen> = net
        .probes_mut()
        .flat_map(|log| log.packets.drain(..).chain(log.responses.drain(..)))
        .collect();
    packets.sort_unstable_by_key(|seen| (seen.delivered, seen.destination));
    Run {
        packets,
        // How many events that takes is another matter.
        totals: Totals { events: 0, ..net.totals() },
        links: [middle, links(&net, topology, net.now())],
        estimates: net.estimates().estimates().collect(),
        learning: net.learning_windows(),
        now: net.now(),
        audits,
    }
}

#[test]
fn every_routing_and_router_model_is_the_same_in_parts() {
    let topology = Arc::new(dragonfly(3, 4, 3, 13));
    for algorithm in Algorithm::ALL
        .into_iter()
        .filter(|algorithm| algorithm.information() != Information::GroupQueues)
    {
        for (mut config, quiet) in pantala_testing::sample(all_models(algorithm, 400_000)) {
            config.router.input_buffer = 12;
            config.router.output_buffer = 8;
            let whole = run(&config, &topology, 1, quiet, None);
            assert!(whole.packets.len() > 100 && whole.audits.iter().all(Audit::balanced));
            for (count, scramble) in [(2, None), (5, Some(1))] {
                let partitioned = run(&config, &topology, count, quiet, scramble);
                let differs = whole.packets.iter().zip(&partitioned.packets).find(|(a, b)| a != b);
                assert!(differs.is_none(), "{algorithm:?} in {count}: {differs:?}");
                assert!(
                    whole == partitioned,
                    "{algorithm:?} in {count}: links, totals or estimates differ"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(pantala_testing::cases(32))]

    #[test]
    fn results_do_not_depend_on_the_number_of_partitions(
        topology in machines(), algorithm in 0..Algorithm::COUNT, seed: u64, choices in choices(), count in 1u32..16, blocks in 0u32..4,
    ) {
        let algorithm = Algorithm::ALL[algorithm];
        prop_assume!(topology.terminals() > 1 && (algorithm.carries_2d() || !topology.is_2d()));
        prop_assume!(algorithm.information() != Information::GroupQueues);
        let topology = Arc::new(topology);
        let mut config = configuration(algorithm, seed, &choices);
        let whole = run(&config, &topology, 1, 150_000, None);
        config.blocks = blocks;
        prop_assert!(whole == run(&config, &topology, count, 150_000, None));
    }
}

/// With one VC for everything a Dragonfly deadlocks; the diagnosis is the same wherever the cycle
/// crosses from partition to partition.
#[test]
fn a_deadlock_is_diagnosed_across_partitions() {
    let mut config = kang(Algorithm::ValiantNode);
    config.router.output_buffer = 4;
    let whole = deadlocked(config.clone());
    let stuck = |count: u32| -> Diagnosis {
        let topology = Arc::new(whole.topology().clone());
        let mut net = network(whole.config(), &topology, count, 1.0, 50_000_000);
        net.advance(Time::MAX);
        assert!(net.audit().balanced());
        net.diagnose()
    };
    assert!(whole.diagnose().cycle);
    for count in [1, 2, 5] {
        assert_eq!(stuck(count), whole.diagnose(), "{count}");
    }
}

/// A network whose routers read the queues of other groups must have one partition.
#[test]
#[should_panic(expected = "a routing that reads all queues needs one partition")]
fn a_routing_that_reads_all_queues_is_refused_in_several_partitions() {
    network(&kang(Algorithm::UgalGlobal), &Arc::new(dragonfly(2, 4, 2, 9)), 2, 0.5, 1_000);
}

/// Sends nothing, but breaks down at a NIC.
struct Broken(u32);

impl Host for Broken {
    type Message = ();

    fn start(&mut self, terminal: u32, wakes: &mut Wakes) {
        wakes.timers.push(1_000 + Time::from(terminal));
    }
    fn pull(&mut self, _: u32, _: Time, _: &mut Wakes) -> Pull {
        Pull::Idle
    }
    fn deliver(&mut self, _: u32, _: &Delivery, _: Time, _: &mut Wakes) {}
    fn timer(&mut self, terminal: u32, now: Time, wakes: &mut Wakes) {
        assert_ne!(terminal, self.0, "a host breaks down");
        wakes.timers.push(now + 500_000);
    }
}

/// A partition that panics ends the others too: none waits forever.
#[test]
fn a_panic_in_one_part_ends_all() {
    let topology = Arc::new(dragonfly(2, 4, 2, 9));
    for broken in [0, 40, 71] {
        let partitions = Arc::new(PartitionMap::new(&topology, 4));
        let keys: Vec<u64> = (0..u64::from(topology.terminals())).collect();
        let ends = (0..4).map(|_| (Broken(broken), Log::default()));
        let config = kang(Algorithm::Minimal);
        let mut net = Network::new(&config, Arc::clone(&topology), partitions, 0..4, &keys, ends);
        let ended =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| net.advance(Time::MAX)));
        assert!(ended.is_err(), "node {broken}");
    }
}
