//! Groups without a direct link, and the groups through which they can be reached.

use crate::Topology;
use crate::global_links::GlobalLinks;

/// Which groups are linked, of a network in which some are not.
#[derive(Clone, Debug)]
pub(crate) struct GroupGraph {
    /// Words of a set of groups.
    words: usize,
    /// Per group, the set of the groups that it has a link to.
    linked: Vec<u64>,
}

impl GroupGraph {
    /// Returns the graph of `groups` groups; `None` if every two of them have a link.
    pub(crate) fn of(groups: u32, links: &GlobalLinks) -> Option<Box<Self>> {
        let words = groups.div_ceil(64) as usize;
        let mut graph = Self { words, linked: vec![0; groups as usize * words] };
        let mut complete = true;
        for from in 0..groups {
            for to in (0..groups).filter(|&to| to != from) {
                let pair =
                    from as usize * (groups - 1) as usize + (to - u32::from(to > from)) as usize;
                if links.of(pair).is_empty() {
                    complete = false;
                } else {
                    graph.linked[from as usize * words + to as usize / 64] |= 1 << (to % 64);
                }
            }
        }
        (!complete).then(|| Box::new(graph))
    }

    fn of_group(&self, group: u32) -> &[u64] {
        let start = group as usize * self.words;
        &self.linked[start..start + self.words]
    }

    /// The sets of groups that have a link to both groups, 64 groups a word.
    fn common(&self, one: u32, other: u32) -> impl Iterator<Item = u64> + '_ {
        self.of_group(one).iter().zip(self.of_group(other)).map(|(a, b)| a & b)
    }

    /// The number of groups that have a link to both groups.
    #[cold]
    fn thirds(&self, one: u32, other: u32) -> u32 {
        self.common(one, other).map(u64::count_ones).sum()
    }

    /// The group of this index among those that have a link to both groups.
    #[cold]
    fn third(&self, one: u32, other: u32, index: u32) -> u32 {
        let mut left = index;
        for (word, mut set) in self.common(one, other).enumerate() {
            if left >= set.count_ones() {
                left -= set.count_ones();
                continue;
            }
            for _ in 0..left {
                set &= set - 1;
            }
            return word as u32 * 64 + set.trailing_zeros();
        }
        panic!("groups {one} and {other} have at most {index} third groups");
    }
}

impl Topology {
    /// Whether a link leads from one group to another.
    #[inline]
    #[must_use]
    pub fn are_linked(&self, group: u32, other: u32) -> bool {
        self.group_graph.is_none() || !self.global_links(group, other).is_empty()
    }

    /// Number of groups besides these two that have a link to both; `group` and `other` may be the
    /// same.
    #[inline]
    #[must_use]
    pub fn third_groups(&self, group: u32, other: u32) -> u32 {
        match &self.group_graph {
            None => self.groups.saturating_sub(1 + u32::from(group != other)),
            Some(graph) => graph.thirds(group, other),
        }
    }

    /// Whether every two groups with a link have a third group with links to both.
    #[must_use]
    pub fn neighbours_have_third_groups(&self) -> bool {
        let pairs = (0..self.groups).flat_map(|a| (a + 1..self.groups).map(move |b| (a, b)));
        match self.group_graph {
            None => self.groups >= 3,
            Some(_) => pairs
                .filter(|&(a, b)| self.are_linked(a, b))
                .all(|(a, b)| self.third_groups(a, b) > 0),
        }
    }

    /// The groups of [`Topology::third_groups`] in order: the one of this index.
    ///
    /// # Panics If there are not that many.
    #[inline]
    #[must_use]
    pub fn third_group(&self, group: u32, other: u32, index: u32) -> u32 {
        match &self.group_graph {
            None => {
                let (low, high) = (group.min(other), group.max(other));
                let third = index + u32::from(index >= low);
                third + u32::from(low != high && third >= high)
            }
            Some(graph) => graph.third(group, other, index),
        }
    }
}
