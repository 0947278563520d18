//! Neighbour exchange in one dimension of a 3D process grid: every rank sends a message to its
//! neighbour ahead, one to its neighbour behind, one ahead, and so on without end.
//!
//! One phase of a nearest neighbour exchange; with the last dimension the most remote one
//! (Prisacari et al., 2015, section IV.A, where 256 KB go to each neighbour). Ranks fill the grid
//! with x fastest, as in [`halo3d`](crate::motifs::halo3d). A message is as many packets as hold
//! it; the last one is full, too. With a message of one packet the two neighbours take turns packet
//! by packet, as if both messages were sent at once. On an open grid a rank at an edge sends to its
//! only neighbour.
//!
//! Nothing is drawn; the stream of destinations counts the packets.

use pantala_engine::Stream;
use pantala_mpi::Fault;

use crate::process_grid;

/// The distribution.
#[derive(Clone, Debug)]
pub struct Neighbor3d {
    /// Of each rank: ahead, behind.
    neighbours: Vec<[u32; 2]>,
    /// Packets of a message.
    packets: u64,
}

/// The grid if none is given: the one nearest to a cube, x the longest extent and z the shortest,
/// so that the neighbours in z are as far from each other as such a grid has them.
pub(super) fn default_grid(ranks: u32) -> [u32; 3] {
    let cube = process_grid::squarest(ranks, 3);
    [cube[2], cube[1], cube[0]]
}

pub(super) fn check(
    ranks: u32,
    extents: [u32; 3],
    dimension: u8,
    message_bytes: u64,
) -> Result<(), Fault> {
    process_grid::check(&extents, ranks, 3)?;
    let Some(extent) = extents.get(usize::from(dimension)) else {
        return Err(Fault::new(
            "dimension",
            dimension,
            "the grid has dimensions 0, 1 and 2",
            "write 2 for the last one",
        ));
    };
    if *extent < 2 {
        return Err(Fault::new(
            "dimension",
            dimension,
            format!(
                "the grid {extents:?} has one rank in this dimension, so that nobody has a neighbour"
            ),
            "choose another dimension or another grid",
        ));
    }
    if message_bytes == 0 {
        return Err(Fault::new(
            "message_bytes",
            0,
            "must be more than zero",
            "give a positive size",
        ));
    }
    Ok(())
}

impl Neighbor3d {
    pub(super) fn new(
        extents: [u32; 3],
        dimension: u8,
        periodic: bool,
        message_bytes: u64,
        packet_bytes: u32,
    ) -> Self {
        let ranks: u32 = extents.iter().product();
        let extent = extents[usize::from(dimension)];
        let stride: u32 = extents[..usize::from(dimension)].iter().product();
        let neighbours = |rank: u32| {
            let at = rank / stride % extent;
            let across = (extent - 1) * stride;
            let (first, last) = (at == 0, at + 1 == extent);
            match (first, last, periodic) {
                (_, true, true) => [rank - across, rank - stride],
                (true, _, true) => [rank + stride, rank + across],
                (_, true, false) => [rank - stride; 2],
                (true, _, false) => [rank + stride; 2],
                (false, false, _) => [rank + stride, rank - stride],
            }
        };
        Self {
            neighbours: (0..ranks).map(neighbours).collect(),
            packets: message_bytes.div_ceil(u64::from(packet_bytes)),
        }
    }

    #[inline]
    pub(super) fn destination(&self, rank: u32, draws: &mut Stream) -> u32 {
        let message = draws.position() / self.packets;
        draws.skip();
        self.neighbours[rank as usize][(message % 2) as usize]
    }
}
