//! The parameters of a Dragonfly, and their faults.

use crate::{GlobalArrangement, PortAssignment, TopologyError};

/// The largest number of ports per router, connected or not.
pub const MAX_PORTS: u32 = 256;

/// The largest number of ports of all routers, connected or not, so that ids of terminals, routers
/// and ports fit in 32 bits. Only Dragonflies whose groups are grids can exceed it.
pub const MAX_PORTS_IN_ALL: u64 = 1 << 30;

/// The inside of every group. The names in brackets are the plan's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupSpec {
    /// Every router is linked to every other one (1D).
    FullMesh {
        /// Number of routers (`a`), at least 1.
        routers: u32,
        /// Number of links between every two routers (`links_per_local_pair`), at least 1.
        links_per_pair: u32,
    },
    /// Every router is linked to every other router of its row and of its column (2D).
    Grid {
        /// Number of rows (`rows`), at least 1.
        rows: u32,
        /// Number of columns (`columns`), that is, of routers per row, at least 1.
        columns: u32,
        /// Number of links between every two routers of a row (`links_per_row_pair`), at least 1.
        links_per_row_pair: u32,
        /// Number of links between every two routers of a column (`links_per_column_pair`), at
        /// least 1.
        links_per_column_pair: u32,
    },
}

impl GroupSpec {
    /// Number of routers per group (`a`), if the specification is valid.
    #[must_use]
    pub const fn routers(self) -> u32 {
        match self {
            Self::FullMesh { routers, .. } => routers,
            Self::Grid { rows, columns, .. } => rows.saturating_mul(columns),
        }
    }

    /// The full meshes that contain a router.
    fn meshes(self) -> Vec<Mesh> {
        match self {
            Self::FullMesh { routers, links_per_pair } => {
                vec![Mesh {
                    routers: ("a", routers),
                    links: ("links_per_local_pair", links_per_pair),
                }]
            }
            Self::Grid { rows, columns, links_per_row_pair, links_per_column_pair } => vec![
                Mesh {
                    routers: ("columns", columns),
                    links: ("links_per_row_pair", links_per_row_pair),
                },
                Mesh {
                    routers: ("rows", rows),
                    links: ("links_per_column_pair", links_per_column_pair),
                },
            ],
        }
    }
}

/// A full mesh of routers: the name and value of its number of routers and of its number of links
/// per pair.
struct Mesh {
    routers: (&'static str, u32),
    links: (&'static str, u32),
}

impl Mesh {
    /// Number of a router's ports that lead to other routers of the mesh.
    fn ports(&self) -> u64 {
        u64::from(self.routers.1 - 1) * u64::from(self.links.1)
    }

    /// The number of ports as a term of a sum, in words.
    fn term(&self) -> String {
        let (routers, links) = (self.routers.0, self.links);
        if links.1 == 1 {
            format!("({routers} - 1)")
        } else {
            format!("({routers} - 1)*{}", links.0)
        }
    }

    /// The parameter that contributes more to the number of ports.
    fn larger(&self) -> (&'static str, u32) {
        if self.links.1 >= self.routers.1 { self.links } else { self.routers }
    }
}

/// The parameters of a Dragonfly. The names in brackets are the plan's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DragonflySpec {
    /// Number of terminals per router (`p`), at least 1.
    pub terminals_per_router: u32,
    /// The inside of each group, which determines its number of routers (`a`; in a grid
    /// `rows*columns`).
    pub group: GroupSpec,
    /// Number of global ports per router (`h`). 0 is valid only for one group.
    pub global_ports: u32,
    /// Number of groups (`g`): at least 1, at most `a*h + 1`.
    pub groups: u32,
    /// Number of links between every two groups. 0 stands for the largest possible number, `a*h /
    /// (g-1)` rounded down.
    pub links_per_pair: u32,
    /// The map from global indices to groups.
    pub global_arrangement: GlobalArrangement,
    /// The map from global indices to routers and ports.
    pub port_assignment: PortAssignment,
    /// For palmtree: count groups in the other direction, as CAMINOS does.
    pub mirrored: bool,
    /// For the random arrangement: the seed of its permutations.
    pub global_arrangement_seed: u64,
}

impl DragonflySpec {
    /// Checks the parameters. Returns the number of links between every two groups (0 if there is
    /// one group).
    ///
    /// # Errors The first fault in the order p, the group's parameters, g, h, ports per router,
    /// mirrored, links between groups, all ports.
    pub fn check(&self) -> Result<u32, TopologyError> {
        self.check_parameters()?;
        self.check_mirrored()?;
        let links = self.check_links()?;
        self.check_size()?;
        Ok(links)
    }

    /// Checks the parameters of a Dragonfly whose global links are given: all but those of the
    /// global link arrangement.
    ///
    /// # Errors The first fault in the order p, the group's parameters, g, h, ports per router, all
    /// ports.
    pub(crate) fn check_without_arrangement(&self) -> Result<(), TopologyError> {
        self.check_parameters()?;
        self.check_size()
    }

    /// Checks each parameter, and the number of ports per router.
    fn check_parameters(&self) -> Result<(), TopologyError> {
        let (p, h, g) = (self.terminals_per_router, self.global_ports, self.groups);
        let at_least_one = |(key, value): (&'static str, u32), message: &str| {
            if value > 0 {
                Ok(())
            } else {
                Err(TopologyError::new(key, value, message, format!("set {key} to 1 or more")))
            }
        };
        at_least_one(("p", p), "a router needs at least one node")?;
        for mesh in self.group.meshes() {
            at_least_one(mesh.routers, "a group needs at least one router")?;
            at_least_one(mesh.links, "neighbours need at least one link")?;
        }
        at_least_one(("g", g), "there must be at least one group")?;
        if h == 0 && g > 1 {
            return Err(TopologyError::new(
                "h",
                h,
                format!("{g} groups cannot be joined without global ports"),
                "set h to 1 or more, or g to 1",
            ));
        }
        self.check_ports().map(|_| ())
    }

    fn check_mirrored(&self) -> Result<(), TopologyError> {
        if self.mirrored && self.global_arrangement != GlobalArrangement::Palmtree {
            return Err(TopologyError::new(
                "mirrored",
                true,
                format!(
                    "only the palmtree arrangement can be mirrored, and this one is {}",
                    self.global_arrangement
                ),
                "set mirrored to false or global_arrangement to \"palmtree\"",
            ));
        }
        Ok(())
    }

    /// Checks the number of all ports.
    fn check_size(&self) -> Result<(), TopologyError> {
        let (ports, g) = (self.check_ports()?, self.groups);
        let all = u64::from(g) * u64::from(self.group.routers()) * ports;
        if all > MAX_PORTS_IN_ALL {
            let most = MAX_PORTS_IN_ALL / (u64::from(self.group.routers()) * ports);
            return Err(TopologyError::new(
                "g",
                g,
                format!(
                    "the routers would have {all} ports in all, and {MAX_PORTS_IN_ALL} is the most"
                ),
                format!("lower g to {most} or less"),
            ));
        }
        Ok(())
    }

    /// Returns the number of ports per router, if it is not too large.
    fn check_ports(&self) -> Result<u64, TopologyError> {
        let meshes = self.group.meshes();
        let mut parts =
            vec![(u64::from(self.terminals_per_router), ("p", self.terminals_per_router))];
        parts.extend(meshes.iter().map(|mesh| (mesh.ports(), mesh.larger())));
        parts.push((u64::from(self.global_ports), ("h", self.global_ports)));
        let ports = parts.iter().fold(0, |sum: u64, &(ports, _)| sum.saturating_add(ports));
        if ports <= u64::from(MAX_PORTS) {
            return Ok(ports);
        }
        let (_, (key, value)) =
            parts.iter().copied().max_by_key(|&(ports, _)| ports).unwrap_or_default();
        let terms: Vec<_> = meshes.iter().map(Mesh::term).collect();
        let message = format!(
            "a router would have p + {} + h = {ports} ports, and {MAX_PORTS} is the most",
            terms.join(" + ")
        );
        let largest: Vec<_> = meshes.iter().map(|mesh| mesh.larger().0).collect();
        Err(TopologyError::new(
            key,
            value,
            message,
            format!("lower p, {} or h", largest.join(", ")),
        ))
    }

    /// Returns the number of links between every two groups, if there are enough global ports.
    fn check_links(&self) -> Result<u32, TopologyError> {
        let (a, h, g) = (self.group.routers(), self.global_ports, self.groups);
        if g == 1 {
            return Ok(0);
        }
        let (ports, others) = (a * h, g - 1);
        let (product, factors) = match self.group {
            GroupSpec::FullMesh { .. } => ("a*h", "a or h"),
            GroupSpec::Grid { .. } => ("rows*columns*h", "rows, columns or h"),
        };
        if others > ports {
            return Err(TopologyError::new(
                "g",
                g,
                format!(
                    "a group's {product} = {ports} global ports cannot reach {others} other groups"
                ),
                format!("lower g to {} or raise {factors}", ports + 1),
            ));
        }
        let most = ports / others;
        if self.links_per_pair > most {
            return Err(TopologyError::new(
                "links_per_pair",
                self.links_per_pair,
                format!(
                    "a group's {product} = {ports} global ports give at most {most} to each of {others} other groups"
                ),
                format!(
                    "lower links_per_pair to {most} (or to 0: as many as fit), or raise {factors}"
                ),
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
            terminals_per_router: 4,
            group: GroupSpec::FullMesh { routers: 8, links_per_pair: 1 },
            global_ports: 4,
            groups: 33,
            links_per_pair: 0,
            global_arrangement: GlobalArrangement::Absolute,
            port_assignment: PortAssignment::Consecutive,
            mirrored: false,
            global_arrangement_seed: 0,
        }
    }

    fn mesh(routers: u32, links_per_pair: u32) -> GroupSpec {
        GroupSpec::FullMesh { routers, links_per_pair }
    }

    fn grid(
        rows: u32,
        columns: u32,
        links_per_row_pair: u32,
        links_per_column_pair: u32,
    ) -> GroupSpec {
        GroupSpec::Grid { rows, columns, links_per_row_pair, links_per_column_pair }
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
        assert_eq!(
            DragonflySpec { groups: 1, global_ports: 0, links_per_pair: 5, ..kang() }.check(),
            Ok(0)
        );
        assert_eq!(DragonflySpec { group: grid(2, 4, 3, 5), groups: 9, ..kang() }.check(), Ok(4));
    }

    #[test]
    fn faults_name_their_key() {
        assert_eq!(fault(|s| s.terminals_per_router = 0).key, "p");
        assert_eq!(fault(|s| s.group = mesh(0, 1)).key, "a");
        assert_eq!(fault(|s| s.group = mesh(8, 0)).key, "links_per_local_pair");
        assert_eq!(fault(|s| s.group = grid(0, 4, 1, 1)).key, "rows");
        assert_eq!(fault(|s| s.group = grid(2, 0, 1, 1)).key, "columns");
        assert_eq!(fault(|s| s.group = grid(2, 4, 0, 1)).key, "links_per_row_pair");
        assert_eq!(fault(|s| s.group = grid(2, 4, 1, 0)).key, "links_per_column_pair");
        assert_eq!(fault(|s| s.global_ports = 0).key, "h");
        assert_eq!(fault(|s| s.groups = 0).key, "g");
        assert_eq!(fault(|s| s.groups = 34).key, "g");
        assert_eq!(fault(|s| s.links_per_pair = 2).key, "links_per_pair");
        assert_eq!(fault(|s| s.mirrored = true).key, "mirrored");
    }

    #[test]
    fn too_many_ports_are_put_down_to_what_makes_most_of_them() {
        assert_eq!(fault(|s| s.terminals_per_router = 300).key, "p");
        assert_eq!(fault(|s| s.global_ports = u32::MAX).key, "h");
        assert_eq!(fault(|s| s.group = mesh(250, 1)).key, "a");
        assert_eq!(fault(|s| s.group = mesh(8, 40)).key, "links_per_local_pair");
        assert_eq!(fault(|s| s.group = mesh(u32::MAX, u32::MAX)).key, "links_per_local_pair");
        assert_eq!(fault(|s| s.group = grid(20, 100, 2, 3)).key, "columns");
        assert_eq!(fault(|s| s.group = grid(100, 20, 2, 3)).key, "rows");
        assert_eq!(fault(|s| s.group = grid(2, 10, 30, 3)).key, "links_per_row_pair");
        assert_eq!(fault(|s| s.group = grid(3, 10, 2, 200)).key, "links_per_column_pair");
    }

    #[test]
    fn the_message_is_one_line_with_a_remedy() {
        assert_eq!(
            fault(|s| s.groups = 34).to_string(),
            "g = 34: a group's a*h = 32 global ports cannot reach 33 other groups; lower g to 33 or raise a or h"
        );
        assert_eq!(
            fault(|s| s.group = mesh(250, 1)).to_string(),
            "a = 250: a router would have p + (a - 1) + h = 257 ports, and 256 is the most; lower p, a or h"
        );
        assert_eq!(
            fault(|s| s.group = grid(6, 100, 1, 31)).to_string(),
            "links_per_column_pair = 31: a router would have p + (columns - 1) + (rows - 1)*links_per_column_pair + h \
             = 262 ports, and 256 is the most; lower p, columns, links_per_column_pair or h"
        );
        assert_eq!(
            fault(|s| s.group = grid(2, 4, 1, 0)).to_string(),
            "links_per_column_pair = 0: neighbours need at least one link; set links_per_column_pair to 1 or more"
        );
        assert_eq!(
            fault(|s| (s.group, s.links_per_pair) = (grid(2, 4, 1, 1), 2)).to_string(),
            "links_per_pair = 2: a group's rows*columns*h = 32 global ports give at most 1 to each of 32 other groups; \
             lower links_per_pair to 1 (or to 0: as many as fit), or raise rows, columns or h"
        );
    }

    #[test]
    fn the_largest_full_mesh_fits_its_ids() {
        // p + a + h = 257 ports, one too many; a*(a*h + 1) routers.
        let most = (1..256u64)
            .flat_map(|a| (1..257 - a).map(move |p| (a, 257 - a - p)))
            .map(|(a, h)| 256 * a * (a * h + 1))
            .max();
        assert!(most.is_some_and(|ports| ports < MAX_PORTS_IN_ALL), "{most:?}");
    }

    #[test]
    fn a_grid_too_large_for_its_ids_is_refused() {
        let huge = |groups| DragonflySpec {
            terminals_per_router: 4,
            group: grid(100, 100, 1, 1),
            global_ports: 50,
            groups,
            links_per_pair: 1,
            ..kang()
        };
        // 10,000 routers of 252 ports a group.
        assert_eq!(huge(426).check(), Ok(1));
        let error = huge(427).check().expect_err("a network too large was accepted");
        assert_eq!(
            error.to_string(),
            "g = 427: the routers would have 1076040000 ports in all, and 1073741824 is the most; lower g to 426 or less"
        );
    }
}
