//! coNCePTuaL: a language for network benchmarks.

pub mod compile;
pub mod compiled;
pub mod explain;
pub mod language;
pub mod numbers;
pub mod run;
pub mod spec;

pub use spec::NcptlSpec;
