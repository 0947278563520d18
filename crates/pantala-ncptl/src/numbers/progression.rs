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
/// progression, as geometric ones whose ratio or divisor is the same whole number throughout, and
/// as one with the average of the ratios, whose values are rounded (`range_list_wrapper` of the
/// reference compiler). The last form takes the values and the end as `reals`, which may be
/// fractions.
///
/// # Errors
/// [`NumberError::NoPattern`] if none fits.
pub fn progression(
    first: &[i64],
    last: i64,
    reals: impl FnOnce() -> Option<Vec<f64>>,
) -> Result<Piece, NumberError> {
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
            if one < two {
                if let Some(ratio) = whole_ratio(pairs()) {
                    return Ok(geometric(one, |x| *x <= last, |x| x.checked_mul(ratio)));
                }
            } else if let Some(divisor) = whole_ratio(pairs().map(|(x, y)| (y, x))) {
                return Ok(geometric(one, |x| *x >= last, |x| x.checked_div(divisor)));
            }
            let zero = first[..first.len() - 1].contains(&0);
            let reals = if zero { None } else { reals() };
            let values = reals.and_then(|reals| by_ratio(first, &reals));
            values.ok_or_else(no_pattern)
        }
    }
}

/// The whole number that is the second value of each pair over the first; `None` if there is none.
fn whole_ratio(mut pairs: impl Iterator<Item = (i64, i64)>) -> Option<i64> {
    let (x, y) = pairs.next()?;
    let ratio = y.checked_div(x).filter(|ratio| x.checked_mul(*ratio) == Some(y))?;
    pairs.all(|(x, y)| x != 0 && x.checked_mul(ratio) == Some(y)).then_some(ratio)
}

fn arithmetic(first: i64, step: i64, last: i64) -> Piece {
    let step = if step == 0 { 1 } else { step };
    let distance = i128::from(last) - i128::from(first);
    let steps = distance / i128::from(step);
    let empty = distance != 0 && (distance > 0) != (step > 0);
    let count = if empty { 0 } else { u64::try_from(steps + 1).unwrap_or(u64::MAX) };
    Piece::Arithmetic { first, step, count }
}

/// Values as long as they do not pass the end, until one repeats.
fn geometric(
    first: i64,
    passes: impl Fn(&i64) -> bool,
    next: impl Fn(i64) -> Option<i64>,
) -> Piece {
    let values = std::iter::successors(Some(first), |value| {
        next(*value).filter(|following| following != value)
    });
    Piece::List(values.take_while(passes).take(MAX_LISTED).collect())
}

/// A geometric progression with the average of the ratios; `None` if it does not give the values.
/// `reals` has the values and the end.
fn by_ratio(first: &[i64], reals: &[f64]) -> Option<Piece> {
    let (last, values) = reals.split_last()?;
    let ratios = values.windows(2).map(|pair| pair[1] / pair[0]);
    let ratio = ratios.sum::<f64>() / (values.len() - 1) as f64;
    let round = |x: f64| (x + 0.5) as i64;
    let next = values.iter().zip(&first[1..]);
    if !ratio.is_finite() || !next.clone().all(|(x, next)| round(x * ratio) == *next) {
        return None;
    }
    let (last, rising) = (round(*last), first[0] < first[1]);
    let (mut listed, mut exact) = (Vec::new(), values[0]);
    loop {
        let value = round(exact);
        let passed = if rising { value > last } else { value < last };
        if passed || listed.last() == Some(&value) || listed.len() >= MAX_LISTED {
            return Some(Piece::List(listed));
        }
        listed.push(value);
        if exact.abs() >= i64::MAX as f64 {
            return Some(Piece::List(listed));
        }
        exact *= ratio;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first values and the last one as [`progression`] takes them: without fractions.
    fn reals(first: &[i64], last: i64) -> impl FnOnce() -> Option<Vec<f64>> {
        let reals = first.iter().chain([&last]).map(|value| *value as f64).collect();
        move || Some(reals)
    }

    fn values(first: &[i64], last: i64) -> Vec<i64> {
        let piece = progression(first, last, reals(first, last)).unwrap();
        (0..piece.len()).map(|place| piece.value(place)).collect()
    }

    #[test]
    fn the_tabulated_values() {
        let cases: [(&[i64], i64, &[i64]); 17] = [
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
            (&[100, 33, 11], 1, &[100, 33, 11, 4, 1]),
            (&[-2, 4, -8], 100, &[-2, 4, -8, 16, -32, 64, -128]),
            (&[8, -4, 2], -100, &[8, -4, 2, -1, 0]),
        ];
        for (first, last, expected) in cases {
            assert_eq!(values(first, last), expected, "{first:?} ... {last}");
        }
    }

    #[test]
    fn other_values_have_no_pattern() {
        let cases: [(&[i64], i64); 5] = [
            (&[0, 1, 2, 4], 20),
            (&[-1, -2, -4], -20),
            (&[1, 5, 2], 9),
            (&[2, 3, 5, 7], 100),
            (&[10, 15, 22, 33, 50], 200),
        ];
        for (first, last) in cases {
            let found = progression(first, last, reals(first, last));
            assert!(matches!(found, Err(NumberError::NoPattern(_))), "{first:?}");
        }
        let first = [-1, -2, -4];
        let text = progression(&first, -20, reals(&first, -20)).unwrap_err().to_string();
        assert_eq!(text, "{-1, -2, -4, ..., -20} is no arithmetic or geometric progression");
    }

    #[test]
    fn fractions_count_where_the_ratio_does() {
        let whole = |reals: &[f64]| reals.iter().map(|x| *x as i64).collect::<Vec<i64>>();
        let cases: [(&[f64], &[i64]); 2] = [
            (&[2.5, 5.0, 10.0, 40.0], &[3, 5, 10, 20, 40]),
            (&[100.0, 150.0, 225.0, 337.5], &[100, 150, 225, 338]),
        ];
        for (given, expected) in cases {
            let integers = whole(given);
            let (last, first) = integers.split_last().unwrap();
            let piece = progression(first, *last, || Some(given.to_vec())).unwrap();
            assert_eq!(piece, Piece::List(expected.to_vec()));
        }
        // A half, a quarter and an eighth of 12.
        let halves = || Some(vec![6.0, 3.0, 1.5, 1.0]);
        assert!(progression(&[6, 3, 1], 1, halves).is_err());
    }

    #[test]
    fn long_progressions_are_three_numbers() {
        let long = progression(&[1], i64::MAX, || None).unwrap();
        assert_eq!(
            (long.len(), long.contains(77), long.contains(0)),
            (i64::MAX as u64, true, false)
        );
        let whole = progression(&[i64::MIN], i64::MAX, || None).unwrap();
        assert_eq!(whole.len(), u64::MAX);
        let even = progression(&[8, 6], -3, || None).unwrap();
        assert!(even.contains(-2) && !even.contains(-4) && !even.contains(7));
        for x in [i64::MIN, -1, 0, 1, 2, i64::MAX] {
            for y in [i64::MIN, 0, 3, i64::MAX] {
                for (first, last) in [(&[x, y][..], y), (&[x, y, x], y), (&[x, 2, y], i64::MAX)] {
                    let _ = progression(first, last, reals(first, last));
                }
            }
        }
    }
}
