//! Which buckets of the wheel hold anything: a bit for each, and a bit for each word of those.

use super::SLOTS;

const WORDS: usize = SLOTS / 64;
const SUMMARIES: usize = WORDS / 64;

/// A set of bucket numbers below [`SLOTS`]. The search for the next one reads a handful of words, however few there are.
#[derive(Debug)]
pub(super) struct Occupancy {
    words: [u64; WORDS],
    /// By word, whether it is not zero.
    summary: [u64; SUMMARIES],
}

impl Occupancy {
    /// The empty set, on the heap.
    pub(super) fn boxed() -> Box<Self> {
        Box::new(Self { words: [0; WORDS], summary: [0; SUMMARIES] })
    }

    /// Adds a bucket.
    #[inline(always)]
    pub(super) fn insert(&mut self, bucket: usize) {
        let word = bucket / 64 % WORDS;
        self.words[word] |= 1 << (bucket % 64);
        self.summary[word / 64] |= 1 << (word % 64);
    }

    /// Takes a bucket out.
    #[inline(always)]
    pub(super) fn remove(&mut self, bucket: usize) {
        let word = bucket / 64 % WORDS;
        self.words[word] &= !(1 << (bucket % 64));
        if self.words[word] == 0 {
            self.summary[word / 64] &= !(1 << (word % 64));
        }
    }

    /// The first bucket of the set from `start` on, cyclically: past the last one comes the first.
    #[inline(always)]
    pub(super) fn next_from(&self, start: usize) -> Option<usize> {
        let word = start / 64 % WORDS;
        let bits = self.words[word] & (u64::MAX << (start % 64));
        if bits != 0 {
            return Some(word * 64 + bits.trailing_zeros() as usize);
        }
        self.next_word(word).map(|word| word * 64 + self.words[word].trailing_zeros() as usize)
    }

    /// The first word after `word` that is not zero, cyclically: at last `word` itself.
    #[inline(always)]
    fn next_word(&self, word: usize) -> Option<usize> {
        let own = word / 64;
        let behind = u64::MAX.checked_shl(word as u32 % 64 + 1).unwrap_or(0);
        let mut bits = self.summary[own] & behind;
        let mut at = own;
        for _ in 0..=SUMMARIES {
            if bits != 0 {
                return Some(at * 64 + bits.trailing_zeros() as usize);
            }
            at = (at + 1) % SUMMARIES;
            bits = self.summary[at];
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Against an ordered set: few buckets or many, searched from anywhere.
        #[test]
        fn the_next_bucket_is_that_of_an_ordered_set(
            changes in prop::collection::vec((any::<bool>(), 0..SLOTS, 0..SLOTS), 1..200),
        ) {
            let mut occupancy = Occupancy::boxed();
            let mut expected = BTreeSet::new();
            for (inserts, bucket, start) in changes {
                if inserts {
                    occupancy.insert(bucket);
                    expected.insert(bucket);
                } else {
                    // As a rule one that is there.
                    let bucket = expected.range(bucket..).next().copied().unwrap_or(bucket);
                    occupancy.remove(bucket);
                    expected.remove(&bucket);
                }
                let next = expected.range(start..).chain(expected.range(..start)).next().copied();
                prop_assert_eq!(occupancy.next_from(start), next);
            }
        }
    }
}
