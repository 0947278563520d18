//! Jobs on an ideal network. One binary, one file per behaviour.

mod call_order;
mod motifs;
mod motifs_of_ember;
mod motifs_of_mixes;
mod orders;
mod patterns;
mod programs;
mod sequences;
mod spec;
mod support;
