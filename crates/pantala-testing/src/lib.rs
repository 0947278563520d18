//! How much of a large test runs: the number of cases of property tests, the share of a matrix.
//!
//! Each test names its full number of cases. `PANTALA_CASES` is the percentage that runs: 100 if it
//! is not set, so that plain `cargo test` runs everything; the Makefile sets it for each tier of
//! tests.

use proptest::test_runner::Config;

/// The environment variable with the percentage.
pub const VARIABLE: &str = "PANTALA_CASES";

/// The configuration of a property test whose full number of cases is `full`.
pub fn cases(full: u32) -> Config {
    Config::with_cases(share(full))
}

/// The part of `full` that this tier of tests runs; at least 1.
///
/// # Panics
///
/// Panics if `PANTALA_CASES` is not a positive whole number.
pub fn share(full: u32) -> u32 {
    part(full, percent())
}

/// Every n-th item, so many as this tier of tests takes, the first among them; all items from 100
/// percent on.
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
