//! A ring of pairwise exchanges: alltoall in `n - 1` steps.
//!
//! Kang et al. (SC 2022), section IV: in step `i` member `m` sends its block to `m + i` and receives from `m - i`
//! (modulo `n`), and waits for both before the next step. `n (n - 1)` messages of one block; a member's own block
//! does not travel.

use super::{Fold, Step};

/// The machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    bytes: u64,
    step: u32,
    at: u8,
}

impl Ring {
    /// An alltoall of `bytes` per pair.
    #[must_use]
    pub const fn alltoall(bytes: u64) -> Self {
        Self { bytes, step: 1, at: 0 }
    }

    /// Messages of all members together.
    #[must_use]
    pub fn messages(&self, size: u32) -> u64 {
        u64::from(size) * u64::from(size - 1)
    }

    /// The next step of member `me` of `size`.
    pub fn next(&mut self, me: u32, size: u32) -> Option<Step> {
        let (bytes, distance) = (self.bytes, self.step);
        if distance >= size {
            return None;
        }
        self.at += 1;
        Some(match self.at {
            1 => Step::Irecv { peer: before(me, distance, size), bytes, fold: Fold::Keep },
            2 => Step::Isend { peer: after(me, distance, size), bytes },
            _ => {
                self.at = 0;
                self.step += 1;
                Step::Waitall
            }
        })
    }
}

/// The member `distance < size` places after `me`.
const fn after(me: u32, distance: u32, size: u32) -> u32 {
    let room = size - me;
    if distance < room { me + distance } else { distance - room }
}

/// The member `distance < size` places before `me`.
const fn before(me: u32, distance: u32, size: u32) -> u32 {
    if distance <= me { me - distance } else { size - (distance - me) }
}
