//! What the tests of several crates share: how many cases they run, and, behind the features
//! `topologies` and `ideal-network`, machines and a network.
//!
//! The crates whose types these use depend on this one for their tests. Only tests outside a
//! crate's `src` can use them: inside, the compiler takes its types for others.
//!
//! Test tiers: the number of cases of a property test, and the share of a matrix that a tier runs.
//!
//! Each test states its full number of cases. The variable `PANTALA_CASES` is the percentage to
//! run. Without it the percentage is 100, so plain `cargo test` runs everything. The Makefile sets
//! it for each tier.

#[cfg(feature = "ideal-network")]
pub mod ideal_network;
#[cfg(feature = "topologies")]
pub mod topologies;

use proptest::test_runner::Config;

/// The environment variable that holds the percentage.
pub const VARIABLE: &str = "PANTALA_CASES";

/// The configuration of a property test with `full` cases.
pub fn cases(full: u32) -> Config {
    Config::with_cases(share(full))
}

/// The number of cases, out of `full`, that this tier runs; at least 1.
///
/// # Panics
///
/// If `PANTALA_CASES` is not a positive whole number.
pub fn share(full: u32) -> u32 {
    part(full, percent())
}

/// Every n-th item, as many as this tier runs, starting with the first. All items from 100 percent
/// on.
pub fn sample<T>(all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    all.into_iter().step_by((100 / percent().min(100)) as usize)
}

fn percent() -> u32 {
    std::env::var(VARIABLE).map_or(100, |text| percent_of(&text))
}

fn percent_of(text: &str) -> u32 {
    match text.parse() {
        Ok(percent) if percent > 0 => percent,
        _ => panic!(
            "{VARIABLE} = '{text}': is not a percentage; write a whole number from 1, 100 for the full number of cases"
        ),
    }
}

fn part(full: u32, percent: u32) -> u32 {
    let part = u64::from(full) * u64::from(percent) / 100;
    u32::try_from(part).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::{part, percent_of};

    #[test]
    fn a_share_is_a_percentage_and_never_nothing() {
        assert_eq!([part(256, 100), part(256, 25), part(8, 5), part(256, 400)], [256, 64, 1, 1024]);
        assert_eq!(percent_of("25"), 25);
    }

    #[test]
    #[should_panic(expected = "PANTALA_CASES = 'few': is not a percentage")]
    fn a_word_is_refused() {
        percent_of("few");
    }
}
