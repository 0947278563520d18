//! `contiguous`: consecutive nodes, so that a group fills before the next begins (Yang et al.,
//! SC16, section 2.3). Service nodes are skipped.

use super::free_nodes::Free;
use crate::error::PlanError;
use crate::plan::JobPlan;

/// Takes the first range of free nodes that is long enough, or the range from `first` on.
pub(super) fn place(
    free: &mut Free,
    index: usize,
    job: &JobPlan,
    first: Option<u32>,
) -> Result<Vec<u32>, PlanError> {
    let nodes: Vec<u32> = (0..free.nodes()).filter(|&node| !free.is_service(node)).collect();
    let count = job.node_count();
    let fits = |start: usize| {
        let run = nodes.get(start..start + count as usize);
        run.is_some_and(|run| run.iter().all(|&node| free.is_free(node)))
    };
    let start = match first {
        Some(first) => {
            let refused = |message: String| {
                let key = format!("jobs[{index}].placement.first_node");
                PlanError::new(&key, first, message, "choose another first node or leave it out")
            };
            if first < free.nodes() && free.is_service(first) {
                return Err(refused(format!("node {first} is a service node")));
            }
            nodes.binary_search(&first).ok().filter(|&start| fits(start)).ok_or_else(|| {
                let last = u64::from(first) + u64::from(count) - 1;
                let all = free.nodes();
                refused(format!(
                    "nodes {first} to {last} are not all free and on the machine ({all} nodes)"
                ))
            })?
        }
        None => (0..nodes.len()).find(|&start| fits(start)).ok_or_else(|| {
            PlanError::new(
                &format!("jobs[{index}].placement"),
                "contiguous",
                format!("there are no {} consecutive free nodes", count),
                "place this job at random, or list the nodes of other jobs",
            )
        })?,
    };
    let chosen = nodes[start..start + count as usize].to_vec();
    for &node in &chosen {
        free.owner[node as usize] = Some(index);
    }
    Ok(chosen)
}
