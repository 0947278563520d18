//! Arithmetic in double precision, for `OUTPUTS`, `LOGS` and `REAL`. All functions are those of libm, so that all machines
//! compute equal results.

/// Rounds the value of `REAL(…)` to an integer: half up, then towards zero.
#[must_use]
pub fn rounded(x: f64) -> i64 {
    (x + 0.5) as i64
}

/// `x MOD y`: at least 0 and less than `|y|`.
#[must_use]
pub fn modulo(x: f64, y: f64) -> f64 {
    x.rem_euclid(y)
}

/// `ROOT(degree, x)`.
#[must_use]
pub fn root(degree: f64, x: f64) -> f64 {
    if degree == 2.0 {
        x.sqrt()
    } else if degree == 3.0 {
        libm::cbrt(x)
    } else {
        libm::pow(x, 1.0 / degree)
    }
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
        assert_eq!((modulo(-7.0, 3.0), modulo(7.0, -3.0)), (2.0, 1.0));
        assert_eq!((root(2.0, 2.25), root(3.0, 27.0)), (1.5, 3.0));
        assert_eq!((factor10(-4567.0), factor10(0.0)), (-4000.0, 0.0));
    }
}
