//! Random machines, and random choices of stages.

use crate::support::*;
use pantala_engine::Stream;
use pantala_fabric::FabricConfig;
use pantala_fabric::config::*;
use pantala_routing::{Algorithm, QueueMeasure, QueueScope};
use pantala_topology::Topology;
use proptest::prelude::*;

/// Small machines of one and two dimensions, parallel links included.
pub(crate) fn machines() -> impl Strategy<Value = Topology> {
    (1u32..4, prop_oneof![2 => meshes(1..5), 1 => grids(1..3)], 1u32..4)
        .prop_flat_map(|(p, group, h)| {
            (Just(p), Just(group), Just(h), 1..=(group.routers() * h + 1))
        })
        .prop_map(|(p, group, h, g)| Topology::dragonfly(&spec(p, group, h, g)).unwrap())
}

/// A network without some of its links, each direction failed by a coin.
pub(crate) fn damaged(topology: Topology, share: f64, seed: u64) -> Topology {
    let mut draws = Stream::new(seed, 8, 0);
    let mut coin = || f64::from(draws.below(1_000)) < 1_000.0 * share;
    let failed: Vec<(u32, u16)> = topology
        .links()
        .filter(|_| coin())
        .map(|link| (link.source_router, link.source_port))
        .collect();
    topology.without(&failed).unwrap()
}

/// Stages to be put together at random.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    kind: usize,
    arbiter: usize,
    releases: (usize, usize),
    contention: usize,
    injection: usize,
    gap: u32,
    clocked: bool,
    after: bool,
    credit_at_crossbar: bool,
    whole_packets: bool,
    store: bool,
    by_flits: bool,
    islip: bool,
    slow_crossbar: bool,
    latency_at: bool,
    in_order: bool,
    pub(crate) short: bool,
    packets: u32,
    out_packets: u32,
}

prop_compose! {
    pub(crate) fn choices()(
        kind in 0usize..4, arbiter in 0usize..4, releases in (0usize..3, 0usize..3), contention in 0usize..3,
        injection in 0usize..3, gap in 0u32..3, flags: [bool; 11], packets in 1u32..6, out_packets in 0u32..6,
    ) -> Choices {
        let [clocked, after, credit_at_crossbar, whole_packets, store, by_flits, islip, slow_crossbar, short, latency_at, in_order] = flags;
        Choices {
            kind, arbiter, releases, contention, injection, gap, clocked, after, credit_at_crossbar, whole_packets, store,
            by_flits, islip, slow_crossbar, latency_at, in_order, short, packets, out_packets,
        }
    }
}

pub(crate) fn configuration(algorithm: Algorithm, seed: u64, choices: &Choices) -> FabricConfig {
    const RELEASES: [Release; 3] = [Release::Tail, Release::Head, Release::Flit];
    let bases = [kang, sst, codes, codes];
    let mut config = bases[choices.kind](algorithm);
    let virtual_output = choices.kind >= 2;
    config.seed = seed;
    config.injection_vc =
        [InjectionVc::First, InjectionVc::FirstFree, InjectionVc::Random][choices.injection];
    let router = &mut config.router;
    if choices.latency_at {
        router.output_latency_at = match router.output_latency_at {
            OutputLatency::Link => OutputLatency::Crossbar,
            OutputLatency::Crossbar => OutputLatency::Link,
        };
    }
    router.output_release =
        [OutputRelease::Tail, OutputRelease::Start, OutputRelease::Flit][choices.releases.1];
    router.link_decision =
        if choices.after { LinkDecision::AfterFlit } else { LinkDecision::AtStart };
    router.buffer_unit = if choices.whole_packets { BufferUnit::Packet } else { BufferUnit::Flit };
    if choices.store {
        router.flow_control = FlowControl::StoreAndForward;
        router.serialization = Serialization::Counted;
    } else if choices.kind == 2 {
        router.flow_control = FlowControl::VirtualCutThrough;
    }
    router.input_buffer = 4 * choices.packets;
    router.output_buffer = if virtual_output { 0 } else { 4 * choices.out_packets };
    if !virtual_output {
        router.arbiter =
            [Arbiter::RoundRobin, Arbiter::Age, Arbiter::Lru, Arbiter::Random][choices.arbiter];
        router.credit_return = RELEASES[choices.releases.0];
        router.crossbar_clock =
            if choices.clocked { CrossbarClock::Flit } else { CrossbarClock::None };
        router.crossbar_contention =
            [CrossbarContention::Port, CrossbarContention::Vc, CrossbarContention::PortAndVc]
                [choices.contention];
        router.input_vc_gap = choices.gap;
        router.output_vc_gap = if choices.contention == 0 { 0 } else { choices.gap };
        router.credit_check =
            if choices.credit_at_crossbar { CreditCheck::Crossbar } else { CreditCheck::Link };
        if choices.credit_at_crossbar && choices.in_order {
            router.link_order = LinkOrder::Arrival;
            router.link_clock = if choices.latency_at { LinkClock::Flit } else { LinkClock::None };
        }
        if choices.short {
            router.credit_latency = CreditLatency::Fixed;
            router.credit_delay = 700;
        }
    }
    if choices.in_order && router.link_order == LinkOrder::RoundRobin {
        router.link_order = if choices.short { LinkOrder::HighestVc } else { LinkOrder::LowestVc };
    }
    if choices.by_flits && !virtual_output && algorithm != Algorithm::QAdaptive {
        router.flow_control = FlowControl::Wormhole;
        router.serialization = Serialization::Counted;
        router.buffer_unit = BufferUnit::Flit;
        router.link_decision = LinkDecision::AtStart;
        router.crossbar_contention = CrossbarContention::PortAndVc;
    }
    if !virtual_output
        && router.crossbar_contention == CrossbarContention::PortAndVc
        && choices.islip
    {
        router.arbiter = Arbiter::Islip;
    }
    if !virtual_output && choices.slow_crossbar {
        cross_in(&mut config, 7_321);
    }
    let ugal = &mut config.routings[0].ugal;
    ugal.queue = [QueueMeasure::OutputAndCredits, QueueMeasure::Output, QueueMeasure::Credits]
        [choices.arbiter.min(2)];
    ugal.scope = if choices.after { QueueScope::Vc } else { QueueScope::Port };
    ugal.candidates_nonminimal = choices.packets.min(2);
    config
}
