//! `nodes`: an explicit list, in the order of ranks.

use std::collections::BTreeMap;

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
    take(free, jobs, index, nodes, &key)
}

/// Checks the node of each rank, and returns the nodes in the order of their first ranks.
pub(super) fn of_ranks(
    free: &mut Free,
    jobs: &[JobPlan],
    index: usize,
    nodes: &[u32],
) -> Result<Vec<u32>, PlanError> {
    let job = &jobs[index];
    let key = format!("jobs[{index}].placement.nodes");
    if nodes.len() != job.ranks as usize {
        let message = format!("job {:?} has {} ranks", job.name, job.ranks);
        let given = format!("{} nodes", nodes.len());
        return Err(PlanError::new(&key, given, message, "give the node of each rank"));
    }
    let mut ranks = BTreeMap::new();
    let mut chosen = Vec::new();
    for &node in nodes {
        let on_node: &mut u32 = ranks.entry(node).or_default();
        *on_node += 1;
        if *on_node == 1 {
            chosen.push(node);
        }
    }
    let most = ranks.values().copied().max().unwrap_or(0);
    if most != job.ranks_per_node {
        return Err(PlanError::new(
            &format!("jobs[{index}].ranks_per_node"),
            job.ranks_per_node,
            format!("the placement has up to {most} ranks on a node"),
            "give this number",
        ));
    }
    take(free, jobs, index, &chosen, &key)?;
    Ok(chosen)
}

/// Takes nodes of the machine that no job has.
fn take(
    free: &mut Free,
    jobs: &[JobPlan],
    index: usize,
    nodes: &[u32],
    key: &str,
) -> Result<(), PlanError> {
    for &node in nodes {
        if node >= free.nodes() {
            return Err(PlanError::new(
                key,
                node,
                format!("the machine has nodes 0 to {}", free.nodes() - 1),
                "take the node from the list",
            ));
        }
        if free.is_service(node) {
            return Err(PlanError::new(
                key,
                node,
                format!("node {node} is a service node"),
                "list nodes that jobs can have, or change machine.compute_nodes",
            ));
        }
        match free.owner[node as usize] {
            None => free.owner[node as usize] = Some(index),
            Some(other) if other == index => {
                return Err(PlanError::new(
                    key,
                    node,
                    format!("the list has node {node} twice"),
                    "list every node once",
                ));
            }
            Some(other) => {
                let name = jobs.get(other).map_or("another", |j| j.name.as_str());
                return Err(PlanError::new(
                    key,
                    node,
                    format!("node {node} belongs to job {name:?}"),
                    "give every node to one job only",
                ));
            }
        }
    }
    Ok(())
}
