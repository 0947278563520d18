//! Tests of the front ends. One binary, one file per behaviour.

mod chakra;
mod chakra_writer;
mod dumpi_checks;
mod dumpi_folder;
mod dumpi_records;
mod dumpi_replay;
mod dumpi_requests;
mod dumpi_writer;
mod first_operations;
mod goal;
mod goal_binary;
mod goal_text;
mod graph_fuzz;
mod graphs;
mod network;
mod operation_agreement;
mod operation_file;
mod trace_examples;
