//! `codes_custom_min`: the minimal routing of CODES' dragonfly-custom, its model of Cray XC.
//!
//! ```text
//! at the source router, if the destination is in another group:
//!     L = a link between the two groups, uniform over all of them
//!     go to the router that owns L, over L, and inside the destination's group to the destination
//! ```
//! Unlike [`minimal`](super::minimal), it draws among *all* links between two groups, not among
//! those with the fewest hops. With several links a path of two-dimensional groups then has up to
//! five links, the "5-hop" of Wang et al., and most packets cross more local links than they need.
//!
//! Reads nothing; decides nothing. Dimensions have a fixed order (key `local_order`); CODES draws
//! it. VCs: 2, as `minimal`. Source: CODES `dragonfly-custom.C`, `get_next_stop`; Wang et al.,
//! IPDPS 2020, sections IV.C and VI.C.

use crate::descriptor::Descriptor;
use crate::rule::Rule;
use crate::{Gateways, VcMap, VcMapName, paths};

/// The routing.
pub(crate) struct CodesCustomMin;

impl Rule for CodesCustomMin {
    const DESCRIPTOR: Descriptor = Descriptor {
        title: "Minimal routing of CODES' dragonfly-custom",
        rule: "A path with one global link, drawn among all links between the two groups, and a \
               shortest path to and from it.",
        source: "CODES, dragonfly-custom; Wang et al., IPDPS 2020, IV.C",
        vc_map: VcMap::ascending(2, 0, 0, 0, 0),
        maps: &[(VcMapName::Codes, VcMap::CODES_CUSTOM)],
        max_hops: |diameter| 2 * diameter + 1,
        paths: paths::minimal,
        gateways: Gateways::Any,
        ..Descriptor::USUAL
    };
}
