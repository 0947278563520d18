//! Recursive doubling: allreduce in `log2 n` exchanges of the whole message.
//!
//! Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, International
//! Journal of High Performance Computing Applications 19(1), 2005, section 4.5. With `n` members, `p` the largest
//! power of two not above `n` and
//! `r = n - p`: of the first `2r` members the even ones give their data to their odd neighbour and sit out; the `p`
//! others exchange at distances 1, 2, 4, ...; at the end the odd ones hand the result back.
//!
//! `p log2 p + 2r` messages of the full size; `log2 p` rounds, and two more if `r > 0`.

use super::{Fold, Step};

/// The machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecursiveDoubling {
    bytes: u64,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Give to or take from the neighbour that sits out, in step `.0`.
    In(u8),
    /// Exchange at this distance, in step `.1`.
    Round(u32, u8),
    /// Hand the result back, in step `.0`.
    Out(u8),
}

impl RecursiveDoubling {
    /// An allreduce of `bytes`.
    #[must_use]
    pub const fn allreduce(bytes: u64) -> Self {
        Self { bytes, stage: Stage::In(0) }
    }

    /// Messages of all members together.
    #[must_use]
    pub fn messages(&self, size: u32) -> u64 {
        let power = 1 << size.ilog2();
        u64::from(power) * u64::from(size.ilog2()) + 2 * u64::from(size - power)
    }

    /// The next step of member `me` of `size`.
    pub fn next(&mut self, me: u32, size: u32) -> Option<Step> {
        let bytes = self.bytes;
        let power = 1 << size.ilog2();
        let rest = size - power;
        let paired = me < 2 * rest;
        let sits_out = paired && me % 2 == 0;
        loop {
            let (stage, step) = match self.stage {
                Stage::In(_) if !paired => (Stage::Round(1, 0), None),
                Stage::In(0) if sits_out => (Stage::In(1), Some(Step::Isend { peer: me + 1, bytes })),
                Stage::In(0) => (Stage::In(1), Some(Step::Irecv { peer: me - 1, bytes, fold: Fold::Combine })),
                Stage::In(_) if sits_out => (Stage::Out(0), Some(Step::Waitall)),
                Stage::In(_) => (Stage::Round(1, 0), Some(Step::Waitall)),
                Stage::Round(distance, _) if distance >= power => (Stage::Out(0), None),
                Stage::Round(distance, at) => {
                    let place = if paired { me / 2 } else { me - rest };
                    let other = place ^ distance;
                    let peer = if other < rest { 2 * other + 1 } else { other + rest };
                    match at {
                        0 => (Stage::Round(distance, 1), Some(Step::Irecv { peer, bytes, fold: Fold::Combine })),
                        1 => (Stage::Round(distance, 2), Some(Step::Isend { peer, bytes })),
                        _ => (Stage::Round(2 * distance, 0), Some(Step::Waitall)),
                    }
                }
                Stage::Out(0) if sits_out => {
                    (Stage::Out(1), Some(Step::Irecv { peer: me + 1, bytes, fold: Fold::Replace }))
                }
                Stage::Out(0) if paired => (Stage::Out(1), Some(Step::Isend { peer: me - 1, bytes })),
                Stage::Out(1) => (Stage::Out(2), Some(Step::Waitall)),
                Stage::Out(_) => return None,
            };
            self.stage = stage;
            if step.is_some() {
                return step;
            }
        }
    }
}
