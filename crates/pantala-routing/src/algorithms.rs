//! The routing algorithms, one file each, and the dispatch to them.
//!
//! [`Algorithm`] is a closed enum. A `match` dispatches each decision, and the facts that the hot
//! path reads are constants of that `match`.

pub mod aries;
pub mod booksim_ugal;
pub mod codes_adp;
pub mod codes_custom_adp;
pub mod codes_custom_min;
pub mod codes_padp;
pub mod merlin_ugal;
pub mod minimal;
pub mod par;
pub mod q_adaptive;
pub mod ugal_g;
pub mod ugal_global;
pub mod ugal_n;
pub mod valiant_group;
pub mod valiant_node;

use crate::algorithm::{Algorithm, with_all_routings};
use crate::candidates::DecisionContext;
use crate::descriptor::{Descriptor, Information, Intermediate};
use crate::rule::Rule;
use crate::state::RouteState;
use crate::vc_map::{VcMap, VcMapName};
use crate::view::CongestionView;

macro_rules! dispatch {
    ($($module:ident::$name:ident),* $(,)?) => {
        impl Algorithm {
            /// The facts about it.
            #[must_use]
            pub const fn descriptor(self) -> &'static Descriptor {
                match self { $(Self::$name => &<$module::$name as Rule>::DESCRIPTOR),* }
            }

            /// Its own VC map, free of deadlock.
            #[must_use]
            pub const fn own_vc_map(self) -> VcMap {
                match self { $(Self::$name => <$module::$name as Rule>::DESCRIPTOR.vc_map),* }
            }

            /// The state that its decisions read.
            #[must_use]
            pub const fn information(self) -> Information {
                match self { $(Self::$name => <$module::$name as Rule>::DESCRIPTOR.information),* }
            }

            /// The intermediate of a non-minimal path.
            #[must_use]
            pub const fn intermediate(self) -> Intermediate {
                match self { $(Self::$name => <$module::$name as Rule>::DESCRIPTOR.intermediate),* }
            }

            /// Whether the later routers of the source group decide again.
            #[must_use]
            pub const fn is_progressive(self) -> bool {
                match self { $(Self::$name => <$module::$name as Rule>::DESCRIPTOR.progressive),* }
            }

            /// Whether every router outside the destination's group picks the link to the next
            /// group anew, by queues.
            #[must_use]
            pub const fn per_hop_adaptive(self) -> bool {
                match self { $(Self::$name => <$module::$name as Rule>::DESCRIPTOR.per_hop_adaptive),* }
            }

            #[inline]
            pub(crate) fn decide<S: CongestionView>(self, context: &DecisionContext<'_>, route: &mut RouteState, view: &mut S) {
                match self { $(Self::$name => <$module::$name as Rule>::decide(context, route, view)),* }
            }

            #[inline]
            pub(crate) fn decide_inside<S: CongestionView>(self, context: &DecisionContext<'_>, route: &mut RouteState, view: &mut S) {
                match self { $(Self::$name => <$module::$name as Rule>::decide_inside(context, route, view)),* }
            }

            #[inline]
            pub(crate) fn decide_per_hop<S: CongestionView>(self, context: &DecisionContext<'_>, route: &mut RouteState, view: &mut S) {
                match self { $(Self::$name => <$module::$name as Rule>::decide_per_hop(context, route, view)),* }
            }
        }
    };
}
with_all_routings!(dispatch);

impl Algorithm {
    /// Its VC map after `map` where groups lack no links and have one dimension; `None` if that
    /// simulator has none for it.
    #[must_use]
    pub fn vc_map(self, map: VcMapName) -> Option<VcMap> {
        match map {
            VcMapName::Ascending => return Some(self.own_vc_map()),
            VcMapName::ByHop => return Some(VcMap::by_hop(self.max_hops(1))),
            VcMapName::Booksim2 | VcMapName::Caminos | VcMapName::Codes => {}
        }
        self.descriptor().maps.iter().find(|(whose, _)| *whose == map).map(|(_, vc_map)| *vc_map)
    }

    /// Its VC map after `map` where a minimal path inside a group has at most `diameter` links;
    /// `None` if that simulator has none for it. A map by hops has a VC per hop.
    #[must_use]
    pub fn vc_map_for(self, map: VcMapName, diameter: u8) -> Option<VcMap> {
        let vc_map = self.vc_map(map)?;
        Some(if vc_map.by_hop { VcMap::by_hop(self.max_hops(diameter)) } else { vc_map })
    }

    /// Most links between routers that a packet may take where a minimal path inside a group has at
    /// most `diameter` links (closed form; the property tests hold runs against it).
    #[must_use]
    pub fn max_hops(self, diameter: u8) -> u8 {
        (self.descriptor().max_hops)(diameter)
    }

    /// Whether it decides by queues.
    #[must_use]
    pub const fn is_adaptive(self) -> bool {
        matches!(self.information(), Information::Queues | Information::GroupQueues)
    }

    /// Whether routers learn estimates for it.
    #[must_use]
    pub const fn learns(self) -> bool {
        matches!(self.information(), Information::Estimates)
    }

    /// Whether two-dimensional groups can carry it.
    #[must_use]
    pub const fn carries_2d(self) -> bool {
        self.descriptor().carries_2d
    }
}
