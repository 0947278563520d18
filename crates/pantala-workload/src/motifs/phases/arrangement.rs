//! The arrangement of ranks in the cells of a grid: in order, or block by block, so that
//! consecutive ranks are close.
//!
//! Placements can put consecutive ranks on one node and consecutive nodes on one router. A grid
//! that is filled block by block has more neighbours on one node or router. Cells and ranks are
//! numbered with the first dimension fastest, within the blocks and across them.

use crate::motifs::lattice::Lattice;

/// Ranks in the cells of a grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrangement<'a> {
    pub(crate) grid: &'a [u32],
    /// Extents of a block, which divide the grid's extents. Empty: no blocks.
    pub(crate) block: &'a [u32],
}

/// The ranks along one dimension of the grid through a rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    first: u32,
    stride: u32,
    /// Number of ranks.
    pub(crate) count: u32,
    /// The rank's own index in the line.
    pub(crate) at: u32,
}

impl Arrangement<'_> {
    /// Whether ranks fill the cells in order.
    pub(crate) fn is_plain(&self) -> bool {
        self.block.iter().all(|extent| *extent == 1)
    }

    /// The cell of a rank.
    pub(crate) fn cell(&self, rank: u32) -> u32 {
        if self.is_plain() {
            return rank;
        }
        let cells: u32 = self.block.iter().product();
        let (mut outer, mut inner, mut stride, mut cell) = (rank / cells, rank % cells, 1, 0);
        for (&extent, &block) in self.grid.iter().zip(self.block) {
            let blocks = extent / block;
            cell += (outer % blocks * block + inner % block) * stride;
            (outer, inner, stride) = (outer / blocks, inner / block, stride * extent);
        }
        cell
    }

    /// The rank in a cell.
    pub(crate) fn rank(&self, cell: u32) -> u32 {
        if self.is_plain() {
            return cell;
        }
        let (mut rest, mut outer, mut inner, mut blocks_before, mut cells_before) =
            (cell, 0, 0, 1, 1);
        for (&extent, &block) in self.grid.iter().zip(self.block) {
            let at = rest % extent;
            outer += at / block * blocks_before;
            inner += at % block * cells_before;
            (rest, blocks_before, cells_before) =
                (rest / extent, blocks_before * (extent / block), cells_before * block);
        }
        outer * cells_before + inner
    }

    /// The rank at `steps` along each dimension; see [`Lattice::beside`].
    pub(crate) fn beside(&self, rank: u32, steps: &[i8], periodic: bool) -> Option<u32> {
        let lattice = Lattice { extents: self.grid, periodic };
        lattice.beside(self.cell(rank), steps).map(|cell| self.rank(cell))
    }

    /// The line of cells along a dimension through a rank's cell.
    pub(crate) fn line(&self, rank: u32, dimension: usize) -> Line {
        let stride: u32 = self.grid[..dimension].iter().product();
        let (cell, count) = (self.cell(rank), self.grid[dimension]);
        let at = cell / stride % count;
        Line { first: cell - at * stride, stride, count, at }
    }

    /// The rank with an index in a line.
    pub(crate) fn member(&self, line: &Line, number: u32) -> u32 {
        self.rank(line.first + number * line.stride)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_has_a_cell() {
        for (grid, block) in [
            (&[4, 4, 2][..], &[2, 2, 1][..]),
            (&[6, 4], &[3, 2]),
            (&[4, 4, 4, 4], &[2, 2, 2, 2]),
            (&[5, 3], &[]),
            (&[5, 3], &[1, 1]),
            (&[8], &[4]),
        ] {
            let arrangement = Arrangement { grid, block };
            let cells: u32 = grid.iter().product();
            let mut seen = vec![false; cells as usize];
            for rank in 0..cells {
                let cell = arrangement.cell(rank);
                assert!(!std::mem::replace(&mut seen[cell as usize], true));
                assert_eq!(arrangement.rank(cell), rank, "{grid:?} {block:?}");
                for (dimension, extent) in grid.iter().enumerate() {
                    let line = arrangement.line(rank, dimension);
                    assert_eq!((arrangement.member(&line, line.at), line.count), (rank, *extent));
                }
            }
        }
    }

    #[test]
    fn a_block_keeps_neighbours_together() {
        let (plain, blocks) = (
            Arrangement { grid: &[8, 8], block: &[] },
            Arrangement { grid: &[8, 8], block: &[4, 2] },
        );
        let within = |arrangement: &Arrangement<'_>| {
            let near = |rank: &u32, steps: [i8; 2]| {
                arrangement.beside(*rank, &steps, true).is_some_and(|other| other / 8 == rank / 8)
            };
            (0..64).filter(|rank| near(rank, [1, 0])).count()
                + (0..64).filter(|rank| near(rank, [0, 1])).count()
        };
        // Rows of eight have one dimension inside a block. Blocks of 4 x 2 have 3 of 4 steps along
        // the first dimension inside, and 1 of 2 along the second.
        assert_eq!((within(&plain), within(&blocks)), (64, 48 + 32));
        let line = blocks.line(9, 1);
        assert_eq!((line.count, line.at), (8, 0));
    }
}
