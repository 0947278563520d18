//! Port assignments: the map from a group's global indices to routers and ports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// The router and the global port that own global index `k` of a group of `a` routers with `h`
/// global ports each.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    strum::Display,
    strum::VariantArray,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PortAssignment {
    /// Router k // h: consecutive links on one router, as in BookSim2, SST's merlin and CAMINOS.
    #[default]
    Consecutive,
    /// Router k % a: consecutive links on consecutive routers, as the optical cables of a Cray XC.
    ///
    /// Local router `k % a`, global port `k / a`. In a group that uses only some of its global
    /// ports, the numbers of used ports per router differ by at most one.
    RoundRobin,
}

impl PortAssignment {
    /// All assignments, in the order of the documentation.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The local router and the global port, from 0, that own global index `k` below `a*h`.
    pub(crate) fn owner(self, routers: u32, global_ports: u32, k: u32) -> (u32, u32) {
        debug_assert!(k < routers * global_ports);
        match self {
            Self::Consecutive => (k / global_ports, k % global_ports),
            Self::RoundRobin => (k % routers, k / routers),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PortAssignment;

    #[test]
    fn six_indices_on_three_routers() {
        let owners = |port_assignment: PortAssignment| {
            (0..6).map(|k| port_assignment.owner(3, 2, k)).collect::<Vec<_>>()
        };
        assert_eq!(
            owners(PortAssignment::Consecutive),
            [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
        );
        assert_eq!(
            owners(PortAssignment::RoundRobin),
            [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
        );
    }
}
