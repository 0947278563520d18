//! `random_routers`: all nodes of random routers, router by router (RR in Wang et al., IPDPS 2020,
//! section IV.C; random-router placement in Yang et al.).

use super::free_nodes::{Free, Shape, draws};
use crate::plan::JobPlan;

/// Takes the free nodes of random routers, router by router. The draw depends on the seed and the
/// job's name.
pub(super) fn place(free: &mut Free, shape: Shape, job: &JobPlan, seed: u64) -> Vec<u32> {
    free.by_blocks(shape.nodes_per_router, job.node_count(), &mut draws(job, seed))
}
