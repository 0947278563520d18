//! Whole runs of small machines, from the plan's JSON to the tables. One binary, one file a
//! behaviour.

mod blame;
mod blocks;
mod coarse;
mod company;
mod deadlocks;
mod determinism;
mod ends;
mod faults;
mod imports;
mod layers;
mod learning;
mod link_records;
mod measuring;
mod packet_paths;
mod plans;
mod programs;
mod rank_records;
mod responses;
mod routings;
mod sharing;
mod stalls;
mod streaming;
mod support;
mod threads;
mod totals;
