//! The graph as rows of bits: per channel, the channels leaving its far end that its packets ask
//! for.

use super::channel::{Number, Numbering};
use fixedbitset::FixedBitSet;
use petgraph::visit::{GraphBase, IntoNeighbors, Visitable};

/// The channels and their dependencies.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) numbering: Numbering,
    /// Words of a row.
    words: usize,
    rows: Vec<u64>,
}

impl Graph {
    /// Makes a graph without dependencies.
    pub(super) fn new(numbering: Numbering) -> Self {
        let words = numbering.at_router().div_ceil(64);
        Self { words, rows: vec![0; numbering.count() * words], numbering }
    }

    /// Adds the dependency of `held` on `asked`, which leaves the far end of `held`.
    pub(super) fn add(&mut self, held: Number, asked: Number) {
        let bit = (asked - self.numbering.after(held)) as usize;
        debug_assert!(bit < self.numbering.at_router(), "{asked} does not follow {held}");
        self.rows[held as usize * self.words + bit / 64] |= 1 << (bit % 64);
    }

    /// Returns whether `held` depends on `asked`.
    pub(super) fn contains(&self, held: Number, asked: Number) -> bool {
        let Some(bit) = asked.checked_sub(self.numbering.after(held)).map(|bit| bit as usize)
        else {
            return false;
        };
        bit < self.numbering.at_router() && self.row(held)[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Returns the number of dependencies.
    pub(super) fn size(&self) -> u64 {
        self.rows.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns the bits of the channels that leave the far end of `held`.
    fn row(&self, held: Number) -> &[u64] {
        let first = held as usize * self.words;
        &self.rows[first..first + self.words]
    }

    /// Returns the channels that `held` depends on, in order.
    pub(super) fn asked(&self, held: Number) -> Asked<'_> {
        let row = self.row(held);
        Asked { first: self.numbering.after(held), row, word: 0, bits: row[0] }
    }
}

/// The successors of a channel.
#[derive(Clone, Debug)]
pub(super) struct Asked<'a> {
    first: Number,
    row: &'a [u64],
    word: usize,
    bits: u64,
}

impl Iterator for Asked<'_> {
    type Item = Number;

    fn next(&mut self) -> Option<Number> {
        while self.bits == 0 {
            self.word += 1;
            self.bits = *self.row.get(self.word)?;
        }
        let bit = self.word as u32 * 64 + self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(self.first + bit)
    }
}

impl GraphBase for Graph {
    type NodeId = Number;
    type EdgeId = (Number, Number);
}

impl<'a> IntoNeighbors for &'a Graph {
    type Neighbors = Asked<'a>;

    fn neighbors(self, held: Number) -> Asked<'a> {
        self.asked(held)
    }
}

impl Visitable for Graph {
    type Map = FixedBitSet;

    fn visit_map(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.numbering.count())
    }

    fn reset_map(&self, map: &mut FixedBitSet) {
        map.clear();
        map.grow(self.numbering.count());
    }
}
