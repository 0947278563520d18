//! A program ready to run: names are slots, options are constants, control flow is a list of steps.

pub mod evaluate;
pub mod expression;
pub mod functions;
pub mod sequence;
pub mod step;
pub mod tasks;
pub mod view;
pub mod visit;
