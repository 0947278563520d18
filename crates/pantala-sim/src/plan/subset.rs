//! A part of a plan: some of its jobs, on the same nodes.

use crate::plan::{PacketRecord, Plan, skipping};

impl Plan {
    /// Returns the plan with the jobs of these names only. They keep their nodes and the seed. What
    /// the record names of other jobs goes, and so do the records that are left without a job.
    ///
    /// # Arguments
    /// `part` follows the plan's name after a slash.
    #[must_use]
    pub fn subset(&self, names: &[String], part: &str) -> Self {
        let mut plan = self.clone();
        plan.name = format!("{}/{part}", self.name);
        plan.jobs.retain(|job| names.contains(&job.name));
        plan.stop.target.retain(|name| names.contains(name));
        plan.skip.take_if(|_| !plan.jobs.iter().any(skipping::repeats));
        let record = &mut plan.record;
        // Whether a record that is for some jobs has one of them left.
        let keep = |jobs: &mut Vec<String>| {
            let all = jobs.is_empty();
            jobs.retain(|name| names.contains(name));
            all || !jobs.is_empty()
        };
        record.ports.take_if(|ports| !keep(&mut ports.jobs));
        record.routers.take_if(|routers| !keep(&mut routers.jobs));
        if !keep(&mut record.packet_jobs) {
            (record.packets, record.packet_paths) = (PacketRecord::Off, false);
            record.packet_routers.clear();
        }
        record.call_events.take_if(|events| {
            if !keep(&mut events.jobs) {
                return true;
            }
            let ranks = plan
                .jobs
                .iter()
                .filter(|job| events.jobs.is_empty() || events.jobs.contains(&job.name))
                .map(|job| job.ranks)
                .max()
                .unwrap_or(0);
            let all = events.ranks.is_empty();
            events.ranks.retain(|rank| *rank < ranks);
            !all && events.ranks.is_empty()
        });
        plan
    }
}
