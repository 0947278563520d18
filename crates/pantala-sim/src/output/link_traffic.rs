//! The traffic of links up to the last window, from which the rows of the next window follow.

use crate::output::recorder::LinkWindow;
use pantala_engine::{NEVER, Time};
use pantala_fabric::{JobTraffic, LinkCounters};

/// The traffic of all links up to the end of the last window.
#[derive(Debug)]
pub(crate) struct LinkTraffic {
    /// Length of a window.
    window: Time,
    /// The end of the current window; `NEVER` if nothing is recorded.
    pub(crate) ends: Time,
    jobs: usize,
    /// Per link, the traffic of all jobs.
    links: Vec<JobTraffic>,
    /// Per link and job.
    of_jobs: Vec<JobTraffic>,
}

impl LinkTraffic {
    /// Returns a record of so many links without traffic, in windows of a length.
    pub(crate) fn new(links: usize, jobs: usize, window: Time) -> Self {
        let none = JobTraffic::default();
        let (links, of_jobs) = (vec![none; links], vec![none; links * jobs]);
        Self { window, ends: window, jobs, links, of_jobs }
    }

    /// Returns a record of nothing.
    pub(crate) const fn off() -> Self {
        Self { window: NEVER, ends: NEVER, jobs: 0, links: Vec::new(), of_jobs: Vec::new() }
    }

    /// Returns whether nothing is recorded.
    pub(crate) fn is_off(&self) -> bool {
        self.links.is_empty()
    }

    /// Begins the window in which a time lies.
    pub(crate) fn begin(&mut self, time: Time) {
        if !self.is_off() {
            self.ends = (time - time % self.window).saturating_add(self.window);
        }
    }

    /// Appends the rows of a link for the current window, given its traffic up to the end of the
    /// window. Returns whether the link has stalled in the window.
    pub(crate) fn take<I: Iterator<Item = JobTraffic>>(
        &mut self,
        link: u32,
        total: LinkCounters,
        of_jobs: impl FnOnce() -> I,
        windows: &mut Vec<LinkWindow>,
    ) -> bool {
        let start = self.ends - self.window;
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
