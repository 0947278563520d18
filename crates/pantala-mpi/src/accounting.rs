//! Accounts and records: per rank, per call, per message, and the progress of a run.

pub(crate) mod account;
pub(crate) mod call_profile;
pub(crate) mod latency;
pub(crate) mod progress_estimate;
pub(crate) mod records;
