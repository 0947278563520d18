//! Numbers in messages.

/// Returns a number with a noun, which is singular for 1: `1 packet`, `2 packets`.
#[must_use]
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_singular() {
        assert_eq!(
            [0, 1, 2].map(|number| counted(number, "packet")),
            ["0 packets", "1 packet", "2 packets"]
        );
    }
}
