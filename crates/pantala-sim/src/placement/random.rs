//! `random`: the job's nodes drawn at random from those that are free (Yang et al., SC16, section 2.3; Kang et al.).

use super::Free;
use crate::plan::JobPlan;
use pantala_engine::Stream;
use pantala_engine::random::key_of;

const PLACEMENT_STREAM: u64 = 0x506C_6163_656D_656E;

/// Draws one node a rank; the draw depends on the seed, the job's name and which nodes are free.
pub(super) fn place(free: &mut Free, job: &JobPlan, seed: u64) -> Vec<u32> {
    let mut pool: Vec<u32> = (0..free.nodes()).filter(|&n| free.is_free(n)).collect();
    Stream::new(seed, PLACEMENT_STREAM, key_of(&job.name)).shuffle(&mut pool);
    pool.truncate(job.ranks as usize);
    for &node in &pool {
        free.owner[node as usize] = Some(usize::MAX);
    }
    pool
}
