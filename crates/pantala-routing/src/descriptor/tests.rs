//! Descriptors against the code that they describe.

use crate::draws::salted;
use crate::state::RouteState;
use crate::{
    Algorithm, CongestionView, GatewayChoice, Information, IntermediateChoice, QueueMeasure,
    QueueScope, RoutingConfig, RoutingKey, Tie,
};
use pantala_topology::{
    DragonflySpec, GlobalArrangement, GroupSpec, Peer, PortAssignment, Topology,
};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

/// The name of a routing is that of its file, of its type, and of the variant that plans spell.
#[test]
fn names_agree() {
    for algorithm in Algorithm::ALL {
        let plan: StrDeserializer<'_, Error> = algorithm.name().into_deserializer();
        assert_eq!(Algorithm::deserialize(plan), Ok(algorithm));
        assert_eq!(Algorithm::from_name(algorithm.name()), Some(algorithm));
    }
}

#[test]
fn every_descriptor_is_whole() {
    for algorithm in Algorithm::ALL {
        let it = algorithm.descriptor();
        let name = algorithm.name();
        assert!(![it.title, it.rule, it.source].contains(&""), "{name}");
        assert!(
            it.rule.ends_with('.') && it.modes.iter().all(|mode| mode.rule.ends_with('.')),
            "{name}"
        );
        assert_eq!(it.through.is_empty(), it.decides.is_empty(), "{name}");
        assert!(it.information == Information::Nothing || !it.reads.is_empty(), "{name}");
        let modes = it.modes.iter().flat_map(|mode| [mode.fixed, mode.defaults]);
        for setting in [it.defaults].into_iter().chain(modes).flatten() {
            assert!(it.reads.contains(&setting.key()), "{name}: {setting:?} has no effect");
        }
    }
}

/// Queues that are a function of what is asked.
struct Hashed(u64);

impl CongestionView for Hashed {
    fn queue(&mut self, port: u16, vc: Option<u8>, measure: QueueMeasure) -> i64 {
        self.queue_at(0, port, vc, measure)
    }

    fn queue_at(&mut self, router: u32, port: u16, vc: Option<u8>, measure: QueueMeasure) -> i64 {
        let asked = [u64::from(router), port.into(), vc.map_or(99, u64::from), measure as u64];
        // Few values, so that ties are common.
        (asked.iter().fold(self.0, |hash, part| salted(hash, *part)) % 6) as i64
    }
}

/// The ports and VCs of a packet's path.
fn path(
    routing: &RoutingConfig,
    topology: &Topology,
    source: u32,
    destination: u32,
    draw: u64,
) -> Vec<(u16, u8)> {
    let mut route = RouteState {
        destination,
        destination_router: topology.router_of(destination),
        destination_group: topology.group_of_terminal(destination) as u16,
        draw,
        ..RouteState::EMPTY
    };
    let (mut router, mut hops) = (topology.router_of(source), Vec::new());
    loop {
        let group = topology.group_of(router);
        let hop = if routing.algorithm.learns() {
            let ports = topology.ports_per_router() as u16 - topology.first_local_port();
            let estimate = |port| match topology.peer(router, topology.first_local_port() + port) {
                Peer::Unconnected => f32::INFINITY,
                _ => (1 + salted(draw, (u64::from(router) << 16) + u64::from(port)) % 100) as f32,
            };
            let row: Vec<f32> = (0..ports).map(estimate).collect();
            routing.route_by_estimates(topology, router, group, &mut route, &row, false)
        } else {
            routing.decide(topology, router, &mut route, &mut Hashed(draw ^ u64::from(router)));
            routing.follow(topology, router, group, &mut route)
        };
        hops.push((hop.port, hop.vc));
        match topology.peer(router, hop.port) {
            Peer::Port { router: next, .. } => router = next,
            _ => return hops,
        }
        route.hops += 1;
    }
}

/// A routing whose decisions are close, so that every key can matter.
fn usual(algorithm: Algorithm) -> RoutingConfig {
    let mut routing = RoutingConfig::new(algorithm);
    routing.ugal.threshold = 1.0;
    routing.ugal.minimal_up_to = -1;
    routing.aries.full = 6;
    routing
}

fn changed(key: RoutingKey, routing: &mut RoutingConfig) {
    match key {
        RoutingKey::Threshold => routing.ugal.threshold = 2.0,
        RoutingKey::BiasFlits => routing.ugal.bias = 2,
        RoutingKey::MinimalUpToFlits => routing.ugal.minimal_up_to = 3,
        RoutingKey::CandidatesMinimal => routing.ugal.candidates_minimal = 2,
        RoutingKey::CandidatesNonminimal => routing.ugal.candidates_nonminimal = 2,
        RoutingKey::Queue => routing.ugal.queue = QueueMeasure::Output,
        RoutingKey::QueueScope => routing.ugal.scope = QueueScope::Vc,
        RoutingKey::Tie => routing.ugal.tie = Tie::Random,
        RoutingKey::Intermediate => routing.intermediate = IntermediateChoice::Any,
        RoutingKey::IntraGroup => {
            let last = routing.algorithm.descriptor().intra_groups.last();
            routing.intra_group = *last.expect("a routing takes a path inside a group");
        }
        RoutingKey::Gateways => routing.choose_gateways(GatewayChoice::Nearest),
        RoutingKey::Aries => routing.aries.add = 3,
        RoutingKey::QAdaptive => routing.q_adaptive.threshold_source = -1.0,
    }
}

/// A key changes some packet's path under the routings that read it, and no packet's under the
/// others.
#[test]
fn routings_read_the_keys_that_they_name() {
    let topology = Topology::dragonfly(&DragonflySpec {
        terminals_per_router: 1,
        group: GroupSpec::FullMesh { routers: 3, links_per_pair: 1 },
        global_ports: 6,
        groups: 4,
        links_per_pair: 0,
        global_arrangement: GlobalArrangement::Absolute,
        port_assignment: PortAssignment::Consecutive,
        mirrored: false,
        global_arrangement_seed: 0,
    })
    .unwrap();
    let terminals = u64::from(topology.terminals());
    let trials: Vec<(u32, u32, u64)> = (0..600)
        .map(|draw| {
            (
                (salted(draw, 1) % terminals) as u32,
                (salted(draw, 2) % terminals) as u32,
                salted(draw, 3),
            )
        })
        .collect();
    for algorithm in Algorithm::ALL {
        let paths = |routing: &RoutingConfig| -> Vec<_> {
            trials
                .iter()
                .map(|&(from, to, draw)| path(routing, &topology, from, to, draw))
                .collect()
        };
        let base = usual(algorithm);
        let before = paths(&base);
        for key in RoutingKey::ALL {
            let mut routing = base.clone();
            changed(key, &mut routing);
            let (name, has_effect) = (algorithm.name(), paths(&routing) != before);
            match algorithm.descriptor().reads.contains(&key) {
                true => assert!(
                    has_effect,
                    "{name}: `reads` names {key:?}, but its decisions do not depend on it"
                ),
                false => assert!(
                    !has_effect,
                    "{name}: its decisions depend on {key:?}, but `reads` does not name it"
                ),
            }
        }
    }
}
