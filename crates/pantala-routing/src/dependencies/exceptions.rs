//! The routings of other simulators that have a cycle and are shipped nevertheless.

use crate::{Algorithm, RoutingConfig, VcMap};

/// Returns the name of a routing's known cycle; `None` if the routing must not have one.
///
/// | name | why |
/// | --- | --- |
/// | `booksim_ugal with 3 VCs` | BookSim2's VC is the phase: a path to the intermediate router, l g l, lies on VC 0 |
#[must_use]
pub fn exception(routing: &RoutingConfig) -> Option<&'static str> {
    let booksim =
        routing.algorithm == Algorithm::BooksimUgal && routing.vc_map == VcMap::BOOKSIM_UGAL;
    booksim.then_some("booksim_ugal with 3 VCs")
}
