//! `minimal`: local to the router that owns the global link, global, local.
//!
//! Paper: Kim, Dally, Scott and Abts, ISCA 2008 (MIN). Reads nothing; decides nothing. Where two
//! groups share several links: one with the fewest hops from this router to the destination router,
//! ties drawn per packet, or as [`GatewayChoice`](crate::GatewayChoice) says. In a two-dimensional
//! group a segment has up to two hops, row then column or column then row (key `local_order`).
//!
//! VCs: 2. Source group (local and global hop) 0, destination group 1, as SST's merlin. A path is
//! l0 g0 l1: it ascends. SST and CODES: the same path, over a link that they choose by other rules.
//! BookSim2 puts the source group's global hop on VC 1. CAMINOS' `Shortest` is the graph's shortest
//! path and takes g-g where that is shorter than l-g-l; this one never does.

use crate::descriptor::{Descriptor, RoutingKey};
use crate::rule::Rule;
use crate::{VcMap, VcMapName, paths};

/// The routing.
pub(crate) struct Minimal;

/// The VC map.
const CHANNELS: VcMap = VcMap::ascending(2, 0, 0, 0, 0);

impl Rule for Minimal {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "Minimal",
        rule: "A path with at most one global link and a shortest path inside each group.",
        source: "Kim et al., ISCA 2008",
        vc_map: CHANNELS,
        maps: &[
            (VcMapName::Booksim2, VcMap::BOOKSIM_MINIMAL),
            (VcMapName::Caminos, CHANNELS),
            (VcMapName::Codes, VcMap::CODES),
        ],
        max_hops: |diameter| 2 * diameter + 1,
        paths: paths::minimal,
        reads: &[RoutingKey::Gateways],
        ..Descriptor::USUAL
    };
}
