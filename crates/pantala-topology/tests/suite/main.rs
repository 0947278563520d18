//! Global link arrangements, paths and the machines of papers. One binary, one file per behaviour.

mod common;
mod dragonfly;
mod given_links;
mod machines;
mod paths;
