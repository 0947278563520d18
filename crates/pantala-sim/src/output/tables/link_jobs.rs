//! The table `link_jobs`: its columns and how a run fills them.

use super::links::links;
use super::source::Run;
use crate::output::columns::table;

table! {
    /// One row per link and job that used it.
    pub(super) link_jobs: LinkJobRow {
        /// Number of the directed link, as in `links`.
        link: u32,
        /// Number of the job in the plan, from 0.
        job: u16,
        /// Payload of the job over the link, including responses to its packets.
        bytes: u64 [bytes],
    }
}

pub(super) fn rows(run: &Run<'_>) -> impl Iterator<Item = LinkJobRow> {
    links(run).flat_map(|link| {
        let jobs = link.carried.jobs.iter().enumerate().filter(|(_, bytes)| **bytes > 0);
        jobs.map(move |(job, &bytes)| LinkJobRow { link: link.number, job: job as u16, bytes })
    })
}
