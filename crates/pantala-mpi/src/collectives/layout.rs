//! The data that a collective moves, divided into blocks.

use std::sync::Arc;

/// The task of a collective, independent of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The data.
    pub layout: Layout,
    /// The root; 0 if there is none.
    pub root: u32,
}

/// The division of a collective's data into blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One vector of this many bytes. An algorithm divides it into as many blocks as it needs, as
    /// evenly as bytes allow: block `i` of `n` starts at byte `floor(i bytes / n)`.
    Vector(u64),
    /// One block of this size per member, or per pair of members.
    Each(u64),
    /// One block per member, of these sizes.
    Counts(Arc<[u64]>),
    /// One block per pair of members: the blocks of this member.
    Exchange(Arc<Exchange>),
}

/// The sizes of one member in an exchange between all members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Bytes to each member.
    pub send: Vec<u64>,
    /// Bytes from each member.
    pub receive: Vec<u64>,
}

/// A set of a member's blocks.
///
/// Blocks are numbered by their member, or along the vector. The blocks of an alltoall are numbered
/// by distance. At the start block `d` is for the member `d` places after this one. At the end
/// block `d` is from the member `d` places before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// The whole vector.
    All,
    /// `count` of `of` blocks, from `first` on, cyclically.
    Range {
        /// The number of the first block.
        first: u32,
        /// Number of blocks in the set.
        count: u32,
        /// Number of all blocks.
        of: u32,
    },
    /// All blocks whose number has this bit set, with one block per member.
    Bit(u32),
    /// `count` blocks from `first` on, one per member, of members that are numbered after the root
    /// and member 0 have exchanged their numbers.
    Swapped {
        /// The number of the first block.
        first: u32,
        /// Number of blocks in the set.
        count: u32,
        /// The root.
        root: u32,
        /// Number of all blocks.
        of: u32,
    },
    /// The blocks of a member and of all below it in a binary tree, in which number `r` has the
    /// children `2r + 1` and `2r + 2`; numbers as in [`Swapped`](Self::Swapped).
    Below {
        /// The number of the member in the tree.
        place: u32,
        /// The root.
        root: u32,
        /// Number of all blocks.
        of: u32,
    },
}

impl Task {
    /// Bytes of all blocks.
    #[must_use]
    pub fn total(&self, size: u32) -> u64 {
        self.layout.bytes(Blocks::All, size)
    }
}

impl Blocks {
    /// Block `block` of `of` blocks.
    #[must_use]
    pub const fn one(block: u32, of: u32) -> Self {
        Self::Range { first: block, count: 1, of }
    }

    /// Blocks `first..end` of `of` blocks.
    #[must_use]
    pub const fn between(first: u32, end: u32, of: u32) -> Self {
        Self::Range { first, count: end - first, of }
    }
}

impl Layout {
    /// Bytes of a set of blocks, with `size` members.
    #[must_use]
    pub fn bytes(&self, blocks: Blocks, size: u32) -> u64 {
        match blocks {
            Blocks::All => match self {
                Self::Vector(bytes) => *bytes,
                _ => self.span(0, size, size),
            },
            Blocks::Range { first, count, of } => {
                let end = first + count;
                if end <= of {
                    self.span(first, end, of)
                } else {
                    self.span(first, of, of) + self.span(0, end - of, of)
                }
            }
            Blocks::Bit(bit) => {
                let (low, whole) = (1 << bit, u64::from(size) >> (bit + 1) << bit);
                let rest = (u64::from(size) & (2 * low - 1)).saturating_sub(low);
                (whole + rest).saturating_mul(self.bytes(Blocks::one(0, size), size))
            }
            Blocks::Swapped { first, count, root, of } => {
                let end = first + count;
                let one = |block| self.span(block, block + 1, of);
                let has = |block| (first..end).contains(&block);
                let span = self.span(first, end, of);
                match (has(0), has(root)) {
                    (true, false) => span - one(0) + one(root),
                    (false, true) => span - one(root) + one(0),
                    _ => span,
                }
            }
            Blocks::Below { place, root, of } => levels(place, of)
                .map(|(first, count)| self.bytes(Blocks::Swapped { first, count, root, of }, size))
                .fold(0, u64::saturating_add),
        }
    }

    /// Bytes of blocks `first..end` of `of` blocks.
    fn span(&self, first: u32, end: u32, of: u32) -> u64 {
        match self {
            Self::Vector(bytes) => cut(*bytes, end, of) - cut(*bytes, first, of),
            Self::Each(bytes) => bytes.saturating_mul(u64::from(end - first)),
            Self::Counts(counts) => sum(&counts[first as usize..end as usize]),
            Self::Exchange(pairs) => sum(&pairs.send[first as usize..end as usize]),
        }
    }

    /// Bytes of the block for `peer`.
    #[inline]
    #[must_use]
    pub fn bytes_to(&self, peer: u32, size: u32) -> u64 {
        self.bytes(Blocks::one(peer, size), size)
    }

    /// Bytes of the block from `peer`.
    #[inline]
    #[must_use]
    pub fn bytes_from(&self, peer: u32, size: u32) -> u64 {
        match self {
            Self::Exchange(pairs) => pairs.receive[peer as usize],
            _ => self.bytes_to(peer, size),
        }
    }
}

/// The levels of the binary tree below a number, each as its first number and their count.
fn levels(place: u32, of: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..u32::BITS).map_while(move |level| {
        let first = ((u64::from(place) + 1) << level) - 1;
        (first < u64::from(of)).then(|| {
            let end = (first + (1 << level)).min(u64::from(of));
            (first as u32, (end - first) as u32)
        })
    })
}

/// The start of block `block` of `of` blocks in a vector, in bytes.
fn cut(bytes: u64, block: u32, of: u32) -> u64 {
    match bytes.checked_mul(u64::from(block)) {
        Some(product) => product / u64::from(of),
        None => (u128::from(bytes) * u128::from(block) / u128::from(of)) as u64,
    }
}

fn sum(counts: &[u64]) -> u64 {
    counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(pantala_testing::cases(256))]

        #[test]
        fn a_vector_is_cut_evenly(bytes: u64, of in 1u32..200, first in 0u32..200) {
            let layout = Layout::Vector(bytes);
            let first = first % of;
            let whole = Blocks::Range { first, count: of, of };
            prop_assert_eq!(layout.bytes(whole, 1), bytes);
            let sizes: Vec<u64> = (0..of).map(|block| layout.bytes(Blocks::one(block, of), 1)).collect();
            prop_assert_eq!(sizes.iter().map(|s| u128::from(*s)).sum::<u128>(), u128::from(bytes));
            prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        }

        #[test]
        fn bits_are_counted(size in 1u32..5_000, bit in 0u32..13) {
            let count = (0..size).filter(|block| block >> bit & 1 == 1).count() as u64;
            prop_assert_eq!(Layout::Each(3).bytes(Blocks::Bit(bit), size), 3 * count);
        }

        #[test]
        fn counts_add_up(counts in prop::collection::vec(0u64..1_000, 1..40), first in 0usize..40, count in 0usize..40) {
            let n = counts.len();
            let (first, count) = (first % n, count % (n + 1));
            let expected: u64 = (first..first + count).map(|i| counts[i % n]).sum();
            let blocks = Blocks::Range { first: first as u32, count: count as u32, of: n as u32 };
            prop_assert_eq!(Layout::Counts(counts.into()).bytes(blocks, n as u32), expected);
        }
    }
}
