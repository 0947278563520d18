//! Simulated time: integer picoseconds.

/// A point in simulated time or a duration, in picoseconds. 2^64 ps are 213 days.
pub type Time = u64;

/// One nanosecond in picoseconds.
pub const NANOSECOND: Time = 1_000;

/// The longest time in a plan: 10^18 ps (11 days). The clock holds 18 times as much, so sums of
/// times fit.
pub const LONGEST_TIME: Time = 1_000_000_000_000_000_000;

/// A time that never comes.
pub const NEVER: Time = Time::MAX;

/// The time that `bytes` take at `bytes_per_second`, rounded to the nearest picosecond.
///
/// # Panics If `bytes_per_second` is zero. The check of a plan excludes it.
#[must_use]
pub fn transfer_time(bytes: u64, bytes_per_second: u64) -> Time {
    const PER_SECOND: u128 = 1_000_000_000_000;
    let exact = u128::from(bytes) * PER_SECOND + u128::from(bytes_per_second) / 2;
    (exact / u128::from(bytes_per_second)) as Time
}

/// The time that `bytes` take at `femtoseconds` each, rounded to the nearest picosecond. [`NEVER`]
/// if it does not fit.
#[must_use]
pub fn time_per_byte(bytes: u64, femtoseconds: u64) -> Time {
    let exact = (u128::from(bytes) * u128::from(femtoseconds) + 500) / 1_000;
    Time::try_from(exact).unwrap_or(NEVER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kang_flit_times_are_exact() {
        assert_eq!(transfer_time(128, 25_000_000_000), 5_120);
        assert_eq!(transfer_time(128, 100_000_000_000), 1_280);
    }

    #[test]
    fn rounds_to_nearest() {
        assert_eq!(transfer_time(1, 3_000_000_000_000), 0);
        assert_eq!(transfer_time(2, 3_000_000_000_000), 1);
    }

    #[test]
    fn times_per_byte() {
        assert_eq!(time_per_byte(12_000, 344_000), 4_128_000);
        assert_eq!(
            (time_per_byte(3, 83_300), time_per_byte(1, 499), time_per_byte(1, 500)),
            (250, 0, 1)
        );
        assert_eq!((time_per_byte(0, u64::MAX), time_per_byte(u64::MAX, u64::MAX)), (0, NEVER));
    }
}
