//! The routings of other simulators that have a cycle and are shipped nevertheless.

use crate::{Algorithm, RoutingConfig, VcMap};

/// Returns the name of a routing's known cycle; `None` if the routing must not have one.
///
/// | name | why |
/// | --- | --- |
/// | `booksim_ugal with 3 VCs` | BookSim2's VC is the phase: a path to the intermediate router, l g l, lies on VC 0 |
/// | `codes_custom_adp with 8 VCs` | the VC is a count of local hops: in two dimensions the third in the intermediate group is on VC 4, as the first in the destination's group |
#[must_use]
pub fn exception(routing: &RoutingConfig) -> Option<&'static str> {
    let booksim =
        routing.algorithm == Algorithm::BooksimUgal && routing.vc_map == VcMap::BOOKSIM_UGAL;
    if booksim {
        return Some("booksim_ugal with 3 VCs");
    }
    let custom = routing.algorithm == Algorithm::CodesCustomAdp && routing.vc_map.by_local_hop;
    custom.then_some("codes_custom_adp with 8 VCs")
}
