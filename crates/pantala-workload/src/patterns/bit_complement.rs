//! Bit complement: rank `r` of `n` sends to `n - 1 - r`.
//!
//! If `n` is a power of two, this flips every bit of the rank (Dally and Towles, Principles and
//! Practices of Interconnection Networks, 2004, section 3.2). For other `n` it mirrors the ranks.
//! The middle rank of an odd number is its own image. It sends nothing, unless a rank may send to
//! itself.

use pantala_mpi::Fault;

/// The destination distribution.
#[derive(Clone, Copy, Debug)]
pub struct BitComplement {
    last: u32,
    include_self: bool,
}

pub(super) fn check(ranks: u32, include_self: bool) -> Result<(), Fault> {
    if include_self {
        Ok(())
    } else {
        super::self_destination::need_a_peer(ranks, "bit_complement")
    }
}

impl BitComplement {
    pub(super) const fn new(ranks: u32, include_self: bool) -> Self {
        Self { last: ranks - 1, include_self }
    }

    #[inline]
    pub(super) const fn destination(self, rank: u32) -> u32 {
        self.last - rank
    }

    pub(super) const fn silent(self, rank: u32) -> bool {
        !self.include_self && self.last - rank == rank
    }
}
