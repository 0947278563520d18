//! Communicators: which ranks of a job talk together.

use std::sync::Arc;

use pantala_engine::random::mix;

/// One rank's view of a communicator: a context, its members as ranks of the job, and its own place
/// among them.
///
/// Cheap to clone: regular communicators hold three numbers, irregular ones share their list among
/// all members.
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
    /// The largest context that can be asked for.
    pub const MAX_CONTEXT: u32 = u32::MAX >> 1;

    /// All `size` ranks of a job, seen by rank `me`; its context is 0.
    #[must_use]
    pub const fn comm_world(size: u32, me: u32) -> Self {
        Self { context: 0, me, members: Members::Strided { first: 0, stride: 1, count: size } }
    }

    /// The ranks `first, first + stride, ...` of the job, `count` of them, seen by their member
    /// number `me`.
    ///
    /// Messages never match across contexts. Communicators that share no member may have the same
    /// context (all rows of a grid, say); two communicators of one rank may not.
    #[must_use]
    pub const fn strided(context: u32, first: u32, stride: u32, count: u32, me: u32) -> Self {
        Self { context, me, members: Members::Strided { first, stride, count } }
    }

    /// The ranks of a list, seen by member number `me`; contexts as in [`Communicator::strided`].
    #[must_use]
    pub const fn list(context: u32, members: Arc<[u32]>, me: u32) -> Self {
        Self { context, me, members: Members::List(members) }
    }

    /// The ranks of a list that every member has a copy of: three numbers, if it is regular.
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

    /// How many members.
    #[must_use]
    pub fn size(&self) -> u32 {
        match &self.members {
            Members::Strided { count, .. } => *count,
            Members::List(list) => list.len() as u32,
        }
    }

    /// The own member number.
    #[must_use]
    pub const fn me(&self) -> u32 {
        self.me
    }

    /// The context that keeps this communicator's messages apart from those of others.
    #[must_use]
    pub const fn context(&self) -> u32 {
        self.context
    }

    /// The job's rank that is member number `member`, if there is such a member.
    #[must_use]
    pub fn rank(&self, member: u32) -> Option<u32> {
        match &self.members {
            Members::Strided { first, stride, count } => {
                (member < *count).then(|| first + stride * member)
            }
            Members::List(list) => list.get(member as usize).copied(),
        }
    }

    /// The member number of a rank of the job, if it is a member. Slow for a long list.
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

    /// The context of the communicator that is made of this one after `made` others: the same on
    /// all its members, and by its upper half apart from those that are given at set-up.
    pub(crate) const fn child_context(&self, made: u32) -> u32 {
        const HALF: u32 = (Communicator::MAX_CONTEXT >> 1) + 1;
        HALF | (mix(mix(self.context as u64) ^ made as u64) as u32 & (HALF - 1))
    }

    /// The same members with another context.
    pub(crate) fn with_context(&self, context: u32) -> Self {
        Self { context, ..self.clone() }
    }

    /// The context on the wire of the user's messages.
    pub(crate) const fn user_context(&self) -> u32 {
        self.context << 1
    }

    /// The context on the wire of what collectives send: no receive of the user's can match it.
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
