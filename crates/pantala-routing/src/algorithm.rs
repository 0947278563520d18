//! [`Algorithm`]: the names of the routing algorithms, from their one list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Calls a macro with the list of all routing algorithms, each `module::Type`. The module's name is
/// the name of the routing; the type has the same name in camel case and implements
/// [`Rule`](crate::rule::Rule). The order is that of the documentation.
macro_rules! with_all_routings {
    ($make:ident) => {
        $make! {
            minimal::Minimal,
            valiant_group::ValiantGroup,
            valiant_node::ValiantNode,
            ugal_g::UgalG,
            ugal_n::UgalN,
            par::Par,
            ugal_global::UgalGlobal,
            q_adaptive::QAdaptive,
            codes_adp::CodesAdp,
            codes_padp::CodesPadp,
            codes_custom_min::CodesCustomMin,
            codes_custom_adp::CodesCustomAdp,
            aries::Aries,
            merlin_ugal::MerlinUgal,
            booksim_ugal::BooksimUgal,
        }
    };
}
pub(crate) use with_all_routings;

macro_rules! names {
    ($($module:ident::$name:ident),* $(,)?) => {
        /// A routing algorithm. [`Algorithm::descriptor`] has the facts about each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Algorithm {
            $(#[doc = concat!("`", stringify!($module), "`")] $name),*
        }

        impl Algorithm {
            /// The number of algorithms.
            pub const COUNT: usize = [$(stringify!($name)),*].len();

            /// All algorithms, in the order of the documentation.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$name),*];

            /// Returns the name in scenarios and plans.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($module)),* }
            }
        }
    };
}
with_all_routings!(names);

impl Algorithm {
    /// Returns the algorithm with this name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }
}
