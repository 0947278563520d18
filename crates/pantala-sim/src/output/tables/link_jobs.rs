//! The table `link_jobs`: its columns and how a run fills them.

use super::links::links;
use super::source::Run;
use crate::output::columns::{ns, table};
use pantala_fabric::JobTraffic;

table! {
    /// One row per link and job that used it or waited for it.
    pub(super) link_jobs: LinkJobRow {
        /// Number of the directed link, as in `links`.
        link: u32,
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Payload of the job over the link, including responses to its packets.
        bytes: u64 [bytes],
        /// Stall: duration in which a packet was ready, the link idle, and no packet had credit. A stall
        /// belongs to the job of the packet that the link would send first.
        stall_ns: f64 [ns],
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = LinkJobRow> {
    links(run).flat_map(|link| {
        let jobs =
            link.totals.jobs.iter().enumerate().filter(|(_, job)| **job != JobTraffic::default());
        jobs.map(move |(job, &JobTraffic { bytes, stall })| LinkJobRow {
            link: link.number,
            job: job as u16,
            bytes,
            stall_ns: ns(stall),
        })
    })
}
