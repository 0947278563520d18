//! `compact`: free nodes of few groups (Chunduri et al., IPDPS 2021, section V.A).

use super::free_nodes::{Free, Shape};
use crate::error::PlanError;
use crate::plan::JobPlan;

/// The groups of a compact job in the paper's controlled runs: one or two.
const USUAL_GROUPS: u32 = 2;

/// Takes the first range of free nodes that lies in at most `most` groups, by default two. A range
/// has no free node between its nodes, but perhaps nodes of other jobs. If none lies in two groups,
/// the default takes the first range in the smallest number of groups.
pub(super) fn place(
    free: &mut Free,
    shape: Shape,
    index: usize,
    job: &JobPlan,
    most: Option<u32>,
) -> Result<Vec<u32>, PlanError> {
    let count = job.node_count() as usize;
    let nodes = free.free();
    let Some(first) = first_range(&nodes, shape, count, most) else {
        let groups = most.map_or_else(|| "absent".to_owned(), |most| most.to_string());
        let message = format!("no range of {count} free nodes lies in so few groups");
        let key = format!("jobs[{index}].placement.groups");
        let remedy = "raise the number, or remove it for the default";
        return Err(PlanError::new(&key, groups, message, remedy));
    };
    let chosen = nodes[first..first + count].to_vec();
    free.take(&chosen);
    Ok(chosen)
}

/// Returns where the range begins in the list of free nodes.
fn first_range(nodes: &[u32], shape: Shape, count: usize, most: Option<u32>) -> Option<usize> {
    // Groups without a free node separate nothing: the others are counted one by one.
    let mut ordinals = Vec::with_capacity(nodes.len());
    for (at, &node) in nodes.iter().enumerate() {
        let next = at > 0 && shape.group_of(nodes[at - 1]) != shape.group_of(node);
        let last = ordinals.last().copied().unwrap_or(0);
        ordinals.push(last + u32::from(next));
    }
    let spans: Vec<u32> =
        ordinals.windows(count).map(|range| range[count - 1] - range[0] + 1).collect();
    let limit = most.unwrap_or(USUAL_GROUPS);
    let fits = spans.iter().position(|&span| span <= limit);
    match most {
        Some(_) => fits,
        None => fits.or_else(|| {
            let least = spans.iter().min()?;
            spans.iter().position(|span| span == least)
        }),
    }
}
