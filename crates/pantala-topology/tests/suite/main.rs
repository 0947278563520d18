//! The wiring, its paths and the machines of the papers. One binary, one file per behaviour.

mod common;
mod dragonfly;
mod machines;
mod paths;
