//! The ends of runs that cannot continue: no event is left, or no packet in flight moves.

use super::Simulation;
use crate::run::deadlock::{deadlock, full_nics};
use crate::run::process_group::ProcessGroup;
use crate::run::rank_reports::{Status, Waiting};
use crate::run::termination::End;
use pantala_fabric::{Diagnosis, Totals};

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
        let mut others = Waiting::together(self.peers.all_gather(Waiting::of(&self.network)));
        others.retain(|wait| !status.has_failed(wait.job));
        match status.failure() {
            Some(End::Failed(lines)) => End::Failed(format!("{lines}\n{}", deadlock(&others))),
            _ => End::Stalled(deadlock(&others)),
        }
    }

    /// Returns the diagnosis of packets in flight that do not move.
    pub(super) fn stalled(&mut self, status: &Status) -> End {
        let held = self.peers.all_gather(self.network.held()).into_iter().flatten().collect();
        let waits = Waiting::together(self.peers.all_gather(Waiting::of(&self.network)));
        let diagnosis = Diagnosis::of(held, status.in_flight);
        End::Stalled(format!("{diagnosis}{}", full_nics(&waits)))
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
