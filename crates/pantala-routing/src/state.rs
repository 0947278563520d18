//! The route state of a packet: the fields that routing reads and writes.

use crate::vc_map::VcMap;
use pantala_topology::Topology;
use serde::{Deserialize, Serialize};

/// No intermediate, or no gateway link chosen.
pub const NONE: u32 = u32::MAX;

/// A packet's phase on its path. Phase and routing together give the VC of the next hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Serialize, Deserialize)]
pub enum Phase {
    /// Before the decision at the source router.
    Undecided,
    /// On a minimal path in the source group, under a progressive routing: the next router decides
    /// again.
    Revisable,
    /// On a minimal path that stays in the group.
    Inside,
    /// On a non-minimal path that stays in the group: on the way to the intermediate router there.
    InsideToIntermediate,
    /// On a non-minimal path: on the way to the intermediate group or router.
    ToIntermediate,
    /// On the way to the destination, on a minimal path or after the intermediate.
    ToDestination,
}

/// The route state of a packet. The fabric keeps one in every packet.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RouteState {
    /// The packet's own random word. Every draw of its routing is a function of it.
    pub draw: u64,
    /// Destination terminal.
    pub destination: u32,
    /// Router of the destination terminal.
    pub destination_router: u32,
    /// Intermediate router or group of a non-minimal path, as the algorithm defines it.
    pub intermediate: u32,
    /// The gateway link in this group, as an index into the links between the two groups; [`NONE`]
    /// before the choice.
    pub gateway: u32,
    /// Group of the destination terminal.
    pub destination_group: u16,
    /// Links between routers that the packet has passed.
    pub hops: u8,
    /// Phase.
    pub phase: Phase,
    /// Whether the packet takes a non-minimal path.
    pub nonminimal: bool,
    /// Place of the packet's routing in the plan's table of routings.
    pub routing: u8,
    /// Of a non-minimal path: the value of `hops` at the router that chose it.
    pub diverted: u8,
    /// Under a map by local hops: the VC of the next local hop, at least (low five bits), and the
    /// global hops that the packet has been routed over (high three bits).
    pub counted: u8,
}

/// The low bits of [`RouteState::counted`].
const LOCAL_BITS: u32 = 5;
const LOCAL_MASK: u8 = (1 << LOCAL_BITS) - 1;

impl RouteState {
    /// The state of an unused packet record.
    pub const EMPTY: Self = Self {
        draw: 0,
        destination: 0,
        destination_router: 0,
        intermediate: NONE,
        gateway: NONE,
        destination_group: 0,
        hops: 0,
        phase: Phase::Undecided,
        nonminimal: false,
        routing: 0,
        diverted: 0,
        counted: 0,
    };

    /// The state of a packet to terminal `destination` at its source.
    #[inline(always)]
    #[must_use]
    pub fn to(topology: &Topology, destination: u32, routing: u8, draw: u64) -> Self {
        let destination_router = topology.router_of(destination);
        Self {
            draw,
            destination,
            destination_router,
            destination_group: topology.group_of(destination_router) as u16,
            routing,
            ..Self::EMPTY
        }
    }

    /// Counts the next hop of the packet; returns its VC under a map by local hops. `global` says
    /// whether it leaves the group.
    pub(crate) const fn count_hop(&mut self, global: bool) -> u8 {
        let (local, globals) = (self.counted & LOCAL_MASK, self.counted >> LOCAL_BITS);
        if global {
            self.counted = local | (globals + 1) << LOCAL_BITS;
            return globals;
        }
        let least = VcMap::least_local(globals);
        let vc = if local > least { local } else { least };
        self.counted = globals << LOCAL_BITS | (vc + 1) & LOCAL_MASK;
        vc
    }

    /// Sends the packet over another router of its group.
    pub(crate) fn divert_inside(&mut self, router: u32) {
        self.phase = Phase::InsideToIntermediate;
        self.intermediate = router;
        self.nonminimal = true;
        self.diverted = self.hops;
    }

    /// Sends the packet on a non-minimal path over this intermediate, by this gateway link.
    pub(crate) fn divert(&mut self, intermediate: u32, gateway: u32) {
        self.phase = Phase::ToIntermediate;
        self.intermediate = intermediate;
        self.gateway = gateway;
        self.nonminimal = true;
        self.diverted = self.hops;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_route_state_is_half_a_cache_line() {
        assert_eq!(size_of::<RouteState>(), 32);
    }
}
