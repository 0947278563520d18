//! The random draws of a packet's routing. They are functions of the packet's random word, so no
//! order of execution changes them.

use pantala_engine::random::mix;
use pantala_topology::Topology;

/// Returns a draw of a packet for one purpose, by a salt.
#[inline]
pub(crate) fn salted(draw: u64, salt: u64) -> u64 {
    mix(draw ^ salt.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// Returns a uniform integer below `bound` from a draw.
#[inline]
pub(crate) fn scaled(draw: u64, bound: u32) -> u32 {
    ((u128::from(draw) * u128::from(bound)) >> 64) as u32
}

/// Returns a uniformly drawn group that has a link to source and destination, which may be the same
/// group. There must be such a group.
#[inline]
pub(crate) fn third_group(topology: &Topology, source: u32, destination: u32, draw: u64) -> u32 {
    let index = scaled(draw, topology.third_groups(source, destination));
    topology.third_group(source, destination, index)
}

/// Returns a uniformly drawn router of the same group other than `router`. The group must have at
/// least two routers.
#[inline]
pub(crate) fn other_router(topology: &Topology, router: u32, draw: u64) -> u32 {
    let a = topology.routers_per_group();
    let (first, own) = (router / a * a, router % a);
    let other = scaled(draw, a - 1);
    first + other + u32::from(other >= own)
}

/// Returns a uniformly drawn router of the group of two others, `one` and `other`. The group must
/// have at least three routers.
#[inline]
pub(crate) fn beside(topology: &Topology, one: u32, other: u32, draw: u64) -> u32 {
    let a = topology.routers_per_group();
    let (first, low, high) = (one / a * a, (one % a).min(other % a), (one % a).max(other % a));
    let drawn = scaled(draw, a - 2);
    let drawn = drawn + u32::from(drawn >= low);
    first + drawn + u32::from(drawn >= high)
}

/// Returns a uniformly drawn router outside the source's and the destination's group.
#[inline]
pub(crate) fn third_router(topology: &Topology, source: u32, destination: u32, draw: u64) -> u32 {
    let a = topology.routers_per_group();
    let group = third_group(topology, source, destination, draw);
    group * a + scaled(salted(draw, 1), a)
}
