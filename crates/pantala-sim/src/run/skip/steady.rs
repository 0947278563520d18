//! Whether a series is steady: no trend, and a mean that is known well enough.
//!
//! The series are the mean durations and communication times of the cycles of a job, in order. They
//! are correlated, so the error of their mean follows from batch means: with `n` values, mean `m`,
//! standard deviation `s` and correlation `r` of neighbours, as many independent values as
//!
//! ```text
//! n' = n (1 - r) / (1 + r)
//! ```
//!
//! tell the mean as well (the first-order autoregressive model; Law, Simulation Modeling and
//! Analysis, 5th edition, 9.5.3), and the half width of its interval of 95 % is `t s / sqrt(n')` with
//! Student's `t` of `n' - 1` degrees of freedom (Abramowitz and Stegun, 26.7.5). A negative `r`, as
//! of the distances of jittered times, counts from 16 values on, and down to -0.4. What is stated of
//! skipped time takes the widest interval of longer batches, too. A series has a
//! trend if the means of its two halves differ by more than the tolerance.

/// What is known of the mean of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mean {
    /// The mean.
    pub(crate) value: f64,
    /// The half width of its interval of 95 %.
    pub(crate) half_width: f64,
    /// The largest half width that batches of any size tell, down to `FEWEST` of them.
    pub(crate) widest: f64,
    /// The mean of the second half minus that of the first.
    pub(crate) drift: f64,
    /// Number of values.
    pub(crate) count: usize,
}

/// The normal distribution's quantile of 97.5 %.
const Z: f64 = 1.959_963_984_540_054;
/// Series are reduced to at most this many means of batches.
const BATCHES: usize = 64;
/// The fewest batches whose deviation tells an error.
const FEWEST: usize = 8;
/// The fewest values from which a negative correlation is believed.
const ENOUGH: usize = 16;

impl Mean {
    /// Returns the mean of a series; `None` if it has fewer than two values.
    #[cfg(test)]
    pub(crate) fn of(series: &[f64]) -> Option<Self> {
        Self::of_parts(series.len(), |from, to| mean(&series[from..to]))
    }

    /// Returns the mean of a series of so many values, of which `of` gives the mean of those from
    /// one number up to another. It is asked for at most `BATCHES` of them.
    pub(crate) fn of_parts(values: usize, of: impl Fn(usize, usize) -> f64) -> Option<Self> {
        let size = values.div_ceil(BATCHES).max(1);
        // The earliest values are left out, if batches do not fit.
        let left_out = values % size;
        let from = (left_out..values).step_by(size);
        let means: Vec<f64> = from.map(|from| of(from, from + size)).collect();
        let count = means.len() as f64;
        if means.len() < 2 {
            return None;
        }
        let value = mean(&means);
        let variance = means.iter().map(|x| (x - value).powi(2)).sum::<f64>() / (count - 1.0);
        let together =
            means.windows(2).map(|pair| (pair[0] - value) * (pair[1] - value)).sum::<f64>();
        let correlation = if variance > 0.0 {
            let least = if means.len() < ENOUGH { 0.0 } else { -0.4 };
            (together / (variance * (count - 1.0))).clamp(least, 0.9)
        } else {
            0.0
        };
        let independent = (count * (1.0 - correlation) / (1.0 + correlation)).max(2.0);
        let half_width = student(independent - 1.0) * (variance / independent).sqrt();
        let (first, second) = means.split_at(means.len() / 2);
        let second = &second[second.len() - first.len()..];
        let drift = mean(second) - mean(first);
        let widest = half_width.max(of_longer_batches(means.clone()));
        Some(Self { value, half_width, widest, drift, count: values - left_out })
    }

    /// Returns the half width of the interval of the mean of `others` further values: their own
    /// chance is added to that of the mean, and half of the drift, which may go on.
    pub(crate) fn half_width_of(&self, others: f64) -> f64 {
        let chance = self.widest * (1.0 + self.count as f64 / others.max(1.0)).sqrt();
        chance.hypot(self.drift / 2.0)
    }

    /// Returns the half width of what the means of epochs differ by, beyond what cycles of one
    /// epoch tell: a network wanders more slowly than an epoch lasts.
    ///
    /// Two epochs with the variance `v` between them have means whose difference `d` has the
    /// variance `2 v` plus that of both means, so `v` is estimated by the method of moments.
    pub(crate) fn between(&self, after: &Self) -> f64 {
        let difference = (after.value - self.value).powi(2);
        let chance = self.half_width.hypot(after.half_width) / Z;
        Z * ((difference - chance.powi(2)).max(0.0) / 2.0).sqrt()
    }

    /// Returns whether mean and trend are known to `error`.
    pub(crate) fn within(&self, error: f64) -> bool {
        self.half_width <= error && self.drift.abs() <= error
    }
}

/// The largest half width of the mean that pairs of batches, pairs of pairs and so on tell, each as if
/// independent: correlation over longer times than neighbouring batches shows in longer ones (the
/// blocking method; Flyvbjerg and Petersen, J. Chem. Phys. 91, 1989, 461).
fn of_longer_batches(mut means: Vec<f64>) -> f64 {
    let mut widest = 0.0_f64;
    while means.len() >= 2 * FEWEST {
        let pairs = &means[means.len() % 2..];
        means = pairs.chunks(2).map(mean).collect();
        let (count, value) = (means.len() as f64, mean(&means));
        let variance = means.iter().map(|x| (x - value).powi(2)).sum::<f64>() / (count - 1.0);
        widest = widest.max(student(count - 1.0) * (variance / count).sqrt());
    }
    widest
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Student's t for 95 % (two-sided) and `freedom` degrees of freedom: the expansion of Abramowitz and
/// Stegun, 26.7.5, from the normal distribution's 1.96. Below four degrees of freedom it is too small,
/// so known values take over.
fn student(freedom: f64) -> f64 {
    const SMALL: [f64; 4] = [12.706, 12.706, 4.303, 3.182];
    if freedom < 4.0 {
        return SMALL[(freedom.floor() as usize).min(3)];
    }
    let powers = |k: i32| Z.powi(k);
    let first = (powers(3) + Z) / 4.0;
    let second = (5.0 * powers(5) + 16.0 * powers(3) + 3.0 * Z) / 96.0;
    let third = (3.0 * powers(7) + 19.0 * powers(5) + 17.0 * powers(3) - 15.0 * Z) / 384.0;
    Z + first / freedom + second / freedom.powi(2) + third / freedom.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pantala_engine::Stream;

    #[test]
    fn students_quantiles_are_those_of_tables() {
        for (freedom, known) in [(1.0, 12.706), (4.0, 2.776), (7.0, 2.365), (30.0, 2.042)] {
            assert!((student(freedom) - known).abs() < 0.01, "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn a_constant_series_is_steady_and_a_ramp_is_not() {
        let constant = Mean::of(&[5.0; 8]).unwrap();
        assert_eq!((constant.value, constant.half_width, constant.drift), (5.0, 0.0, 0.0));
        assert_eq!((constant.count, constant.half_width_of(3.0)), (8, 0.0));
        let ramp: Vec<f64> = (0..40).map(|k| 100.0 + f64::from(k)).collect();
        let ramp = Mean::of(&ramp).unwrap();
        assert_eq!(ramp.drift, 20.0);
        assert!(!ramp.within(1.2));
        assert_eq!(Mean::of(&[1.0]), None);
    }

    /// The work of a check must not grow with the length of an epoch, or runs cost the square of it.
    #[test]
    fn a_long_series_is_judged_by_few_means() {
        for values in [2, 63, 64, 65, 1_000, 1_000_001] {
            let asked = std::cell::Cell::new(0);
            let of = |from: usize, to: usize| {
                asked.set(asked.get() + 1);
                (from + to - 1) as f64 / 2.0
            };
            let known = Mean::of_parts(values, of).unwrap();
            assert!(asked.get() <= BATCHES, "{values}: {}", asked.get());
            if values <= 1_000 {
                let series: Vec<f64> = (0..values).map(|value| value as f64).collect();
                assert_eq!(Some(known), Mean::of(&series));
            }
        }
    }

    /// A wave over half of the series hardly shows in the correlation of neighbours.
    #[test]
    fn slow_waves_widen_the_stated_error() {
        let mut draws = Stream::new(5, 1, 4);
        let mut noise = || draws.unit() - 0.5;
        let plain: Vec<f64> = (0..64).map(|_| 10.0 + noise()).collect();
        let wave = |k: u32| 0.3 * (f64::from(k) / 64.0 * 2.0 * std::f64::consts::TAU).sin();
        let waves: Vec<f64> = (0..64).map(|k| 10.0 + wave(k) + noise()).collect();
        let (plain, waves) = (Mean::of(&plain).unwrap(), Mean::of(&waves).unwrap());
        assert!(plain.widest < 2.0 * plain.half_width, "{plain:?}");
        assert!(waves.widest > 1.2 * waves.half_width, "{waves:?}");
        assert!(waves.half_width_of(1e9) >= waves.widest);
    }

    /// Epochs whose means wander by more than their cycles tell are known no better than that.
    #[test]
    fn the_variance_between_epochs_counts() {
        let of = |value: f64| Mean { value, half_width: 0.0, widest: 0.0, drift: 0.0, count: 10 };
        assert_eq!(of(10.0).between(&of(10.0)), 0.0);
        assert!((of(10.0).between(&of(11.0)) - Z / 2.0_f64.sqrt()).abs() < 1e-12);
        let vague = Mean { half_width: 2.0, ..of(11.0) };
        assert_eq!(of(10.0).between(&vague), 0.0);
        // Means of epochs with a deviation of 1 between them: the half width is that of the mean
        // of one, in the square over many.
        let mut draws = Stream::new(11, 1, 4);
        let mut normal = || (0..12).map(|_| draws.unit()).sum::<f64>() - 6.0;
        let squares = (0..20_000).map(|_| of(normal()).between(&of(normal())).powi(2));
        let found = (squares.sum::<f64>() / 20_000.0).sqrt();
        assert!((found - Z).abs() < 0.05, "{found}");
    }

    /// The times of a clock with jitter: distances vary, their mean hardly does.
    #[test]
    fn jitter_of_times_says_little_of_distances() {
        let mut draws = Stream::new(3, 1, 4);
        let times: Vec<f64> = (0..41).map(|k| 10.0 * f64::from(k) + 2.0 * draws.unit()).collect();
        let distances: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = Mean::of(&distances).unwrap();
        assert!((mean.value - 10.0).abs() <= mean.half_width && mean.half_width < 0.25, "{mean:?}");
    }

    /// The interval has the true mean in nearly 95 % of cases, also if neighbours are correlated: the
    /// correlation is estimated, which costs some.
    #[test]
    fn intervals_cover_the_mean() {
        for (correlation, least) in [(0.0, 0.90), (0.5, 0.86)] {
            let covered = (0..400).filter(|case: &u64| {
                let mut draws = Stream::new(*case + 7, 1, 2);
                let mut uniform = || draws.unit() - 0.5;
                let mut value = 0.0;
                let series: Vec<f64> = (0..60)
                    .map(|_| {
                        value = correlation * value + uniform();
                        10.0 + value
                    })
                    .collect();
                let mean = Mean::of(&series).unwrap();
                (mean.value - 10.0).abs() <= mean.half_width
            });
            let share = covered.count() as f64 / 400.0;
            assert!(share > least, "{correlation}: {share}");
        }
    }
}
