//! Tests of the front ends. One binary, one file per behaviour.

mod ncptl_language;
mod ncptl_programs;
