//! Front ends: programs and traces from files, as the MPI operations of each rank.

pub mod ncptl;
