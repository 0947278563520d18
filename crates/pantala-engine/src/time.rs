//! Simulated time: integer picoseconds.

/// A point in simulated time or a duration, in picoseconds. 2^64 ps are 213 days.
pub type Time = u64;

/// One nanosecond in picoseconds.
pub const NANOSECOND: Time = 1_000;

/// A moment that never comes.
pub const NEVER: Time = Time::MAX;

/// The time that `bytes` take at `bytes_per_second`, rounded to the nearest picosecond.
///
/// # Panics
/// If `bytes_per_second` is zero; plans are checked for that before a simulation is built.
#[must_use]
pub fn transfer_time(bytes: u64, bytes_per_second: u64) -> Time {
    const PER_SECOND: u128 = 1_000_000_000_000;
    let exact = u128::from(bytes) * PER_SECOND + u128::from(bytes_per_second) / 2;
    (exact / u128::from(bytes_per_second)) as Time
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
}
