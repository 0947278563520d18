//! `random`: random free nodes (Yang et al., SC16, section 2.3; Kang et al.).

use super::free_nodes::{Free, draws};
use crate::plan::JobPlan;

/// Draws the job's nodes. The draw depends on the seed, the job's name and the free nodes.
pub(super) fn place(free: &mut Free, job: &JobPlan, seed: u64) -> Vec<u32> {
    let mut pool = free.free();
    draws(job, seed).shuffle(&mut pool);
    pool.truncate(job.node_count() as usize);
    free.take(&pool);
    pool
}
