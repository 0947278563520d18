//! `nodes`: an explicit list, in the order of ranks.

use super::free_nodes::Free;
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
    if nodes.len() != job.node_count() as usize {
        let given = format!("{} nodes", nodes.len());
        let (name, ranks, block) = (&job.name, job.ranks, job.ranks_per_node);
        return Err(if block > 1 {
            let wanted = format!(
                "job {name:?} has {ranks} ranks, {block} per node: {} nodes",
                job.node_count()
            );
            PlanError::new(&key, given, wanted, "list each node once, for all of its ranks")
        } else {
            let remedy = "list one node per rank, or set ranks to the list's length";
            PlanError::new(&key, given, format!("job {name:?} has {ranks} ranks"), remedy)
        });
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
                    format!("the list has node {node} twice"),
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
