//! Tests of the front ends. One binary, one file per behaviour.

mod chakra;
mod chakra_writer;
mod goal;
mod goal_binary;
mod ncptl_language;
mod ncptl_language;
mod ncptl_programs;
mod ncptl_programs;
mod ncptl_speed;
mod network;
