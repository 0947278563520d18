//! `nodes`: an explicit list, one node a rank in rank order.

use super::Free;
use crate::error::PlanError;
use crate::plan::JobPlan;

/// Checks a list and takes its nodes.
pub(super) fn check(
    free: &mut Free,
    jobs: &[JobPlan],
    index: usize,
    nodes: &[u32],
    key: &str,
) -> Result<(), PlanError> {
    let job = &jobs[index];
    let key = format!("jobs[{index}].{key}");
    if nodes.len() != job.ranks as usize {
        return Err(PlanError::new(
            &key,
            format!("{} nodes", nodes.len()),
            format!("job {:?} has {} ranks", job.name, job.ranks),
            "list one node a rank, or set ranks to the list's length",
        ));
    }
    for &node in nodes {
        if node >= free.nodes() {
            return Err(PlanError::new(
                &key,
                node,
                format!("the machine has nodes 0 to {}", free.nodes() - 1),
                "take the node from the list",
            ));
        }
        if free.is_service(node) {
            return Err(PlanError::new(
                &key,
                node,
                format!("node {node} is a service node"),
                "list nodes that jobs can have, or change machine.compute_nodes",
            ));
        }
        match free.owner[node as usize] {
            None => free.owner[node as usize] = Some(index),
            Some(other) if other == index => {
                return Err(PlanError::new(
                    &key,
                    node,
                    format!("node {node} stands twice in the list"),
                    "list every node once",
                ));
            }
            Some(other) => {
                let name = jobs.get(other).map_or("another", |j| j.name.as_str());
                return Err(PlanError::new(
                    &key,
                    node,
                    format!("node {node} belongs to job {name:?}"),
                    "give every node to one job only",
                ));
            }
        }
    }
    Ok(())
}
