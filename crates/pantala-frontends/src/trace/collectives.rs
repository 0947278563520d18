//! What the ranks of a communicator must agree on in a collective.

use pantala_mpi::Call;

/// The size that all ranks state alike, if the collective has one: the ranks of a bcast, a reduction
/// or a scan give the same count (MPI 4.1, chapter 6). Other collectives have sizes that matter at
/// some ranks only, or that a call in place leaves out.
#[must_use]
pub const fn common_bytes(call: &Call) -> Option<u64> {
    match call {
        Call::Bcast { bytes, .. }
        | Call::Reduce { bytes, .. }
        | Call::Allreduce { bytes }
        | Call::Scan { bytes }
        | Call::Exscan { bytes } => Some(*bytes),
        _ => None,
    }
}

/// A hash of a sequence with one more value.
#[must_use]
pub const fn hashed(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x0100_0000_01B3).rotate_left(7)
}
