//! [`Rule`]: what each algorithm implements, its descriptor and its decisions.

use crate::candidates::DecisionContext;
use crate::descriptor::Descriptor;
use crate::state::RouteState;
use crate::view::CongestionView;

/// A routing: its descriptor and its decisions. The default of each decision is to do nothing.
pub(crate) trait Rule {
    /// The facts about it.
    const DESCRIPTOR: Descriptor;

    /// Decides the path of a packet that goes to another group: at its source router, and at the
    /// later routers of its source group while its phase is [`crate::Phase::Revisable`].
    #[inline]
    fn decide<S: CongestionView>(
        _here: &DecisionContext<'_>,
        _route: &mut RouteState,
        _view: &mut S,
    ) {
    }

    /// Decides the path of a packet that goes to another router of its source group, at its source
    /// router.
    #[inline]
    fn decide_inside<S: CongestionView>(
        _here: &DecisionContext<'_>,
        _route: &mut RouteState,
        _view: &mut S,
    ) {
    }

    /// Picks the link to the next group for a packet whose path is decided, at every router. Called
    /// only if the routing is [per-hop adaptive](Descriptor::per_hop_adaptive).
    #[inline]
    fn decide_per_hop<S: CongestionView>(
        _here: &DecisionContext<'_>,
        _route: &mut RouteState,
        _view: &mut S,
    ) {
    }
}
