//! Random orders.

use pantala_engine::Stream;
use pantala_engine::random::mix;

/// Returns items in a random order. The place of an item depends on seed, purpose, entity and the
/// item only, so an item more or less leaves the order of the others as it is.
pub(super) fn in_random_order(items: &[u32], seed: u64, purpose: u64, entity: u64) -> Vec<u32> {
    let mut order = items.to_vec();
    order.sort_by_cached_key(|&item| {
        let own = mix(entity.wrapping_add(mix(u64::from(item))));
        (Stream::new(seed, purpose, own).bits(), item)
    });
    order
}
