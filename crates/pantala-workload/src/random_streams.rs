//! Random streams of workloads.
//!
//! Seed, purpose, job name and a number (a rank or an iteration) key each stream. So a rank's draws
//! depend neither on the job's position in the plan nor on other jobs: a job behaves the same alone
//! and together with others.

use pantala_engine::Stream;
use pantala_engine::random::{key_of, mix};

/// The purpose of a stream. Purposes must differ for one seed, here and in other crates. Each
/// spells a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Purpose {
    /// Destinations of a generator.
    Destination = u64::from_be_bytes(*b"wl-desti"),
    /// Waiting times of a generator.
    Gap = u64::from_be_bytes(*b"wl-gaps."),
    /// The phase of a periodic generator.
    Phase = u64::from_be_bytes(*b"wl-phase"),
    /// The permutation of an iteration.
    Permutation = u64::from_be_bytes(*b"wl-permu"),
    /// The noise of a rank's computing.
    Compute = u64::from_be_bytes(*b"wl-compu"),
}

/// The stream with the number `number` (a rank or an iteration) of the job called `job`.
pub(crate) fn stream(seed: u64, purpose: Purpose, job: &str, number: u32) -> Stream {
    keyed(seed, purpose, key_of(job), number)
}

/// As [`stream`], from the key of the job's name.
pub(crate) const fn keyed(seed: u64, purpose: Purpose, job: u64, number: u32) -> Stream {
    Stream::new(seed, purpose as u64, mix(job ^ mix(number as u64 + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_key_counts() {
        let first = |seed, purpose, job, number| stream(seed, purpose, job, number).bits();
        let draws = [
            first(1, Purpose::Gap, "a", 0),
            first(2, Purpose::Gap, "a", 0),
            first(1, Purpose::Phase, "a", 0),
            first(1, Purpose::Gap, "b", 0),
            first(1, Purpose::Gap, "a", 1),
        ];
        for (i, draw) in draws.iter().enumerate() {
            assert!(!draws[..i].contains(draw));
        }
        assert_eq!(first(1, Purpose::Gap, "a", 0), draws[0]);
    }
}
