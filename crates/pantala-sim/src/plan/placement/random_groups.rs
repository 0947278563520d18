//! `random_groups`: groups in random order, the nodes of each one after the other (RG in Wang et
//! al., IPDPS 2020, section IV.C).
//!
//! For a job that fills the machine this is the randomised placement of Prisacari et al. (2015,
//! section IV.A): they number the groups at random before they wire them, which is the same as
//! numbering the ranks' groups at random.

use super::free_nodes::{Free, Shape, draws};
use crate::plan::JobPlan;

/// Takes the free nodes of the first group drawn, in order, then those of the next; the draw
/// depends on the seed and the job's name.
pub(super) fn place(free: &mut Free, shape: Shape, job: &JobPlan, seed: u64) -> Vec<u32> {
    free.by_blocks(shape.nodes_per_group, job.node_count(), &mut draws(job, seed))
}
