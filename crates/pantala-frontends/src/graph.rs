//! Dependency graphs: a rank's program as a graph of sends, receives, computations and collectives.
//!
//! GOAL schedules and Chakra traces are such graphs. A task starts as soon as the tasks that it
//! depends on have finished (or started), so a rank has many tasks under way at once. The
//! [`Executor`] turns the graph of a rank into the stream of operations that the MPI layer takes:
//! it starts every ready task as a request and waits for any of them.
//!
//! A graph comes in one of two forms. [`pages::Graphs`] are whole graphs whose cycles have been
//! looked for, in memory or in a temporary file; a rank that runs holds only the tasks that are
//! ready, running or wait for the last of several others. [`window::Window`] reads tasks from a file
//! while the rank runs and holds only those that are not finished.

pub mod executor;
mod id_table;
pub mod pages;
pub mod partners;
mod processors;
pub mod read_ids;
pub mod running;
mod slots;
pub mod stored;
pub mod summary;
pub mod task;
pub mod window;

pub use executor::{Executor, Graph};
pub use task::{Operation, Task};
