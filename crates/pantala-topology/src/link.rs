//! Links and ports: their classes and their ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The class of a link.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum LinkClass {
    /// A terminal and its router: injection in one direction, ejection in the other.
    Terminal = 0,
    /// Two routers of one group, in a Dragonfly whose groups are full meshes (1D).
    Local = 1,
    /// Two routers of one row of a group, in a Dragonfly whose groups are grids (2D).
    Row = 2,
    /// Two routers of one column of a group (2D).
    Column = 3,
    /// Two routers of different groups.
    Global = 4,
}

impl LinkClass {
    /// Number of classes.
    pub const COUNT: usize = 5;

    /// Every class, in the order of their numbers.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Terminal, Self::Local, Self::Row, Self::Column, Self::Global];

    /// The name in tables: `terminal`, `local`, `row`, `column`, `global`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Local => "local",
            Self::Row => "row",
            Self::Column => "column",
            Self::Global => "global",
        }
    }
}

/// The far end of a router's port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Peer {
    /// A terminal.
    Terminal(u32),
    /// A port of another router.
    Port {
        /// That router.
        router: u32,
        /// Its port.
        port: u16,
    },
    /// No peer: the global link arrangement leaves the port unused, or its link has failed.
    Unconnected,
}

/// Ports of one router that lead to the same router by parallel links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ports<'a> {
    /// Consecutive ports.
    Range {
        /// The first port.
        first: u16,
        /// Number of ports, at least 1.
        count: u16,
    },
    /// The ports in a group that lacks links.
    List {
        /// The first local port of the router.
        first: u16,
        /// The ports, counted from `first`.
        local: &'a [u16],
    },
}

impl Ports<'_> {
    /// Number of ports.
    #[inline]
    #[must_use]
    pub fn count(self) -> u16 {
        match self {
            Self::Range { count, .. } => count,
            Self::List { local, .. } => local.len() as u16,
        }
    }

    /// The first port.
    #[inline]
    #[must_use]
    pub fn first(self) -> u16 {
        self.nth(0)
    }

    /// The port of number `index`, from 0.
    #[inline]
    #[must_use]
    pub fn nth(self, index: u16) -> u16 {
        match self {
            Self::Range { first, .. } => first + index,
            Self::List { first, local } => first + local[usize::from(index)],
        }
    }

    /// All ports in order.
    pub fn iter(self) -> impl Iterator<Item = u16> {
        (0..self.count()).map(move |index| self.nth(index))
    }
}

/// A global link in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GlobalLink {
    /// The router at which it starts.
    pub router: u32,
    /// The port at which it starts.
    pub port: u16,
    /// The router at which it ends.
    pub target_router: u32,
    /// The port at which it ends.
    pub target_port: u16,
}

/// A link between two routers in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// The router at which it starts.
    pub source_router: u32,
    /// The port at which it starts.
    pub source_port: u16,
    /// The router at which it ends.
    pub target_router: u32,
    /// The port at which it ends.
    pub target_port: u16,
    /// Its class; never [`LinkClass::Terminal`].
    pub class: LinkClass,
    /// Its number among parallel links, from 0: among the links of its two groups for a global
    /// link, among those of its two routers otherwise. It is equal at both ends.
    pub parallel_index: u32,
}

#[cfg(test)]
mod tests {
    use super::LinkClass;

    #[test]
    fn classes_are_listed_by_number() {
        for (number, class) in LinkClass::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, number);
        }
        assert_eq!(
            LinkClass::ALL.map(LinkClass::name),
            ["terminal", "local", "row", "column", "global"]
        );
    }
}
