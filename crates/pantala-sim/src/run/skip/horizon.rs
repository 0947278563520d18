//! How far a jump goes: as far as every job stays in its loop, in nearly whole iterations of each.

use pantala_engine::{NEVER, Time};

/// A job that repeats, as far as a jump needs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeating {
    /// The mean duration of a cycle, in ps.
    pub(crate) cycle: f64,
    /// The cycles that may be skipped; `u64::MAX` if the loop never ends.
    pub(crate) left: u64,
}

/// A jump.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Distance {
    /// The skipped time: a multiple of the grid.
    pub(crate) time: Time,
    /// The skipped cycles of each job.
    pub(crate) cycles: Vec<u64>,
    /// The largest difference between the skipped time and the time of a job's cycles, in ps.
    pub(crate) rest: f64,
}

/// Returns the best jump of at most `most` ps, a multiple of `grid`; `None` if there is none worth
/// its while.
///
/// Each job skips the whole number of cycles that is nearest to the jump. Of the jumps between nine
/// tenths and all of the longest possible, it is the longest one whose rest is below `rest` times
/// its length for every job; if there is none, that with the smallest rest, if this is below twice
/// as much. A jump of at most `least` is not worth its while.
pub(crate) fn distance(
    jobs: &[Repeating],
    most: Time,
    grid: Time,
    rest: f64,
    least: Time,
) -> Option<Distance> {
    let longest = jobs.iter().filter(|job| job.left != u64::MAX);
    let longest = longest.map(|job| job.left as f64 * job.cycle).fold(most as f64, f64::min);
    if longest >= NEVER as f64 || longest <= least as f64 {
        return None;
    }
    let last = longest as Time / grid;
    let (first, steps) = (last - last / 10, 2_000);
    let stride = ((last - first) / steps).max(1);
    let mut best: Option<Distance> = None;
    let mut at = last;
    while at >= first.max(1) {
        let time = at * grid;
        let whole = |job: &Repeating| ((time as f64 / job.cycle).round() as u64).min(job.left);
        let cycles: Vec<u64> = jobs.iter().map(whole).collect();
        let of =
            |(job, cycles): (&Repeating, &u64)| (*cycles as f64 * job.cycle - time as f64).abs();
        let found = jobs.iter().zip(&cycles).map(of).fold(0.0, f64::max);
        let distance = Distance { time, cycles, rest: found };
        if found <= rest * time as f64 && time > least {
            return Some(distance);
        }
        let share = |distance: &Distance| distance.rest / distance.time as f64;
        if best.as_ref().is_none_or(|best| share(&distance) < share(best)) {
            best = Some(distance);
        }
        at = at.saturating_sub(stride);
    }
    best.filter(|best| best.rest <= 2.0 * rest * best.time as f64 && best.time > least)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINITE: Repeating = Repeating { cycle: 70.0, left: 100 };

    #[test]
    fn one_job_skips_all_that_it_may() {
        let found = distance(&[FINITE], NEVER, 10, 0.001, 0).unwrap();
        assert_eq!((found.time, found.cycles, found.rest), (7_000, vec![100], 0.0));
        let found = distance(&[FINITE], 500, 10, 0.001, 0).unwrap();
        assert_eq!((found.time, found.cycles), (490, vec![7]));
    }

    #[test]
    fn several_jobs_skip_nearly_whole_cycles() {
        let other = Repeating { cycle: 333.0, left: u64::MAX };
        let found = distance(&[FINITE, other], NEVER, 10, 0.002, 0).unwrap();
        assert!(found.rest <= 0.002 * found.time as f64, "{found:?}");
        assert!(found.time > 6_000 && found.time % 10 == 0);
        assert_eq!(found.cycles[1], (found.time as f64 / 333.0).round() as u64);
    }

    #[test]
    fn no_jump_is_better_than_a_rough_one() {
        let slow = Repeating { cycle: 10_000.0, left: u64::MAX };
        assert_eq!(distance(&[FINITE, slow], NEVER, 10, 0.002, 0), None);
        assert_eq!(distance(&[slow], NEVER, 10, 0.002, 0), None);
        assert_eq!(distance(&[FINITE], 5, 10, 0.002, 0), None);
        assert_eq!(distance(&[FINITE], NEVER, 10, 0.002, 7_000), None);
    }
}
