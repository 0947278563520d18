//! A plan running: steps of simulated time, how a run ends, run.json, and the threads and processes
//! that it runs on.

mod deadlock;
pub mod document;
pub mod measure;
pub mod process_group;
pub mod rank_reports;
pub mod simulation;
mod skip;
pub mod termination;
pub mod threads;
