//! The sets of ranks that have a communicator of their own.

use std::collections::HashMap;
use std::sync::Arc;

use pantala_mpi::Communicator;

/// The greatest number of sets of one program, which the numbers of communicators allow.
pub const MAX_SETS: usize = 60_000;
/// The greatest number of members of all sets together.
const MAX_MEMBERS: usize = 1 << 26;

/// Sets of ranks, numbered in the order of their first use.
#[derive(Debug, Default)]
pub struct Groups {
    numbers: HashMap<Arc<[u32]>, u32>,
    sets: Vec<Arc<[u32]>>,
    members: usize,
    /// The sets of each rank, ascending.
    of_rank: Vec<Vec<u32>>,
}

impl Groups {
    /// No sets, of this many ranks.
    #[must_use]
    pub fn new(ranks: u32) -> Self {
        Self { of_rank: vec![Vec::new(); ranks as usize], ..Self::default() }
    }

    /// Adds a set of ranks in ascending order. Returns false if there are too many.
    pub fn add(&mut self, members: &[u32]) -> bool {
        if self.numbers.contains_key(members) {
            return true;
        }
        self.members += members.len();
        if self.sets.len() >= MAX_SETS || self.members > MAX_MEMBERS {
            return false;
        }
        let (set, number): (Arc<[u32]>, u32) = (members.into(), self.sets.len() as u32);
        for rank in members {
            self.of_rank[*rank as usize].push(number);
        }
        self.numbers.insert(Arc::clone(&set), number);
        self.sets.push(set);
        true
    }

    /// The number of a set.
    #[must_use]
    pub fn number(&self, members: &[u32]) -> Option<u32> {
        self.numbers.get(members).copied()
    }

    /// The number of a set among those of a rank: its communicator is this number plus 1.
    #[must_use]
    pub fn place(&self, set: u32, rank: u32) -> Option<u16> {
        let place = self.of_rank[rank as usize].binary_search(&set).ok()?;
        u16::try_from(place).ok()
    }

    /// The communicators of a rank.
    #[must_use]
    pub fn communicators(&self, rank: u32) -> Vec<Communicator> {
        let sets = self.of_rank[rank as usize].iter();
        sets.map(|number| {
            let members = &self.sets[*number as usize];
            let me = members.binary_search(&rank).unwrap_or(0) as u32;
            let context = number + 1;
            let first = members.first().copied().unwrap_or(0);
            let stride = members.get(1).map_or(1, |second| second - first);
            if members.windows(2).all(|pair| pair[1] - pair[0] == stride) {
                Communicator::strided(context, first, stride, members.len() as u32, me)
            } else {
                Communicator::list(context, Arc::clone(members), me)
            }
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_become_communicators_of_their_members() {
        let mut groups = Groups::new(5);
        for set in [&[0, 2, 4][..], &[1], &[0, 1, 4], &[0, 2, 4]] {
            assert!(groups.add(set));
        }
        assert_eq!((groups.number(&[0, 1, 4]), groups.number(&[0, 1])), (Some(2), None));
        assert_eq!(
            (groups.place(2, 4), groups.place(2, 1), groups.place(0, 1)),
            (Some(1), Some(1), None)
        );
        let of_four = groups.communicators(4);
        let contexts: Vec<u32> = of_four.iter().map(Communicator::context).collect();
        assert_eq!(contexts, [1, 3]);
        for communicator in of_four {
            assert_eq!((communicator.size(), communicator.rank(communicator.me())), (3, Some(4)));
        }
        assert!(groups.communicators(3).is_empty());
    }
}
