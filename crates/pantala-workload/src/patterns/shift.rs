//! Shift: rank `r` sends to `r + offset`, modulo the number of ranks.

use pantala_mpi::Fault;

/// The destination distribution.
#[derive(Clone, Copy, Debug)]
pub struct Shift {
    ranks: u32,
    offset: u32,
}

pub(super) fn check(ranks: u32, offset: u32, include_self: bool) -> Result<(), Fault> {
    if offset % ranks == 0 && !include_self {
        return Err(Fault::new(
            "offset",
            offset,
            format!("each of the {ranks} ranks would send to itself"),
            "give an offset that is not a multiple of the number of ranks, or write include_self = true",
        ));
    }
    Ok(())
}

impl Shift {
    pub(super) const fn new(ranks: u32, offset: u32) -> Self {
        Self { ranks, offset: offset % ranks }
    }

    #[inline]
    pub(super) const fn destination(self, rank: u32) -> u32 {
        let room = self.ranks - rank;
        if self.offset < room { rank + self.offset } else { self.offset - room }
    }
}
