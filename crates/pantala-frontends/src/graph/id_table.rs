//! A map from ids to nodes, fast for ids that are close to each other.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// No node.
const NONE: u32 = u32::MAX;

/// Multiplies a key.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, key: u64) {
        let product = (self.0 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}

/// A hash map with ids as keys.
pub(super) type IdMap = HashMap<u64, u32, BuildHasherDefault<IdHasher>>;

/// The nodes in memory by id. An id has its place at `id` modulo the size of a table, so nodes that
/// follow each other in a file lie side by side in memory. Ids whose place is taken are in a map.
#[derive(Clone, Debug, Default)]
pub(super) struct IdTable {
    places: Vec<(u64, u32)>,
    others: IdMap,
    count: usize,
}

impl IdTable {
    /// Number of ids.
    pub(super) const fn len(&self) -> usize {
        self.count
    }

    fn place(&self, id: u64) -> usize {
        (id & (self.places.len() as u64).wrapping_sub(1)) as usize
    }

    /// The node of an id.
    #[inline]
    pub(super) fn get(&self, id: u64) -> Option<u32> {
        match self.places.get(self.place(id)) {
            Some(&(held, node)) if held == id && node != NONE => Some(node),
            _ if self.others.is_empty() => None,
            _ => self.others.get(&id).copied(),
        }
    }

    /// Adds an id that is not in the table.
    pub(super) fn insert(&mut self, id: u64, node: u32) {
        if self.count >= self.places.len() {
            self.grow();
        }
        self.count += 1;
        self.put(id, node);
    }

    fn put(&mut self, id: u64, node: u32) {
        let place = self.place(id);
        if self.places[place].1 == NONE {
            self.places[place] = (id, node);
        } else {
            self.others.insert(id, node);
        }
    }

    /// Removes an id.
    pub(super) fn remove(&mut self, id: u64) {
        let place = self.place(id);
        match self.places.get_mut(place) {
            Some(held) if held.0 == id && held.1 != NONE => held.1 = NONE,
            _ if self.others.remove(&id).is_none() => return,
            _ => {}
        }
        self.count -= 1;
    }

    fn grow(&mut self) {
        let size = (2 * self.places.len()).max(64);
        let places = std::mem::replace(&mut self.places, vec![(0, NONE); size]);
        let mut ids: Vec<(u64, u32)> = places
            .into_iter()
            .filter(|(_, node)| *node != NONE)
            .chain(self.others.drain())
            .collect();
        ids.sort_unstable();
        ids.into_iter().for_each(|(id, node)| self.put(id, node));
    }
}

#[cfg(test)]
mod tests {
    use super::IdTable;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(pantala_testing::cases(200))]

        #[test]
        fn the_table_is_a_map(steps in prop::collection::vec((0u32..3, prop_oneof![0u64..200, (0u64..9).prop_map(|k| k << 40)]), 0..500)) {
            let (mut table, mut model) = (IdTable::default(), BTreeMap::new());
            for (node, (step, id)) in (0u32..).zip(steps) {
                if step == 0 {
                    table.remove(id);
                    model.remove(&id);
                } else if let std::collections::btree_map::Entry::Vacant(place) = model.entry(id) {
                    place.insert(node);
                    table.insert(id, node);
                }
                prop_assert_eq!(table.get(id), model.get(&id).copied());
                prop_assert_eq!(table.len(), model.len());
            }
            for id in (0..200).chain((0..9).map(|k| k << 40)) {
                prop_assert_eq!(table.get(id), model.get(&id).copied());
            }
        }
    }
}
