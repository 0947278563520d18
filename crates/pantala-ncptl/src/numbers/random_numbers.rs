//! Random numbers that each task draws for itself.

use super::{NumberError, print};
use crate::language::ast::Function;
use pantala_engine::Stream;

/// A number from 0 up to but without 1.
fn fraction(stream: &mut Stream) -> f64 {
    (stream.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// The greatest mean for which Poisson's numbers are counted one by one.
const COUNTED_MEAN: f64 = 64.0;

/// Whether a random function has a value for these arguments.
///
/// # Errors
/// [`NumberError::NoValue`] for an empty interval, a negative mean of Poisson, and a shape or a bound
/// of Pareto that is not positive.
pub fn check(function: Function, arguments: &[f64]) -> Result<(), NumberError> {
    let exists = match (function, arguments) {
        (Function::RandomUniform, [low, high]) => low < high,
        (Function::RandomPoisson, [mean]) => *mean >= 0.0,
        (Function::RandomPareto, [shape, low]) => *shape > 0.0 && *low > 0.0,
        (Function::RandomPareto, [shape, low, high]) => *shape > 0.0 && *low > 0.0 && low <= high,
        _ => true,
    };
    if exists {
        return Ok(());
    }
    let arguments: Vec<String> = arguments.iter().map(|x| print::number(*x)).collect();
    let name = function.name().to_ascii_uppercase();
    Err(NumberError::NoValue(format!("{name}({})", arguments.join(", "))))
}

/// A draw of one of the random functions; 0 for other functions.
pub fn draw(function: Function, arguments: &[f64], stream: &mut Stream) -> f64 {
    match (function, arguments) {
        (Function::RandomUniform, [low, high]) => low + (high - low) * fraction(stream),
        (Function::RandomGaussian, [mean, deviation]) => mean + deviation * gaussian(stream),
        (Function::RandomPoisson, [mean]) => poisson(*mean, stream),
        (Function::RandomPareto, [shape, low]) => {
            low / libm::pow(1.0 - fraction(stream), 1.0 / shape)
        }
        (Function::RandomPareto, [shape, low, high]) => {
            let share = 1.0 - libm::pow(low / high, *shape);
            low / libm::pow(1.0 - share * fraction(stream), 1.0 / shape)
        }
        _ => 0.0,
    }
}

/// A draw of the standard normal distribution, after Box and Muller (1958).
fn gaussian(stream: &mut Stream) -> f64 {
    let (radius, angle) = (1.0 - fraction(stream), fraction(stream));
    (-2.0 * libm::log(radius)).sqrt() * libm::cos(std::f64::consts::TAU * angle)
}

/// A draw of a Poisson distribution: products of fractions (Knuth), or for a great mean its normal
/// approximation.
fn poisson(mean: f64, stream: &mut Stream) -> f64 {
    if mean > COUNTED_MEAN {
        return (mean + mean.sqrt() * gaussian(stream)).round().max(0.0);
    }
    let bound = libm::exp(-mean);
    let (mut count, mut product) = (0.0, fraction(stream));
    while product > bound {
        count += 1.0;
        product *= fraction(stream);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_those_of_the_distributions() {
        let cases: [(Function, &[f64], f64); 5] = [
            (Function::RandomUniform, &[2.0, 6.0], 4.0),
            (Function::RandomGaussian, &[5.0, 2.0], 5.0),
            (Function::RandomPoisson, &[3.0], 3.0),
            (Function::RandomPoisson, &[100.0], 100.0),
            (Function::RandomPareto, &[3.0, 2.0], 3.0),
        ];
        let mut stream = Stream::new(1, 2, 3);
        for (function, arguments, mean) in cases {
            let sum: f64 = (0..20_000).map(|_| draw(function, arguments, &mut stream)).sum();
            let found = sum / 20_000.0;
            assert!((found - mean).abs() < 0.05 * mean, "{function:?}: {found}");
        }
        for (function, arguments, _) in cases {
            assert_eq!(check(function, arguments), Ok(()));
        }
        let bounded = |_| draw(Function::RandomPareto, &[1.0, 2.0, 9.0], &mut stream);
        assert!((0..1_000).map(bounded).all(|x| (2.0..9.0).contains(&x)));
    }

    #[test]
    fn arguments_without_a_distribution_are_told() {
        let cases: [(Function, &[f64], &str); 4] = [
            (Function::RandomUniform, &[5.0, 5.0], "RANDOM_UNIFORM(5, 5) has no value"),
            (Function::RandomPoisson, &[-0.5], "RANDOM_POISSON(-0.5) has no value"),
            (Function::RandomPareto, &[0.0, 1.0], "RANDOM_PARETO(0, 1) has no value"),
            (Function::RandomPareto, &[1.0, 3.0, 2.0], "RANDOM_PARETO(1, 3, 2) has no value"),
        ];
        for (function, arguments, expected) in cases {
            assert_eq!(check(function, arguments).unwrap_err().to_string(), expected);
        }
    }
}
