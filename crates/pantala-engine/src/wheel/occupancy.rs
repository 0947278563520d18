//! The set of the wheel's lists that are not empty: one bit per list, and one bit per word of those
//! bits.

/// A set of numbers below `64 * WORDS`, with one more bit per word in `SUMMARIES` words. The search
/// for the next number reads a few words, however few numbers the set has.
#[derive(Debug)]
pub(super) struct Occupancy<const WORDS: usize, const SUMMARIES: usize> {
    words: [u64; WORDS],
    /// By word: whether it is not zero.
    summary: [u64; SUMMARIES],
}

impl<const WORDS: usize, const SUMMARIES: usize> Occupancy<WORDS, SUMMARIES> {
    /// The empty set.
    pub(super) const EMPTY: Self = Self { words: [0; WORDS], summary: [0; SUMMARIES] };

    /// Adds a number.
    #[inline(always)]
    pub(super) fn insert(&mut self, number: usize) {
        let word = number / 64 % WORDS;
        self.words[word] |= 1 << (number % 64);
        self.summary[word / 64] |= 1 << (word % 64);
    }

    /// Removes a number.
    #[inline(always)]
    pub(super) fn remove(&mut self, number: usize) {
        let word = number / 64 % WORDS;
        self.words[word] &= !(1 << (number % 64));
        if self.words[word] == 0 {
            self.summary[word / 64] &= !(1 << (word % 64));
        }
    }

    /// The first number of the set from `start` on, cyclically.
    #[inline(always)]
    pub(super) fn next_from(&self, start: usize) -> Option<usize> {
        let word = start / 64 % WORDS;
        let bits = self.words[word] & (u64::MAX << (start % 64));
        if bits != 0 {
            return Some(word * 64 + bits.trailing_zeros() as usize);
        }
        self.next_word(word).map(|word| word * 64 + self.words[word].trailing_zeros() as usize)
    }

    /// The first word after `word` that is not zero, cyclically; `word` itself comes last.
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
        /// Compares with an ordered set: few or many numbers, from any start.
        #[test]
        fn the_next_number_is_that_of_an_ordered_set(
            changes in prop::collection::vec((any::<bool>(), any::<usize>(), any::<usize>()), 1..200),
        ) {
            compare(Occupancy::<256, 4>::EMPTY, &changes)?;
            compare(Occupancy::<16, 1>::EMPTY, &changes)?;
        }
    }

    fn compare<const WORDS: usize, const SUMMARIES: usize>(
        mut occupancy: Occupancy<WORDS, SUMMARIES>,
        changes: &[(bool, usize, usize)],
    ) -> Result<(), TestCaseError> {
        let mut expected = BTreeSet::new();
        for &(inserts, number, start) in changes {
            let (number, start) = (number % (64 * WORDS), start % (64 * WORDS));
            if inserts {
                occupancy.insert(number);
                expected.insert(number);
            } else {
                // Mostly choose a number that is in the set.
                let number = expected.range(number..).next().copied().unwrap_or(number);
                occupancy.remove(number);
                expected.remove(&number);
            }
            let next = expected.range(start..).chain(expected.range(..start)).next().copied();
            prop_assert_eq!(occupancy.next_from(start), next);
        }
        Ok(())
    }
}
