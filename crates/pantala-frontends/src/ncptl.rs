//! coNCePTuaL: a language for network benchmarks.

pub mod language;
pub mod numbers;
