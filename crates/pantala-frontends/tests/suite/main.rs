//! Tests of the front ends. One binary, one file per behaviour.

mod chakra;
mod chakra_writer;
mod goal;
mod goal_binary;
mod graph_fuzz;
mod graphs;
mod ncptl_grammar;
mod ncptl_language;
mod ncptl_programs;
mod network;
