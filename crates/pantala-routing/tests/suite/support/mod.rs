//! Packets, queues and tables for the tests of routing.
#![allow(unreachable_pub)]

use pantala_routing::{CongestionView, QueueMeasure, RouteState};
use pantala_topology::Topology;
use std::collections::BTreeMap;

pub use pantala_testing::topologies::*;

/// Queues by (port, VC), zero where nothing is said.
#[derive(Default)]
pub struct Queues(pub BTreeMap<(u16, u8), i64>);

impl CongestionView for Queues {
    fn queue(&mut self, port: u16, vc: Option<u8>, _: QueueMeasure) -> i64 {
        self.0
            .iter()
            .filter(|((p, v), _)| *p == port && vc.is_none_or(|vc| vc == *v))
            .map(|(_, flits)| flits)
            .sum()
    }
    fn queue_at(&mut self, _: u32, port: u16, vc: Option<u8>, measure: QueueMeasure) -> i64 {
        self.queue(port, vc, measure)
    }
}

/// The route state of a packet at its source router.
pub fn packet(topology: &Topology, destination: u32, draw: u64) -> RouteState {
    RouteState::to(topology, destination, 0, draw)
}
