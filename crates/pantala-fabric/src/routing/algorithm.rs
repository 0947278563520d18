//! The algorithms by name, and what is fixed about each.

use super::{ChannelMap, Channels};
use super::{aries, merlin_ugal, minimal, par, q_adaptive, ugal_g, ugal_global, ugal_n, valiant_group, valiant_node};

/// A routing algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// [`minimal`]
    Minimal,
    /// [`valiant_group`]
    ValiantGroup,
    /// [`valiant_node`]
    ValiantNode,
    /// [`ugal_g`]
    UgalG,
    /// [`ugal_n`]
    UgalN,
    /// [`par`]
    Par,
    /// [`ugal_global`]
    UgalGlobal,
    /// [`q_adaptive`]
    QAdaptive,
    /// [`super::codes_adp`]
    CodesAdp,
    /// [`super::codes_padp`]
    CodesPadp,
    /// [`aries`]
    Aries,
    /// [`merlin_ugal`]
    MerlinUgal,
    /// [`super::booksim_ugal`]
    BooksimUgal,
}

/// What a non-minimal path visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intermediate {
    /// Any router of a group: the first one reached.
    Group,
    /// One router.
    Router,
}

impl Algorithm {
    /// All algorithms, in the order of the docs.
    pub const ALL: [Self; 13] = [
        Self::Minimal,
        Self::ValiantGroup,
        Self::ValiantNode,
        Self::UgalG,
        Self::UgalN,
        Self::Par,
        Self::UgalGlobal,
        Self::QAdaptive,
        Self::CodesAdp,
        Self::CodesPadp,
        Self::Aries,
        Self::MerlinUgal,
        Self::BooksimUgal,
    ];

    /// The name in scenarios.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::ValiantGroup => "valiant_group",
            Self::ValiantNode => "valiant_node",
            Self::UgalG => "ugal_g",
            Self::UgalN => "ugal_n",
            Self::Par => "par",
            Self::UgalGlobal => "ugal_global",
            Self::QAdaptive => "q_adaptive",
            Self::CodesAdp => "codes_adp",
            Self::CodesPadp => "codes_padp",
            Self::Aries => "aries",
            Self::MerlinUgal => "merlin_ugal",
            Self::BooksimUgal => "booksim_ugal",
        }
    }

    /// The algorithm of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|a| a.name() == name)
    }

    /// The algorithm's VC map after `map`; `None` if that simulator has none for it.
    #[must_use]
    pub const fn channels(self, map: ChannelMap) -> Option<Channels> {
        match (map, self) {
            (ChannelMap::Climbing, _) => Some(self.own_channels()),
            (ChannelMap::Booksim2, Self::Minimal) => Some(Channels::BOOKSIM_MINIMAL),
            (ChannelMap::Booksim2, Self::BooksimUgal) => Some(Channels::BOOKSIM_UGAL),
            (ChannelMap::Caminos, Self::Minimal) => Some(minimal::CHANNELS),
            (ChannelMap::Caminos, Self::ValiantNode | Self::BooksimUgal) => Some(Channels::CAMINOS_VALIANT),
            (ChannelMap::Codes, Self::Minimal | Self::ValiantGroup | Self::CodesAdp | Self::CodesPadp) => {
                Some(Channels::CODES)
            }
            _ => None,
        }
    }

    /// The algorithm's own VC map, free of deadlock.
    #[must_use]
    pub const fn own_channels(self) -> Channels {
        match self {
            Self::Minimal => minimal::CHANNELS,
            Self::ValiantGroup => valiant_group::CHANNELS,
            Self::ValiantNode => valiant_node::CHANNELS,
            Self::UgalG => ugal_g::CHANNELS,
            Self::MerlinUgal => merlin_ugal::CHANNELS,
            Self::UgalN | Self::BooksimUgal => ugal_n::CHANNELS,
            Self::Par => par::CHANNELS,
            Self::UgalGlobal => ugal_global::CHANNELS,
            Self::QAdaptive => q_adaptive::CHANNELS,
            Self::CodesAdp | Self::CodesPadp => Channels::CODES,
            Self::Aries => aries::CHANNELS,
        }
    }

    /// Most links between routers that a packet may take where a minimal path inside a group has at most `diameter` links
    /// (closed form; the property tests hold runs against it).
    #[must_use]
    pub const fn most_hops(self, diameter: u8) -> u8 {
        match self {
            Self::Minimal => 2 * diameter + 1,
            Self::ValiantGroup
            | Self::UgalG
            | Self::UgalGlobal
            | Self::CodesAdp
            | Self::CodesPadp
            | Self::MerlinUgal => 3 * diameter + 2,
            Self::ValiantNode | Self::UgalN | Self::BooksimUgal => 4 * diameter + 2,
            // Up to a group's diameter before the change of mind, after which the way to the gate starts anew.
            Self::Par => 5 * diameter + 2,
            Self::Aries => 4 * diameter + 2,
            Self::QAdaptive => 5,
        }
    }

    /// Whether it decides by queues.
    #[must_use]
    pub const fn is_adaptive(self) -> bool {
        !matches!(self, Self::Minimal | Self::ValiantGroup | Self::ValiantNode | Self::QAdaptive)
    }

    /// Whether it decides again at the routers of the source group after the first.
    #[must_use]
    pub const fn is_progressive(self) -> bool {
        matches!(self, Self::Par | Self::CodesPadp | Self::Aries | Self::MerlinUgal)
    }

    /// Whether it picks the link to the next group anew at every router outside the destination's group, by queues.
    #[must_use]
    pub const fn steers(self) -> bool {
        matches!(self, Self::CodesAdp | Self::CodesPadp)
    }

    /// Whether two-dimensional groups can carry it.
    #[must_use]
    pub const fn carries_2d(self) -> bool {
        !matches!(self, Self::QAdaptive)
    }

    /// Where the intermediate of a non-minimal path is.
    #[must_use]
    pub const fn intermediate(self) -> Intermediate {
        match self {
            Self::ValiantNode | Self::UgalN | Self::Par | Self::BooksimUgal => Intermediate::Router,
            _ => Intermediate::Group,
        }
    }
}
