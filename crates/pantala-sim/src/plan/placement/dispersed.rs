//! `dispersed`: as many nodes in each of many groups (Chunduri et al., IPDPS 2021, section V.A).

use std::cmp::Reverse;

use super::free_nodes::{Free, Shape};
use crate::error::PlanError;
use crate::plan::JobPlan;
use crate::plan::random_order::in_random_order;
use pantala_engine::random::key_of;

const GROUPS_STREAM: u64 = 0x4469_7370_4772_6F75;
const NODES_STREAM: u64 = 0x4469_7370_4E6F_6465;

/// Takes random free nodes of random groups, in the order of their numbers. Each group gives the
/// same number of nodes, give or take one. A group with fewer free nodes gives all it has, and the
/// others give more. By default all groups with free nodes take part, at most one per node.
pub(super) fn place(
    free: &mut Free,
    shape: Shape,
    index: usize,
    job: &JobPlan,
    groups: Option<u32>,
    seed: u64,
) -> Result<Vec<u32>, PlanError> {
    let count = job.node_count();
    let mut room = vec![Vec::new(); (shape.nodes / shape.nodes_per_group) as usize];
    for node in free.free() {
        room[shape.group_of(node) as usize].push(node);
    }
    let with_room: Vec<u32> =
        (0..).zip(&room).filter(|(_, r)| !r.is_empty()).map(|r| r.0).collect();
    let usual = count.min(with_room.len() as u32);
    let Some(mut chosen) =
        nodes(&room, &with_room, count, groups.unwrap_or(usual), &job.name, seed)
    else {
        let given = groups.unwrap_or(usual);
        let there = with_room.len();
        let (message, remedy) = if given > count {
            (
                format!("are more groups than the job has nodes ({count})"),
                format!("write at most {count}"),
            )
        } else if given as usize > there {
            (
                format!("are more groups than have free nodes ({there})"),
                format!("write at most {there}"),
            )
        } else {
            (
                format!(
                    "no {given} of the {there} groups with free nodes have {count} free nodes for \
                     this job"
                ),
                "raise the number, or remove it for the default".to_owned(),
            )
        };
        let key = format!("jobs[{index}].placement.groups");
        return Err(PlanError::new(&key, given, message, remedy));
    };
    chosen.sort_unstable();
    free.take(&chosen);
    Ok(chosen)
}

/// Returns the nodes of a job; `None` if no such number of groups has enough free nodes.
fn nodes(
    room: &[Vec<u32>],
    with_room: &[u32],
    count: u32,
    wanted: u32,
    name: &str,
    seed: u64,
) -> Option<Vec<u32>> {
    let name = key_of(name);
    if wanted > count || wanted as usize > with_room.len() {
        return None;
    }
    let size = |group: u32| room[group as usize].len() as u32;
    let order = in_random_order(with_room, seed, GROUPS_STREAM, name);
    let mut chosen = order[..wanted as usize].to_vec();
    if chosen.iter().map(|&group| size(group)).sum::<u32>() < count {
        // The groups with most room hold the job, if any do.
        chosen = order;
        chosen.sort_by_key(|&group| Reverse(size(group)));
        chosen.truncate(wanted as usize);
    }
    let sizes: Vec<u32> = chosen.iter().map(|&group| size(group)).collect();
    let shares = shares(&sizes, count)?;
    let mut taken = Vec::with_capacity(count as usize);
    for (&group, &share) in chosen.iter().zip(&shares) {
        let order = in_random_order(&room[group as usize], seed, NODES_STREAM, name);
        taken.extend_from_slice(&order[..share as usize]);
    }
    Some(taken)
}

/// Returns how many nodes each group gives, as equal as their room allows; `None` if there is not
/// enough room.
fn shares(room: &[u32], mut count: u32) -> Option<Vec<u32>> {
    if room.iter().sum::<u32>() < count {
        return None;
    }
    let mut shares = vec![0; room.len()];
    let mut level = 0;
    while count > 0 {
        for (share, &size) in shares.iter_mut().zip(room) {
            if count > 0 && size > level {
                *share += 1;
                count -= 1;
            }
        }
        level += 1;
    }
    Some(shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_as_equal_as_the_room_allows() {
        assert_eq!(shares(&[5, 5, 5], 7), Some(vec![3, 2, 2]));
        assert_eq!(shares(&[1, 9, 9], 11), Some(vec![1, 5, 5]));
        assert_eq!(shares(&[2, 2], 5), None);
        assert_eq!(shares(&[2, 2], 0), Some(vec![0, 0]));
    }
}
