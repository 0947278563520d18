//! Links and ports: what they join, what is behind them.

/// What a link joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum LinkClass {
    /// A node and its router (injection one way, ejection the other).
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
    /// How many classes there are.
    pub const COUNT: usize = 5;

    /// Every class, in the order of their numbers.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Terminal, Self::Local, Self::Row, Self::Column, Self::Global];

    /// Its name in tables: `terminal`, `local`, `row`, `column`, `global`.
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

/// What is at the far end of a router's port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Peer {
    /// A node.
    Node(u32),
    /// A port of another router.
    Port {
        /// That router.
        router: u32,
        /// Its port.
        port: u16,
    },
    /// Nothing: a global port that the wiring leaves unused.
    Unconnected,
}

/// Ports of one router that follow one another and lead to the same router: parallel links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortRange {
    /// The first of them.
    pub first: u16,
    /// How many there are, at least 1.
    pub count: u16,
}

/// A global link, seen in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GlobalLink {
    /// The router it leaves.
    pub router: u32,
    /// The port it leaves by.
    pub port: u16,
    /// The router it reaches.
    pub target_router: u32,
    /// The port it reaches.
    pub target_port: u16,
}

/// A link between two routers, seen in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// The router it leaves.
    pub source_router: u32,
    /// The port it leaves by.
    pub source_port: u16,
    /// The router it reaches.
    pub target_router: u32,
    /// The port it reaches.
    pub target_port: u16,
    /// Any class but [`LinkClass::Terminal`].
    pub class: LinkClass,
    /// Which of the parallel links it is, from 0: of those of its two groups for a global link, of
    /// those of its two routers for any other. The same seen from both ends.
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
