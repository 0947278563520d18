//! Uniform random: every packet draws its destination among all ranks, with or without the sender.

use pantala_engine::Stream;
use pantala_mpi::Fault;

/// The destination distribution.
#[derive(Clone, Copy, Debug)]
pub struct Uniform {
    ranks: u32,
    include_self: bool,
}

pub(super) fn check(ranks: u32, include_self: bool) -> Result<(), Fault> {
    if include_self { Ok(()) } else { super::self_destination::need_a_peer(ranks, "uniform") }
}

impl Uniform {
    pub(super) const fn new(ranks: u32, include_self: bool) -> Self {
        Self { ranks, include_self }
    }

    #[inline]
    pub(super) fn destination(self, rank: u32, draws: &mut Stream) -> u32 {
        if self.include_self {
            draws.below(self.ranks)
        } else {
            let other = draws.below(self.ranks - 1);
            other + u32::from(other >= rank)
        }
    }
}
