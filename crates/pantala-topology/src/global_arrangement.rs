//! Global link arrangements: the map from a group's global indices to other groups.

use pantala_engine::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// The purpose of the random streams of [`GlobalArrangement::Random`].
const WIRING_PURPOSE: u64 = 0x5749_5245; // "WIRE"

/// A global link arrangement.
///
/// The formulas are for group `G` of `g` groups and slot `m` in `0..g-1` (the crate's page defines
/// slots and slices). `D` is the group to which the slot leads, and `m'` is the slot of the same
/// link in `D`. The slice is equal at both ends.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    strum::Display,
    strum::VariantArray,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum GlobalArrangement {
    /// Consecutive links lead to consecutive groups, without the group itself, as in BookSim2 and
    /// SST's merlin.
    ///
    /// Slots are the other groups in order: `D = m` if `m < G`, else `m + 1`; `m' = G` if `G < D`,
    /// else `G - 1`. Camarero, Vallejo and Beivide (ACM TACO 2014) call it "consecutive".
    #[default]
    Absolute,
    /// Consecutive links lead to consecutive groups, counted from the group itself (Camarero et
    /// al., ACM TACO 2014).
    ///
    /// Slots are the other groups in cyclic order, from the next group on: `D = (G + m + 1) mod g`;
    /// `m' = g - 2 - m`. In a fully populated network, global port `j` of local router `l` meets
    /// port `h-1-j` of local router `a-1-l`. It is the "palm tree" of Camarero et al. and of
    /// Prisacari et al. (2015; their `(i + x*h + m) mod (a*h + 1)`, counted from the next group
    /// on), and the "relative" arrangement of Hastings et al. With `mirrored`, groups are counted
    /// in the other direction: `D = (G - m - 1) mod g`, with the same `m'`. That is the palmtree of
    /// CAMINOS.
    Palmtree,
    /// Links lead alternately to the groups above and below, the nearest groups first (Hastings et
    /// al., IEEE Cluster 2015).
    ///
    /// Slots lead to `G+1, G-1, G+2, G-2, ...` (mod `g`). `m'` is `m` with its lowest bit flipped.
    /// If `g` is even, the last slot (`G + g/2`) is its own reverse.
    Circulant,
    /// Random permutations, drawn from `global_arrangement_seed`.
    ///
    /// The absolute arrangement with shuffled global ports in every group: the link of global index
    /// `k` moves to index `perm_G(k)`. The random stream of (seed, `G`) determines `perm_G`, which
    /// permutes the used indices of group `G`. The parallel index of a link is the slice of its
    /// index before the shuffle.
    Random,
}

impl GlobalArrangement {
    /// All arrangements, in the order of the documentation.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The far end of slot `m` of group `group` of `groups`: the other group, and the slot of the
    /// same link there.
    pub(crate) fn far_slot(self, mirrored: bool, groups: u32, group: u32, m: u32) -> (u32, u32) {
        debug_assert!(group < groups && m + 1 < groups);
        match self {
            Self::Absolute | Self::Random => {
                let other = if m < group { m } else { m + 1 };
                (other, if group < other { group } else { group - 1 })
            }
            Self::Palmtree => {
                let offset = if mirrored { groups - m - 1 } else { m + 1 };
                ((group + offset) % groups, groups - 2 - m)
            }
            Self::Circulant => {
                let step = m / 2 + 1;
                let ahead = m % 2 == 0;
                let offset = if ahead { step } else { groups - step };
                let own_reverse = ahead && 2 * step == groups;
                ((group + offset) % groups, if own_reverse { m } else { m ^ 1 })
            }
        }
    }

    /// The new index of each of the `used` global indices, for every group in sequence; `None` if
    /// the arrangement does not move them.
    pub(crate) fn places(self, seed: u64, groups: u32, used: u32) -> Option<Vec<u32>> {
        if self != Self::Random {
            return None;
        }
        let mut places = Vec::with_capacity(groups as usize * used as usize);
        for group in 0..groups {
            let start = places.len();
            places.extend(0..used);
            Stream::new(seed, WIRING_PURPOSE, u64::from(group)).shuffle(&mut places[start..]);
        }
        Some(places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups_of(
        global_arrangement: GlobalArrangement,
        mirrored: bool,
        groups: u32,
        group: u32,
    ) -> Vec<u32> {
        (0..groups - 1).map(|m| global_arrangement.far_slot(mirrored, groups, group, m).0).collect()
    }

    #[test]
    fn the_definitions_on_six_groups() {
        assert_eq!(groups_of(GlobalArrangement::Absolute, false, 6, 2), [0, 1, 3, 4, 5]);
        assert_eq!(groups_of(GlobalArrangement::Palmtree, false, 6, 2), [3, 4, 5, 0, 1]);
        assert_eq!(groups_of(GlobalArrangement::Palmtree, true, 6, 2), [1, 0, 5, 4, 3]);
        assert_eq!(groups_of(GlobalArrangement::Circulant, false, 6, 2), [3, 1, 4, 0, 5]);
        assert_eq!(groups_of(GlobalArrangement::Circulant, false, 5, 2), [3, 1, 4, 0]);
    }

    #[test]
    fn the_far_slot_leads_back() {
        for &global_arrangement in GlobalArrangement::ALL {
            for mirrored in [false, true] {
                for groups in 2..20 {
                    for group in 0..groups {
                        for m in 0..groups - 1 {
                            let (other, back) =
                                global_arrangement.far_slot(mirrored, groups, group, m);
                            assert_eq!(
                                global_arrangement.far_slot(mirrored, groups, other, back),
                                (group, m)
                            );
                        }
                    }
                }
            }
        }
    }
}
