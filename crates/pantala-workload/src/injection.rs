//! Injection: the creation times of a pattern's packets.
//!
//! A source is a clock, not a queue. When the NIC takes a packet, the source computes the creation
//! time of the next one from that of the packet taken. So a source that lags keeps its offered
//! load, and its packets keep their true age.
//!
//! Load counts whole flits: at load 1 the packets of a source fill its injection link. With `S`
//! flits per packet and a flit time of `flit_bytes / bandwidth`,
//!
//! - *periodic*: packet `k` is created at `start + phase + floor(k * S * flit time / load)`, in
//!   exact rational arithmetic;
//! - *bernoulli*: each flit time is a slot, in which a packet is created with probability
//!   `load / S`. The creation time is the start of the slot, rounded down to the picosecond,
//!   without drift.

use pantala_engine::{Geometric, NEVER, Stream, Time};
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The creation times of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Injection {
    /// At random: one draw per slot of one flit time.
    #[default]
    Bernoulli,
    /// At a fixed interval.
    Periodic,
}

/// The offsets of the ranks of periodic traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// All ranks send at the same times.
    In,
    /// Each rank has a random offset, uniform over the interval.
    #[default]
    Random,
}

/// Loads are rounded to nine decimals.
const LOAD_UNIT: u64 = 1_000_000_000;
const PICOSECONDS: u128 = 1_000_000_000_000;

fn parts_per_billion(load: f64) -> u64 {
    (load * LOAD_UNIT as f64).round() as u64
}

pub(crate) fn check_load(load: f64) -> Result<(), Fault> {
    if !(load > 0.0 && load <= 1.0) {
        return Err(Fault::new(
            "load",
            load,
            "an offered load is a fraction of the terminal bandwidth, above 0 and at most 1",
            "write 0.5 for half of it",
        ));
    }
    if parts_per_billion(load) == 0 {
        return Err(Fault::new(
            "load",
            load,
            "loads are rounded to nine decimals, so this one is 0",
            "write 1e-9 or more",
        ));
    }
    Ok(())
}

/// The rate that all sources of a job share.
#[derive(Clone, Debug)]
pub(crate) enum Pace {
    Bernoulli {
        /// The distribution of the number of slots between two packets.
        gaps: Geometric,
        /// A slot lasts `whole + rest / unit` ps.
        whole: u64,
        rest: u64,
        unit: u64,
    },
    Periodic {
        /// The interval is `whole + rest / unit` ps.
        whole: u64,
        rest: u128,
        unit: u128,
    },
}

/// The state of one source besides its next creation time: the fraction of a picosecond that was
/// rounded down.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clock {
    Bernoulli { draws: Stream, remainder: u64 },
    Periodic { remainder: [u64; 2] },
}

impl Pace {
    /// The rate of a checked load, for packets of `flits` flits of `flit_bytes` bytes on a link of
    /// `bandwidth` bytes per second.
    pub(crate) fn new(
        injection: Injection,
        load: f64,
        flits: u32,
        flit_bytes: u32,
        bandwidth: u64,
    ) -> Self {
        let load_parts = parts_per_billion(load);
        let flit = u128::from(flit_bytes) * PICOSECONDS;
        match injection {
            Injection::Bernoulli => {
                let unit = u128::from(bandwidth);
                let probability = load_parts as f64 / LOAD_UNIT as f64 / f64::from(flits);
                Self::Bernoulli {
                    gaps: Geometric::new(probability),
                    whole: (flit / unit) as u64,
                    rest: (flit % unit) as u64,
                    unit: bandwidth,
                }
            }
            Injection::Periodic => {
                let time = flit * u128::from(flits) * u128::from(LOAD_UNIT);
                let unit = u128::from(bandwidth) * u128::from(load_parts);
                Self::Periodic { whole: (time / unit) as u64, rest: time % unit, unit }
            }
        }
    }

    /// The first creation time of a source that starts at `start`, and its clock.
    pub(crate) fn first(
        &self,
        start: Time,
        phase: Phase,
        gaps: Stream,
        mut phases: Stream,
    ) -> (Time, Clock) {
        match self {
            Self::Bernoulli { .. } => {
                let mut clock = Clock::Bernoulli { draws: gaps, remainder: 0 };
                // The first slot has number 0, so one slot less than between two packets.
                let slots = clock.slots(self).saturating_sub(1);
                (clock.after_slots(self, start, slots), clock)
            }
            Self::Periodic { whole, .. } => {
                let offset = match phase {
                    Phase::In => 0,
                    Phase::Random => {
                        ((u128::from(phases.bits()) * u128::from(*whole)) >> 64) as u64
                    }
                };
                (start.saturating_add(offset), Clock::Periodic { remainder: [0; 2] })
            }
        }
    }
}

impl Clock {
    /// The creation time of the packet after the one created at `last`.
    #[inline]
    pub(crate) fn after(&mut self, pace: &Pace, last: Time) -> Time {
        match (&mut *self, pace) {
            (Self::Periodic { remainder }, Pace::Periodic { whole, rest, unit }) => {
                let mut sum = (u128::from(remainder[1]) << 64 | u128::from(remainder[0])) + rest;
                let carry = sum >= *unit;
                if carry {
                    sum -= unit;
                }
                *remainder = [sum as u64, (sum >> 64) as u64];
                last.saturating_add(whole + u64::from(carry))
            }
            (Self::Bernoulli { .. }, Pace::Bernoulli { .. }) => {
                let slots = self.slots(pace);
                self.after_slots(pace, last, slots)
            }
            _ => NEVER,
        }
    }

    /// Draws the number of slots until the next packet.
    #[inline]
    fn slots(&mut self, pace: &Pace) -> u64 {
        match (self, pace) {
            (Self::Bernoulli { draws, .. }, Pace::Bernoulli { gaps, .. }) => gaps.draw(draws),
            _ => 1,
        }
    }

    /// The start of the slot `slots` after the one that starts at `last`.
    #[inline]
    fn after_slots(&mut self, pace: &Pace, last: Time, slots: u64) -> Time {
        let (Self::Bernoulli { remainder, .. }, Pace::Bernoulli { whole, rest, unit, .. }) =
            (self, pace)
        else {
            return NEVER;
        };
        let time = last.saturating_add(slots.saturating_mul(*whole));
        if *rest == 0 {
            return time;
        }
        let sum = u128::from(*remainder) + u128::from(slots) * u128::from(*rest);
        *remainder = (sum % u128::from(*unit)) as u64;
        time.saturating_add((sum / u128::from(*unit)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(pace: &Pace, start: Time, phase: Phase, seed: u64, count: usize) -> Vec<Time> {
        let (first, mut clock) =
            pace.first(start, phase, Stream::new(seed, 1, 0), Stream::new(seed, 2, 0));
        std::iter::successors(Some(first), |last| Some(clock.after(pace, *last)))
            .take(count)
            .collect()
    }

    #[test]
    fn periods_are_exact() {
        for (load, flits, flit_bytes, bandwidth) in [
            (0.3, 4, 128, 25_000_000_000u64),
            (0.7, 1, 64, 12_345_678_901),
            (1.0, 4, 128, 25_000_000_000),
            (0.123_456_789, 3, 100, 99_999_999_977),
        ] {
            let pace = Pace::new(Injection::Periodic, load, flits, flit_bytes, bandwidth);
            let times = times(&pace, 777, Phase::In, 1, 100_000);
            let parts = (load * 1e9f64).round() as u128;
            for (k, time) in times.into_iter().enumerate() {
                // floor(k * S * flit_bytes / bandwidth / load) in ps.
                let exact =
                    k as u128 * u128::from(flits * flit_bytes) * 1_000_000_000_000 * 1_000_000_000
                        / (u128::from(bandwidth) * parts);
                assert_eq!(u128::from(time), 777 + exact, "{load} {k}");
            }
        }
        // The packets of Kang et al. at load 0.5: 40.96 ns.
        let pace = Pace::new(Injection::Periodic, 0.5, 4, 128, 25_000_000_000);
        assert_eq!(times(&pace, 0, Phase::In, 1, 4), [0, 40_960, 81_920, 122_880]);
    }

    #[test]
    fn random_phases_lie_in_the_interval() {
        let pace = Pace::new(Injection::Periodic, 0.25, 4, 128, 25_000_000_000);
        let firsts: Vec<Time> =
            (0..1_000).map(|seed| times(&pace, 5, Phase::Random, seed, 1)[0]).collect();
        assert!(firsts.iter().all(|t| (5..5 + 81_920).contains(t)));
        let mean = firsts.iter().sum::<Time>() as f64 / 1_000.0;
        assert!((mean - 40_965.0).abs() < 3_000.0, "{mean}");
        let later = times(&pace, 5, Phase::Random, 3, 2);
        assert_eq!(later[1] - later[0], 81_920);
    }

    #[test]
    fn bernoulli_packets_fall_on_slots() {
        for (load, flits, bandwidth) in [
            (0.5, 4, 25_000_000_000u64),
            (1.0, 1, 25_000_000_000),
            (0.9, 3, 7_000_000_001),
            (0.01, 2, 3_000_000_000),
        ] {
            let pace = Pace::new(Injection::Bernoulli, load, flits, 128, bandwidth);
            let count = 100_000;
            let times = times(&pace, 0, Phase::In, 9, count);
            let slot = 128e12 / bandwidth as f64;
            for time in &times {
                let number = (*time as f64 / slot).round() as u128;
                let at = |n: u128| n * 128 * PICOSECONDS / u128::from(bandwidth);
                assert!(
                    [number.saturating_sub(1), number, number + 1]
                        .map(at)
                        .contains(&u128::from(*time))
                );
            }
            assert!(times.windows(2).all(|w| w[1] > w[0]));
            let mean = times[count - 1] as f64 / (count - 1) as f64;
            let expected = slot * f64::from(flits) / load;
            assert!((mean / expected - 1.0).abs() < 0.01, "{load}: {mean} {expected}");
        }
    }

    #[test]
    fn loads_out_of_range_are_refused() {
        for load in [0.0, -0.5, 1.01, f64::NAN, f64::INFINITY, 1e-12] {
            assert_eq!(check_load(load).unwrap_err().key, "load");
        }
        assert_eq!(check_load(1.0), Ok(()));
        assert_eq!(check_load(1e-9), Ok(()));
    }
}
