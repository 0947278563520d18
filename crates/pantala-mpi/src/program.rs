//! What a program yields and is told: operations, outcomes and errors.

pub mod error;
pub mod identifiers;
pub mod operation;
pub mod outcome;
