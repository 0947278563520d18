//! Cartesian communicators: coordinates, neighbours and slices of ranks in a grid. Pure functions,
//! after MPI 4.1, chapter 8.
//!
//! As in MPI, the last dimension varies fastest. Ranks are never reordered: `MPI_Cart_create` makes
//! a communicator of the first ranks, and `MPI_Cart_sub` is a split.

use crate::communicators::group::Split;

/// A grid of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cartesian {
    /// By dimension: its extent, and whether it is periodic.
    dimensions: Vec<(u32, bool)>,
}

impl Cartesian {
    /// Creates a grid from the extent of each dimension and whether it is periodic. Returns `None`
    /// if an extent is zero or the grid has more than 2^32 - 1 ranks.
    #[must_use]
    pub fn new(dimensions: impl Into<Vec<(u32, bool)>>) -> Option<Self> {
        let dimensions = dimensions.into();
        let size = dimensions.iter().try_fold(1u32, |size, (extent, _)| size.checked_mul(*extent));
        (size? > 0).then_some(Self { dimensions })
    }

    /// Number of ranks.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.dimensions.iter().map(|(extent, _)| extent).product()
    }

    /// The rank at these coordinates. Coordinates of periodic dimensions wrap around. `None` if
    /// there is no such rank.
    #[must_use]
    pub fn rank(&self, coordinates: &[i64]) -> Option<u32> {
        if coordinates.len() != self.dimensions.len() {
            return None;
        }
        self.dimensions.iter().zip(coordinates).try_fold(0, |rank, ((extent, periodic), at)| {
            let inside = at.rem_euclid(i64::from(*extent));
            (*periodic || inside == *at).then_some(rank * extent + inside as u32)
        })
    }

    /// The coordinates of a rank; `None` if there is no such rank.
    #[must_use]
    pub fn coordinates(&self, rank: u32) -> Option<Vec<u32>> {
        let mut rest = (rank < self.size()).then_some(rank)?;
        let mut coordinates = vec![0; self.dimensions.len()];
        for (at, (extent, _)) in coordinates.iter_mut().zip(&self.dimensions).rev() {
            (*at, rest) = (rest % extent, rest / extent);
        }
        Some(coordinates)
    }

    /// The ranks from which `rank` receives and to which it sends in a shift along a dimension;
    /// `None` where the grid ends.
    #[must_use]
    pub fn shift(
        &self,
        rank: u32,
        dimension: usize,
        displacement: i64,
    ) -> (Option<u32>, Option<u32>) {
        let moved = |by: i64| {
            let mut at: Vec<i64> = self.coordinates(rank)?.into_iter().map(i64::from).collect();
            *at.get_mut(dimension)? += by;
            self.rank(&at)
        };
        (moved(-displacement), moved(displacement))
    }

    /// The slices that keep these dimensions: the grid of each slice, and the table of the split
    /// that makes them. `None` if `keep` does not cover every dimension.
    #[must_use]
    pub fn sub(&self, keep: &[bool]) -> Option<(Self, Vec<Split>)> {
        if keep.len() != self.dimensions.len() {
            return None;
        }
        let kept = self
            .dimensions
            .iter()
            .zip(keep)
            .filter(|(_, keep)| **keep)
            .map(|(dimension, _)| *dimension);
        let slice = Self { dimensions: kept.collect() };
        let part = |coordinates: &[u32], which: bool| {
            let places = self
                .dimensions
                .iter()
                .zip(coordinates)
                .zip(keep)
                .filter(|(_, keep)| **keep == which);
            places.fold(0, |number, (((extent, _), at), _)| number * extent + at)
        };
        let table = (0..self.size()).filter_map(|rank| self.coordinates(rank)).map(|at| {
            let key = i32::try_from(part(&at, true)).unwrap_or(i32::MAX);
            Split { color: Some(part(&at, false)), key }
        });
        Some((slice, table.collect()))
    }

    /// Extents of `dimensions` dimensions for `ranks` ranks, as equal as possible, the largest
    /// first (`MPI_Dims_create`).
    #[must_use]
    pub fn balanced(ranks: u32, dimensions: usize) -> Vec<u32> {
        let mut extents = vec![1; dimensions];
        let mut factors = Vec::new();
        let (mut rest, mut factor) = (ranks, 2);
        while rest > 1 {
            if factor > rest / factor {
                factor = rest;
            }
            while rest % factor == 0 {
                factors.push(factor);
                rest /= factor;
            }
            factor += 1;
        }
        for factor in factors.into_iter().rev() {
            if let Some(least) = extents.iter_mut().min() {
                *least *= factor;
            }
        }
        extents.sort_unstable_by(|a, b| b.cmp(a));
        extents
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grid() -> impl Strategy<Value = Cartesian> {
        prop::collection::vec((1u32..5, any::<bool>()), 1..4)
            .prop_map(|d| Cartesian::new(d).unwrap())
    }

    proptest! {
        #![proptest_config(pantala_testing::cases(256))]

        #[test]
        fn ranks_have_coordinates(grid in grid()) {
            for rank in 0..grid.size() {
                let at: Vec<i64> = grid.coordinates(rank).unwrap().into_iter().map(i64::from).collect();
                prop_assert_eq!(grid.rank(&at), Some(rank));
            }
            prop_assert_eq!(grid.coordinates(grid.size()), None);
        }

        #[test]
        fn shifts_are_mutual(grid in grid(), by in -6i64..6) {
            for rank in 0..grid.size() {
                for dimension in 0..grid.dimensions.len() {
                    let (source, destination) = grid.shift(rank, dimension, by);
                    if let Some(there) = destination {
                        prop_assert_eq!(grid.shift(there, dimension, by).0, Some(rank));
                    }
                    prop_assert!(!grid.dimensions[dimension].1 || (source.is_some() && destination.is_some()));
                }
            }
        }

        #[test]
        fn slices_cover_the_grid(grid in grid(), keep: [bool; 3]) {
            let (slice, table) = grid.sub(&keep[..grid.dimensions.len()]).unwrap();
            for rank in 0..grid.size() {
                let members = Split::members(&table, rank).unwrap();
                prop_assert_eq!(members.len() as u32, slice.size());
                let place = members.iter().position(|member| *member == rank).unwrap() as u32;
                let mine = grid.coordinates(rank).unwrap().into_iter().zip(keep).filter(|(_, keep)| *keep);
                prop_assert_eq!(slice.coordinates(place).unwrap(), mine.map(|(at, _)| at).collect::<Vec<_>>());
            }
        }

        #[test]
        fn balanced_grids_hold_all(ranks in 1u32..5_000, dimensions in 1usize..5) {
            let extents = Cartesian::balanced(ranks, dimensions);
            prop_assert_eq!(extents.iter().product::<u32>(), ranks);
            prop_assert!(extents.windows(2).all(|pair| pair[0] >= pair[1]));
        }
    }

    #[test]
    fn the_last_dimension_is_fastest() {
        let grid = Cartesian::new([(3, false), (4, true)]).unwrap();
        assert_eq!(grid.coordinates(7), Some(vec![1, 3]));
        assert_eq!(grid.shift(7, 1, 1), (Some(6), Some(4)));
        assert_eq!(grid.shift(0, 0, 1), (None, Some(4)));
        assert_eq!(
            (grid.rank(&[3, 0]), grid.rank(&[2, -1]), grid.rank(&[0])),
            (None, Some(11), None)
        );
        assert_eq!(Cartesian::new([(0, false)]), None);
        assert_eq!(Cartesian::balanced(12, 2), [4, 3]);
        assert_eq!(Cartesian::balanced(64, 3), [4, 4, 4]);
    }
}
