//! Communicators, the groups that they are made of, and Cartesian grids of ranks.

pub mod cartesian;
pub mod communicator;
pub mod group;
