//! Numbers of the language: arithmetic, functions, progressions, random tasks, tags and printing.
//!
//! All functions here are pure, and none knows the syntax tree. An integer is a 64-bit signed
//! number that wraps on overflow.

pub mod integers;
pub mod mersenne;
pub mod meshes;
pub mod print;
pub mod progression;
pub mod random_numbers;
pub mod random_task;
pub mod reals;
pub mod tags;
pub mod trees;

/// An error of a calculation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// `x / 0`
    #[error("division of {0} by zero")]
    DivisionByZero(i64),
    /// `x MOD 0`
    #[error("{0} MOD 0 has no value")]
    ModuloZero(i64),
    /// A root of degree 0 or of a negative number.
    #[error("the root of degree {0} of {1} is no integer")]
    NoRoot(i64, i64),
    /// The first values of a progression follow no rule.
    #[error("{{{0}}} is no arithmetic or geometric progression")]
    NoPattern(String),
    /// A call or an operation without a value, in words.
    #[error("{0} has no value")]
    NoValue(String),
    /// The shape of a tree or a mesh does not exist, in words.
    #[error("{0}")]
    NoShape(String),
    /// A sequence has too many values to list.
    #[error("a list of more than {0} values")]
    TooLong(usize),
}
