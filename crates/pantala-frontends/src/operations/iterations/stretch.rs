//! The longest stretch of repeated calls of a rank.
//!
//! The distance from a window of calls to the last equal window is the period of a loop, as long as
//! the window is not much longer than an iteration. So windows of 1, 2, 4, ... calls are compared
//! by their hashes, and the longest row of equal distances is a stretch. Calls themselves, not
//! windows, then tell where it starts and ends.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::FEWEST;

/// The period is looked for in that many calls from the start.
const SEARCHED: usize = 1 << 22;
/// Windows are not made longer if fewer than this share of them has been there before.
const REPEATED_SHARE: usize = 16;
/// The modulus of the hashes, a prime.
const MODULUS: u64 = (1 << 61) - 1;
/// The base of the hashes.
const BASE: u64 = 0x0e35_7aa1_9c5d_4b27;

/// A stretch of calls that repeat with a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// The first call.
    pub(super) first: u64,
    /// The call after the last.
    pub(super) end: u64,
    /// Number of calls after which they repeat.
    pub(super) period: u64,
}

impl Stretch {
    /// Number of calls.
    pub(super) const fn calls(&self) -> u64 {
        self.end - self.first
    }

    /// Number of whole periods.
    pub(super) const fn periods(&self) -> u64 {
        self.calls() / self.period
    }
}

/// Hashes of windows are random already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, word: u64) {
        self.0 = word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

type LastPlaces = HashMap<u64, u32, BuildHasherDefault<AsItIs>>;

const fn product(one: u64, other: u64) -> u64 {
    (one as u128 * other as u128 % MODULUS as u128) as u64
}

/// The hashes of all windows of a length, in the order of their first calls.
fn windows(calls: &[u64], length: usize) -> impl Iterator<Item = u64> {
    // The weight of the call that leaves the window.
    let weight = (0..length).fold(1, |power, _| product(power, BASE));
    let mut hash = 0;
    calls.iter().enumerate().filter_map(move |(at, call)| {
        hash = (product(hash, BASE) + call % MODULUS) % MODULUS;
        if let Some(left) = at.checked_sub(length) {
            let gone = product(calls[left] % MODULUS, weight);
            hash = (hash + MODULUS - gone) % MODULUS;
        }
        (at + 1 >= length).then_some(hash)
    })
}

/// The longest stretch of at least [`FEWEST`] periods. `window` is the length of window that found
/// the stretch of the rank before, or 0: ranks are often alike.
pub(super) fn longest(calls: &[u64], window: &mut usize) -> Option<Stretch> {
    let searched = &calls[..calls.len().min(SEARCHED)];
    let enough = |found: &Stretch| 2 * found.calls() as usize >= searched.len();
    if *window > 0 {
        let (found, _) = with_windows(calls, searched, *window);
        if found.is_some_and(|found| enough(&found)) {
            return found;
        }
    }
    let mut best: Option<Stretch> = None;
    let mut length = 1;
    while length <= searched.len() / 2 {
        let (found, repeated) = with_windows(calls, searched, length);
        if found.map_or(0, |found| found.calls()) > best.map_or(0, |best| best.calls()) {
            best = found;
            *window = length;
        }
        if best.is_some_and(|best| enough(&best)) || repeated < searched.len() / REPEATED_SHARE {
            break;
        }
        length *= 2;
    }
    best
}

/// The longest stretch that windows of a length find, and the number of windows that have been
/// there before.
fn with_windows(calls: &[u64], searched: &[u64], length: usize) -> (Option<Stretch>, usize) {
    let mut last = LastPlaces::default();
    let mut repeated = 0;
    let mut best: Option<(usize, usize, usize)> = None; // calls, a place inside, period
    let mut row = (0, 0); // first place, distance
    for (at, hash) in windows(searched, length).enumerate() {
        let before = last.insert(hash, at as u32);
        let distance = before.map_or(0, |before| at - before as usize);
        if distance != row.1 {
            row = (at, distance);
        }
        if distance == 0 {
            continue;
        }
        repeated += 1;
        let found = at - row.0 + length + distance;
        if found / distance >= FEWEST as usize && best.is_none_or(|(calls, ..)| found > calls) {
            best = Some((found, row.0 - distance, distance));
        }
    }
    (best.and_then(|(_, place, period)| extended(calls, place, period)), repeated)
}

/// The whole stretch of a period around a place.
fn extended(calls: &[u64], place: usize, period: usize) -> Option<Stretch> {
    let repeats = |at: &usize| calls[*at] == calls[*at + period];
    let ahead = (place..calls.len() - period).take_while(repeats).count();
    let back = (0..place).rev().take_while(repeats).count();
    let stretch = Stretch {
        first: (place - back) as u64,
        end: (place + ahead + period) as u64,
        period: period as u64,
    };
    (stretch.periods() >= FEWEST).then_some(stretch)
}
