//! UGAL's comparison of a minimal and a non-minimal candidate.

use crate::candidates::Here;
use crate::draws::salted;
use crate::state::RouteState;
use crate::view::CongestionView;

/// Makes the decision of the UGAL family (Kang et al., SC22, section II.B; SST's
/// `adp_select_port`): compares the least queue of each kind by
/// [`UgalConfig::diverts`](crate::UgalConfig::diverts). `salt` separates the draws of two decisions
/// of a packet.
pub(crate) fn decide<S: CongestionView>(
    here: &Here<'_>,
    route: &mut RouteState,
    view: &mut S,
    draw_intermediate: impl FnMut(u64) -> u32,
    salt: u64,
) {
    let minimal = here.minimal(route, |path| here.queue(view, path), salt);
    let other = here.nonminimal(route, draw_intermediate, |path| here.queue(view, path), salt);
    let (q_min, q_non) = here.queues(view, &minimal, &other);
    let diverts = here.routing.ugal.diverts(q_min, q_non, || salted(route.draw, 192 + salt));
    here.take(route, &minimal, &other, diverts);
}
