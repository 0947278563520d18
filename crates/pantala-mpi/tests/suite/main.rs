//! Ranks on an ideal network. One binary, one file per behaviour.

mod accounting;
mod calls;
mod classes;
mod codes;
mod collectives;
mod communicators;
mod faults;
mod gaps;
mod host;
mod host_stack;
mod matching;
mod memory;
mod nonblocking;
mod operations;
mod overheads;
mod protocol;
mod rank_records;
mod short_buffers;
mod stream;
