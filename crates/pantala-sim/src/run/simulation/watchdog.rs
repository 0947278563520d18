//! The ends of runs that cannot continue: no event is left, no packet in flight moves, or ranks wait
//! for each other beside jobs without an end.

use super::Simulation;
use crate::run::deadlock::deadlock;
use crate::run::process_group::ProcessGroup;
use crate::run::rank_reports::{Status, Waiting};
use crate::run::termination::End;
use pantala_engine::NEVER;
use pantala_fabric::{Diagnosis, Totals};
use pantala_workload::Endpoints;
use std::collections::BTreeMap;

impl<Q: ProcessGroup> Simulation<Q> {
    /// Returns how a run ends that has no event left.
    pub(super) fn standstill(&mut self, status: &Status) -> End {
        if status.in_flight > 0 {
            return self.stalled(status);
        }
        if status.finished(&self.awaited) {
            return status.failure().unwrap_or(End::Finished);
        }
        if !self.awaited.contains(&true) {
            // No job sends a packet before the end of the plan's duration.
            return End::Duration;
        }
        self.blocked(status, |_| true)
    }

    /// Returns the diagnosis of the ranks of some jobs that wait for each other.
    fn blocked(&mut self, status: &Status, of: impl Fn(u16) -> bool) -> End {
        let mut others = Waiting::together(self.peers.all_gather(Waiting::of(&self.network)));
        others.retain(|wait| !status.has_failed(wait.job) && of(wait.job));
        match status.failure() {
            Some(End::Failed(lines)) => End::Failed(format!("{lines}\n{}", deadlock(&others))),
            _ => End::Stalled(deadlock(&others)),
        }
    }

    /// Returns the end of a run that waits for jobs whose ranks wait for each other, while jobs
    /// without an end run on.
    ///
    /// It looks at the watchdog's time, and whenever the run is twice as long as at the last look.
    /// A run whose end is set goes on to it.
    pub(super) fn deadlocked(&mut self, status: &Status) -> Option<End> {
        if self.until < self.next_look {
            return None;
        }
        let over = self.plan.stop.duration_ps > 0 || !self.accompanied();
        self.next_look = if over { NEVER } else { self.until.saturating_mul(2) };
        if over || !self.awaited.contains(&true) {
            return None;
        }
        let here = self.network.hosts().flat_map(Endpoints::standing).collect::<Vec<_>>();
        let mut jobs: BTreeMap<u16, (bool, i64)> = BTreeMap::new();
        for (job, stands, in_transit) in self.peers.all_gather(here).into_iter().flatten() {
            let all = jobs.entry(job).or_insert((true, 0));
            *all = (all.0 && stands, all.1 + in_transit);
        }
        jobs.retain(|job, _| self.awaited.get(usize::from(*job)) == Some(&true));
        jobs.retain(|job, _| !status.is_over(*job));
        let stand = !jobs.is_empty() && jobs.values().all(|all| *all == (true, 0));
        stand.then(|| self.blocked(status, |job| jobs.contains_key(&job)))
    }

    /// Returns the diagnosis of packets in flight that do not move.
    pub(super) fn stalled(&mut self, status: &Status) -> End {
        let held = self.peers.all_gather(self.network.held()).into_iter().flatten().collect();
        End::Stalled(Diagnosis::of(held, status.in_flight).to_string())
    }

    /// Returns the end of a run whose packets in flight do not move for the watchdog's time. No
    /// packet moves before the next event.
    pub(super) fn watchdog(&mut self, status: &Status) -> Option<End> {
        let Totals { packet_hops, packets_delivered, flits_delivered, flits_injected, .. } =
            status.totals;
        let moves = packet_hops + packets_delivered + flits_delivered + flits_injected;
        let nothing_to_move = status.in_flight == 0;
        if moves != self.moved.0 || nothing_to_move {
            self.moved = (moves, self.until);
        }
        let still = status.next.saturating_sub(self.moved.1);
        (!nothing_to_move && still >= self.plan.stop.watchdog_ps).then(|| self.stalled(status))
    }
}
