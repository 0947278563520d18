//! The traffic of links up to the last window, from which the rows of the next window follow.

use crate::output::recorder::LinkWindow;
use pantala_engine::Time;
use pantala_fabric::{JobTraffic, LinkCounters};

/// The traffic of all links up to the end of the last window.
#[derive(Debug, Default)]
pub(crate) struct LinkTraffic {
    jobs: usize,
    /// Per link, the traffic of all jobs.
    links: Vec<JobTraffic>,
    /// Per link and job.
    of_jobs: Vec<JobTraffic>,
}

impl LinkTraffic {
    /// Returns a record of so many links without traffic.
    pub(crate) fn new(links: usize, jobs: usize) -> Self {
        let none = JobTraffic::default();
        Self { jobs, links: vec![none; links], of_jobs: vec![none; links * jobs] }
    }

    /// Returns whether nothing is recorded.
    pub(crate) fn is_off(&self) -> bool {
        self.links.is_empty()
    }

    /// Appends the rows of a link for the window that began at `start`, given its traffic up to the
    /// end of the window. Returns whether the link has stalled in the window.
    pub(crate) fn take<I: Iterator<Item = JobTraffic>>(
        &mut self,
        link: u32,
        start: Time,
        total: LinkCounters,
        of_jobs: impl FnOnce() -> I,
        windows: &mut Vec<LinkWindow>,
    ) -> bool {
        let total = JobTraffic { bytes: total.bytes, stall: total.stall };
        let before = std::mem::replace(&mut self.links[link as usize], total);
        if before == total {
            return false;
        }
        let known = &mut self.of_jobs[link as usize * self.jobs..][..self.jobs];
        for (job, (known, traffic)) in known.iter_mut().zip(of_jobs()).enumerate() {
            let JobTraffic { bytes, stall } = std::mem::replace(known, traffic);
            if (bytes, stall) != (traffic.bytes, traffic.stall) {
                let traffic =
                    JobTraffic { bytes: traffic.bytes - bytes, stall: traffic.stall - stall };
                windows.push(LinkWindow { link, start, job: job as u16, traffic });
            }
        }
        total.stall > before.stall
    }
}
