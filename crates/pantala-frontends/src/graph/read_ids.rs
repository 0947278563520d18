//! The ids that have been read from a file.

use std::collections::BTreeMap;

/// A set of ids. If a file's ids increase, the last one tells all; otherwise the set holds
/// intervals, so consecutive ids need little memory in any order.
#[derive(Clone, Debug)]
pub enum ReadIds {
    /// All ids up to and including this one, as far as the file has them.
    UpTo(Option<u64>),
    /// The last id of each interval, by its first id.
    Intervals(BTreeMap<u64, u64>),
}

impl ReadIds {
    /// No ids. `ordered` says that ids will increase.
    #[must_use]
    pub const fn new(ordered: bool) -> Self {
        if ordered { Self::UpTo(None) } else { Self::Intervals(BTreeMap::new()) }
    }

    /// Whether the id has been read. For ids in order, it is true of smaller ids that the file does
    /// not have.
    #[must_use]
    pub fn contains(&self, id: u64) -> bool {
        match self {
            Self::UpTo(last) => last.is_some_and(|last| id <= last),
            Self::Intervals(intervals) => {
                intervals.range(..=id).next_back().is_some_and(|(_, last)| id <= *last)
            }
        }
    }

    /// Adds an id; false if it has been read.
    pub fn insert(&mut self, id: u64) -> bool {
        if self.contains(id) {
            return false;
        }
        match self {
            Self::UpTo(last) => *last = Some(id),
            Self::Intervals(intervals) => {
                let after = id.checked_add(1).and_then(|next| intervals.remove(&next));
                let last = after.unwrap_or(id);
                let before = id.checked_sub(1).and_then(|previous| {
                    intervals
                        .range_mut(..=previous)
                        .next_back()
                        .filter(|(_, end)| **end == previous)
                });
                match before {
                    Some((_, end)) => *end = last,
                    None => {
                        intervals.insert(id, last);
                    }
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::ReadIds;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(pantala_testing::cases(200))]

        #[test]
        fn intervals_are_a_set(ids in prop::collection::vec(prop_oneof![0u64..40, u64::MAX - 3..=u64::MAX], 0..100)) {
            let (mut set, mut model) = (ReadIds::new(false), BTreeSet::new());
            for id in ids {
                prop_assert_eq!(set.contains(id), model.contains(&id));
                prop_assert_eq!(set.insert(id), model.insert(id));
            }
            let ReadIds::Intervals(intervals) = set else { unreachable!() };
            let held: BTreeSet<u64> = intervals.iter().flat_map(|(first, last)| *first..=*last).collect();
            prop_assert_eq!(&held, &model);
            let starts = model.iter().filter(|id| id.checked_sub(1).is_none_or(|p| !model.contains(&p)));
            prop_assert_eq!(intervals.len(), starts.count());
        }
    }
}
