//! `contiguous` under a random numbering of groups (Prisacari et al., 2015, section IV.A).

use super::free_nodes::{Free, Shape};
use crate::error::PlanError;
use crate::plan::JobPlan;
use crate::plan::random_order::in_random_order;

const NUMBERING_STREAM: u64 = 0x4E75_6D62_6572_696E;

/// Takes the first nodes that follow each other when the groups stand in a random order. All jobs
/// of a run have the same order. A service node separates nothing, a job's node does.
pub(super) fn place(
    free: &mut Free,
    shape: Shape,
    index: usize,
    job: &JobPlan,
    seed: u64,
) -> Result<Vec<u32>, PlanError> {
    let count = job.node_count() as usize;
    let groups: Vec<u32> = (0..shape.nodes / shape.nodes_per_group).collect();
    let mut range = Vec::with_capacity(count);
    for group in in_random_order(&groups, seed, NUMBERING_STREAM, 0) {
        for node in shape.nodes_of_group(group) {
            if free.is_free(node) {
                range.push(node);
            } else if !free.is_service(node) {
                range.clear();
            }
            if range.len() == count {
                free.take(&range);
                return Ok(range);
            }
        }
    }
    Err(PlanError::new(
        &format!("jobs[{index}].placement.kind"),
        "contiguous",
        format!("no {count} consecutive nodes are free under this numbering"),
        "take placement = \"random_groups\", or list this job first",
    ))
}
