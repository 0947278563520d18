//! The numbers that stand for MPI's constants in records.

/// Communicators below this number exist before any call.
pub(super) const FIRST_COMMUNICATOR: u16 = 4;
/// `MPI_COMM_WORLD`.
pub(super) const WORLD: u16 = 2;
/// `MPI_COMM_SELF`.
pub(super) const SELF: u16 = 3;
/// `MPI_GROUP_EMPTY`.
pub(super) const GROUP_EMPTY: u16 = 2;
/// Requests below this number are none: an error, and `MPI_REQUEST_NULL`.
pub(super) const FIRST_REQUEST: i32 = 2;
/// `MPI_ANY_SOURCE`, and `MPI_PROC_NULL` of MPICH.
pub(super) const ANY_SOURCE: i64 = -1;
/// `MPI_ANY_TAG`.
pub(super) const ANY_TAG: i64 = -1;
/// Data types from this number on are the program's own.
pub(super) const FIRST_TYPE: u16 = 28;
/// Bytes of the predefined data types on a 64-bit machine, for files without a table of sizes.
pub(super) const TYPE_SIZES: [u64; FIRST_TYPE as usize] =
    [0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20];
