//! `random_groups`: all nodes of random groups, group by group (RG in Wang et al., IPDPS 2020,
//! section IV.C).
//!
//! For a job that fills the machine this is the randomised placement of Prisacari et al. (2015,
//! section IV.A): they number the groups at random before they connect them, which is equivalent.

use super::free_nodes::{Free, Shape, draws};
use crate::plan::JobPlan;

/// Takes the free nodes of random groups, group by group. The draw depends on the seed and the
/// job's name.
pub(super) fn place(free: &mut Free, shape: Shape, job: &JobPlan, seed: u64) -> Vec<u32> {
    free.by_blocks(shape.nodes_per_group, job.node_count(), &mut draws(job, seed))
}
