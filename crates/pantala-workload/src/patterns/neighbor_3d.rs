//! Neighbour exchange in one dimension of a 3D process grid: every rank sends a message to the next
//! rank, one to the previous rank, and so on without end.
//!
//! It is one phase of a nearest-neighbour exchange (Prisacari et al., 2015, section IV.A, with 256
//! KB per neighbour). By default the dimension is the last one, whose neighbours are farthest
//! apart. The first dimension varies fastest. A message is rounded up to whole packets. If a
//! message has one packet, the neighbours alternate packet by packet, as if both messages were sent
//! at once. On an open grid a rank at an edge sends to its only neighbour.
//!
//! The pattern draws no random numbers. The stream of destinations counts packets instead.

use pantala_engine::Stream;
use pantala_mpi::Fault;

use crate::process_grid;

/// The destination distribution.
#[derive(Clone, Debug)]
pub struct Neighbor3d {
    /// By rank: the next and the previous rank.
    neighbours: Vec<[u32; 2]>,
    /// Number of packets per message.
    packets: u64,
}

/// The default grid: the one closest to a cube, with x the longest and z the shortest extent. So
/// the neighbours along z are as far apart as possible.
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
                "the grid {extents:?} has one rank in this dimension, so no rank has a neighbour"
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
