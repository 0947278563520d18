//! Grids of ranks of any number of dimensions, the first fastest: the neighbours of a rank.

/// A grid of ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lattice<'a> {
    pub(crate) extents: &'a [u32],
    /// Whether opposite faces are neighbours.
    pub(crate) periodic: bool,
}

impl Lattice<'_> {
    /// The rank at `steps` (-1, 0 or 1 along each dimension). `None` beyond an open edge, and for
    /// the rank itself.
    pub(crate) fn beside(&self, rank: u32, steps: &[i8]) -> Option<u32> {
        let (mut rest, mut stride, mut there) = (rank, 1, 0);
        for (&extent, &step) in self.extents.iter().zip(steps) {
            let at = rest % extent;
            rest /= extent;
            let coordinate = match step {
                0 => at,
                1 if at + 1 < extent => at + 1,
                -1 if at > 0 => at - 1,
                _ if !self.periodic => return None,
                1 => 0,
                _ => extent - 1,
            };
            there += coordinate * stride;
            stride *= extent;
        }
        (there != rank).then_some(there)
    }

    /// The neighbour along one dimension, up or down.
    pub(crate) fn along(&self, rank: u32, dimension: usize, up: bool) -> Option<u32> {
        let mut steps = [0; MAX_DIMENSIONS];
        steps[dimension] = if up { 1 } else { -1 };
        self.beside(rank, &steps[..self.extents.len()])
    }
}

/// The largest number of dimensions of a motif.
pub(crate) const MAX_DIMENSIONS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn faces(extents: &[u32], periodic: bool, rank: u32) -> Vec<Option<u32>> {
        let lattice = Lattice { extents, periodic };
        (0..2 * extents.len()).map(|face| lattice.along(rank, face / 2, face % 2 == 1)).collect()
    }

    #[test]
    fn the_first_dimension_is_fastest() {
        let some = |ranks: [u32; 6]| ranks.map(Some).to_vec();
        assert_eq!(faces(&[3, 4, 5], false, 1 + 3 * (2 + 4 * 3)), some([42, 44, 40, 46, 31, 55]));
        assert_eq!(faces(&[3, 4, 5], false, 0), [None, Some(1), None, Some(3), None, Some(12)]);
        assert_eq!(faces(&[3, 4, 5], true, 0), some([2, 1, 9, 3, 48, 12]));
    }

    #[test]
    fn neighbours_are_mutual() {
        for extents in
            [&[3, 4, 5][..], &[1, 2, 3], &[2, 2, 2], &[1, 1, 1], &[7, 1, 2], &[2, 2, 3, 4, 2], &[5]]
        {
            for periodic in [false, true] {
                let lattice = Lattice { extents, periodic };
                for rank in 0..extents.iter().product() {
                    for dimension in 0..extents.len() {
                        for up in [false, true] {
                            if let Some(neighbour) = lattice.along(rank, dimension, up) {
                                assert_ne!(neighbour, rank);
                                assert_eq!(lattice.along(neighbour, dimension, !up), Some(rank));
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn corners_are_beside_too() {
        let open = Lattice { extents: &[3, 3, 3], periodic: false };
        assert_eq!(open.beside(13, &[1, 1, 1]), Some(26));
        assert_eq!(open.beside(13, &[-1, -1, -1]), Some(0));
        assert_eq!(open.beside(26, &[1, 0, 0]), None);
    }
}
