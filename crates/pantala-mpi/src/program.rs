//! The interface to programs: operations, outcomes and errors.

pub mod error;
pub mod identifiers;
pub mod iteration_mark;
pub mod operation;
pub mod outcome;
pub mod place;
mod sizes;
pub mod source;
pub mod value;
