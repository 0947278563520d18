//! The gateway links that packets may take, per target router.

use crate::gateways::of_source;
use crate::{Gateways, Target};
use pantala_topology::{GlobalLink, LocalOrder, Topology};
use std::collections::BTreeMap;

/// Per router and link out of its group, the target routers for which packets take the link from
/// here.
pub(super) struct GatewayTable {
    /// Words of a set of a group's routers.
    words: usize,
    /// Per router and other group, where the links begin in `sought`; then the end.
    starts: Vec<usize>,
    /// Per router, other group and parallel index: bits of local routers.
    sought: Vec<u64>,
}

impl GatewayTable {
    /// Computes the links that packets with this choice and this target take, for all pairs of a
    /// router and another group.
    pub(super) fn new(
        topology: &Topology,
        (gateways, order): (Gateways, LocalOrder),
        target: Target,
    ) -> Self {
        let a = topology.routers_per_group() as usize;
        let words = a.div_ceil(64);
        let mut table = Self { words, starts: Vec::new(), sought: Vec::new() };
        let all: Vec<u64> =
            (0..words).map(|word| u64::MAX >> (64 - (a - 64 * word).min(64))).collect();
        let hops = HopTable::new(topology, order);
        let row = |router: u32| hops.row(topology, router);
        let mut fewest = vec![0; a];
        for router in 0..topology.routers() {
            let own = topology.group_of(router);
            for group in (0..topology.groups()).filter(|group| *group != own) {
                table.starts.push(table.sought.len());
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
                for (place, link) in links.iter().enumerate() {
                    let near = near(link);
                    let taken = match gateways {
                        Gateways::Any => Some(true),
                        Gateways::BySource => {
                            Some(sends_over(topology, router, place, links.len()))
                        }
                        Gateways::Nearest => Some(Some(near) == nearest),
                        Gateways::Fewest => {
                            (target != Target::Router).then_some(Some(near) == nearest)
                        }
                    };
                    if taken == Some(true) {
                        table.sought.extend(&all);
                    } else if taken == Some(false) {
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
        table.starts.push(table.sought.len());
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
        let slot = (group - u32::from(group > own)) as usize;
        let place = router as usize * (topology.groups() as usize - 1) + slot;
        self.sought[self.starts[place]..self.starts[place + 1]].chunks(self.words)
    }
}

/// Returns whether a terminal of `router` sends over the link in this place of `links`.
fn sends_over(topology: &Topology, router: u32, place: usize, links: usize) -> bool {
    (0..topology.first_local_port())
        .filter_map(|port| topology.terminal_at(router, port))
        .any(|terminal| of_source(terminal, links as u32) as usize == place)
}

/// The hops between two routers of a group: one table for all groups that lack no links, and one
/// for each of the others.
struct HopTable {
    usual: Vec<u8>,
    lacking: BTreeMap<u32, Vec<u8>>,
}

impl HopTable {
    fn new(topology: &Topology, order: LocalOrder) -> Self {
        let a = topology.routers_per_group();
        let table = |group: u32| {
            let pairs = (group * a..(group + 1) * a)
                .flat_map(|here| (group * a..(group + 1) * a).map(move |there| (here, there)));
            pairs.map(|(here, there)| topology.local_distance(here, there, order) as u8).collect()
        };
        let lacking: BTreeMap<u32, Vec<u8>> =
            topology.groups_that_lack_links().map(|group| (group, table(group))).collect();
        let usual = (0..topology.groups()).find(|group| !lacking.contains_key(group));
        Self { usual: usual.map(table).unwrap_or_default(), lacking }
    }

    /// The hops from `router` to every router of its group.
    fn row(&self, topology: &Topology, router: u32) -> &[u8] {
        let a = topology.routers_per_group() as usize;
        let table = self.lacking.get(&topology.group_of(router)).unwrap_or(&self.usual);
        &table[topology.local_index(router) as usize * a..][..a]
    }
}
