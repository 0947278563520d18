//! The interface to programs: operations, outcomes and errors.

pub mod error;
pub mod identifiers;
pub mod operation;
pub mod outcome;
