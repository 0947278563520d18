//! Windows are joined as the whole run needs it, however it is divided.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Cells as they are charged: place, window, victim, aggressor, wait, and how much more than the
/// wait is charged before and taken back after; mostly nothing.
fn charged(count: usize) -> impl Strategy<Value = Vec<(u64, u32, u16, u16, u64, u64)>> {
    proptest::collection::vec((0u64..9, 0u32..50, 0u16..3, 0u16..3, 1u64..99, 0u64..4), count)
}

fn cell(
    &(place, window, victim, aggressor, wait, _): &(u64, u32, u16, u16, u64, u64),
) -> PlaceCell {
    PlaceCell { place: (place % 2) << 48 | place, window, victim, aggressor, wait }
}

fn logged<'a>(
    cells: impl Iterator<Item = &'a (u64, u32, u16, u16, u64, u64)>,
    most: usize,
) -> Places {
    let mut log = Log::new(most);
    log.full = 8;
    for each in cells {
        let (sound, more) = (cell(each), each.5 / 2);
        log.push(PlaceCell { wait: sound.wait + more, ..sound });
        if more > 0 {
            // Elsewhere, nothing of the charge stays.
            let other = PlaceCell { window: sound.window / 2, aggressor: 3, wait: more, ..sound };
            log.push(other);
            log.push(PlaceCell { wait: more.wrapping_neg(), ..other });
            log.push(PlaceCell { wait: more.wrapping_neg(), ..sound });
        }
    }
    log.places(|cells| longest(cells, 2))
}

proptest! {
    #![proptest_config(pantala_testing::cases(200))]

    /// Neither the number of partitions nor when a log is shortened changes a run's cells; no
    /// waiting time is lost, and there are no more cells than allowed.
    #[test]
    fn partitions_join_the_same_windows(all in charged(300), most in 10usize..200) {
        let whole = logged(all.iter(), most);
        let mut parts = (0u64..4).map(|part| {
            // A place is in one partition.
            logged(all.iter().filter(|each| each.0 % 4 == part), most)
        });
        let first = parts.next().unwrap();
        let together = parts.fold(first, Places::and);
        let level = Places::joined(&whole.counts, most);
        prop_assert_eq!(level, Places::joined(&together.counts, most));
        let chosen = |places: &Places| {
            let mut cells = places.at(level, 10);
            let keep = longest(cells.iter().map(|(_, _, cell)| cell), 2);
            cells.retain(|(_, _, cell)| keep.contains(&cell.place));
            cells
        };
        let cells = chosen(&whole);
        prop_assert_eq!(&cells, &chosen(&together));
        // Of each class, the two places with the longest waits, all of their time.
        let mut waits: BTreeMap<u64, u64> = BTreeMap::new();
        all.iter().map(cell).for_each(|each| *waits.entry(each.place).or_default() += each.wait);
        let mut kept: BTreeMap<u64, u64> = BTreeMap::new();
        cells.iter().for_each(|(_, _, each)| *kept.entry(each.place).or_default() += each.wait);
        for class in 0..2 {
            let of = |sums: &BTreeMap<u64, u64>| {
                let mut of: Vec<u64> = sums.iter().filter(|(place, _)| **place >> 48 == class).map(|(_, wait)| *wait).collect();
                of.sort_unstable();
                of
            };
            let (every, some) = (of(&waits), of(&kept));
            prop_assert_eq!(&every[every.len().saturating_sub(2)..], &some[..]);
        }
        prop_assert!(whole.counts[level as usize] <= most as u64 || level as usize + 1 == whole.counts.len());
        for (start, end, cell) in cells {
            prop_assert_eq!((end - start, start), (10 << level, u64::from(cell.window) * (10 << level)));
        }
    }
}
