//! Counter-based random streams.
//!
//! Seed, purpose and entity key a stream. Its i-th draw is a pure function of the key and i, so no
//! order of execution, no partition and no number of threads can change a draw. The generator is
//! SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): an odd-gamma counter and a 64-bit finaliser. It
//! passes BigCrush.

const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// The SplitMix64 finaliser (David Stafford's Mix13 variant): a bijection of 64-bit words.
#[inline]
#[must_use]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Returns the word that [`mix`] maps to `z`.
#[must_use]
pub const fn unmix(mut z: u64) -> u64 {
    z ^= (z >> 31) ^ (z >> 62);
    z = z.wrapping_mul(inverse(0x94D0_49BB_1331_11EB));
    z ^= (z >> 27) ^ (z >> 54);
    z = z.wrapping_mul(inverse(0xBF58_476D_1CE4_E5B9));
    z ^ (z >> 30) ^ (z >> 60)
}

/// Returns the inverse of an odd number modulo 2^64, by Newton's iteration.
const fn inverse(odd: u64) -> u64 {
    let mut found = odd;
    let mut step = 0;
    while step < 5 {
        found = found.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(found)));
        step += 1;
    }
    found
}

/// A 64-bit key of a string such as a job's name: FNV-1a, then mixed.
#[must_use]
pub fn key_of(name: &str) -> u64 {
    let hash = name
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325, |h: u64, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3));
    mix(hash)
}

/// A stream of random draws: 16 bytes, cheap to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    key: u64,
    counter: u64,
}

impl Stream {
    /// The stream of `entity` (a node, a router, a rank) for `purpose` (a constant of the caller)
    /// with `seed`.
    #[must_use]
    pub const fn new(seed: u64, purpose: u64, entity: u64) -> Self {
        let a = mix(seed.wrapping_add(GAMMA));
        let b = mix(a ^ purpose.wrapping_mul(GAMMA).wrapping_add(1));
        let key = mix(b ^ entity.wrapping_mul(0xD6E8_FEB8_6659_FD93).wrapping_add(2));
        Self { key, counter: 0 }
    }

    /// The next 64 random bits.
    #[inline]
    pub const fn bits(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(1);
        mix(self.key.wrapping_add(self.counter.wrapping_mul(GAMMA)))
    }

    /// Number of words drawn so far, which is the index of the next draw.
    #[inline]
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.counter
    }

    /// Returns the number of words that the stream drew before `word`, which it has drawn.
    #[must_use]
    pub const fn index_of(&self, word: u64) -> u64 {
        unmix(word).wrapping_sub(self.key).wrapping_mul(inverse(GAMMA)).wrapping_sub(1)
    }

    /// Skips one word.
    #[inline]
    pub const fn skip(&mut self) {
        self.counter = self.counter.wrapping_add(1);
    }

    /// A uniform integer in `0..bound` (Lemire's multiply-shift; the bias is below 2^-32 for bounds
    /// below 2^32).
    ///
    /// # Panics
    /// In debug builds, if `bound` is zero.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        debug_assert!(bound > 0, "a draw from nothing");
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u32
    }

    /// A uniform number in (0, 1]. It is never zero, so its logarithm is finite.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// An exponential number of mean 1, by inversion. The logarithm is that of the `libm` crate,
    /// which is equal on every machine.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -libm::log(self.unit())
    }

    /// A normal number of mean 0 and standard deviation 1: one of the two numbers that Box and
    /// Muller (1958) compute from two draws.
    #[inline]
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(2.0 * self.exponential());
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }

    /// Shuffles `items` in place (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i as u32 + 1) as usize;
            items.swap(i, j);
        }
    }
}

/// A geometric distribution: the number of trials up to and including the first success, with a
/// fixed success probability.
///
/// A draw takes one random word and one table lookup (Walker's alias method, built as by Vose in
/// 1991). The table holds the first values of the distribution and one outcome for all larger
/// values. From there the draw starts again, because the distribution has no memory. The `libm`
/// crate computes the table, so that draws agree on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometric {
    columns: Box<[Column; Self::SIZE]>,
}

/// A column of the alias table: its own outcome for the lower part of a draw, another outcome for
/// the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Column {
    /// The share of its own outcome, in units of 2^-58.
    own: u64,
    alias: u32,
}

impl Geometric {
    const SIZE_LOG2: u32 = 6;
    const SIZE: usize = 1 << Self::SIZE_LOG2;
    const UNIT: u64 = 1 << (64 - Self::SIZE_LOG2);
    /// The outcome of all values beyond the table. Outcome k stands for k + 1 trials.
    const BEYOND: u32 = Self::SIZE as u32 - 1;

    /// The distribution for a success probability above 0 and at most 1.
    ///
    /// # Panics If `probability` is not in that range.
    #[must_use]
    pub fn new(probability: f64) -> Self {
        assert!(probability > 0.0 && probability <= 1.0, "a probability: {probability}");
        let log_of_failure = libm::log1p(-probability);
        let more_than = |k: usize| if k == 0 { 1.0 } else { libm::exp(log_of_failure * k as f64) };
        // The probability of each outcome, in units of a column.
        let mut shares: [f64; Self::SIZE] = std::array::from_fn(|k| {
            let beyond = if k == Self::BEYOND as usize { 0.0 } else { more_than(k + 1) };
            (more_than(k) - beyond) * Self::SIZE as f64
        });
        let mut columns = Box::new([Column::default(); Self::SIZE]);
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..Self::SIZE).partition(|&k| shares[k] < 1.0);
        while let (Some(&under), Some(&over)) = (small.last(), large.last()) {
            small.pop();
            columns[under] =
                Column { own: (shares[under] * Self::UNIT as f64) as u64, alias: over as u32 };
            shares[over] -= 1.0 - shares[under];
            if shares[over] < 1.0 {
                large.pop();
                small.push(over);
            }
        }
        for k in small.into_iter().chain(large) {
            columns[k] = Column { own: Self::UNIT, alias: k as u32 };
        }
        Self { columns }
    }

    /// Draws a number of trials, at least 1.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        let mut trials = 1;
        loop {
            let draw = stream.bits();
            let index = (draw % Self::SIZE as u64) as u32;
            let column = self.columns[index as usize];
            let outcome = if draw >> Self::SIZE_LOG2 < column.own { index } else { column.alias };
            if outcome != Self::BEYOND {
                return trials + u64::from(outcome);
            }
            trials += u64::from(Self::BEYOND);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_every_part_of_the_key() {
        let draws: Vec<u64> = [(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2)]
            .map(|(s, p, e)| Stream::new(s, p, e).bits())
            .to_vec();
        for i in 0..draws.len() {
            for j in 0..i {
                assert_ne!(draws[i], draws[j]);
            }
        }
    }

    #[test]
    fn a_word_of_a_stream_has_an_index() {
        for word in [0, 1, u64::MAX, 0x0123_4567_89AB_CDEF] {
            assert_eq!((mix(unmix(word)), unmix(mix(word))), (word, word));
        }
        let mut stream = Stream::new(5, 6, 7);
        for index in 0..1_000 {
            let word = stream.bits();
            assert_eq!(stream.index_of(word), index);
        }
    }

    #[test]
    fn below_is_uniform() {
        let mut stream = Stream::new(7, 0, 0);
        let mut counts = [0u32; 10];
        for _ in 0..100_000 {
            counts[stream.below(10) as usize] += 1;
        }
        for count in counts {
            assert!((9_500..10_500).contains(&count), "{counts:?}");
        }
    }

    #[test]
    fn geometric_has_its_law() {
        for p in [0.9, 0.5, 0.125, 0.02, 0.001] {
            let law = Geometric::new(p);
            let mut stream = Stream::new(7, 1, 0);
            let draws: Vec<u64> = (0..200_000).map(|_| law.draw(&mut stream)).collect();
            let n = draws.len() as f64;
            let mean = draws.iter().sum::<u64>() as f64 / n;
            assert!((mean * p - 1.0).abs() < 0.01, "{p}: mean {mean}");
            for k in [1u64, 2, 5, 40, 62, 63, 64, 65, 100, 126, 127, 700] {
                let share = draws.iter().filter(|d| **d > k).count() as f64 / n;
                let expected = (1.0 - p).powi(k as i32);
                assert!(
                    (share - expected).abs() < 5.0 / n.sqrt(),
                    "{p}: more than {k}: {share} for {expected}"
                );
            }
        }
    }

    #[test]
    fn certain_success_takes_one_trial() {
        let mut stream = Stream::new(0, 0, 0);
        assert!((0..10_000).all(|_| Geometric::new(1.0).draw(&mut stream) == 1));
    }

    #[test]
    fn shuffle_permutes() {
        let mut items: Vec<u32> = (0..100).collect();
        Stream::new(3, 0, 0).shuffle(&mut items);
        let mut sorted = items.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        assert_ne!(items, sorted);
    }
}
