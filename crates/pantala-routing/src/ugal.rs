//! UGAL's comparison of a minimal and a non-minimal candidate.

use crate::candidates::DecisionContext;
use crate::draws::salted;
use crate::state::RouteState;
use crate::view::CongestionView;

/// Makes the decision of the UGAL family (Kang et al., SC22, section II.B; SST's
/// `adp_select_port`): compares the least queue of each kind by
/// [`UgalConfig::diverts`](crate::UgalConfig::diverts). `salt` separates the draws of two decisions
/// of a packet.
#[inline]
pub(crate) fn decide<S: CongestionView>(
    context: &DecisionContext<'_>,
    route: &mut RouteState,
    view: &mut S,
    draw_intermediate: impl FnMut(u64) -> u32,
    salt: u64,
) {
    let minimal = context.minimal(route, |path| context.queue(view, path), salt);
    let other =
        context.nonminimal(route, draw_intermediate, |path| context.queue(view, path), salt);
    let (q_min, q_non) = context.queues(view, &minimal, &other);
    let diverts = context.routing.ugal.diverts(q_min, q_non, || salted(route.draw, 192 + salt));
    context.take(route, &minimal, &other, diverts);
}
