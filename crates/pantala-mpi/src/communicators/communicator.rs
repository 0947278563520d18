//! Communicators: the ranks of a job that communicate with each other.

use std::sync::Arc;

use pantala_engine::random::mix;

/// One rank's view of a communicator: its context, its members as ranks of the job, and the rank's
/// own member number.
///
/// A clone is cheap: a regular communicator holds three numbers, and the members of an irregular
/// one share their list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communicator {
    context: u32,
    me: u32,
    members: Members,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Members {
    Strided { first: u32, stride: u32, count: u32 },
    List(Arc<[u32]>),
}

impl Communicator {
    /// The largest legal context.
    pub const MAX_CONTEXT: u32 = u32::MAX >> 1;

    /// The communicator of all `size` ranks of a job, as seen by rank `me`. Its context is 0.
    #[must_use]
    pub const fn comm_world(size: u32, me: u32) -> Self {
        Self { context: 0, me, members: Members::Strided { first: 0, stride: 1, count: size } }
    }

    /// A communicator of `count` ranks of the job, `first, first + stride, ...`, as seen by member
    /// number `me`.
    ///
    /// Messages never match across contexts. Communicators without a common member, such as all
    /// rows of a grid, may have the same context. Two communicators of one rank may not.
    #[must_use]
    pub const fn strided(context: u32, first: u32, stride: u32, count: u32, me: u32) -> Self {
        Self { context, me, members: Members::Strided { first, stride, count } }
    }

    /// A communicator of listed ranks, as seen by member number `me`. For contexts see
    /// [`Communicator::strided`].
    #[must_use]
    pub const fn list(context: u32, members: Arc<[u32]>, me: u32) -> Self {
        Self { context, me, members: Members::List(members) }
    }

    /// A communicator of listed ranks, stored as three numbers if the list is regular.
    pub(crate) fn compact(context: u32, members: &[u32], me: u32) -> Self {
        let first = members.first().copied().unwrap_or(0);
        let stride = members.get(1).and_then(|second| second.checked_sub(first)).unwrap_or(1);
        let regular = members.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(stride));
        if regular && stride > 0 {
            Self::strided(context, first, stride, members.len() as u32, me)
        } else {
            Self::list(context, members.into(), me)
        }
    }

    /// Number of members.
    #[must_use]
    pub fn size(&self) -> u32 {
        match &self.members {
            Members::Strided { count, .. } => *count,
            Members::List(list) => list.len() as u32,
        }
    }

    /// The rank's own member number.
    #[must_use]
    pub const fn me(&self) -> u32 {
        self.me
    }

    /// The context. It separates the messages of this communicator from those of others.
    #[must_use]
    pub const fn context(&self) -> u32 {
        self.context
    }

    /// The rank of the job that has the member number `member`, if there is one.
    #[must_use]
    pub fn rank(&self, member: u32) -> Option<u32> {
        match &self.members {
            Members::Strided { first, stride, count } => {
                (member < *count).then(|| first + stride * member)
            }
            Members::List(list) => list.get(member as usize).copied(),
        }
    }

    /// The member number of a rank of the job, if the rank is a member. Slow for a long list.
    #[must_use]
    pub fn member(&self, rank: u32) -> Option<u32> {
        match &self.members {
            Members::Strided { first, stride: 1, count } => {
                rank.checked_sub(*first).filter(|member| member < count)
            }
            Members::Strided { first, stride, count } => {
                let distance = rank.checked_sub(*first)?;
                let member = distance.checked_div(*stride).unwrap_or(0);
                (member < *count && stride * member == distance).then_some(member)
            }
            Members::List(list) => {
                list.iter().position(|other| *other == rank).map(|member| member as u32)
            }
        }
    }

    /// The context of a communicator that is made from this one after `made` others. All members
    /// compute the same context. Its upper half separates it from the contexts given at setup.
    pub(crate) const fn child_context(&self, made: u32) -> u32 {
        const HALF: u32 = (Communicator::MAX_CONTEXT >> 1) + 1;
        HALF | (mix(mix(self.context as u64) ^ made as u64) as u32 & (HALF - 1))
    }

    /// A communicator with the same members and another context.
    #[must_use]
    pub fn with_context(&self, context: u32) -> Self {
        Self { context, ..self.clone() }
    }

    /// The context on the wire of messages of programs.
    pub(crate) const fn user_context(&self) -> u32 {
        self.context << 1
    }

    /// The context on the wire of messages of collectives. No receive of a program can match it.
    pub(crate) const fn collective_context(&self) -> u32 {
        self.context << 1 | 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_by_rule_and_by_list() {
        let column = Communicator::strided(2, 3, 24, 22, 1);
        assert_eq!(
            (column.size(), column.rank(0), column.rank(21), column.rank(22)),
            (22, Some(3), Some(507), None)
        );
        let list = Communicator::list(5, Arc::from([7, 1, 4]), 2);
        assert_eq!((list.size(), list.me(), list.rank(2), list.rank(3)), (3, 2, Some(4), None));
        let layer = Communicator::comm_world(8, 5);
        assert_eq!((layer.rank(5), layer.context()), (Some(5), 0));
    }

    #[test]
    fn regular_lists_are_three_numbers() {
        for list in [&[4][..], &[4, 5], &[4, 7, 10], &[4, 7, 11], &[4, 1], &[9, 9], &[]] {
            let communicator = Communicator::compact(3, list, 0);
            let members: Vec<u32> =
                (0..communicator.size()).filter_map(|m| communicator.rank(m)).collect();
            assert_eq!(members, list);
            let regular = matches!(communicator.members, Members::Strided { .. });
            assert_eq!(regular, ![&[4, 7, 11][..], &[4, 1], &[9, 9]].contains(&list), "{list:?}");
        }
    }

    #[test]
    fn ranks_are_found_among_members() {
        let layer = Communicator::comm_world(8, 5);
        let column = Communicator::strided(2, 3, 24, 22, 1);
        let list = Communicator::list(5, Arc::from([7, 1, 4]), 2);
        for communicator in [layer, column, list] {
            for rank in 0..600 {
                let found = (0..communicator.size())
                    .find(|member| communicator.rank(*member) == Some(rank));
                assert_eq!(communicator.member(rank), found);
            }
        }
    }

    #[test]
    fn children_have_contexts_of_their_own() {
        let layer = Communicator::comm_world(8, 5);
        let contexts: std::collections::BTreeSet<u32> =
            (0..1_000).map(|made| layer.child_context(made)).collect();
        assert_eq!(contexts.len(), 1_000);
        assert!(
            contexts
                .iter()
                .all(|c| *c > Communicator::MAX_CONTEXT / 2 && *c <= Communicator::MAX_CONTEXT)
        );
        assert_ne!(layer.with_context(7).child_context(0), layer.child_context(0));
    }

    #[test]
    fn collectives_have_their_own_context() {
        let row = Communicator::strided(1, 0, 1, 4, 0);
        assert_ne!(row.user_context(), row.collective_context());
        assert_ne!(row.user_context(), Communicator::comm_world(4, 0).collective_context());
    }
}
