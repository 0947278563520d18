//! The parameters of a Dragonfly, and their faults.

use crate::{TopologyError, Wiring};

/// The most ports a router may have, connected or not.
pub const MAX_PORTS: u32 = 256;

/// A Dragonfly to be built. Names in brackets are those of a plan.
///
/// ([`MAX_PORTS`] keeps every Dragonfly below 2^27 nodes, so node and router ids fit in 32 bits with room to spare.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DragonflySpec {
    /// Nodes on each router (`p`), at least 1.
    pub nodes_per_router: u32,
    /// Routers in each group (`a`), at least 1.
    pub routers_per_group: u32,
    /// Global ports of each router (`h`); 0 only if there is one group.
    pub global_ports: u32,
    /// Groups (`g`): at least 1, at most `a*h + 1`.
    pub groups: u32,
    /// Links between every two groups; 0 for as many as fit, `a*h / (g-1)` rounded down.
    pub links_per_pair: u32,
    /// Which global port leads to which group.
    pub wiring: Wiring,
    /// Palmtree only: turn the other way round the groups, as CAMINOS does.
    pub mirrored: bool,
    /// Random wiring only: the seed of its permutations.
    pub wiring_seed: u64,
}

impl DragonflySpec {
    /// Checks the parameters and gives the number of links between every two groups (0 if there is one group).
    ///
    /// # Errors
    /// The first fault found, in the order p, a, g, h, ports, wiring, links.
    pub fn check(&self) -> Result<u32, TopologyError> {
        let (p, a) = (self.nodes_per_router, self.routers_per_group);
        let (h, g) = (self.global_ports, self.groups);
        if p == 0 {
            return Err(TopologyError::new("p", p, "a router needs at least one node", "set p to 1 or more"));
        }
        if a == 0 {
            return Err(TopologyError::new("a", a, "a group needs at least one router", "set a to 1 or more"));
        }
        if g == 0 {
            return Err(TopologyError::new("g", g, "there must be at least one group", "set g to 1 or more"));
        }
        if h == 0 && g > 1 {
            return Err(TopologyError::new(
                "h",
                h,
                format!("{g} groups cannot be joined without global ports"),
                "set h to 1 or more, or g to 1",
            ));
        }
        let ports = u64::from(p) + u64::from(a) - 1 + u64::from(h);
        if ports > u64::from(MAX_PORTS) {
            let (key, value) = [("p", p), ("a", a), ("h", h)].into_iter().max_by_key(|&(_, v)| v).unwrap_or(("p", p));
            return Err(TopologyError::new(
                key,
                value,
                format!("a router would have p + a - 1 + h = {ports} ports, and {MAX_PORTS} is the most"),
                "lower p, a or h",
            ));
        }
        if self.mirrored && self.wiring != Wiring::Palmtree {
            return Err(TopologyError::new(
                "mirrored",
                true,
                format!("only the palmtree wiring can be mirrored, and this one is {}", self.wiring),
                "set mirrored to false or wiring to \"palmtree\"",
            ));
        }
        self.check_links()
    }

    /// The links between every two groups, if the global ports suffice.
    fn check_links(&self) -> Result<u32, TopologyError> {
        let (a, h, g) = (self.routers_per_group, self.global_ports, self.groups);
        if g == 1 {
            return Ok(0);
        }
        let (ports, others) = (a * h, g - 1);
        if others > ports {
            return Err(TopologyError::new(
                "g",
                g,
                format!("a group's a*h = {ports} global ports cannot reach {others} other groups"),
                format!("lower g to {} or raise a or h", ports + 1),
            ));
        }
        let most = ports / others;
        if self.links_per_pair > most {
            return Err(TopologyError::new(
                "links_per_pair",
                self.links_per_pair,
                format!("a group's a*h = {ports} global ports give at most {most} to each of {others} other groups"),
                format!("lower links_per_pair to {most} (or to 0: as many as fit), or raise a or h"),
            ));
        }
        Ok(if self.links_per_pair == 0 { most } else { self.links_per_pair })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kang() -> DragonflySpec {
        DragonflySpec {
            nodes_per_router: 4,
            routers_per_group: 8,
            global_ports: 4,
            groups: 33,
            links_per_pair: 0,
            wiring: Wiring::Absolute,
            mirrored: false,
            wiring_seed: 0,
        }
    }

    fn fault(change: impl FnOnce(&mut DragonflySpec)) -> TopologyError {
        let mut spec = kang();
        change(&mut spec);
        spec.check().expect_err("a faulty spec was accepted")
    }

    #[test]
    fn zero_links_means_as_many_as_fit() {
        assert_eq!(kang().check(), Ok(1));
        assert_eq!(DragonflySpec { groups: 9, ..kang() }.check(), Ok(4));
        assert_eq!(DragonflySpec { groups: 10, ..kang() }.check(), Ok(3));
        assert_eq!(DragonflySpec { groups: 1, global_ports: 0, links_per_pair: 5, ..kang() }.check(), Ok(0));
    }

    #[test]
    fn faults_name_their_key() {
        assert_eq!(fault(|s| s.nodes_per_router = 0).key, "p");
        assert_eq!(fault(|s| s.routers_per_group = 0).key, "a");
        assert_eq!(fault(|s| s.global_ports = 0).key, "h");
        assert_eq!(fault(|s| s.groups = 0).key, "g");
        assert_eq!(fault(|s| s.groups = 34).key, "g");
        assert_eq!(fault(|s| s.links_per_pair = 2).key, "links_per_pair");
        assert_eq!(fault(|s| s.mirrored = true).key, "mirrored");
        assert_eq!(fault(|s| s.routers_per_group = 250).key, "a");
        assert_eq!(fault(|s| s.global_ports = u32::MAX).key, "h");
    }

    #[test]
    fn the_message_is_one_line_with_a_remedy() {
        assert_eq!(
            fault(|s| s.groups = 34).to_string(),
            "g = 34: a group's a*h = 32 global ports cannot reach 33 other groups; lower g to 33 or raise a or h"
        );
    }

    #[test]
    fn the_largest_dragonfly_fits_its_ids() {
        // p + a + h = 257: p*a*(a*h + 1) is largest near a = 128, p = h = 64.
        let most = (1..256u64)
            .flat_map(|a| (1..257 - a).map(move |p| (p, a, 257 - a - p)))
            .map(|(p, a, h)| p * a * (a * h + 1))
            .max();
        assert!(most.is_some_and(|nodes| nodes < 1 << 27), "{most:?}");
    }
}
