//! Learning of `q_adaptive`: the table of estimates of each router, and the feedback that corrects
//! it.
//!
//! When a packet leaves the input buffer of a router, that router sends feedback to the router
//! before it: the time of the hop, and the estimated time of the rest of the path. The feedback
//! travels like the packet's credits: over the same link, with the same delay, from the grant of
//! the crossbar on. Like credits it needs no event. It waits in a queue with its time, and before a
//! read of a router's table at time t all feedback for that router up to t is applied. No feedback
//! sent at t arrives at t, and the feedback of two links corrects different cells. So the order of
//! events and reads does not matter.
//!
//! [`crate::algorithms::q_adaptive`] describes the tables and the routing by them. All this is
//! empty in a network without that routing.

mod feedback;
mod record;
mod table;

use crate::{QAdaptiveConfig, RoutingConfig};
use feedback::{Feedback, FeedbackQueues};
use pantala_engine::{FlatArray, NANOSECOND, Time};
use pantala_topology::Topology;
use serde::{Deserialize, Serialize};
use std::ops::Range;

pub use record::{LearningSums, LearningWindow, Via};
pub(crate) use table::least;
pub use table::{Estimate, Misfit, QTable};

/// The latencies of links, in ps. Untrained tables are made from them.
#[derive(Clone, Copy, Debug)]
pub struct LinkLatencies {
    /// Of a link inside a group.
    pub local: Time,
    /// Of a global link.
    pub global: Time,
}

/// The state that a packet carries for feedback.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct HopFeedback {
    /// When its head arrived at the current router, or at the router that it has left.
    arrived: Time,
    /// The time between its arrivals at the router before and at this one, in ns.
    hop: f32,
    /// The least estimate of its row when it was routed here; 0 in the destination's group.
    estimate: f32,
    /// The place of its source terminal at its source router.
    slot: u16,
}

/// Feedback on its way to a router.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Sent {
    router: u32,
    column: u32,
    feedback: Feedback,
    /// When it takes effect there.
    pub time: Time,
}

/// The number of decisions of a router.
#[derive(Clone, Copy, Debug, Default)]
struct Decisions {
    /// The time of the latest decision.
    time: Time,
    /// Decisions before that time.
    before: u32,
    /// All decisions.
    all: u32,
}

/// The state of learning; empty in a network without `q_adaptive`.
#[derive(Debug, Default)]
pub struct Learning {
    rates: QAdaptiveConfig,
    table: QTable,
    queues: FeedbackQueues,
    /// Per packet.
    hop_feedback: FlatArray<HopFeedback>,
    /// Per router, if its first decisions explore.
    decisions: FlatArray<Decisions>,
    record: Option<record::Record>,
}

impl Learning {
    /// Makes untrained tables of the routers `own`, if any of `routings` learns.
    #[must_use]
    pub fn new(
        routings: &[RoutingConfig],
        latencies: LinkLatencies,
        topology: &Topology,
        own: Range<u32>,
    ) -> Self {
        let Some(rates) = learns(routings) else {
            return Self::default();
        };
        let first = own.start as usize;
        let counted = if rates.first_explorations > 0 { own.len() } else { 0 };
        let decisions = FlatArray::numbered_from(first, vec![Decisions::default(); counted]);
        let table = QTable::untrained_part(routings, latencies, topology, own.clone());
        let queues = FeedbackQueues::new(own, table.columns());
        Self { rates, table, queues, hop_feedback: FlatArray::default(), decisions, record: None }
    }

    /// Notes that a packet's head arrives at its source router from the terminal in place `slot`.
    #[inline]
    pub fn enter(&mut self, packet: u32, slot: u16, now: Time) {
        self.resume(packet, HopFeedback { arrived: now, hop: 0.0, estimate: 0.0, slot });
    }

    /// Returns the state that a packet carries; the default if no routing learns.
    pub fn hop_feedback(&self, packet: u32) -> HopFeedback {
        if self.hop_feedback.is_empty() {
            HopFeedback::default()
        } else {
            self.hop_feedback[packet]
        }
    }

    /// Prefetches the state of a packet.
    #[inline(always)]
    pub fn prefetch(&self, packet: u32) {
        self.hop_feedback.prefetch::<1>(packet as usize);
    }

    /// Stores the state that a packet carries.
    pub fn resume(&mut self, packet: u32, hop_feedback: HopFeedback) {
        while self.hop_feedback.len() <= packet as usize {
            self.hop_feedback.push(HopFeedback::default());
        }
        self.hop_feedback[packet] = hop_feedback;
    }

    /// Notes that a packet's head arrives at a router from another router.
    #[inline]
    pub fn arrive(&mut self, packet: u32, now: Time) {
        let hop_feedback = &mut self.hop_feedback[packet];
        hop_feedback.hop = if self.rates.truncate {
            // A clock of whole nanoseconds, read at both ends.
            (now / NANOSECOND - hop_feedback.arrived / NANOSECOND) as f32
        } else {
            (now - hop_feedback.arrived) as f32 / NANOSECOND as f32
        };
        hop_feedback.arrived = now;
    }

    /// Returns the estimates of `router`, in `group`, at `now` for a packet to another group, per
    /// port from the first non-terminal port, and infinite ones up to a whole vector. Notes the least estimate for the packet's feedback.
    #[inline]
    pub fn consult(
        &mut self,
        router: u32,
        group: u32,
        packet: u32,
        destination_group: u32,
        now: Time,
    ) -> &[f32] {
        self.apply(router, now);
        let hop_feedback = &mut self.hop_feedback[packet];
        let row = self
            .table
            .row_at(router, self.table.row_of(group, destination_group, hop_feedback.slot));
        hop_feedback.estimate = least(row);
        row
    }

    /// Counts a decision of `router`; returns whether it is one of its first. All decisions of one
    /// time count as the first of them, so that their order does not matter.
    #[inline]
    pub fn decides_early(&mut self, router: u32, now: Time) -> bool {
        if self.decisions.is_empty() {
            return false;
        }
        let made = &mut self.decisions[router];
        if now > made.time {
            *made = Decisions { time: now, before: made.all, ..*made };
        }
        made.all = made.all.saturating_add(1);
        made.before < self.rates.first_explorations
    }

    /// Notes that a packet is routed in the group of its destination.
    #[inline]
    pub fn at_destination(&mut self, packet: u32) {
        self.hop_feedback[packet].estimate = 0.0;
    }

    /// Returns the feedback about a packet that leaves an input buffer, for the router that sent it
    /// (router, group and port). It takes effect at `time`.
    #[inline]
    pub fn feedback(
        &self,
        (sender, group, port): (u32, u32, u32),
        packet: u32,
        destination_group: u32,
        via: Via,
        time: Time,
    ) -> Sent {
        let HopFeedback { hop, estimate, slot, .. } = self.hop_feedback[packet];
        let row = self.table.row_of(group, destination_group, slot);
        let column = port - self.table.first_port();
        Sent {
            router: sender,
            column,
            feedback: Feedback { row, target: hop + estimate, via },
            time,
        }
    }

    /// Queues feedback for a router.
    #[inline]
    pub fn expect(&mut self, sent: Sent) {
        let Sent { router, column, feedback, time } = sent;
        self.queues.push(router, column, feedback, time);
    }

    /// Applies the feedback for `router` up to `now`.
    #[inline]
    fn apply(&mut self, router: u32, now: Time) {
        if self.queues.due(router) <= now {
            self.correct(router, now);
        }
    }

    /// Corrects the table of `router` by its feedback up to `now`.
    fn correct(&mut self, router: u32, now: Time) {
        let Self { rates, table, queues, record, .. } = self;
        queues.take(router, now, |column, feedback, time| {
            let cell = table.cell_mut(router, feedback.row, column);
            let before = *cell;
            *cell = rates.corrected(before, feedback.target);
            if let Some(record) = record {
                record.note(time, feedback.via, before, feedback.target, *cell);
            }
        });
    }

    /// Applies the feedback for all routers before `until`.
    pub fn apply_before(&mut self, until: Time) {
        if until == 0 {
            return;
        }
        for router in self.queues.routers() {
            self.apply(router, until - 1);
        }
    }

    /// Returns the tables.
    pub fn table(&self) -> &QTable {
        &self.table
    }

    /// Replaces the estimates by those of other tables of the same network.
    pub fn start_from(&mut self, table: &QTable) {
        self.table.take_from(table);
    }

    /// Sums feedback per window of this length, in ps, from now on.
    pub fn record(&mut self, window: Time) {
        self.record = Some(record::Record::new(window));
    }

    /// Returns the recorded windows in order of time.
    pub fn windows(&self) -> &[LearningWindow] {
        self.record.as_ref().map_or(&[], record::Record::windows)
    }

    /// Returns the bytes of memory held.
    pub fn memory(&self) -> usize {
        self.table.memory()
            + self.queues.memory()
            + self.hop_feedback.memory()
            + self.decisions.memory()
    }
}

/// Returns the keys of the `q_adaptive` routings, which must be equal; `None` if there are none.
fn learns(routings: &[RoutingConfig]) -> Option<QAdaptiveConfig> {
    let mut learning = routings.iter().filter(|r| r.algorithm.learns()).map(|r| r.q_adaptive);
    let first = learning.next()?;
    assert!(learning.all(|other| other == first), "one way of learning: a router has one table");
    Some(first)
}

/// Returns the estimates of an untrained table, in ns: for a router's own link to the destination's
/// group the latency of a global link, for every other port that of a global and a local link.
fn first_estimates(routings: &[RoutingConfig], latencies: LinkLatencies) -> (f32, f32) {
    let truncate = learns(routings).is_none_or(|learning| learning.truncate);
    let ns = |time: Time| {
        if truncate { (time / NANOSECOND) as f32 } else { time as f32 / NANOSECOND as f32 }
    };
    let LinkLatencies { local, global } = latencies;
    (ns(global), ns(global + local))
}

#[cfg(test)]
mod tests;
