//! Division by a number that is known when the topology is built, as one multiplication.

/// A divisor in `1..=65536`, for dividends below 2^32.
///
/// With `m = floor(2^63 / d) + 1`, `n * m / 2^63` exceeds `n / d` by at most `n * d / (d * 2^63) <
/// 2^-31`. That is less than `1/d`, the distance to the next integer (Granlund and Montgomery, PLDI
/// 1994).
#[derive(Clone, Copy, Debug)]
pub struct Divisor(u64);

impl Divisor {
    /// Creates a divisor.
    #[must_use]
    pub fn new(divisor: u32) -> Self {
        debug_assert!((1..=1 << 16).contains(&divisor));
        Self((1 << 63) / u64::from(divisor) + 1)
    }

    /// `dividend / divisor`.
    #[inline]
    #[must_use]
    pub fn quotient(self, dividend: u32) -> u32 {
        ((u128::from(dividend) * u128::from(self.0)) >> 63) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::Divisor;

    #[test]
    fn agrees_with_division() {
        for d in (1..=256u32).chain([257, 1_000, 16_383, 16_384, 65_535, 65_536]) {
            let divisor = Divisor::new(d);
            let edges = (0..2_000).chain([u32::MAX - 1, u32::MAX]);
            let multiples = (0..1_000).flat_map(|i| {
                let n = (u32::MAX / d).wrapping_sub(i * 4_001) / d * d;
                [n, n.saturating_sub(1), n.saturating_add(1)]
            });
            for n in edges.chain(multiples) {
                assert_eq!(divisor.quotient(n), n / d, "{n} / {d}");
            }
        }
    }
}
