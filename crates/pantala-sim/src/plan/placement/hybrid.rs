//! `hybrid`: jobs that communicate little are contiguous, the others random (Yang et al., SC16,
//! section 6).

use crate::error::PlanError;
use crate::plan::expected_traffic::of_some;
use crate::plan::{PlacementPlan, Plan};

/// Replaces hybrid placements by contiguous and random ones.
///
/// A job's intensity is the payload in bytes that one of its ranks sends on average. It is infinite
/// for patterns, and for programs whose messages are known only when they run.
///
/// # Errors
/// A [`PlanError`] if a job's workload is faulty.
pub(super) fn decide(plan: &mut Plan) -> Result<(), PlanError> {
    let hybrid: Vec<(usize, Option<u64>)> = (0..)
        .zip(&plan.jobs)
        .filter_map(|(number, job)| match job.placement {
            PlacementPlan::Hybrid { random_from_bytes } if job.nodes.is_empty() => {
                Some((number, random_from_bytes))
            }
            _ => None,
        })
        .collect();
    if hybrid.is_empty() {
        return Ok(());
    }
    let traffic = of_some(plan, |job| matches!(job.placement, PlacementPlan::Hybrid { .. }))?;
    let intensity = |number: usize| {
        let job = &plan.jobs[number];
        traffic.get(&job.name).map_or(f64::INFINITY, |sent| sent.bytes / f64::from(job.ranks))
    };
    let intensities: Vec<f64> = hybrid.iter().map(|&(number, _)| intensity(number)).collect();
    let edge = edge(&intensities);
    for ((number, from), intensity) in hybrid.into_iter().zip(intensities) {
        let from = from.map_or(edge, |bytes| bytes as f64);
        plan.jobs[number].placement = if intensity >= from {
            PlacementPlan::Random {}
        } else {
            PlacementPlan::Contiguous { first_node: None, numbering: None }
        };
    }
    Ok(())
}

/// Returns the first intensity after the largest ratio between neighbours; with a tie, the smaller
/// one. Jobs of equal intensity are all random, because none communicates less than the others.
fn edge(intensities: &[f64]) -> f64 {
    let mut sorted = intensities.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let ratio = |below: f64, above: f64| {
        if below == 0.0 || above.is_infinite() { f64::INFINITY } else { above / below }
    };
    let pairs = sorted.windows(2).map(|pair| (ratio(pair[0], pair[1]), pair[1]));
    let largest = pairs.reduce(|best, next| if next.0 > best.0 { next } else { best });
    largest.map_or_else(|| sorted.first().copied().unwrap_or(f64::INFINITY), |(_, edge)| edge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_ratio_separates_the_jobs() {
        for (intensities, from) in [
            (&[1.0, 2.0, 50.0, 60.0][..], 50.0),
            (&[60.0, 1.0, 50.0, 2.0], 50.0),
            (&[5.0, 5.0], 5.0),
            (&[0.0, 5.0, 500.0], 5.0),
            (&[1.0, 100.0, f64::INFINITY], f64::INFINITY),
            (&[], f64::INFINITY),
        ] {
            assert_eq!(edge(intensities).to_bits(), f64::to_bits(from), "{intensities:?}");
        }
    }
}
