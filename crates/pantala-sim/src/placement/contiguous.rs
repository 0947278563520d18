//! `contiguous`: consecutive nodes, so that a group fills before the next begins (Yang et al., SC16, section 2.3).

use super::Free;
use crate::error::PlanError;
use crate::plan::JobPlan;

/// The first free run of the job's length, or the run that begins at `first`.
pub(super) fn place(free: &mut Free, index: usize, job: &JobPlan, first: Option<u32>) -> Result<Vec<u32>, PlanError> {
    let nodes = free.nodes();
    let fits = |start: u32| {
        u64::from(start) + u64::from(job.ranks) <= u64::from(nodes)
            && (start..start + job.ranks).all(|n| free.is_free(n))
    };
    let start = match first {
        Some(start) if fits(start) => start,
        Some(start) => {
            return Err(PlanError::new(
                &format!("jobs[{index}].placement.first_node"),
                start,
                format!(
                    "nodes {start} to {} are not all free and on the machine ({nodes} nodes)",
                    u64::from(start) + u64::from(job.ranks) - 1
                ),
                "choose another first node or leave it out",
            ));
        }
        None => (0..nodes).find(|&s| fits(s)).ok_or_else(|| {
            PlanError::new(
                &format!("jobs[{index}].placement"),
                "contiguous",
                format!("no run of {} consecutive free nodes is left", job.ranks),
                "place this job random, or name the nodes of the others",
            )
        })?,
    };
    let chosen: Vec<u32> = (start..start + job.ranks).collect();
    for &node in &chosen {
        free.owner[node as usize] = Some(index);
    }
    Ok(chosen)
}
