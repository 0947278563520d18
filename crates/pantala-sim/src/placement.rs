//! Placement: rank to node, one rank a node.
//!
//! Explicit lists go first, then contiguous jobs that name their first node, then the other contiguous jobs, then the random
//! ones, each kind in the order of the jobs; so a random job never takes a node that another asks for by number.

mod contiguous;
mod nodes;
mod random;

use crate::error::PlanError;
use crate::plan::{JobPlan, PlacementPlan};

/// Fills the node list of every job that has none; checks those that have one. No job gets a node of the `service` ranges,
/// of which each is a first and a last node.
///
/// # Errors
/// A [`PlanError`] if lists overlap, if a node does not exist or is a service node, or if nodes run out.
pub fn place(jobs: &mut [JobPlan], nodes: u32, service: &[[u32; 2]], seed: u64) -> Result<(), PlanError> {
    let mut free = Free::new(nodes, service)?;
    let wanted: u64 = jobs.iter().map(|j| u64::from(j.ranks)).sum();
    let most = free.for_jobs();
    if wanted > u64::from(most) {
        let message = if most == nodes {
            format!("more ranks than the machine's {nodes} nodes (one rank a node)")
        } else {
            let others = nodes - most;
            format!("more ranks than the machine's {most} compute nodes (one rank a node; {others} are service nodes)")
        };
        return Err(PlanError::new(
            "jobs",
            format!("{wanted} ranks"),
            message,
            "lower the jobs' ranks or take a larger machine",
        ));
    }
    for (index, job) in jobs.iter().enumerate() {
        if !job.nodes.is_empty() {
            nodes::check(&mut free, jobs, index, &job.nodes, "nodes")?;
        }
    }
    for pass in 0..4 {
        for index in 0..jobs.len() {
            if !jobs[index].nodes.is_empty() {
                continue;
            }
            let job = &jobs[index];
            let chosen = match (&job.placement, pass) {
                (PlacementPlan::Nodes { nodes }, 0) => {
                    nodes::check(&mut free, jobs, index, nodes, "placement.nodes")?;
                    nodes.clone()
                }
                (PlacementPlan::Contiguous { first_node: Some(first) }, 1) => {
                    contiguous::place(&mut free, index, job, Some(*first))?
                }
                (PlacementPlan::Contiguous { first_node: None }, 2) => contiguous::place(&mut free, index, job, None)?,
                (PlacementPlan::Random {}, 3) => random::place(&mut free, job, seed),
                _ => continue,
            };
            jobs[index].nodes = chosen;
        }
    }
    Ok(())
}

/// Who holds which node.
struct Free {
    owner: Vec<Option<usize>>,
    service: Vec<bool>,
}

impl Free {
    fn new(nodes: u32, service: &[[u32; 2]]) -> Result<Self, PlanError> {
        let mut free = Self { owner: vec![None; nodes as usize], service: vec![false; nodes as usize] };
        let mut next = 0;
        for &[first, last] in service {
            if first < next || last < first || last >= nodes {
                return Err(PlanError::new(
                    "service_nodes",
                    format!("[{first}, {last}]"),
                    format!("not a range of nodes after the one before it, of the machine's {nodes}"),
                    "list first and last node of each range, in order",
                ));
            }
            free.service[first as usize..=last as usize].fill(true);
            next = last + 1;
        }
        Ok(free)
    }

    /// How many nodes jobs can have in all.
    fn for_jobs(&self) -> u32 {
        self.service.iter().filter(|is_service| !**is_service).count() as u32
    }

    fn is_service(&self, node: u32) -> bool {
        self.service[node as usize]
    }

    fn is_free(&self, node: u32) -> bool {
        self.owner[node as usize].is_none() && !self.is_service(node)
    }

    fn nodes(&self) -> u32 {
        self.owner.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pantala_workload::WorkloadSpec;

    fn job(name: &str, ranks: u32, placement: PlacementPlan) -> JobPlan {
        let workload: WorkloadSpec = serde_json::from_value(serde_json::json!(
            {"kind": "allreduce_loop", "message_bytes": 8, "iterations": 1, "compute_ps": 0}
        ))
        .unwrap();
        JobPlan {
            name: name.into(),
            ranks,
            start_ps: 0,
            placement,
            nodes: vec![],
            workload,
            routing: None,
            routing_all_to_all: None,
        }
    }

    #[test]
    fn random_jobs_leave_explicit_nodes_alone() {
        let mut jobs = vec![
            job("a", 40, PlacementPlan::Random {}),
            job("b", 2, PlacementPlan::Nodes { nodes: vec![5, 3] }),
            job("c", 8, PlacementPlan::Contiguous { first_node: Some(10) }),
            job("d", 3, PlacementPlan::Contiguous { first_node: None }),
        ];
        place(&mut jobs, 64, &[], 1).unwrap();
        assert_eq!(jobs[1].nodes, [5, 3]);
        assert_eq!(jobs[2].nodes, (10..18).collect::<Vec<_>>());
        assert_eq!(jobs[3].nodes, [0, 1, 2]);
        let mut all: Vec<u32> = jobs.iter().flat_map(|j| j.nodes.clone()).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 53);
    }

    #[test]
    fn a_resolved_plan_stays_as_it_is() {
        let mut jobs = vec![job("a", 10, PlacementPlan::Random {}), job("b", 20, PlacementPlan::Random {})];
        place(&mut jobs, 64, &[], 1).unwrap();
        let before: Vec<_> = jobs.iter().map(|j| j.nodes.clone()).collect();
        place(&mut jobs, 64, &[], 2).unwrap();
        assert_eq!(before, jobs.iter().map(|j| j.nodes.clone()).collect::<Vec<_>>());
        jobs.remove(0);
        place(&mut jobs, 64, &[], 2).unwrap();
        assert_eq!(before[1], jobs[0].nodes);
    }

    #[test]
    fn overlap_and_excess_are_named() {
        let mut jobs = vec![
            job("a", 2, PlacementPlan::Nodes { nodes: vec![1, 2] }),
            job("b", 2, PlacementPlan::Nodes { nodes: vec![2, 3] }),
        ];
        let error = place(&mut jobs, 64, &[], 1).unwrap_err();
        assert_eq!(error.key, "jobs[1].placement.nodes");
        assert!(error.message.contains("\"a\""), "{error}");
        let mut jobs = vec![job("a", 65, PlacementPlan::Random {})];
        assert!(place(&mut jobs, 64, &[], 1).unwrap_err().message.contains("64 nodes"));
    }

    #[test]
    fn no_job_gets_a_service_node() {
        let service = [[6, 7], [14, 15], [62, 63]];
        let mut jobs = vec![
            job("a", 8, PlacementPlan::Contiguous { first_node: None }),
            job("b", 4, PlacementPlan::Contiguous { first_node: Some(13) }),
            job("c", 46, PlacementPlan::Random {}),
        ];
        place(&mut jobs, 64, &service, 1).unwrap();
        assert_eq!(jobs[0].nodes, [0, 1, 2, 3, 4, 5, 8, 9], "compute nodes that follow each other");
        assert_eq!(jobs[1].nodes, [13, 16, 17, 18]);
        let mut all: Vec<u32> = jobs.iter().flat_map(|j| j.nodes.clone()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..64).filter(|n| ![6, 7, 14, 15, 62, 63].contains(n)).collect::<Vec<_>>());
    }

    #[test]
    fn service_nodes_asked_for_are_named() {
        let fault = |placement: PlacementPlan, ranks: u32, service: &[[u32; 2]]| {
            place(&mut [job("a", ranks, placement)], 64, service, 1).unwrap_err().to_string()
        };
        let told = fault(PlacementPlan::Nodes { nodes: vec![5, 6] }, 2, &[[6, 7]]);
        assert!(told.contains("node 6 is a service node"), "{told}");
        let told = fault(PlacementPlan::Contiguous { first_node: Some(7) }, 2, &[[6, 7]]);
        assert!(told.contains("node 7 is a service node"), "{told}");
        let told = fault(PlacementPlan::Random {}, 63, &[[6, 7]]);
        assert!(told.contains("62 compute nodes") && told.contains("2 are service nodes"), "{told}");
        for service in [&[[63, 64]][..], &[[7, 6]], &[[6, 7], [7, 8]]] {
            assert!(fault(PlacementPlan::Random {}, 1, service).contains("service_nodes"), "{service:?}");
        }
    }
}
