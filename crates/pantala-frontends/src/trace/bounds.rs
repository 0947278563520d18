//! The largest times and sizes of a trace. Larger ones stand in damaged files only.

use std::fmt::Display;

use pantala_engine::{LONGEST_TIME, Time};

/// The most bytes of a message or of a rank's part of a collective.
pub(crate) const MAX_BYTES: u64 = 1 << 48;

/// The time of `number` units of `unit_ps`, called `unit`.
///
/// # Errors
/// The time is longer than any run.
pub(crate) fn time(
    what: impl Display,
    number: u64,
    unit_ps: Time,
    unit: &str,
) -> Result<Time, String> {
    number.checked_mul(unit_ps).filter(|time| *time <= LONGEST_TIME).ok_or_else(|| {
        format!("{what} of {number} {unit} is too long; at most {} {unit}", LONGEST_TIME / unit_ps)
    })
}

/// A number of bytes that is not too large.
///
/// # Errors
/// It is more than [`MAX_BYTES`].
pub(crate) fn size(what: impl Display, bytes: u64) -> Result<u64, String> {
    if bytes <= MAX_BYTES {
        return Ok(bytes);
    }
    Err(format!("{what} of {bytes} bytes is too large; at most {MAX_BYTES} bytes"))
}
