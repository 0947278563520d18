//! The gateway links that packets may take, per target router.

use crate::{Gateways, Target};
use pantala_topology::{GlobalLink, Topology};

/// Per router and link out of its group, the target routers for which packets take the link from
/// here.
pub(super) struct GatewayTable {
    /// Links out of a group.
    links: usize,
    /// Words of a set of a group's routers.
    words: usize,
    /// Per router, other group and parallel index: bits of local routers.
    sought: Vec<u64>,
}

impl GatewayTable {
    /// Computes the links that packets with this choice and this target take, for all pairs of a
    /// router and another group.
    pub(super) fn new(topology: &Topology, gateways: Gateways, target: Target) -> Self {
        let a = topology.routers_per_group() as usize;
        let words = a.div_ceil(64);
        let links = topology.links_per_pair() as usize * (topology.groups() as usize - 1);
        let mut table = Self {
            links,
            words,
            sought: Vec::with_capacity(topology.routers() as usize * links * words),
        };
        let all: Vec<u64> =
            (0..words).map(|word| u64::MAX >> (64 - (a - 64 * word).min(64))).collect();
        // Hops between two routers of a group, the same in every group.
        let hops: Vec<u8> = (0..a * a)
            .map(|i| topology.local_distance((i / a) as u32, (i % a) as u32) as u8)
            .collect();
        let row = |router: u32| &hops[topology.local_index(router) as usize * a..][..a];
        let mut fewest = vec![0; a];
        for router in 0..topology.routers() {
            let own = topology.group_of(router);
            for group in (0..topology.groups()).filter(|group| *group != own) {
                let links = topology.global_links(own, group);
                let near =
                    |link: &GlobalLink| row(router)[topology.local_index(link.router) as usize];
                let nearest = links.iter().map(near).min();
                fewest.fill(u8::MAX);
                for link in links {
                    let near = near(link);
                    let on = fewest.iter_mut().zip(row(link.target_router));
                    on.for_each(|(fewest, hops)| *fewest = (*fewest).min(near + hops));
                }
                for link in links {
                    let near = near(link);
                    if gateways == Gateways::Any
                        || (target != Target::Router && Some(near) == nearest)
                    {
                        table.sought.extend(&all);
                    } else if target != Target::Router {
                        table.sought.extend(all.iter().map(|_| 0));
                    } else {
                        let reached = row(link.target_router).iter().zip(&fewest);
                        let reached: Vec<bool> =
                            reached.map(|(hops, fewest)| near + hops == *fewest).collect();
                        let word = |bits: &[bool]| {
                            bits.iter().rev().fold(0, |word, bit| word << 1 | u64::from(*bit))
                        };
                        table.sought.extend(reached.chunks(64).map(word));
                    }
                }
            }
        }
        table
    }

    /// Returns, per link from `router`'s group to another one, the target routers (bits) for which
    /// packets take it from `router`; no bits: they do not take it.
    pub(super) fn of(
        &self,
        topology: &Topology,
        router: u32,
        group: u32,
    ) -> impl Iterator<Item = &[u64]> {
        let own = topology.group_of(router);
        let slot = (group - u32::from(group > own)) as usize * topology.links_per_pair() as usize;
        let first = (router as usize * self.links + slot) * self.words;
        self.sought[first..first + topology.links_per_pair() as usize * self.words]
            .chunks(self.words)
    }
}
