//! Front ends: recorded programs of users as streams of MPI operations.
//!
//! Each room reads one kind of source and yields the operations of a rank one by one, as the MPI
//! layer asks for them ([`pantala_mpi::OperationStream`]). Memory does not grow with a program's
//! length. A source is opened and checked once, in [`pantala_mpi::OperationSource::check`]; all
//! ranks and all partitions share what that finds.

pub mod chakra;
pub mod dumpi;
pub mod goal;
pub mod graph;
pub mod input;
pub mod opened;
pub mod operations;
pub mod trace;
