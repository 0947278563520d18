//! The oracle alone, and the fabric against it. One binary, one file per behaviour.

mod balance;
mod common;
mod contention;
mod fabric;
mod zero_load;
