//! [`PartitionMap`]: the groups, routers and NICs of each partition.
//!
//! A partition has consecutive whole cells of the network: of a Dragonfly, its groups. Only global
//! links connect partitions, so every effect of one partition on another takes the latency of a
//! global link.

use pantala_topology::NetworkGraph;
use std::ops::Range;
use std::sync::Arc;

/// The groups of a network, assigned in order to partitions whose sizes differ by at most one
/// group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionMap {
    /// Per partition, its first group; then the number of groups.
    first_groups: Vec<u32>,
    /// Per partition, its first router; then the number of routers.
    first_routers: Vec<u32>,
    /// Per partition, its first NIC; then the number of NICs.
    first_terminals: Vec<u32>,
    /// Per group, its partition.
    partition_of: Vec<u16>,
}

impl PartitionMap {
    /// Makes `count` partitions, but at most one per group.
    ///
    /// # Panics
    /// If `count` is zero, or if there are more than 16,384 partitions.
    #[must_use]
    pub fn new(network: &NetworkGraph, count: u32) -> Self {
        let groups = network.cells();
        let count = count.min(groups);
        assert!((1..=1 << 14).contains(&count), "1 to 16,384 partitions");
        let first_groups: Vec<u32> = (0..=count)
            .map(|partition| (u64::from(groups) * u64::from(partition) / u64::from(count)) as u32)
            .collect();
        let partition_of = (0..groups)
            .map(|group| (first_groups.partition_point(|&first| first <= group) - 1) as u16);
        let routers_before = |&groups: &u32| network.routers_of_cells(0..groups).end;
        let first_routers: Vec<u32> = first_groups.iter().map(routers_before).collect();
        let terminals_before = |&routers: &u32| network.terminals_of_routers(0..routers).end;
        Self {
            first_terminals: first_routers.iter().map(terminals_before).collect(),
            first_routers,
            partition_of: partition_of.collect(),
            first_groups,
        }
    }

    /// Makes one partition.
    #[must_use]
    pub fn whole(network: &NetworkGraph) -> Self {
        Self::new(network, 1)
    }

    /// Returns the number of partitions.
    #[must_use]
    pub fn count(&self) -> u16 {
        (self.first_groups.len() - 1) as u16
    }

    /// Returns the groups of a partition.
    #[must_use]
    pub fn groups(&self, partition: u16) -> Range<u32> {
        between(&self.first_groups, partition)
    }

    /// Returns the routers of a partition.
    #[must_use]
    pub fn routers(&self, partition: u16) -> Range<u32> {
        between(&self.first_routers, partition)
    }

    /// Returns the NICs of a partition.
    #[must_use]
    pub fn terminals(&self, partition: u16) -> Range<u32> {
        between(&self.first_terminals, partition)
    }

    /// Returns the partition of a group.
    #[must_use]
    pub fn of_group(&self, group: u32) -> u16 {
        self.partition_of[group as usize]
    }

    /// Returns the partition of a router.
    #[must_use]
    pub fn of_router(&self, router: u32) -> u16 {
        holder(&self.first_routers, router)
    }

    /// Returns the partition of a NIC.
    #[must_use]
    pub fn of_terminal(&self, terminal: u32) -> u16 {
        holder(&self.first_terminals, terminal)
    }
}

/// One partition of a network, as its hosts see it.
#[derive(Clone, Debug)]
pub struct PartitionShare {
    /// All partitions.
    pub partitions: Arc<PartitionMap>,
    /// The number of this partition.
    pub partition: u16,
}

impl PartitionShare {
    /// Returns the partition of a NIC, if it is another one.
    #[inline]
    #[must_use]
    pub fn elsewhere(&self, terminal: u32) -> Option<u16> {
        Some(self.partitions.of_terminal(terminal)).filter(|&partition| partition != self.partition)
    }
}

/// Returns the numbers of a partition.
fn between(firsts: &[u32], partition: u16) -> Range<u32> {
    firsts[usize::from(partition)]..firsts[usize::from(partition) + 1]
}

/// Returns the partition that has this number.
fn holder(firsts: &[u32], number: u32) -> u16 {
    (firsts.partition_point(|&first| first <= number) - 1) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use pantala_topology::{DragonflySpec, GlobalArrangement, GroupSpec, PortAssignment, Topology};

    #[test]
    fn parts_share_groups_out_evenly_and_in_order() {
        let topology = Topology::dragonfly(&DragonflySpec {
            terminals_per_router: 2,
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
        for count in [1, 2, 3, 4, 8, 9, 100] {
            let shared = PartitionMap::new(&topology, count);
            assert_eq!(u32::from(shared.count()), count.min(9));
            let groups: Vec<u32> =
                (0..shared.count()).flat_map(|partition| shared.groups(partition)).collect();
            assert_eq!(groups, (0..9).collect::<Vec<_>>());
            let sizes: Vec<usize> =
                (0..shared.count()).map(|partition| shared.groups(partition).len()).collect();
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            for partition in 0..shared.count() {
                assert!(shared.groups(partition).all(|group| shared.of_group(group) == partition));
                assert!(
                    shared.routers(partition).all(|router| shared.of_router(router) == partition)
                );
                assert!(
                    shared
                        .terminals(partition)
                        .all(|terminal| shared.of_terminal(terminal) == partition)
                );
            }
        }
    }
}
