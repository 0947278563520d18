//! Next group: every packet goes to a random rank of the next group, over the one link (or few)
//! between two groups.
//!
//! The adversarial pattern of the Dragonfly (Kim, Dally, Scott and Abts, Technology-Driven,
//! Highly-Scalable Dragonfly Topology, ISCA 2008; `bad_dragon` in BookSim). The next group is the
//! next one in cyclic order that has ranks of the job. The destination is uniform among these
//! ranks. If one job fills the network, this is the published pattern.

use pantala_engine::Stream;
use pantala_mpi::Fault;

/// The destination distribution.
#[derive(Clone, Debug)]
pub struct NextGroup {
    /// All ranks, ordered by group.
    members: Vec<u32>,
    /// By rank: the range in `members` of its next group (first index, count).
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
        format!("all {ranks} ranks of the job are in one group, so there is no next group"),
        "place the job on at least two groups",
    )
}

impl NextGroup {
    pub(super) fn new(groups: &[u32]) -> Result<Self, Fault> {
        let mut members: Vec<u32> = (0..groups.len() as u32).collect();
        members.sort_by_key(|rank| (groups[*rank as usize], *rank));
        let group = |at: usize| groups[members[at] as usize];
        // The index in `members` at which each populated group starts.
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
