//! Placement: the choice of nodes for jobs. Ranks fill the nodes in blocks.
//!
//! Explicit lists go first, then contiguous jobs with a first node, compact jobs, contiguous jobs
//! under a random numbering of groups, dispersed jobs, other contiguous jobs, and random jobs. Jobs
//! of one kind go in the order of the plan. So a random job never takes a node that another job
//! names.

mod compact;
mod contiguous;
mod dispersed;
mod free_nodes;
mod hybrid;
mod nodes;
mod numbered;
#[cfg(test)]
mod properties;
mod random;
mod random_groups;
mod random_routers;

use crate::error::PlanError;
use crate::plan::{JobPlan, Numbering, PlacementPlan, Plan};
use free_nodes::Free;

pub use free_nodes::Shape;

/// Places the jobs of a plan on a machine of this shape.
///
/// # Errors
/// As [`place`], and if the workload of a hybrid job is faulty.
pub fn place_jobs(plan: &mut Plan, shape: Shape) -> Result<(), PlanError> {
    hybrid::decide(plan)?;
    place(&mut plan.jobs, shape, &plan.service_nodes, plan.seed)
}

/// Fills empty node lists of jobs and checks the others. No job gets a node of the `service`
/// ranges, each given as its first and last node.
///
/// # Errors
/// A [`PlanError`] if lists overlap, if a node does not exist or is a service node, or if there are
/// not enough nodes.
pub fn place(
    jobs: &mut [JobPlan],
    shape: Shape,
    service: &[[u32; 2]],
    seed: u64,
) -> Result<(), PlanError> {
    let nodes = shape.nodes;
    let mut free = Free::new(nodes, service)?;
    let wanted: u64 = jobs.iter().map(|j| u64::from(j.node_count())).sum();
    let most = free.for_jobs();
    if wanted > u64::from(most) {
        if jobs.iter().any(|job| job.ranks_per_node > 1) {
            let ranks: u64 = jobs.iter().map(|j| u64::from(j.ranks)).sum();
            return Err(PlanError::new(
                "jobs",
                format!("{wanted} nodes for {ranks} ranks"),
                format!("more than the {most} nodes that the machine has for jobs"),
                "lower jobs[].ranks or jobs[].count, raise jobs[].ranks_per_node, or take a machine with more nodes (machine.preset, machine.topology)",
            ));
        }
        let message = if most == nodes {
            format!("more ranks than the machine's {nodes} nodes (one rank per node)")
        } else {
            let others = nodes - most;
            format!(
                "more ranks than the machine's {most} compute nodes (one rank per node; {others} are service nodes)"
            )
        };
        return Err(PlanError::new(
            "jobs",
            format!("{wanted} ranks"),
            message,
            "lower jobs[].ranks or jobs[].count, or take a machine with more nodes (machine.preset, machine.topology)",
        ));
    }
    for (index, job) in jobs.iter().enumerate() {
        if let (PlacementPlan::Ranks { nodes }, false) = (&job.placement, job.nodes.is_empty()) {
            nodes::of_ranks(&mut free, jobs, index, nodes)?;
        } else if !job.nodes.is_empty() {
            nodes::check(&mut free, jobs, index, &job.nodes, "nodes")?;
        }
    }
    for pass in 0..7 {
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
                (PlacementPlan::Ranks { nodes }, 0) => {
                    nodes::of_ranks(&mut free, jobs, index, nodes)?
                }
                (PlacementPlan::Contiguous { first_node: Some(first), .. }, 1) => {
                    contiguous::place(&mut free, index, job, Some(*first))?
                }
                (PlacementPlan::Compact { groups }, 2) => {
                    compact::place(&mut free, shape, index, job, *groups)?
                }
                (PlacementPlan::Contiguous { numbering: Some(Numbering::RandomGroups), .. }, 3) => {
                    numbered::place(&mut free, shape, index, job, seed)?
                }
                (PlacementPlan::Dispersed { groups }, 4) => {
                    dispersed::place(&mut free, shape, index, job, *groups, seed)?
                }
                (PlacementPlan::Contiguous { first_node: None, numbering: None }, 5) => {
                    contiguous::place(&mut free, index, job, None)?
                }
                (PlacementPlan::Random {} | PlacementPlan::Hybrid { .. }, 6) => {
                    random::place(&mut free, job, seed)
                }
                (PlacementPlan::RandomRouters {}, 6) => {
                    random_routers::place(&mut free, shape, job, seed)
                }
                (PlacementPlan::RandomGroups {}, 6) => {
                    random_groups::place(&mut free, shape, job, seed)
                }
                _ => continue,
            };
            jobs[index].nodes = chosen;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pantala_workload::WorkloadSpec;

    /// Eight groups of four routers of two nodes.
    const SHAPE: Shape = Shape { nodes: 64, nodes_per_router: 2, nodes_per_group: 8 };

    pub(super) fn job(name: &str, ranks: u32, placement: PlacementPlan) -> JobPlan {
        let workload: WorkloadSpec = serde_json::from_value(serde_json::json!(
            {"kind": "allreduce_loop", "message_bytes": 8, "iterations": 1, "compute_ps": 0}
        ))
        .unwrap();
        JobPlan {
            name: name.into(),
            application: String::new(),
            ranks,
            ranks_per_node: 1,
            start_ps: 0,
            end_ps: 0,
            repeat: false,
            compute_noise: pantala_workload::Noise::default(),
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
            job("c", 8, PlacementPlan::Contiguous { first_node: Some(10), numbering: None }),
            job("d", 3, PlacementPlan::Contiguous { first_node: None, numbering: None }),
        ];
        place(&mut jobs, SHAPE, &[], 1).unwrap();
        assert_eq!(jobs[1].nodes, [5, 3]);
        assert_eq!(jobs[2].nodes, (10..18).collect::<Vec<_>>());
        assert_eq!(jobs[3].nodes, [0, 1, 2]);
        let mut all: Vec<u32> = jobs.iter().flat_map(|j| j.nodes.clone()).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 53);
    }

    #[test]
    fn ranks_share_nodes_in_blocks() {
        let several = |ranks, ranks_per_node, placement| JobPlan {
            ranks_per_node,
            ..job("a", ranks, placement)
        };
        let placements = [
            PlacementPlan::Random {},
            PlacementPlan::RandomRouters {},
            PlacementPlan::RandomGroups {},
            PlacementPlan::Contiguous { first_node: None, numbering: None },
            PlacementPlan::Contiguous { first_node: Some(3), numbering: None },
            PlacementPlan::Nodes { nodes: vec![9, 4, 7] },
        ];
        for placement in placements {
            let mut jobs = [several(10, 4, placement.clone())];
            let mut alone = [job("a", 3, placement)];
            place(&mut jobs, SHAPE, &[], 1).unwrap();
            place(&mut alone, SHAPE, &[], 1).unwrap();
            assert_eq!(
                jobs[0].nodes, alone[0].nodes,
                "the nodes of a job of as many ranks as there are nodes"
            );
            let [a, b, c] = jobs[0].nodes[..] else { panic!("three nodes") };
            assert_eq!(jobs[0].node_of_rank(), [a, a, a, a, b, b, b, b, c, c]);
        }
        let apart = PlacementPlan::Ranks { nodes: vec![9, 4, 9, 4, 9, 1] };
        let mut jobs = [several(6, 3, apart.clone())];
        for _ in 0..2 {
            place(&mut jobs, SHAPE, &[], 1).unwrap(); // a resolved job keeps its nodes
            assert_eq!(jobs[0].nodes, [9, 4, 1]);
            assert_eq!(jobs[0].node_of_rank(), [9, 4, 9, 4, 9, 1]);
            assert_eq!(jobs[0].node_count(), 3);
        }
        let told = place(&mut [several(6, 2, apart.clone())], SHAPE, &[], 1).unwrap_err();
        assert!(told.to_string().contains("has up to 3 ranks on a node"), "{told}");
        let told = place(&mut [several(5, 3, apart)], SHAPE, &[], 1).unwrap_err();
        assert!(told.to_string().contains("= 6 nodes: job \"a\" has 5 ranks"), "{told}");
        let told = place(
            &mut [several(8, 4, PlacementPlan::Nodes { nodes: vec![1, 2, 3] })],
            SHAPE,
            &[],
            1,
        )
        .unwrap_err();
        assert!(told.to_string().contains("job \"a\" has 8 ranks, 4 per node: 2 nodes"), "{told}");
        place(&mut [several(256, 4, PlacementPlan::Random {})], SHAPE, &[], 1).unwrap();
        let told =
            place(&mut [several(257, 4, PlacementPlan::Random {})], SHAPE, &[], 1).unwrap_err();
        assert!(
            told.to_string().starts_with("jobs = 65 nodes for 257 ranks: more than the 64 nodes"),
            "{told}"
        );
    }

    #[test]
    fn a_resolved_plan_stays_as_it_is() {
        let mut jobs =
            vec![job("a", 10, PlacementPlan::Random {}), job("b", 20, PlacementPlan::Random {})];
        place(&mut jobs, SHAPE, &[], 1).unwrap();
        let before: Vec<_> = jobs.iter().map(|j| j.nodes.clone()).collect();
        place(&mut jobs, SHAPE, &[], 2).unwrap();
        assert_eq!(before, jobs.iter().map(|j| j.nodes.clone()).collect::<Vec<_>>());
        jobs.remove(0);
        place(&mut jobs, SHAPE, &[], 2).unwrap();
        assert_eq!(before[1], jobs[0].nodes);
    }

    #[test]
    fn overlap_and_excess_are_named() {
        let mut jobs = vec![
            job("a", 2, PlacementPlan::Nodes { nodes: vec![1, 2] }),
            job("b", 2, PlacementPlan::Nodes { nodes: vec![2, 3] }),
        ];
        let error = place(&mut jobs, SHAPE, &[], 1).unwrap_err();
        assert_eq!(error.key, "jobs[1].placement.nodes");
        assert!(error.message.contains("\"a\""), "{error}");
        let mut jobs = vec![job("a", 65, PlacementPlan::Random {})];
        assert!(place(&mut jobs, SHAPE, &[], 1).unwrap_err().message.contains("64 nodes"));
    }

    #[test]
    fn no_job_gets_a_service_node() {
        let service = [[6, 7], [14, 15], [62, 63]];
        let mut jobs = vec![
            job("a", 8, PlacementPlan::Contiguous { first_node: None, numbering: None }),
            job("b", 4, PlacementPlan::Contiguous { first_node: Some(13), numbering: None }),
            job("c", 46, PlacementPlan::Random {}),
        ];
        place(&mut jobs, SHAPE, &service, 1).unwrap();
        assert_eq!(jobs[0].nodes, [0, 1, 2, 3, 4, 5, 8, 9], "compute nodes that follow each other");
        assert_eq!(jobs[1].nodes, [13, 16, 17, 18]);
        let mut all: Vec<u32> = jobs.iter().flat_map(|j| j.nodes.clone()).collect();
        all.sort_unstable();
        assert_eq!(
            all,
            (0..64).filter(|n| ![6, 7, 14, 15, 62, 63].contains(n)).collect::<Vec<_>>()
        );
    }

    #[test]
    fn service_nodes_asked_for_are_named() {
        let fault = |placement: PlacementPlan, ranks: u32, service: &[[u32; 2]]| {
            place(&mut [job("a", ranks, placement)], SHAPE, service, 1).unwrap_err().to_string()
        };
        let told = fault(PlacementPlan::Nodes { nodes: vec![5, 6] }, 2, &[[6, 7]]);
        assert!(told.contains("node 6 is a service node"), "{told}");
        let told =
            fault(PlacementPlan::Contiguous { first_node: Some(7), numbering: None }, 2, &[[6, 7]]);
        assert!(told.contains("node 7 is a service node"), "{told}");
        let told = fault(PlacementPlan::Random {}, 63, &[[6, 7]]);
        assert!(
            told.contains("62 compute nodes") && told.contains("2 are service nodes"),
            "{told}"
        );
        for service in [&[[63, 64]][..], &[[7, 6]], &[[6, 7], [7, 8]]] {
            assert!(
                fault(PlacementPlan::Random {}, 1, service).contains("service_nodes"),
                "{service:?}"
            );
        }
    }

    /// Whether `nodes` is made of whole blocks, each in order.
    fn in_blocks(nodes: &[u32], block: u32) -> bool {
        nodes
            .chunks(block as usize)
            .all(|c| c[0] % block == 0 && c.windows(2).all(|w| w[1] == w[0] + 1))
    }

    #[test]
    fn random_groups_and_routers_keep_their_nodes_together() {
        for (placement, block) in
            [(PlacementPlan::RandomGroups {}, 8), (PlacementPlan::RandomRouters {}, 2)]
        {
            let mut jobs = vec![job("a", 64, placement.clone())];
            place(&mut jobs, SHAPE, &[], 1).unwrap();
            assert!(in_blocks(&jobs[0].nodes, block));
            assert_ne!(jobs[0].nodes, (0..64).collect::<Vec<_>>(), "the order is random");
            let mut sorted = jobs[0].nodes.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..64).collect::<Vec<_>>(), "all nodes, each once");
            let mut other = vec![job("a", 64, placement.clone())];
            place(&mut other, SHAPE, &[], 2).unwrap();
            assert_ne!(jobs[0].nodes, other[0].nodes, "the order follows the seed");
            let mut renamed = vec![job("b", 64, placement)];
            place(&mut renamed, SHAPE, &[], 1).unwrap();
            assert_ne!(jobs[0].nodes, renamed[0].nodes, "and the job's name");
        }
        assert!(!in_blocks(&[2, 3, 0, 1], 4), "routers in random order are not groups in order");
    }

    #[test]
    fn a_job_that_ends_inside_a_group_leaves_the_rest_to_others() {
        let mut jobs = vec![
            job("a", 12, PlacementPlan::RandomGroups {}),
            job("b", 12, PlacementPlan::RandomGroups {}),
            job("c", 38, PlacementPlan::RandomRouters {}),
            job("d", 2, PlacementPlan::Nodes { nodes: vec![9, 8] }),
        ];
        place(&mut jobs, SHAPE, &[], 3).unwrap();
        for (job, block) in [(0, 8), (1, 8), (2, 2)] {
            let nodes = &jobs[job].nodes;
            let mut blocks: Vec<u32> = nodes.iter().map(|n| n / block).collect();
            assert!(
                nodes.windows(2).all(|w| w[0] / block != w[1] / block || w[0] < w[1]),
                "in order inside a block"
            );
            blocks.dedup();
            let visits = blocks.len();
            blocks.sort_unstable();
            blocks.dedup();
            assert_eq!(blocks.len(), visits, "a block is left once");
        }
        let mut all: Vec<u32> = jobs.iter().flat_map(|j| j.nodes.clone()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..64).collect::<Vec<_>>());
    }
}
