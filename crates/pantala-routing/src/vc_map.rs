//! [`VcMap`]: the VC of each hop, by the packet's phase.
//!
//! A packet holds a channel (a VC of a link) while it asks for the next. A map is free of deadlock
//! if these dependencies have no cycle. *Ascending* maps order all channels by VC first and link
//! class second (terminal injection, row, column, local, global), and every path only ascends. In a
//! two-dimensional group the fixed order of dimensions keeps one VC free of cycles, so a map serves
//! one and two dimensions. `dependencies` checks maps link by link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most VCs that a port can have. A set of VCs is a `u16`.
pub const MAX_VIRTUAL_CHANNELS: u8 = u16::BITS as u8;

/// The VCs of the two kinds of hop in one segment of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentVcs {
    /// Inside the group, up to the router that owns the global link.
    pub local: u8,
    /// The global link at the end of the segment.
    pub global: u8,
}

impl SegmentVcs {
    /// One VC for both.
    #[must_use]
    pub const fn both(vc: u8) -> Self {
        Self { local: vc, global: vc }
    }
}

/// A VC map. The VC of a hop is that of the buffer at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VcMap {
    /// The number of VCs.
    pub count: u8,
    /// A path that stays in its group, and its ejection.
    pub inside: u8,
    /// Source group, minimal path, from the source router.
    pub minimal: SegmentVcs,
    /// Source group, minimal path, from the routers after it.
    pub minimal_later: SegmentVcs,
    /// Source group, non-minimal path, from the source router.
    pub nonminimal: SegmentVcs,
    /// Source group, non-minimal path, from the routers after it.
    pub nonminimal_later: SegmentVcs,
    /// Intermediate group, to the intermediate router.
    pub to_intermediate: u8,
    /// Intermediate group, from the intermediate on.
    pub from_intermediate: SegmentVcs,
    /// Destination group of a minimal path, and its ejection.
    pub destination_minimal: u8,
    /// Destination group of a non-minimal path, and its ejection.
    pub destination_nonminimal: u8,
    /// Whether the VC of a hop is the number of hops before it. Then the other fields have no
    /// effect.
    pub by_hop: bool,
    /// Whether the VC of a global hop is the number of global hops before it, and that of a local
    /// hop the number of local hops before it: at least 2 after one global hop and 4 after two. Then
    /// the other fields hold for the first hop and for ejection.
    pub by_local_hop: bool,
}

impl VcMap {
    /// Makes an ascending map of `count` VCs. A minimal path starts on VC `minimal`. A non-minimal
    /// path starts on `nonminimal` and uses `to_intermediate` and `from_intermediate` in its
    /// intermediate group. Every path ends on the last VC.
    #[must_use]
    pub const fn ascending(
        count: u8,
        minimal: u8,
        nonminimal: u8,
        to_intermediate: u8,
        from_intermediate: u8,
    ) -> Self {
        Self {
            count,
            inside: count - 1,
            minimal: SegmentVcs::both(minimal),
            minimal_later: SegmentVcs::both(minimal),
            nonminimal: SegmentVcs::both(nonminimal),
            nonminimal_later: SegmentVcs::both(nonminimal),
            to_intermediate,
            from_intermediate: SegmentVcs::both(from_intermediate),
            destination_minimal: count - 1,
            destination_nonminimal: count - 1,
            by_hop: false,
            by_local_hop: false,
        }
    }

    /// Makes a map in which the VC is the number of hops made.
    #[must_use]
    pub const fn by_hop(count: u8) -> Self {
        Self { inside: 0, by_hop: true, ..Self::ascending(count, 0, 0, 0, 0) }
    }

    /// Returns the VCs after this number of hops: `lane`, or the hops if the map goes by them.
    #[must_use]
    pub const fn at_hop(&self, hops: u8, lane: SegmentVcs) -> SegmentVcs {
        if self.by_hop { SegmentVcs::both(hops) } else { lane }
    }

    /// The map of BookSim2's dragonfly for its `min`: VC 1 from the global hop on, VC 0 before and
    /// inside a group.
    pub const BOOKSIM_MINIMAL: Self = Self {
        inside: 0,
        minimal: SegmentVcs { local: 0, global: 1 },
        minimal_later: SegmentVcs { local: 0, global: 1 },
        ..Self::ascending(2, 0, 0, 0, 0)
    };

    /// The map of BookSim2's `ugal`, its phase: 0 on the way to the intermediate router, 1 on a
    /// minimal path before its global hop, 2 from the last global hop on and inside a group. Not
    /// free of deadlock: a path l g l lies on VC 0.
    pub const BOOKSIM_UGAL: Self = Self {
        minimal: SegmentVcs { local: 1, global: 2 },
        minimal_later: SegmentVcs { local: 1, global: 2 },
        from_intermediate: SegmentVcs { local: 1, global: 2 },
        ..Self::ascending(3, 1, 0, 0, 1)
    };

    /// The map of CODES' dragonfly-dally: in the source group, inside groups too, the local hops
    /// made (more than one count as one); 2 in the intermediate group, 3 in the destination's. It
    /// ascends.
    pub const CODES: Self = Self {
        inside: 0,
        minimal_later: SegmentVcs::both(1),
        nonminimal_later: SegmentVcs::both(1),
        ..Self::ascending(4, 0, 0, 2, 2)
    };

    /// The map of CODES' dragonfly-custom: global and local hops are counted, and each global hop
    /// raises the count of local hops to twice the number of global ones. A packet is ejected on VC
    /// 0. It ascends in one dimension. In two, it may make three local hops in the intermediate
    /// group and one after it, or four; so the third of these, in the intermediate group, is on the
    /// VC of the first local hop in the destination's group, and channels can form a cycle.
    pub const CODES_CUSTOM: Self = Self {
        inside: 0,
        destination_minimal: 0,
        destination_nonminimal: 0,
        by_local_hop: true,
        ..Self::ascending(8, 0, 0, 0, 0)
    };

    /// The least VC of a local hop after this number of global hops, if the map counts local hops.
    #[must_use]
    pub(crate) const fn least_local(global_hops: u8) -> u8 {
        2 * global_hops
    }

    /// CAMINOS' ascending channels for paths l g l l g l: local links on VC 2 times the global hops
    /// made plus the local hops since, global links on the global hops made.
    pub const CAMINOS_VALIANT: Self = Self {
        inside: 0,
        minimal: SegmentVcs::both(0),
        minimal_later: SegmentVcs::both(0),
        from_intermediate: SegmentVcs { local: 3, global: 1 },
        destination_minimal: 2,
        ..Self::ascending(5, 0, 0, 2, 3)
    };

    /// Whether all packets of a minimal path use one VC on global links, and traffic inside a group
    /// is as in the destination's.
    #[must_use]
    pub const fn is_plain_minimal(&self) -> bool {
        !self.by_hop
            && !self.by_local_hop
            && self.inside == self.destination_minimal
            && self.minimal.local == self.minimal_later.local
            && self.minimal.global == self.minimal_later.global
    }
}

/// The VC map that an algorithm uses: its own, that of another simulator, or one VC per hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VcMapName {
    /// The algorithm's own map, which is free of deadlock.
    #[default]
    Ascending,
    /// The map of BookSim2.
    Booksim2,
    /// The ascending map of CAMINOS.
    Caminos,
    /// The map of CODES: of dragonfly-dally, with four VCs; under codes_custom_min and
    /// codes_custom_adp that of dragonfly-custom, with eight.
    Codes,
    /// The VC of a hop is the number of hops before it. A port has as many VCs as a path has hops at
    /// most. No paths can close a cycle, whatever links have failed.
    ByHop,
}

impl VcMapName {
    /// Every map, in the order of the docs.
    pub const ALL: [Self; 5] =
        [Self::Ascending, Self::Booksim2, Self::Caminos, Self::Codes, Self::ByHop];
}
