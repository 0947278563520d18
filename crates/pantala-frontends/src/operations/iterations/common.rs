//! The loop of a job from the stretches of its ranks.

use super::stretch::Stretch;
use super::{FEWEST, RankCalls, RankLoop};

/// An iteration holds at most this many collectives of all ranks.
const MOST_COLLECTIVES: u64 = 1 << 16;

/// The loop of all ranks: iterations in equal number, with at least half of all calls.
pub(super) fn of_all(ranks: &[RankCalls]) -> Option<Vec<RankLoop>> {
    let stretches: Option<Vec<Stretch>> = ranks.iter().map(|rank| rank.stretch).collect();
    let stretches = stretches.filter(|stretches| !stretches.is_empty())?;
    let found = if ranks.iter().all(|rank| rank.inside.is_empty()) {
        without_collectives(&stretches)
    } else {
        with_collectives(ranks, &stretches)?
    };
    let calls: u64 = ranks.iter().map(|rank| rank.calls).sum();
    let inside: u64 = found.iter().map(|rank| rank.calls * rank.iterations).sum();
    let enough = found.iter().all(|rank| rank.iterations >= FEWEST) && 2 * inside >= calls;
    enough.then_some(found)
}

/// The rank with the fewest periods gives the number of iterations. On other ranks, an iteration
/// is as many periods as fit.
fn without_collectives(stretches: &[Stretch]) -> Vec<RankLoop> {
    let iterations = stretches.iter().map(Stretch::periods).min().unwrap_or(0);
    let each = |stretch: &Stretch| {
        let periods = stretch.periods() / iterations;
        RankLoop { first: stretch.first, calls: periods * stretch.period, iterations }
    };
    stretches.iter().map(each).collect()
}

/// Every iteration has the same number of collectives on all ranks, and the first iteration starts
/// after the same collective.
fn with_collectives(ranks: &[RankCalls], stretches: &[Stretch]) -> Option<Vec<RankLoop>> {
    let counts = || ranks.iter().map(|rank| rank.inside.len() as u64);
    if counts().any(|count| count == 0) {
        return None;
    }
    let collectives = counts().try_fold(1, |all: u64, count| {
        let all = all / divisor(all, count) * count;
        (all <= MOST_COLLECTIVES).then_some(all)
    })?;
    let calls: Vec<u64> =
        stretches.iter().zip(counts()).map(|(s, count)| collectives / count * s.period).collect();
    let first = ranks.iter().map(|rank| rank.before).max()?;
    let mut best: Option<Vec<RankLoop>> = None;
    for collective in first..first + collectives {
        let after = |(rank, stretch): (&RankCalls, &Stretch)| {
            let number = collective - rank.before;
            let count = rank.inside.len() as u64;
            let place = rank.inside[(number % count) as usize];
            place + number / count * stretch.period + 1
        };
        // Distances from the start of the stretch.
        let starts: Vec<u64> = ranks.iter().zip(stretches).map(after).collect();
        let earlier = starts.iter().zip(&calls).map(|(start, calls)| start / calls).min()?;
        let starts: Vec<u64> =
            starts.iter().zip(&calls).map(|(start, calls)| start - earlier * calls).collect();
        let fit = |((start, calls), stretch): ((&u64, &u64), &Stretch)| {
            stretch.calls().saturating_sub(*start) / calls
        };
        let iterations = starts.iter().zip(&calls).zip(stretches).map(fit).min()?;
        let before = best.as_ref().and_then(|best| best.first()).map_or(0, |rank| rank.iterations);
        if iterations > before {
            let each = |((start, calls), stretch): ((&u64, &u64), &Stretch)| RankLoop {
                first: stretch.first + start,
                calls: *calls,
                iterations,
            };
            best = Some(starts.iter().zip(&calls).zip(stretches).map(each).collect());
        }
    }
    best
}

fn divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}
