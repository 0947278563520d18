//! Random streams of workloads.
//!
//! Every stream is keyed by (seed, purpose, job name, number): a rank's draws depend neither on the
//! job's place in the plan nor on the other jobs, so that a job does the same alone and in company.

use pantala_engine::Stream;
use pantala_engine::random::{key_of, mix};

/// What a stream is for. Purposes of one seed must differ, here and in other crates: these spell a
/// word each.
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

/// The stream of number `number` (a rank, an iteration) of the job called `job`.
pub(crate) fn stream(seed: u64, purpose: Purpose, job: &str, number: u32) -> Stream {
    keyed(seed, purpose, key_of(job), number)
}

/// As [`stream`], with the job's key at hand.
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
