//! Draws of a packet's routing: pure functions of the packet's own random word, so that no order of
//! execution changes them.

use pantala_engine::random::mix;
use pantala_topology::Topology;

/// A draw of a packet for one purpose.
#[inline]
pub(crate) fn salted(draw: u64, salt: u64) -> u64 {
    mix(draw ^ salt.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// A uniform integer below `bound` from a draw.
#[inline]
pub(crate) fn scaled(draw: u64, bound: u32) -> u32 {
    ((u128::from(draw) * u128::from(bound)) >> 64) as u32
}

/// A group that is neither source nor destination, which may be one group, uniformly (there are at
/// least three groups).
#[inline]
pub(crate) fn third_group(topology: &Topology, source: u32, destination: u32, draw: u64) -> u32 {
    if source == destination {
        let group = scaled(draw, topology.groups() - 1);
        return group + u32::from(group >= source);
    }
    let (low, high) = (source.min(destination), source.max(destination));
    let mut group = scaled(draw, topology.groups() - 2);
    group += u32::from(group >= low);
    group + u32::from(group >= high)
}

/// A router of the same group other than `router`, uniformly (there are at least two).
#[inline]
pub(crate) fn other_router(topology: &Topology, router: u32, draw: u64) -> u32 {
    let a = topology.routers_per_group();
    let (first, own) = (router / a * a, router % a);
    let other = scaled(draw, a - 1);
    first + other + u32::from(other >= own)
}

/// A router of a group that is neither source nor destination, uniformly.
#[inline]
pub(crate) fn third_router(topology: &Topology, source: u32, destination: u32, draw: u64) -> u32 {
    let a = topology.routers_per_group();
    let group = third_group(topology, source, destination, draw);
    group * a + scaled(salted(draw, 1), a)
}
