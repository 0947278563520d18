//! Properties of the placements on drawn machines of which other jobs have nodes.

use std::collections::{BTreeMap, BTreeSet};

use pantala_testing::cases;
use proptest::prelude::*;

use super::tests::job;
use super::{Numbering, PlacementPlan, Shape, place};
use crate::plan::random_order::in_random_order;

/// A machine of some groups, and the nodes of another job.
fn machine() -> impl Strategy<Value = (Shape, BTreeSet<u32>)> {
    (1..7_u32, 1..9_u32).prop_flat_map(|(groups, size)| {
        let nodes = groups * size;
        let shape = Shape { nodes, nodes_per_router: 1, nodes_per_group: size };
        let taken = proptest::collection::btree_set(0..nodes, 0..nodes as usize);
        (Just(shape), taken)
    })
}

/// The nodes of a job beside another; `None` if it gets none.
fn placed(
    (shape, taken): &(Shape, BTreeSet<u32>),
    count: u32,
    placement: PlacementPlan,
    seed: u64,
) -> Option<Vec<u32>> {
    let nodes: Vec<u32> = taken.iter().copied().collect();
    let mut jobs = vec![job("a", count, placement)];
    if !nodes.is_empty() {
        jobs.push(job("b", nodes.len() as u32, PlacementPlan::Nodes { nodes }));
    }
    place(&mut jobs, *shape, &[], seed).ok()?;
    let found = std::mem::take(&mut jobs[0].nodes);
    assert_eq!(found.len(), count as usize);
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len(), "each node once");
    assert!(found.iter().all(|node| *node < shape.nodes && !taken.contains(node)), "free nodes");
    Some(found)
}

fn free((shape, taken): &(Shape, BTreeSet<u32>)) -> Vec<u32> {
    (0..shape.nodes).filter(|node| !taken.contains(node)).collect()
}

/// The number of nodes in each group that has some.
fn by_group(shape: Shape, nodes: &[u32]) -> BTreeMap<u32, usize> {
    nodes.iter().fold(BTreeMap::new(), |mut groups, node| {
        *groups.entry(node / shape.nodes_per_group).or_default() += 1;
        groups
    })
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn a_compact_job_is_the_first_range_in_few_groups(
        machine in machine(),
        count in 1..30_u32,
        groups in proptest::option::of(1..7_u32),
    ) {
        let free = free(&machine);
        let span = |range: &[u32]| by_group(machine.0, range).len() as u32;
        let ranges: Vec<&[u32]> = free.windows(count as usize).collect();
        let least = ranges.iter().map(|range| span(range)).min();
        let limit = groups.unwrap_or_else(|| least.unwrap_or(0).max(2));
        let wanted = ranges.iter().find(|range| span(range) <= limit).map(|range| range.to_vec());
        prop_assert_eq!(placed(&machine, count, PlacementPlan::Compact { groups }, 1), wanted);
    }

    #[test]
    fn a_dispersed_job_has_equal_shares(
        machine in machine(),
        count in 1..30_u32,
        groups in proptest::option::of(1..7_u32),
        seed in 0..4_u64,
    ) {
        let room = by_group(machine.0, &free(&machine));
        let wanted = groups.unwrap_or_else(|| count.min(room.len() as u32));
        let found = placed(&machine, count, PlacementPlan::Dispersed { groups }, seed);
        let mut sizes: Vec<usize> = room.values().copied().collect();
        sizes.sort_unstable_by(|one, other| other.cmp(one));
        let most: usize = sizes.iter().take(wanted as usize).sum();
        let fits = wanted as usize <= room.len() && wanted <= count && most >= count as usize;
        prop_assert_eq!(found.is_some(), fits);
        let Some(found) = found else { return Ok(()) };
        prop_assert!(found.is_sorted());
        let shares = by_group(machine.0, &found);
        prop_assert_eq!(shares.len(), wanted as usize);
        let largest = shares.values().max().copied().unwrap_or(0);
        for (group, share) in &shares {
            prop_assert!(share + 1 >= largest || *share == room[group], "or all it has");
        }
    }

    #[test]
    fn numbered_jobs_follow_one_order_of_groups(
        groups in 1..7_u32,
        size in 1..9_u32,
        first in 1..30_u32,
        seed in 0..4_u64,
    ) {
        let nodes = groups * size;
        let shape = Shape { nodes, nodes_per_router: 1, nodes_per_group: size };
        let numbered =
            PlacementPlan::Contiguous { first_node: None, numbering: Some(Numbering::RandomGroups) };
        let mut whole = [job("a", nodes, numbered.clone())];
        place(&mut whole, shape, &[], seed).unwrap();
        for group in whole[0].nodes.chunks(size as usize) {
            let wanted: Vec<u32> = (group[0]..group[0] + size).collect();
            prop_assert_eq!(group, &wanted[..], "groups as a whole");
        }
        let first = first.min(nodes);
        let mut two = vec![job("b", first, numbered.clone())];
        if first < nodes {
            two.push(job("c", nodes - first, numbered));
        }
        place(&mut two, shape, &[], seed).unwrap();
        let both: Vec<u32> = two.iter().flat_map(|job| job.nodes.clone()).collect();
        prop_assert_eq!(&both, &whole[0].nodes, "the second goes on where the first ends");
    }

    #[test]
    fn an_item_more_leaves_the_order_of_the_others(
        items in proptest::collection::btree_set(0..1000_u32, 2..60),
        seed in 0..4_u64,
    ) {
        let items: Vec<u32> = items.into_iter().collect();
        let order = in_random_order(&items, seed, 1, 2);
        let rest: Vec<u32> = order.iter().copied().filter(|item| *item != items[0]).collect();
        prop_assert_eq!(in_random_order(&items[1..], seed, 1, 2), rest);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, items);
    }
}

#[test]
fn orders_depend_on_seed_purpose_and_entity() {
    let items: Vec<u32> = (0..100).collect();
    let order = in_random_order(&items, 1, 1, 1);
    for other in [(2, 1, 1), (1, 2, 1), (1, 1, 2)] {
        assert_ne!(in_random_order(&items, other.0, other.1, other.2), order);
    }
}
