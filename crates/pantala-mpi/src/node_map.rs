//! [`NodeMap`]: the NICs of each node.

use std::ops::Range;

/// The NICs of nodes. A NIC has the number of its terminal in the network; the NICs of a node have
/// consecutive numbers, in the order of nodes. All nodes have equally many.
///
/// Placements, jobs and tables name nodes. The network knows terminals only. This map is the one
/// place where one becomes the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeMap {
    nics_per_node: u32,
}

impl Default for NodeMap {
    fn default() -> Self {
        Self::ONE_NIC
    }
}

impl NodeMap {
    /// Each node has one NIC, of the node's number.
    pub const ONE_NIC: Self = Self { nics_per_node: 1 };

    /// Each node has this many NICs.
    ///
    /// # Panics If a node has none.
    #[must_use]
    pub const fn new(nics_per_node: u32) -> Self {
        assert!(nics_per_node > 0, "a node has a NIC");
        Self { nics_per_node }
    }

    /// Number of nodes that a network with this many terminals has.
    #[must_use]
    pub const fn nodes(self, terminals: u32) -> u32 {
        terminals / self.nics_per_node
    }

    /// The NICs of `node`.
    #[inline]
    #[must_use]
    pub const fn nics_of(self, node: u32) -> Range<u32> {
        self.first_nic(node)..self.first_nic(node + 1)
    }

    /// The first NIC of `node`. The ranks of a node use it alone.
    #[inline]
    #[must_use]
    pub const fn first_nic(self, node: u32) -> u32 {
        node * self.nics_per_node
    }

    /// The node of `nic`.
    #[inline]
    #[must_use]
    pub const fn node_of(self, nic: u32) -> u32 {
        nic / self.nics_per_node
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Each NIC belongs to one node, and the nodes have all NICs in order.
        #[test]
        fn the_nics_of_nodes_are_all_terminals(per_node in 1..9u32, count in 0..50u32) {
            let map = NodeMap::new(per_node);
            let nodes = map.nodes(count * per_node);
            prop_assert_eq!(nodes, count);
            let nics: Vec<u32> = (0..nodes).flat_map(|node| map.nics_of(node)).collect();
            prop_assert_eq!(nics, (0..count * per_node).collect::<Vec<u32>>());
            for node in 0..nodes {
                prop_assert_eq!(map.first_nic(node), map.nics_of(node).start);
                prop_assert!(map.nics_of(node).all(|nic| map.node_of(nic) == node));
            }
        }
    }

    #[test]
    fn one_nic_has_the_number_of_its_node() {
        assert_eq!(NodeMap::default(), NodeMap::new(1));
        assert_eq!((NodeMap::ONE_NIC.first_nic(7), NodeMap::ONE_NIC.node_of(7)), (7, 7));
    }
}
