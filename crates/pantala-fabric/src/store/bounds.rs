//! The proofs that no index of a partition's arrays is out of bounds.
//!
//! The arrays of the hot path check their indices in debug builds only ([`ProvenArray`]). Every
//! index is one of these numbers. The `SAFETY` comment of each array names its proof.
//!
//! - **Ports.** Numbers of routers, ports and VCs of this partition. They come from the topology
//!   (`Partition::numbered` stores both ends of each link), from the routing, which returns a port
//!   of the router and a VC below `Setup::vcs`, or from a message of another partition, which
//!   `Fabric::take` checks. A link to another partition has no number here: `OutPort::beyond` and
//!   `InPort::sender_partition` are tested before its number is used.
//! - **NICs.** Numbers of NICs of this partition. They come from `Partition::numbered` and from
//!   terminal links. `Partition::offer` and `Fabric::take` check the destinations of packets, so
//!   a packet is delivered at a NIC that its last router has a link to.
//! - **Jobs.** Numbers below the plan's number of jobs. `Partition::offer` and `Fabric::take` check
//!   the jobs of packets.
//! - **Packets.** Numbers that `Packets::reserve` has given out. Each is in exactly one queue or
//!   event until `Packets::remove`. The array never shrinks.
//! - **Chunks.** Numbers that `Chunks::reserve` has given out. Each is in exactly one queue, or
//!   free. The array never shrinks.
//!
//! Optional arrays are empty unless a stage needs them, and only that stage reads them
//! (`router/stages.rs`). Readings from outside the crate use `checked` or `run`, which check.

use pantala_engine::ProvenArray;

/// The number of an array's first item and the number of its items.
pub(crate) type Numbered = (usize, usize);

/// Returns an array without items.
pub(crate) fn empty<T>() -> ProvenArray<T> {
    // SAFETY: no stage that indexes an optional array runs while it is empty (see above).
    unsafe { ProvenArray::proven(0, Vec::new()) }
}

/// Returns an empty array with room for `count` items, of which the first has the number `first`.
///
/// # Safety
/// The caller pushes `count` items before the first access, and then keeps the contract of
/// [`ProvenArray::proven`].
pub(crate) unsafe fn room<T>((first, count): Numbered) -> ProvenArray<T> {
    // SAFETY: the caller keeps the contract.
    unsafe { ProvenArray::proven(first, Vec::with_capacity(count)) }
}

/// Returns an array of `count` equal items, of which the first has the number `first`.
///
/// # Safety
/// The caller keeps the contract of [`ProvenArray::proven`].
pub(crate) unsafe fn filled<T: Clone>((first, count): Numbered, item: T) -> ProvenArray<T> {
    // SAFETY: the caller keeps the contract.
    unsafe { ProvenArray::proven(first, vec![item; count]) }
}
