//! The places with the longest waits.

use super::PlaceCell;
use pantala_engine::Time;
use std::collections::BTreeMap;

/// Returns the places of each class with the longest waits, in order of their numbers, at most `most`.
/// Of equal ones the first is chosen.
pub fn longest<'a>(cells: impl IntoIterator<Item = &'a PlaceCell>, most: u32) -> Vec<u64> {
    let mut waits: BTreeMap<u64, Time> = BTreeMap::new();
    for cell in cells {
        let wait = waits.entry(cell.place).or_default();
        *wait = wait.saturating_add(cell.wait);
    }
    let mut order: Vec<(u8, std::cmp::Reverse<Time>, u64)> = waits
        .into_iter()
        .map(|(place, wait)| ((place >> 48) as u8, std::cmp::Reverse(wait), place))
        .collect();
    order.sort_unstable();
    let mut keep: Vec<u64> = order
        .chunk_by(|one, other| one.0 == other.0)
        .flat_map(|class| class.iter().take(most as usize).map(|&(_, _, place)| place))
        .collect();
    keep.sort_unstable();
    keep
}
