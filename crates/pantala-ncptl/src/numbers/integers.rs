//! Integer arithmetic: 64-bit, signed, wrapping.

use super::NumberError;

/// `x / y`, truncated towards zero.
///
/// # Errors
/// [`NumberError::DivisionByZero`].
pub fn divide(x: i64, y: i64) -> Result<i64, NumberError> {
    if y == 0 { Err(NumberError::DivisionByZero(x)) } else { Ok(x.wrapping_div(y)) }
}

/// `x MOD y`: at least 0 and less than `|y|`.
///
/// # Errors
/// [`NumberError::ModuloZero`].
pub fn modulo(x: i64, y: i64) -> Result<i64, NumberError> {
    if y == 0 { Err(NumberError::ModuloZero(x)) } else { Ok(x.wrapping_rem_euclid(y)) }
}

/// `x ** y`. A negative exponent gives 0, except for the bases 1 and -1.
///
/// # Errors
/// [`NumberError::NoValue`] for the base 0 with an exponent that is not positive.
pub fn power(x: i64, y: i64) -> Result<i64, NumberError> {
    if x == 0 && y <= 0 {
        return Err(NumberError::NoValue(format!("0 ** {y}")));
    }
    if y < 0 {
        return match x {
            1 => Ok(1),
            -1 => Ok(if y % 2 == 0 { 1 } else { -1 }),
            _ => Ok(0),
        };
    }
    let (mut result, mut square, mut left) = (1i64, x, y as u64);
    while left > 0 {
        if left & 1 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        left >>= 1;
    }
    Ok(result)
}

/// `x << y`; a negative `y` shifts to the right.
#[must_use]
pub fn shift_left(x: i64, y: i64) -> i64 {
    match y {
        64.. => 0,
        0..=63 => x << y,
        -63..=-1 => x >> -y,
        _ => x >> 63,
    }
}

/// `x >> y`, which keeps the sign; a negative `y` shifts to the left.
#[must_use]
pub fn shift_right(x: i64, y: i64) -> i64 {
    shift_left(x, y.saturating_neg())
}

/// `ROOT(degree, x)`: the greatest integer whose power is at most `x`. A negative degree gives the
/// reciprocal, truncated.
///
/// # Errors
/// [`NumberError::NoRoot`] for degree 0 and for a negative number, as in the reference compiler.
pub fn root(degree: i64, x: i64) -> Result<i64, NumberError> {
    if degree == 0 || x < 0 {
        return Err(NumberError::NoRoot(degree, x));
    }
    if degree < 0 {
        return divide(1, root(degree.saturating_neg(), x)?);
    }
    Ok(root_of(degree as u64, x as u64) as i64)
}

fn power_at_most(base: u64, exponent: u64, bound: u64) -> bool {
    let mut result = 1u128;
    for _ in 0..exponent {
        result *= u128::from(base);
        if result > u128::from(bound) {
            return false;
        }
        if base <= 1 {
            break;
        }
    }
    true
}

fn root_of(degree: u64, x: u64) -> u64 {
    if degree == 1 || x == 0 {
        return x;
    }
    let (mut low, mut high) = (1u64, 1u64 << 32);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if power_at_most(middle, degree, x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// `BITS(x)`: the number of bits that `x` needs, 64 for a negative number.
#[must_use]
pub fn bits(x: i64) -> i64 {
    i64::from(64 - x.leading_zeros())
}

/// `LOG10(x)`: the decimal logarithm, rounded down.
///
/// # Errors
/// [`NumberError::NoValue`] for `x <= 0`.
pub fn log10(x: i64) -> Result<i64, NumberError> {
    x.checked_ilog10().map(i64::from).ok_or_else(|| NumberError::NoValue(format!("LOG10({x})")))
}

/// `FACTOR10(x)`: `x` with all decimal digits but the first set to 0.
#[must_use]
pub fn factor10(x: i64) -> i64 {
    let size = x.unsigned_abs();
    let Some(digits) = size.checked_ilog10() else { return 0 };
    let unit = 10u64.pow(digits);
    let kept = (size / unit * unit) as i64;
    if x < 0 { kept.wrapping_neg() } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tabulated_values() {
        assert_eq!((modulo(-7, 3), modulo(7, -3)), (Ok(2), Ok(1)));
        assert_eq!((divide(-7, 2), divide(7, 2)), (Ok(-3), Ok(3)));
        assert_eq!((power(2, -1), power(2, 9)), (Ok(0), Ok(512)));
        assert_eq!((shift_right(7, -1), shift_right(-8, 1), shift_left(1, 3)), (14, -4, 8));
        assert_eq!((bits(-1), bits(0), bits(255), bits(256)), (64, 0, 8, 9));
        assert_eq!((factor10(4567), factor10(-4567), factor10(0)), (4000, -4000, 0));
        assert_eq!((log10(999), log10(1000)), (Ok(2), Ok(3)));
        assert_eq!((root(3, 26), root(3, 27)), (Ok(2), Ok(3)));
        assert_eq!((root(2, 24), root(3, 27)), (Ok(4), Ok(3)));
    }

    #[test]
    fn extremes_do_not_panic() {
        assert_eq!(divide(i64::MIN, -1), Ok(i64::MIN));
        assert_eq!(modulo(i64::MIN, -1), Ok(0));
        assert_eq!(divide(5, 0), Err(NumberError::DivisionByZero(5)));
        assert_eq!(modulo(5, 0), Err(NumberError::ModuloZero(5)));
        assert_eq!((shift_left(1, 64), shift_right(-1, 900), shift_left(3, i64::MIN)), (0, -1, 0));
        assert_eq!(root(2, i64::MAX), Ok(3_037_000_499));
        assert_eq!((root(1, i64::MAX), root(63, i64::MAX)), (Ok(i64::MAX), Ok(1)));
        assert_eq!(root(i64::MAX, 5), Ok(1));
        assert!(root(2, -1).is_err() && root(3, -27).is_err() && root(0, 4).is_err());
        assert!(log10(0).is_err() && log10(-10).is_err() && power(0, 0).is_err());
        assert_eq!(
            (power(3, i64::MAX).is_ok(), power(-1, -3), power(0, -1).is_err()),
            (true, Ok(-1), true)
        );
        assert_eq!(factor10(i64::MIN), -9_000_000_000_000_000_000);
    }
}
