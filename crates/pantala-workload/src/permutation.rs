//! Random permutations without memory.
//!
//! Black and Rogaway, Ciphers with Arbitrary Finite Domains, CT-RSA 2002: a Feistel network over
//! the smallest domain `a x b` of at least `n` elements, with modular addition, and cycle walking
//! back into `0..n`. An element or its inverse costs tens of nanoseconds for every `n`, and nothing
//! is stored. So every rank of a large job can compute its own image in the permutation of any
//! iteration.

use pantala_engine::random::mix;

/// Number of rounds for `n` elements. Halves of few values mix slowly.
const fn rounds(n: u32) -> u32 {
    if n < 64 { 24 } else { 8 }
}

/// A permutation of `0..n`, determined by a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    n: u32,
    /// The domain is `rows x columns >= n`.
    rows: u32,
    columns: u32,
    key: u64,
}

impl Permutation {
    /// The permutation of `0..n` under `key`.
    ///
    /// # Panics
    /// If `n` is zero.
    #[must_use]
    pub fn new(n: u32, key: u64) -> Self {
        assert!(n > 0, "a permutation of nothing");
        let root = n.isqrt();
        let rows = if root * root < n { root + 1 } else { root };
        Self { n, rows, columns: n.div_ceil(rows), key }
    }

    /// The image of `i`.
    ///
    /// # Panics In debug builds, if `i` is not below `n`.
    #[must_use]
    pub fn apply(self, i: u32) -> u32 {
        debug_assert!(i < self.n);
        let mut i = i;
        loop {
            let (mut row, mut column) = (i / self.columns, i % self.columns);
            for round in 0..rounds(self.n) {
                if round % 2 == 0 {
                    row = add(row, self.draw(round, column, self.rows), self.rows);
                } else {
                    column = add(column, self.draw(round, row, self.columns), self.columns);
                }
            }
            i = row * self.columns + column;
            if i < self.n {
                return i;
            }
        }
    }

    /// The preimage of `i`.
    ///
    /// # Panics In debug builds, if `i` is not below `n`.
    #[must_use]
    pub fn invert(self, i: u32) -> u32 {
        debug_assert!(i < self.n);
        let mut i = i;
        loop {
            let (mut row, mut column) = (i / self.columns, i % self.columns);
            for round in (0..rounds(self.n)).rev() {
                if round % 2 == 0 {
                    row = add(row, self.rows - self.draw(round, column, self.rows), self.rows);
                } else {
                    column = add(
                        column,
                        self.columns - self.draw(round, row, self.columns),
                        self.columns,
                    );
                }
            }
            i = row * self.columns + column;
            if i < self.n {
                return i;
            }
        }
    }

    /// The round function: a number below `bound` that depends on the other half.
    #[inline]
    const fn draw(self, round: u32, half: u32, bound: u32) -> u32 {
        let bits = mix(self.key ^ ((round as u64 + 1) << 32 | half as u64));
        ((bits as u128 * bound as u128) >> 64) as u32
    }
}

/// `a + b` modulo `bound`, for `a < bound` and `b <= bound`.
#[inline]
const fn add(a: u32, b: u32, bound: u32) -> u32 {
    let sum = a as u64 + b as u64;
    if sum >= bound as u64 { (sum - bound as u64) as u32 } else { sum as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_one_is_a_permutation_with_its_inverse() {
        for n in (1..70).chain([100, 528, 1_056, 4_096, 65_537]) {
            for key in 0..3 {
                let permutation = Permutation::new(n, mix(key));
                let mut seen = vec![false; n as usize];
                for i in 0..n {
                    let image = permutation.apply(i);
                    assert!(!std::mem::replace(&mut seen[image as usize], true));
                    assert_eq!(permutation.invert(image), i);
                }
            }
        }
    }

    /// Chi-square of `counts` against equal chances.
    fn chi_square(counts: &[u32]) -> f64 {
        let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
        counts.iter().map(|c| (f64::from(*c) - expected).powi(2) / expected).sum()
    }

    #[test]
    fn images_are_uniform() {
        for n in [2u32, 3, 4, 5, 6, 7, 8, 12, 17, 64] {
            for i in [0, n / 2, n - 1] {
                let mut counts = vec![0; n as usize];
                for key in 0..2_000 * u64::from(n) {
                    counts[Permutation::new(n, mix(key + 77)).apply(i) as usize] += 1;
                }
                let freedom = f64::from(n - 1);
                assert!(
                    chi_square(&counts) < freedom + 5.0 * (2.0 * freedom).sqrt(),
                    "{n} {i} {counts:?}"
                );
            }
        }
    }

    #[test]
    fn pairs_of_images_are_uniform() {
        for n in [3u32, 4, 5, 6, 9, 16, 33, 64, 70] {
            let mut counts = vec![0; (n * n) as usize];
            for key in 0..200_000 {
                let permutation = Permutation::new(n, mix(key + 5));
                counts[(permutation.apply(0) * n + permutation.apply(1)) as usize] += 1;
            }
            let pairs: Vec<u32> =
                (0..n * n).filter(|p| p / n != p % n).map(|p| counts[p as usize]).collect();
            let freedom = pairs.len() as f64 - 1.0;
            assert!(chi_square(&pairs) < freedom + 5.0 * (2.0 * freedom).sqrt(), "{n} {pairs:?}");
        }
    }
}
