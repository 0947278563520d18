//! Arithmetic in double precision, for `OUTPUTS`, `LOGS` and `REAL`. All functions are those of libm, so that all machines
//! compute equal results.

use super::{NumberError, print};

/// Rounds the value of `REAL(…)` to an integer: half up, then towards zero.
#[must_use]
pub fn rounded(x: f64) -> i64 {
    (x + 0.5) as i64
}

fn no_value<T>(call: &str, arguments: [f64; 2]) -> Result<T, NumberError> {
    let [x, y] = arguments.map(print::number);
    Err(NumberError::NoValue(call.replacen("{}", &x, 1).replacen("{}", &y, 1)))
}

/// `x ** y`.
///
/// # Errors
/// [`NumberError::NoValue`] for 0 with an exponent that is not positive, and for a negative number
/// with a broken exponent.
pub fn power(x: f64, y: f64) -> Result<f64, NumberError> {
    if (x == 0.0 && y <= 0.0) || (x < 0.0 && y != y.trunc()) {
        return no_value("{} ** {}", [x, y]);
    }
    Ok(libm::pow(x, y))
}

/// `ROOT(degree, x)`.
///
/// # Errors
/// [`NumberError::NoValue`] for degree 0 and for a negative number.
pub fn root(degree: f64, x: f64) -> Result<f64, NumberError> {
    if degree == 0.0 || x < 0.0 {
        return no_value("ROOT({}, {})", [degree, x]);
    }
    Ok(if degree == 2.0 {
        x.sqrt()
    } else if degree == 3.0 {
        libm::cbrt(x)
    } else {
        libm::pow(x, 1.0 / degree)
    })
}

/// `FACTOR10(x)`: `x` with all decimal digits but the first set to 0.
#[must_use]
pub fn factor10(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let unit = libm::pow(10.0, libm::log10(x.abs()).floor());
    (x / unit).trunc() * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_rounds_half_up_and_truncates() {
        let values = [3.5, -3.5, -3.7, 2f64.sqrt() * 1000.0, 10f64.powf(0.5) * 100.0];
        assert_eq!(values.map(rounded), [4, -3, -3, 1414, 316]);
        assert_eq!((rounded(f64::INFINITY), rounded(f64::NAN)), (i64::MAX, 0));
    }

    #[test]
    fn functions_of_reals() {
        assert_eq!((root(2.0, 2.25), root(3.0, 27.0)), (Ok(1.5), Ok(3.0)));
        assert_eq!((power(2.0, -1.0), power(-2.0, 3.0)), (Ok(0.5), Ok(-8.0)));
        assert_eq!((factor10(-4567.0), factor10(0.0)), (-4000.0, 0.0));
    }

    #[test]
    fn calls_without_a_value_name_their_arguments() {
        let told = |result: Result<f64, NumberError>| result.unwrap_err().to_string();
        assert_eq!(told(root(2.0, -2.5)), "ROOT(2, -2.5) has no value");
        assert_eq!(told(root(0.0, 5.0)), "ROOT(0, 5) has no value");
        assert_eq!(told(power(0.0, 0.0)), "0 ** 0 has no value");
        assert_eq!(told(power(-8.0, 0.5)), "-8 ** 0.5 has no value");
    }
}
