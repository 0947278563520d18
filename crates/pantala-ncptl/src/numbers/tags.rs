//! Message tags.

/// The greatest tag.
const GREATEST: u64 = i32::MAX as u64;

/// The tag of a number: its absolute value, modulo the number of tags.
#[must_use]
pub fn of_number(tag: i64) -> i32 {
    (tag.unsigned_abs() % (GREATEST + 1)) as i32
}

/// The tag of a text: a 64-bit hash of its bytes, which have a sign, treated as a number.
#[must_use]
pub fn of_text(text: &str) -> i32 {
    let hash = text.bytes().fold(1_234_567_891i64, |hash, byte| {
        hash.wrapping_mul(1_073_741_789).wrapping_add(i64::from(byte as i8))
    });
    of_number(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_in_range() {
        assert_eq!(of_text("abc"), 152_486_597);
        assert_eq!((of_text("ab"), of_text("é")), (1_590_916_810, 1_590_922_155));
        assert_eq!((of_number(-7), of_number(1 << 31), of_number(i64::MIN)), (7, 0, 0));
    }
}
