//! coNCePTuaL, a language for network benchmarks (Pakin, "The Design and Implementation of a
//! Domain-Specific Language for Network Performance Testing", TPDS 2007): programs as streams of MPI
//! operations.
//!
//! `language/` reads and checks a text, `compile/` turns the tree into `compiled/` steps for some
//! number of ranks, and `run/` yields the operations of a rank. `explain` lists them without a
//! network. `numbers/` has the language's functions and its random numbers.

pub mod compile;
pub mod compiled;
pub mod explain;
pub mod language;
pub mod numbers;
pub mod run;
pub mod spec;

pub use spec::NcptlSpec;
