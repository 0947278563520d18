//! Groups: ordered sets of ranks of a job, from which communicators are made. Pure functions, after
//! MPI 4.1, chapter 7.

use std::sync::Arc;

use crate::communicators::communicator::Communicator;

/// An ordered set of ranks of the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group(Arc<[u32]>);

impl Group {
    /// A group of these ranks of the job, in this order; `None` if a rank occurs twice.
    #[must_use]
    pub fn new(ranks: impl Into<Arc<[u32]>>) -> Option<Self> {
        let ranks = ranks.into();
        let mut sorted = ranks.to_vec();
        sorted.sort_unstable();
        sorted.windows(2).all(|pair| pair[0] != pair[1]).then_some(Self(ranks))
    }

    /// The members of a communicator.
    #[must_use]
    pub fn of(communicator: &Communicator) -> Self {
        Self((0..communicator.size()).filter_map(|member| communicator.rank(member)).collect())
    }

    /// The ranks of the job, in order.
    #[must_use]
    pub const fn ranks(&self) -> &Arc<[u32]> {
        &self.0
    }

    /// Number of ranks.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.0.len() as u32
    }

    /// The place of a rank of the job, if it is in the group.
    #[must_use]
    pub fn place(&self, rank: u32) -> Option<u32> {
        self.0.iter().position(|other| *other == rank).map(|place| place as u32)
    }

    /// The group of the members at these places, in this order. `None` if a place does not exist or
    /// occurs twice.
    #[must_use]
    pub fn include(&self, places: &[u32]) -> Option<Self> {
        let ranks: Option<Vec<u32>> =
            places.iter().map(|place| self.0.get(*place as usize).copied()).collect();
        Self::new(ranks?)
    }

    /// The group of all members except those at these places.
    #[must_use]
    pub fn exclude(&self, places: &[u32]) -> Self {
        let kept = (0..self.size()).filter(|place| !places.contains(place));
        Self(kept.map(|place| self.0[place as usize]).collect())
    }

    /// The members of this group, then the members of `other` that are not in this group.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self(self.0.iter().copied().chain(other.difference(self).0.iter().copied()).collect())
    }

    /// The members that are also in `other`.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.0.iter().copied().filter(|rank| other.0.contains(rank)).collect())
    }

    /// The members that are not in `other`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        Self(self.0.iter().copied().filter(|rank| !other.0.contains(rank)).collect())
    }
}

/// One rank's color and key in a split. Ranks of one color form a communicator, ordered by key and
/// then by their old order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The color; `None` for a rank that will be in no new communicator.
    pub color: Option<u32>,
    /// The key.
    pub key: i32,
}

impl Split {
    /// The members of the communicator that contains `member`, in their new order. `table` holds
    /// color and key of every member.
    #[must_use]
    pub fn members(table: &[Self], member: u32) -> Option<Vec<u32>> {
        let color = table.get(member as usize)?.color?;
        let mut members: Vec<u32> =
            (0..table.len() as u32).filter(|m| table[*m as usize].color == Some(color)).collect();
        members.sort_by_key(|m| table[*m as usize].key);
        Some(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn group() -> impl Strategy<Value = Group> {
        prop::collection::hash_set(0u32..20, 0..15)
            .prop_map(|ranks| ranks.into_iter().collect::<Vec<_>>())
            .prop_shuffle()
            .prop_map(|ranks| Group::new(ranks).unwrap())
    }

    proptest! {
        #![proptest_config(pantala_testing::cases(256))]

        #[test]
        fn groups_are_sets(a in group(), b in group()) {
            let (union, both, only) = (a.union(&b), a.intersection(&b), a.difference(&b));
            for rank in 0..20 {
                let (in_a, in_b) = (a.place(rank).is_some(), b.place(rank).is_some());
                prop_assert_eq!(union.place(rank).is_some(), in_a || in_b);
                prop_assert_eq!(both.place(rank).is_some(), in_a && in_b);
                prop_assert_eq!(only.place(rank).is_some(), in_a && !in_b);
            }
            prop_assert_eq!(union.size() + both.size(), a.size() + b.size());
            prop_assert_eq!(&union.ranks()[..a.ranks().len()], &a.ranks()[..]);
            let places: Vec<u32> = (0..a.size()).collect();
            prop_assert_eq!(a.include(&places).unwrap(), a.clone());
            prop_assert_eq!(a.exclude(&places).size(), 0);
        }

        #[test]
        fn splits_are_partitions(table in prop::collection::vec((prop::option::of(0u32..4), -3i32..3), 1..30)) {
            let table: Vec<Split> = table.into_iter().map(|(color, key)| Split { color, key }).collect();
            for member in 0..table.len() as u32 {
                let Some(mine) = Split::members(&table, member) else {
                    prop_assert_eq!(table[member as usize].color, None);
                    continue;
                };
                prop_assert!(mine.contains(&member));
                let order = |m: &u32| (table[*m as usize].key, *m);
                prop_assert!(mine.windows(2).all(|pair| order(&pair[0]) < order(&pair[1])));
                for other in &mine {
                    let theirs = Split::members(&table, *other);
                    prop_assert_eq!(theirs.as_ref(), Some(&mine));
                }
            }
        }
    }

    #[test]
    fn a_rank_is_named_once() {
        assert_eq!(Group::new(vec![3, 1, 3]), None);
        let group = Group::new(vec![3, 1, 7]).unwrap();
        assert_eq!(group.include(&[2, 0]).unwrap().ranks()[..], [7, 3]);
        assert_eq!((group.include(&[3]), group.include(&[1, 1])), (None, None));
        let middle = Communicator::strided(1, 2, 2, 3, 0);
        assert_eq!(Group::of(&middle).ranks()[..], [2, 4, 6]);
    }
}
