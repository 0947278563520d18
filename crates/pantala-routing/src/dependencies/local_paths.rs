//! The dependencies inside one group on one VC: those of a hop on the next hop of a path.

use super::{ChannelUse, path_rules};
use crate::Paths;
use pantala_topology::{LocalOrder, Peer, Topology};
use petgraph::algo::is_cyclic_directed;
use petgraph::graph::DiGraph;
use std::collections::BTreeSet;

/// Returns whether the minimal paths inside each group close no cycle, if all their hops are on one
/// VC. The paths of all routings count together, except those with a VC per hop.
pub(super) fn are_acyclic(channels: &ChannelUse<'_>, topology: &Topology) -> bool {
    let mut path_rules = path_rules(channels, topology);
    path_rules.retain(|rules| matches!(rules.paths, Paths::Segments(_)));
    let orders: Vec<LocalOrder> = LocalOrder::ALL
        .into_iter()
        .filter(|order| path_rules.iter().any(|rules| rules.local_order == *order))
        .collect();
    let lacking: BTreeSet<u32> = topology.groups_that_lack_links().collect();
    // All groups that lack no link are alike.
    let usual = (0..topology.groups()).find(|group| !lacking.contains(group));
    lacking.iter().copied().chain(usual).all(|group| is_acyclic(topology, group, &orders))
}

/// Returns whether the paths of one group close no cycle.
fn is_acyclic(topology: &Topology, group: u32, orders: &[LocalOrder]) -> bool {
    let a = topology.routers_per_group();
    let first = group * a;
    let link = |from: u32, to: u32| (from - first) * a + (to - first);
    let mut edges = BTreeSet::new();
    for &order in orders {
        let next = |router: u32, target: u32| {
            let port = topology.local_step(router, target, order).first();
            match topology.peer(router, port) {
                Peer::Port { router, .. } => router,
                Peer::Terminal(_) | Peer::Unconnected => router,
            }
        };
        for router in first..first + a {
            for target in (first..first + a).filter(|&target| target != router) {
                let over = next(router, target);
                if over != target {
                    edges.insert((link(router, over), link(over, next(over, target))));
                }
            }
        }
    }
    !is_cyclic_directed(&DiGraph::<(), ()>::from_edges(edges))
}
