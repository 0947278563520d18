//! The execution: a program per rank that yields MPI operations one by one.
//!
//! All ranks share a [`job::Job`]. It evaluates the communication of a statement once for all
//! ranks, and keeps the result as long as memory allows. A rank ([`rank::NcptlRank`]) holds its
//! place in the program, its variables and its counters.

pub mod collectives;
pub mod counters;
pub mod groups;
pub mod job;
pub mod log;
pub mod loops;
pub mod mapping;
pub mod messages;
pub mod rank;
pub mod repetitions;
pub mod requests;
pub mod statement_cache;
pub mod statements;
pub mod walk;
