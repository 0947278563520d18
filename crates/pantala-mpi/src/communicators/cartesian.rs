//! Cartesian communicators: coordinates and slices of ranks in a grid. Pure functions, after MPI 4.1,
//! chapter 8.
//!
//! As in MPI, the last dimension varies fastest. Ranks are never reordered: `MPI_Cart_create` makes
//! a communicator of the first ranks, and `MPI_Cart_sub` is a split.

use crate::communicators::group::Split;

/// A grid of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cartesian {
    extents: Vec<u32>,
}

impl Cartesian {
    /// Creates a grid from the extent of each dimension. Returns `None` if an extent is zero or the
    /// grid has more than 2^32 - 1 ranks.
    #[must_use]
    pub fn new(extents: impl Into<Vec<u32>>) -> Option<Self> {
        let extents = extents.into();
        let size = extents.iter().try_fold(1u32, |size, extent| size.checked_mul(*extent));
        (size? > 0).then_some(Self { extents })
    }

    /// Number of ranks.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.extents.iter().product()
    }

    /// The coordinates of a rank; `None` if there is no such rank.
    #[must_use]
    pub fn coordinates(&self, rank: u32) -> Option<Vec<u32>> {
        let mut rest = (rank < self.size()).then_some(rank)?;
        let mut coordinates = vec![0; self.extents.len()];
        for (at, extent) in coordinates.iter_mut().zip(&self.extents).rev() {
            (*at, rest) = (rest % extent, rest / extent);
        }
        Some(coordinates)
    }

    /// The slices that keep these dimensions: the grid of each slice, and the table of the split
    /// that makes them. `None` if `keep` does not cover every dimension.
    #[must_use]
    pub fn sub(&self, keep: &[bool]) -> Option<(Self, Vec<Split>)> {
        if keep.len() != self.extents.len() {
            return None;
        }
        let kept = self.extents.iter().zip(keep).filter(|(_, keep)| **keep);
        let slice = Self { extents: kept.map(|(extent, _)| *extent).collect() };
        let part = |coordinates: &[u32], which: bool| {
            let places = self.extents.iter().zip(coordinates).zip(keep);
            let places = places.filter(|(_, keep)| **keep == which);
            places.fold(0, |number, ((extent, at), _)| number * extent + at)
        };
        let table = (0..self.size()).filter_map(|rank| self.coordinates(rank)).map(|at| {
            let key = i32::try_from(part(&at, true)).unwrap_or(i32::MAX);
            Split { color: Some(part(&at, false)), key }
        });
        Some((slice, table.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(pantala_testing::cases(256))]

        #[test]
        fn slices_cover_the_grid(extents in prop::collection::vec(1u32..5, 1..4), keep: [bool; 3]) {
            let grid = Cartesian::new(extents).unwrap();
            let (slice, table) = grid.sub(&keep[..grid.extents.len()]).unwrap();
            for rank in 0..grid.size() {
                let members = Split::members(&table, rank).unwrap();
                prop_assert_eq!(members.len() as u32, slice.size());
                let place = members.iter().position(|member| *member == rank).unwrap() as u32;
                let mine = grid.coordinates(rank).unwrap().into_iter().zip(keep).filter(|(_, keep)| *keep);
                prop_assert_eq!(slice.coordinates(place).unwrap(), mine.map(|(at, _)| at).collect::<Vec<_>>());
            }
            prop_assert_eq!(grid.coordinates(grid.size()), None);
        }
    }

    #[test]
    fn the_last_dimension_is_fastest() {
        let grid = Cartesian::new([3, 4]).unwrap();
        assert_eq!(grid.coordinates(7), Some(vec![1, 3]));
        assert_eq!(Cartesian::new([0]), None);
        assert_eq!(Cartesian::new([]).unwrap().size(), 1);
        assert_eq!(Cartesian::new([1 << 16, 1 << 16]), None);
    }
}
