//! The 26 neighbours of a rank of a three-dimensional grid, across faces, edges and corners.

use super::Script;
use super::lattice::Lattice;

/// The steps to the neighbours in the order of SST's Halo3D26: six faces, twelve edges, eight
/// corners.
const STEPS: [[i8; 3]; 26] = [
    [-1, 0, 0],
    [1, 0, 0],
    [0, -1, 0],
    [0, 1, 0],
    [0, 0, -1],
    [0, 0, 1],
    [-1, -1, 0],
    [0, -1, -1],
    [1, -1, 0],
    [0, -1, 1],
    [-1, 0, 1],
    [1, 0, 1],
    [-1, 0, -1],
    [1, 0, -1],
    [-1, 1, 0],
    [0, 1, 1],
    [1, 1, 0],
    [0, 1, -1],
    [-1, -1, 1],
    [1, -1, 1],
    [-1, -1, -1],
    [1, -1, -1],
    [-1, 1, 1],
    [1, 1, 1],
    [-1, 1, -1],
    [1, 1, -1],
];

/// The exchange of a rank of an open grid with its neighbours: all receives, all sends, one wait.
/// `bytes` is the size of the messages along a step; 0 for none.
pub(crate) fn exchange(
    grid: &[u32; 3],
    rank: u32,
    bytes: impl Fn(&[i8; 3]) -> u64,
    script: &mut Script,
) {
    let lattice = Lattice { extents: grid, periodic: false };
    let neighbours = || {
        STEPS.iter().filter_map(|steps| {
            let bytes = bytes(steps);
            if bytes == 0 {
                return None;
            }
            lattice.beside(rank, steps).map(|neighbour| (neighbour, bytes))
        })
    };
    for (neighbour, bytes) in neighbours() {
        script.irecv(neighbour, 0, bytes);
    }
    for (neighbour, bytes) in neighbours() {
        script.isend(neighbour, 0, bytes);
    }
    script.waitall();
}

/// How many coordinates a step changes: one across a face, two across an edge, three across a
/// corner.
pub(crate) fn crossed(steps: &[i8; 3]) -> usize {
    steps.iter().filter(|step| **step != 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_neighbours_are_there_once() {
        let mut all = STEPS.to_vec();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 26);
        let count = |dimensions| STEPS.iter().filter(|steps| crossed(steps) == dimensions).count();
        assert_eq!([count(1), count(2), count(3)], [6, 12, 8]);
    }
}
