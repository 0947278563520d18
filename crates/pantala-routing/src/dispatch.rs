//! [`Algorithm`], made from the list of routings: the enum, its names, and the dispatch of
//! decisions.

use crate::{VcMap, VcMapName};

/// Makes [`Algorithm`] from the list of routings, each `module::Type`. The module's name is the
/// name of the routing; the type implements [`Rule`](super::descriptor::Rule) and its name in snake
/// case is the module's.
///
/// Decisions are dispatched by `match`, and facts that the hot path asks for are constants of it.
macro_rules! routings {
    ($($module:ident::$name:ident),* $(,)?) => {
        /// A routing algorithm. [`Algorithm::descriptor`] has the facts about each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Algorithm {
            $(#[doc = concat!("[`", stringify!($module), "`]")] $name),*
        }

        impl Algorithm {
            /// How many there are.
            pub const COUNT: usize = [$(stringify!($name)),*].len();

            /// All algorithms, in the order of the docs.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$name),*];

            /// The name in scenarios and plans.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($module)),* }
            }

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
            pub(crate) fn decide<S: CongestionView>(self, here: &Here<'_>, route: &mut RouteState, view: &mut S) {
                match self { $(Self::$name => <$module::$name as Rule>::decide(here, route, view)),* }
            }

            #[inline]
            pub(crate) fn decide_inside<S: CongestionView>(self, here: &Here<'_>, route: &mut RouteState, view: &mut S) {
                match self { $(Self::$name => <$module::$name as Rule>::decide_inside(here, route, view)),* }
            }

            #[inline]
            pub(crate) fn decide_per_hop<S: CongestionView>(self, here: &Here<'_>, route: &mut RouteState, view: &mut S) {
                match self { $(Self::$name => <$module::$name as Rule>::decide_per_hop(here, route, view)),* }
            }
        }
    };
}
pub(crate) use routings;

impl super::Algorithm {
    /// The algorithm of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// Its VC map after `map`; `None` if that simulator has none for it.
    #[must_use]
    pub fn vc_map(self, map: VcMapName) -> Option<VcMap> {
        if map == VcMapName::Ascending {
            return Some(self.own_vc_map());
        }
        self.descriptor().maps.iter().find(|(whose, _)| *whose == map).map(|(_, vc_map)| *vc_map)
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
        use crate::Information;
        matches!(self.information(), Information::Queues | Information::GroupQueues)
    }

    /// Whether routers learn estimates for it.
    #[must_use]
    pub const fn learns(self) -> bool {
        matches!(self.information(), super::Information::Estimates)
    }

    /// Whether two-dimensional groups can carry it.
    #[must_use]
    pub const fn carries_2d(self) -> bool {
        self.descriptor().carries_2d
    }
}
