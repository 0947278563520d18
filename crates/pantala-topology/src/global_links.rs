//! The global links of all pairs of groups, one after another.

use crate::GlobalLink;

/// Global links by pair of groups. A pair has a number of its own per direction.
#[derive(Clone, Debug, Default)]
pub(crate) struct GlobalLinks {
    links: Vec<GlobalLink>,
    /// Number of links of every pair, if all pairs have equally many; otherwise 0.
    per_pair: u32,
    /// The first link of each pair, and the end of the last pair; empty if all pairs have equally
    /// many.
    starts: Vec<u32>,
}

impl GlobalLinks {
    /// Joins the links of all pairs, `per_pair` each.
    pub(crate) fn uniform(links: Vec<GlobalLink>, per_pair: u32) -> Self {
        Self { links, per_pair, starts: Vec::new() }
    }

    /// Joins the links of all pairs.
    pub(crate) fn of_pairs(pairs: &[Vec<GlobalLink>]) -> Self {
        let links: Vec<GlobalLink> = pairs.iter().flatten().copied().collect();
        let first = pairs.first().map_or(0, Vec::len);
        if pairs.iter().all(|pair| pair.len() == first) {
            return Self::uniform(links, first as u32);
        }
        let mut starts = Vec::with_capacity(pairs.len() + 1);
        starts.push(0);
        let mut end = 0;
        starts.extend(pairs.iter().map(|pair| {
            end += pair.len() as u32;
            end
        }));
        Self { links, per_pair: 0, starts }
    }

    /// The links of a pair.
    #[inline]
    pub(crate) fn of(&self, pair: usize) -> &[GlobalLink] {
        let count = self.per_pair as usize;
        if count == 0 {
            return self.of_irregular(pair);
        }
        &self.links[pair * count..][..count]
    }

    /// The links of a pair where pairs have different numbers of links.
    #[cold]
    fn of_irregular(&self, pair: usize) -> &[GlobalLink] {
        match self.starts.get(pair..pair + 2) {
            Some(ends) => &self.links[ends[0] as usize..ends[1] as usize],
            None => &[], // there are no links
        }
    }
}
