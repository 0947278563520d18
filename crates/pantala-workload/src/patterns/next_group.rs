//! Next group: every packet goes to a random rank of the next group, over the one link (or few)
//! between two groups.
//!
//! The adversarial pattern of the Dragonfly (Kim, Dally, Scott and Abts, Technology-Driven,
//! Highly-Scalable Dragonfly Topology, ISCA 2008; `bad_dragon` in BookSim). Here the next group is
//! the next one, in the order of groups and around the end, that has ranks of the job, and the
//! destination is drawn among those ranks: on a machine filled by one job, that is the published
//! pattern.

use pantala_engine::Stream;
use pantala_mpi::Fault;

/// The distribution.
#[derive(Clone, Debug)]
pub struct NextGroup {
    /// All ranks, group after group.
    members: Vec<u32>,
    /// For each rank, which of `members` are in its next group: the first, and how many.
    targets: Vec<(u32, u32)>,
}

pub(super) fn check(ranks: u32) -> Result<(), Fault> {
    if ranks < 2 {
        return Err(too_few(ranks));
    }
    Ok(())
}

fn too_few(ranks: u32) -> Fault {
    Fault::new(
        "pattern",
        "next_group",
        format!("the job's {ranks} rank(s) sit in one group, so that there is no next one"),
        "place the job on two groups or more",
    )
}

impl NextGroup {
    pub(super) fn new(groups: &[u32]) -> Result<Self, Fault> {
        let mut members: Vec<u32> = (0..groups.len() as u32).collect();
        members.sort_by_key(|rank| (groups[*rank as usize], *rank));
        let group = |at: usize| groups[members[at] as usize];
        // Where each populated group starts among the members.
        let mut starts: Vec<usize> =
            (0..members.len()).filter(|at| *at == 0 || group(*at) != group(*at - 1)).collect();
        let populated = starts.len();
        if populated < 2 {
            return Err(too_few(groups.len() as u32));
        }
        starts.push(members.len());
        let mut targets = vec![(0, 0); groups.len()];
        for mine in 0..populated {
            let next = (mine + 1) % populated;
            let target = (starts[next] as u32, (starts[next + 1] - starts[next]) as u32);
            for member in &members[starts[mine]..starts[mine + 1]] {
                targets[*member as usize] = target;
            }
        }
        Ok(Self { members, targets })
    }

    #[inline]
    pub(super) fn destination(&self, rank: u32, draws: &mut Stream) -> u32 {
        let (first, count) = self.targets[rank as usize];
        self.members[(first + draws.below(count)) as usize]
    }
}
