//! A binary tree: reduce from the leaves to the root, broadcast from the root to the leaves, whole messages on
//! every edge.
//!
//! Barrier, bcast, reduce and allreduce as Kang et al. have them (Study of Workload Interference with Intelligent
//! Routing on Dragonfly, SC 2022, section IV), after the collective tree of SST's firefly. Members are numbered
//! from the root; member `r` has the children `2r + 1` and `2r + 2`. A member waits for both children, then sends
//! to its parent; it waits for its parent, then sends to both children and waits for both sends.
//!
//! With `n` members: `n - 1` messages of the full size for each direction, `floor(log2 n)` levels.

use super::{Fold, Step};

/// The machine: 32 bytes, a cursor over the at most ten steps of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinaryTree {
    bytes: u64,
    root: u32,
    up: bool,
    down: bool,
    cursor: u8,
}

impl BinaryTree {
    const fn new(root: u32, bytes: u64, up: bool, down: bool) -> Self {
        Self { bytes, root, up, down, cursor: 0 }
    }

    /// A barrier: an allreduce of nothing.
    #[must_use]
    pub const fn barrier() -> Self {
        Self::new(0, 0, true, true)
    }

    /// A broadcast of `bytes` from `root`.
    #[must_use]
    pub const fn bcast(root: u32, bytes: u64) -> Self {
        Self::new(root, bytes, false, true)
    }

    /// A reduction of `bytes` to `root`.
    #[must_use]
    pub const fn reduce(root: u32, bytes: u64) -> Self {
        Self::new(root, bytes, true, false)
    }

    /// A reduction of `bytes` to member 0, then a broadcast from it.
    #[must_use]
    pub const fn allreduce(bytes: u64) -> Self {
        Self::new(0, bytes, true, true)
    }

    /// Messages of all members together.
    #[must_use]
    pub fn messages(&self, size: u32) -> u64 {
        u64::from(size - 1) * (u64::from(self.up) + u64::from(self.down))
    }

    /// The next step of member `me` of `size`.
    pub fn next(&mut self, me: u32, size: u32) -> Option<Step> {
        let place = (me + size - self.root) % size;
        let member = |place: u32| (place + self.root) % size;
        let child = |side: u8| Some(2 * place + 1 + u32::from(side)).filter(|c| *c < size).map(member);
        let parent = (place > 0).then(|| member((place.max(1) - 1) / 2));
        let bytes = self.bytes;
        while self.cursor < 10 {
            let at = self.cursor;
            self.cursor += 1;
            let step = match at {
                0 | 1 if self.up => child(at).map(|peer| Step::Irecv { peer, bytes, fold: Fold::Combine }),
                2 if self.up => child(0).map(|_| Step::Waitall),
                3 if self.up => parent.map(|peer| Step::Isend { peer, bytes }),
                4 if self.up => parent.map(|_| Step::Waitall),
                5 if self.down => parent.map(|peer| Step::Irecv { peer, bytes, fold: Fold::Replace }),
                6 if self.down => parent.map(|_| Step::Waitall),
                7 | 8 if self.down => child(at - 7).map(|peer| Step::Isend { peer, bytes }),
                9 if self.down => child(0).map(|_| Step::Waitall),
                _ => None,
            };
            if step.is_some() {
                return step;
            }
        }
        None
    }
}
