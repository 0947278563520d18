//! The tests of routing. One binary, one file per behaviour.

mod aries;
mod codes;
mod codes_custom;
mod decisions;
mod gateways;
mod q_adaptive;
mod support;
