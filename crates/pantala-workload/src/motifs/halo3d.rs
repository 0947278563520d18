//! A 3D stencil: every rank exchanges a message with each of its up to six neighbours.
//!
//! Kang et al. (SC 2022), section IV, after SST's motif. One iteration: compute, start all receives, start all
//! sends, wait for all. On an open grid of `X x Y x Z`, one iteration moves `2 ((X-1) Y Z + X (Y-1) Z + X Y (Z-1))`
//! messages, on a periodic one `2 X Y Z` for each dimension longer than one.
//!
//! Ranks fill the grid with x fastest: rank `x + X (y + Y z)`. In a periodic dimension of two, both neighbours are
//! the same rank and get a message each; in one of one, a rank would be its own neighbour, and there is no message.

use pantala_engine::Time;
use pantala_mpi::{Fault, Incoming, Op, Outcome, Outgoing, Program, Source, TagSelect, WORLD};
use serde::{Deserialize, Serialize};

use super::{Position, bounded, positive};
use crate::grid;

/// The motif's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Halo3d {
    /// The process grid: x, y, z.
    pub grid: [u32; 3],
    /// Bytes to each neighbour.
    pub message_bytes: u64,
    /// Iterations.
    pub iterations: u32,
    /// Compute time of an iteration, ps.
    #[serde(default)]
    pub compute_ps: Time,
    /// Whether opposite faces are neighbours.
    #[serde(default)]
    pub periodic: bool,
}

/// Nobody.
const NONE: u32 = u32::MAX;

impl Halo3d {
    /// Checks the parameters for a job of `ranks`.
    ///
    /// # Errors
    /// A [`Fault`] if the grid does not have `ranks` cells, or if a size or a count is zero, or a time beyond all bounds.
    pub fn check(&self, ranks: u32) -> Result<(), Fault> {
        grid::check(self.grid, ranks)?;
        positive("message_bytes", self.message_bytes)?;
        positive("iterations", u64::from(self.iterations))?;
        bounded("compute_ps", self.compute_ps)
    }

    /// The program of `rank`.
    #[must_use]
    pub fn program(&self, rank: u32) -> Halo3dRank {
        Halo3dRank { position: Position::new(self.iterations), spec: *self, neighbours: self.neighbours(rank) }
    }

    /// The neighbours of `rank` at -x, +x, -y, +y, -z, +z.
    fn neighbours(&self, rank: u32) -> [u32; 6] {
        let [nx, ny, _] = self.grid;
        let place = [rank % nx, rank / nx % ny, rank / (nx * ny)];
        let stride = [1, nx, nx * ny];
        std::array::from_fn(|direction| {
            let (axis, up) = (direction / 2, direction % 2 == 1);
            let (extent, at, stride) = (self.grid[axis], place[axis], stride[axis]);
            let edge = if up { at + 1 == extent } else { at == 0 };
            match (edge, up) {
                (false, true) => rank + stride,
                (false, false) => rank - stride,
                (true, _) if !self.periodic || extent == 1 => NONE,
                (true, true) => rank - (extent - 1) * stride,
                (true, false) => rank + (extent - 1) * stride,
            }
        })
    }
}

/// One rank.
#[derive(Clone, Copy, Debug)]
pub struct Halo3dRank {
    position: Position,
    spec: Halo3d,
    neighbours: [u32; 6],
}

impl Halo3dRank {
    /// The send in a direction, if somebody is there.
    fn send(&self, direction: u8) -> Option<Op> {
        let (destination, bytes) = (self.neighbours[usize::from(direction)], self.spec.message_bytes);
        let outgoing = Outgoing { communicator: WORLD, destination, tag: i32::from(direction), bytes };
        (destination != NONE).then_some(Op::Isend(outgoing, 6 + u32::from(direction)))
    }
}

impl Program for Halo3dRank {
    fn next(&mut self, _: &Outcome) -> Option<Op> {
        let bytes = self.spec.message_bytes;
        loop {
            let at = self.position.step()?;
            // A message's tag is the direction in which it travels: what comes from -x (0) travels to +x (1).
            match at {
                0 => return Some(Op::IterationStart),
                1 => return Some(Op::Compute(self.spec.compute_ps)),
                2..8 => {
                    let direction = at - 2;
                    let neighbour = self.neighbours[usize::from(direction)];
                    if neighbour != NONE {
                        let (source, tag) = (Source::Rank(neighbour), TagSelect::Is(i32::from(direction ^ 1)));
                        let incoming = Incoming { communicator: WORLD, source, tag, bytes };
                        return Some(Op::Irecv(incoming, u32::from(direction)));
                    }
                }
                8..14 => {
                    if let Some(send) = self.send(at - 8) {
                        return Some(send);
                    }
                }
                14 => return Some(Op::WAITALL),
                _ => {
                    self.position.turn();
                    return Some(Op::IterationEnd);
                }
            }
        }
    }

    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        let sends = (0..6).filter_map(|direction| self.send(direction));
        Some(sends.map(|send| (send, self.spec.iterations.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(grid: [u32; 3], periodic: bool) -> Halo3d {
        Halo3d { grid, message_bytes: 8, iterations: 1, compute_ps: 0, periodic }
    }

    #[test]
    fn x_is_fastest() {
        assert_eq!(spec([3, 4, 5], false).neighbours(1 + 3 * (2 + 4 * 3)), [42, 44, 40, 46, 31, 55]);
        assert_eq!(spec([3, 4, 5], false).neighbours(0), [NONE, 1, NONE, 3, NONE, 12]);
        assert_eq!(spec([3, 4, 5], true).neighbours(0), [2, 1, 9, 3, 48, 12]);
    }

    #[test]
    fn neighbours_are_mutual() {
        for grid in [[3, 4, 5], [1, 2, 3], [2, 2, 2], [1, 1, 1], [7, 1, 2]] {
            for periodic in [false, true] {
                let spec = spec(grid, periodic);
                for rank in 0..grid.iter().product() {
                    for (direction, neighbour) in spec.neighbours(rank).into_iter().enumerate() {
                        if neighbour != NONE {
                            assert_ne!(neighbour, rank);
                            assert_eq!(spec.neighbours(neighbour)[direction ^ 1], rank);
                        }
                    }
                }
            }
        }
    }
}
