//! PartitionMap: which groups, routers and nodes belong to which part of a machine that is simulated
//! in parts.
//!
//! A part is a run of whole groups. All that crosses from part to part does so over global links,
//! and takes their latency.

use pantala_topology::Topology;
use std::ops::Range;
use std::sync::Arc;

/// A machine's groups, dealt out in order to parts that differ by one group at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionMap {
    /// By part, its first group; then the number of groups.
    first_groups: Vec<u32>,
    routers_per_group: u32,
    nodes_per_group: u32,
    /// By group.
    part_of: Vec<u16>,
}

impl PartitionMap {
    /// So many parts, or one a group if that is fewer.
    ///
    /// # Panics
    /// If there are no parts, or more than 16,384 where there are as many groups.
    #[must_use]
    pub fn new(topology: &Topology, parts: u32) -> Self {
        let groups = topology.groups();
        let parts = parts.min(groups);
        assert!((1..=1 << 14).contains(&parts), "1 to 16,384 parts");
        let first_groups: Vec<u32> = (0..=parts)
            .map(|part| (u64::from(groups) * u64::from(part) / u64::from(parts)) as u32)
            .collect();
        let part_of = (0..groups)
            .map(|group| (first_groups.partition_point(|&first| first <= group) - 1) as u16);
        Self {
            part_of: part_of.collect(),
            first_groups,
            routers_per_group: topology.routers_per_group(),
            nodes_per_group: topology.routers_per_group() * topology.nodes_per_router(),
        }
    }

    /// The machine in one piece.
    #[must_use]
    pub fn whole(topology: &Topology) -> Self {
        Self::new(topology, 1)
    }

    /// How many parts there are.
    #[must_use]
    pub fn count(&self) -> u16 {
        (self.first_groups.len() - 1) as u16
    }

    /// The groups of a part.
    #[must_use]
    pub fn groups(&self, part: u16) -> Range<u32> {
        self.first_groups[usize::from(part)]..self.first_groups[usize::from(part) + 1]
    }

    /// The routers of a part.
    #[must_use]
    pub fn routers(&self, part: u16) -> Range<u32> {
        scaled(self.groups(part), self.routers_per_group)
    }

    /// The nodes of a part.
    #[must_use]
    pub fn nodes(&self, part: u16) -> Range<u32> {
        scaled(self.groups(part), self.nodes_per_group)
    }

    /// The part that a group belongs to.
    #[must_use]
    pub fn of_group(&self, group: u32) -> u16 {
        self.part_of[group as usize]
    }

    /// The part that a router belongs to.
    #[must_use]
    pub fn of_router(&self, router: u32) -> u16 {
        self.of_group(router / self.routers_per_group)
    }

    /// The part that a node belongs to.
    #[must_use]
    pub fn of_node(&self, node: u32) -> u16 {
        self.of_group(node / self.nodes_per_group)
    }
}

/// One part of a machine in parts.
#[derive(Clone, Debug)]
pub struct PartitionShare {
    /// Which groups are in which part.
    pub partitions: Arc<PartitionMap>,
    /// This part.
    pub part: u16,
}

impl PartitionShare {
    /// The part that a node belongs to, if it is another one.
    #[inline]
    #[must_use]
    pub fn elsewhere(&self, node: u32) -> Option<u16> {
        Some(self.partitions.of_node(node)).filter(|&part| part != self.part)
    }
}

fn scaled(range: Range<u32>, factor: u32) -> Range<u32> {
    range.start * factor..range.end * factor
}

#[cfg(test)]
mod tests {
    use super::*;
    use pantala_topology::{DragonflySpec, GlobalArrangement, GroupSpec, PortAssignment};

    #[test]
    fn parts_share_groups_out_evenly_and_in_order() {
        let topology = Topology::dragonfly(&DragonflySpec {
            nodes_per_router: 2,
            group: GroupSpec::FullMesh { routers: 4, links_per_pair: 1 },
            global_ports: 2,
            groups: 9,
            links_per_pair: 0,
            global_arrangement: GlobalArrangement::Absolute,
            port_assignment: PortAssignment::Consecutive,
            mirrored: false,
            global_arrangement_seed: 0,
        })
        .unwrap();
        for parts in [1, 2, 3, 4, 8, 9, 100] {
            let shared = PartitionMap::new(&topology, parts);
            assert_eq!(u32::from(shared.count()), parts.min(9));
            let groups: Vec<u32> =
                (0..shared.count()).flat_map(|part| shared.groups(part)).collect();
            assert_eq!(groups, (0..9).collect::<Vec<_>>());
            let sizes: Vec<usize> =
                (0..shared.count()).map(|part| shared.groups(part).len()).collect();
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            for part in 0..shared.count() {
                assert!(shared.groups(part).all(|group| shared.of_group(group) == part));
                assert!(shared.routers(part).all(|router| shared.of_router(router) == part));
                assert!(shared.nodes(part).all(|node| shared.of_node(node) == part));
            }
        }
    }
}
