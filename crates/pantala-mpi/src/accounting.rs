//! Accounts and records: per rank, per call, per message, over time, and the progress of a run.

pub(crate) mod call_events;
pub(crate) mod call_profile;
pub(crate) mod call_windows;
pub(crate) mod latency;
pub(crate) mod latency_windows;
pub(crate) mod progress_estimate;
pub(crate) mod rank_messages;
pub(crate) mod rank_totals;
pub(crate) mod records;
