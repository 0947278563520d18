//! Skipping: a run leaves out time in which all running jobs repeat and the network is steady.
//!
//! # Epochs
//!
//! An *epoch* is a time in which the set of running jobs and the loop that each is in do not change.
//! In an epoch every job that runs is in a loop on all of its ranks ([`pantala_workload::Loop`]), or
//! it is a pattern. Otherwise nothing is skipped.
//!
//! # Steady
//!
//! At the ends of windows (a grid of simulated time, so that threads and processes do not matter),
//! the [`cycles`] of each job since the start of a sample are judged ([`steady`]): their duration,
//! their communication time, the longest communication time of a rank, the delivered bytes of patterns and the
//! estimates of q_adaptive. Samples start when the slowest job of the epoch has completed 1, 2, 4,
//! 8, ... cycles, so that a sample without the start of the epoch is at hand at any time. The
//! longest sample that is steady for all jobs counts.
//!
//! # A jump
//!
//! Nothing is drained and nothing restarts. The core's state and clock stay: packets under way,
//! queues, credits, tables, ranks in the middle of an iteration. Instead each job leaves out as many
//! iterations as the jump is long ([`horizon`]), the same ones on all of its ranks, and everything
//! later is shown later ([`timeline`]). What the plan sets for a later time (starts and ends of
//! jobs, the end of the run) moves nearer by the jump. A jump ends so early that every job simulates
//! its last iterations, and before any start, end or record that asks for detail.
//!
//! # Accounts
//!
//! Skipped time counts at the rates of the sample ([`counts`]): a rank's times, messages and bytes
//! by its whole cycles; links, packets, calls and latencies of a job by what was counted between the
//! start of the sample and the jump, in proportion to what its ranks do in skipped time.

mod counts;
mod cycles;
mod epochs;
mod horizon;
mod job_counts;
mod judgement;
mod jump;
mod series;
mod skipper;
mod steady;
mod summary;
mod timeline;

pub(crate) use skipper::{Outlook, Skipper};
