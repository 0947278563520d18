//! Noise on compute times: random factors with mean one.

use pantala_engine::{Stream, Time};
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Noise on compute times: each time is multiplied by 1 + share x. The random number x has mean 0
/// and comes from the rank's own random stream.
///
/// A negative time becomes zero, so the normal distribution raises the mean a little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Noise {
    /// The distribution of x.
    #[serde(default)]
    pub distribution: NoiseDistribution,
    /// The share of the compute time that varies.
    #[serde(default = "tenth")]
    #[schemars(range(min = 0, max = 1), extend("x-effect" = {"distribution": ["uniform", "normal", "exponential"]}))]
    pub share: f64,
}

const fn tenth() -> f64 {
    0.1
}

/// Distributions of noise on compute times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoiseDistribution {
    /// No noise.
    #[default]
    None,
    /// x is uniform between -1 and 1.
    Uniform,
    /// x is normal with standard deviation 1. A negative time becomes zero.
    Normal,
    /// x + 1 is exponential with mean 1. Long delays are rare, as in the noise of an operating
    /// system (Hoefler, Schneider and Lumsdaine, SC 2010).
    Exponential,
}

impl Noise {
    /// Checks the share.
    ///
    /// # Errors
    /// A [`Fault`] if it is not between 0 and 1.
    pub fn check(&self) -> Result<(), Fault> {
        if (0.0..=1.0).contains(&self.share) {
            return Ok(());
        }
        Err(Fault::new(
            "compute_noise.share",
            self.share,
            "must be from 0 to 1",
            "give a share of the computing time",
        ))
    }

    /// Applies noise to a time, with the next draws of a rank.
    pub(crate) fn applied(&self, time: Time, draws: &mut Stream) -> Time {
        let factor = match self.distribution {
            NoiseDistribution::None => return time,
            NoiseDistribution::Uniform => 2.0 * draws.unit() - 1.0,
            NoiseDistribution::Normal => draws.normal(),
            NoiseDistribution::Exponential => draws.exponential() - 1.0,
        };
        (time as f64 * (1.0 + self.share * factor)).max(0.0).round() as Time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_stays() {
        for (distribution, deviation) in [
            (NoiseDistribution::None, 0.0),
            (NoiseDistribution::Uniform, 0.577),
            (NoiseDistribution::Normal, 1.0),
            (NoiseDistribution::Exponential, 1.0),
        ] {
            let (noise, mut draws) = (Noise { distribution, share: 0.2 }, Stream::new(1, 2, 3));
            let times: Vec<f64> =
                (0..100_000).map(|_| noise.applied(1_000_000, &mut draws) as f64 / 1e6).collect();
            let mean = times.iter().sum::<f64>() / times.len() as f64;
            let spread =
                (times.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / times.len() as f64).sqrt();
            assert!((mean - 1.0).abs() < 0.005, "{distribution:?}: {mean}");
            assert!((spread - 0.2 * deviation).abs() < 0.005, "{distribution:?}: {spread}");
        }
    }

    #[test]
    fn shares_are_checked() {
        assert!(Noise { distribution: NoiseDistribution::Uniform, share: 1.0 }.check().is_ok());
        for share in [-0.1, 1.1, f64::NAN] {
            assert!(Noise { distribution: NoiseDistribution::Uniform, share }.check().is_err());
        }
    }
}
