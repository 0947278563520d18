//! Numbers as text, as C prints them with `%.10lg`.

const DIGITS: i32 = 10;

/// A number with at most ten significant digits and no trailing zeros.
#[must_use]
pub fn number(x: f64) -> String {
    if x.is_nan() {
        return "nan".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    if x == 0.0 {
        return if x.is_sign_negative() { "-0" } else { "0" }.to_owned();
    }
    let scientific = format!("{:.*e}", DIGITS as usize - 1, x);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..DIGITS).contains(&exponent) {
        let decimals = (DIGITS - 1 - exponent) as usize;
        return without_zeros(&format!("{x:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_zeros(mantissa), exponent.abs())
}

fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_in_c() {
        let cases = [
            (3.5, "3.5"),
            (-3.5, "-3.5"),
            (7.0, "7"),
            (3.0 * 1024f64.powi(4), "3.298534883e+12"),
            (2f64.sqrt(), "1.414213562"),
            (1.0 / 3.0, "0.3333333333"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (9_999_999_999.0, "9999999999"),
            (99_999_999_999.0, "1e+11"),
            (9_999_999_999.96, "1e+10"),
            (1e100, "1e+100"),
            (0.0, "0"),
            (1048576.0, "1048576"),
            (f64::INFINITY, "inf"),
        ];
        for (x, text) in cases {
            assert_eq!(number(x), text);
        }
    }
}
