//! Tests of coNCePTuaL. One binary, one file per behaviour.

mod calls;
mod generated;
mod grammar;
mod language;
mod printer;
mod programs;
mod repetitions;
mod speed;
