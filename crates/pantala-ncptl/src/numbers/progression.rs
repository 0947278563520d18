//! Progressions: `{1, 2, 4, ..., 1K}`, and sequences made of them.

use super::NumberError;

/// The greatest number of values that a sequence lists one by one. Arithmetic progressions are
/// stored as three numbers and may be longer.
pub const MAX_LISTED: usize = 1 << 22;

/// A piece of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// The values themselves.
    List(Vec<i64>),
    /// `first, first + step, ...`
    Arithmetic {
        /// The first value.
        first: i64,
        /// The difference between two values.
        step: i64,
        /// Number of values.
        count: u64,
    },
}

impl Piece {
    /// Number of values.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Self::List(values) => values.len() as u64,
            Self::Arithmetic { count, .. } => *count,
        }
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at a place, which must exist.
    #[must_use]
    pub fn value(&self, place: u64) -> i64 {
        match self {
            Self::List(values) => values[place as usize],
            Self::Arithmetic { first, step, .. } => {
                first.wrapping_add(step.wrapping_mul(place as i64))
            }
        }
    }

    /// Whether a value occurs.
    #[must_use]
    pub fn contains(&self, value: i64) -> bool {
        match *self {
            Self::List(ref values) => values.contains(&value),
            Self::Arithmetic { first, step, count } => {
                let distance = i128::from(value) - i128::from(first);
                let step = i128::from(step);
                distance % step == 0 && (0..i128::from(count)).contains(&(distance / step))
            }
        }
    }
}

/// The progression that begins with `first` (at least one value) and ends at `last`.
///
/// Two values always make an arithmetic progression. Three and more are tried as an arithmetic
/// progression, an increasing geometric one, a decreasing one by integer division, and one with the
/// average of the ratios, whose values are rounded.
///
/// # Errors
/// [`NumberError::NoPattern`] if none fits.
pub fn progression(first: &[i64], last: i64) -> Result<Piece, NumberError> {
    let no_pattern = || {
        let values: Vec<String> = first.iter().map(i64::to_string).collect();
        NumberError::NoPattern(format!("{}, ..., {last}", values.join(", ")))
    };
    match *first {
        [] => Ok(Piece::List(Vec::new())),
        [only] => Ok(arithmetic(only, if last >= only { 1 } else { -1 }, last)),
        [one, two] => Ok(arithmetic(one, two.wrapping_sub(one), last)),
        [one, two, ..] => {
            let pairs = || first.windows(2).map(|pair| (pair[0], pair[1]));
            let step = two.wrapping_sub(one);
            if pairs().all(|(x, y)| y.wrapping_sub(x) == step) {
                return Ok(arithmetic(one, step, last));
            }
            if one != 0 && two.checked_rem(one) == Some(0) {
                let ratio = two.wrapping_div(one);
                if ratio > 1 && one > 0 && pairs().all(|(x, y)| x.checked_mul(ratio) == Some(y)) {
                    return Ok(geometric(one, last, |x| x.checked_mul(ratio)));
                }
            }
            if two > 0 && one > two {
                let divisor = one / two;
                if divisor > 1 && pairs().all(|(x, y)| x / divisor == y) {
                    return Ok(geometric(one, last, |x| Some(x / divisor)));
                }
            }
            if first.iter().any(|value| *value <= 0) {
                return Err(no_pattern());
            }
            by_ratio(first, last).ok_or_else(no_pattern)
        }
    }
}

fn arithmetic(first: i64, step: i64, last: i64) -> Piece {
    let step = if step == 0 { 1 } else { step };
    let distance = i128::from(last) - i128::from(first);
    let steps = distance / i128::from(step);
    let empty = distance != 0 && (distance > 0) != (step > 0);
    let count = if empty { 0 } else { u64::try_from(steps + 1).unwrap_or(u64::MAX) };
    Piece::Arithmetic { first, step, count }
}

/// Values up to `last`, until one repeats.
fn geometric(first: i64, last: i64, next: impl Fn(i64) -> Option<i64>) -> Piece {
    let rising = next(first).is_none_or(|second| second > first);
    let passes = |value: &i64| if rising { *value <= last } else { *value >= last };
    let values = std::iter::successors(Some(first), |value| {
        next(*value).filter(|following| following != value)
    });
    Piece::List(values.take_while(passes).collect())
}

/// A geometric progression with the average of the ratios; `None` if it does not give the values.
fn by_ratio(first: &[i64], last: i64) -> Option<Piece> {
    let ratios = first.windows(2).map(|pair| pair[1] as f64 / pair[0] as f64);
    let ratio = ratios.sum::<f64>() / (first.len() - 1) as f64;
    let round = |x: f64| (x + 0.5) as i64;
    let mut exact = first[0] as f64;
    for value in first {
        if round(exact) != *value {
            return None;
        }
        exact *= ratio;
    }
    let rising = ratio > 1.0;
    let (mut values, mut exact) = (Vec::new(), first[0] as f64);
    loop {
        let value = round(exact);
        let passed = if rising { value > last } else { value < last };
        if passed || values.last() == Some(&value) || values.len() >= MAX_LISTED {
            return Some(Piece::List(values));
        }
        values.push(value);
        if exact >= i64::MAX as f64 {
            return Some(Piece::List(values));
        }
        exact *= ratio;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(first: &[i64], last: i64) -> Vec<i64> {
        let piece = progression(first, last).unwrap();
        (0..piece.len()).map(|place| piece.value(place)).collect()
    }

    #[test]
    fn the_tabulated_values() {
        let cases: [(&[i64], i64, &[i64]); 14] = [
            (&[1, 2, 4], 20, &[1, 2, 4, 8, 16]),
            (&[10], 7, &[10, 9, 8, 7]),
            (&[5], 5, &[5]),
            (&[27, 9], 1, &[27, 9]),
            (&[27, 9, 3], 1, &[27, 9, 3, 1]),
            (&[100, 50, 25], 1, &[100, 50, 25, 12, 6, 3, 1]),
            (&[16, 8, 4], 0, &[16, 8, 4, 2, 1, 0]),
            (&[1, 2], 0, &[]),
            (&[1, 1], 3, &[1, 2, 3]),
            (&[2, 2], 5, &[2, 3, 4, 5]),
            (&[2, 2, 2], 2, &[2]),
            (&[1, 3], 8, &[1, 3, 5, 7]),
            (&[100, 150, 225], 1000, &[100, 150, 225, 338, 506, 759]),
            (&[1000, 1500, 2250], 8000, &[1000, 1500, 2250, 3375, 5063, 7594]),
        ];
        for (first, last, expected) in cases {
            assert_eq!(values(first, last), expected, "{first:?} ... {last}");
        }
    }

    #[test]
    fn other_values_have_no_pattern() {
        for (first, last) in [(&[0, 1, 2, 4][..], 20), (&[-1, -2, -4], -20), (&[1, 5, 2], 9)] {
            assert!(
                matches!(progression(first, last), Err(NumberError::NoPattern(_))),
                "{first:?}"
            );
        }
        let text = progression(&[-1, -2, -4], -20).unwrap_err().to_string();
        assert_eq!(text, "{-1, -2, -4, ..., -20} is no arithmetic or geometric progression");
    }

    #[test]
    fn long_progressions_are_three_numbers() {
        let long = progression(&[1], i64::MAX).unwrap();
        assert_eq!(
            (long.len(), long.contains(77), long.contains(0)),
            (i64::MAX as u64, true, false)
        );
        let whole = progression(&[i64::MIN], i64::MAX).unwrap();
        assert_eq!(whole.len(), u64::MAX);
        let even = progression(&[8, 6], -3).unwrap();
        assert!(even.contains(-2) && !even.contains(-4) && !even.contains(7));
        for x in [i64::MIN, -1, 0, 1, 2, i64::MAX] {
            for y in [i64::MIN, 0, 3, i64::MAX] {
                let _ = progression(&[x, y], y);
                let _ = progression(&[x, y, x], y);
                let _ = progression(&[x, 2, y], i64::MAX);
            }
        }
    }
}
