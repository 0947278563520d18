//! Learning, for `q_adaptive`: every router's table of estimates, and the feedback that corrects
//! it.
//!
//! When a packet leaves the input buffer of a router, the router before it, which sent it there,
//! hears how long the hop has taken and how long the rest of the way is estimated to be. That
//! feedback travels as the packet's credits do: over the same link, with the same delay, from the
//! grant of the crossbar on. As with credits no event is spent on it: it lies in a queue with its
//! time, and before any read of a router's table at time t all feedback for that router up to t is
//! applied. Nothing sent at t arrives at t, and the feedback of different links corrects different
//! cells, so no order of events or of reads can matter.
//!
//! What the tables mean and how a packet is routed by them stands in
//! [`crate::q_adaptive`]. None of this exists in a network without that routing.

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
pub use table::{Estimate, Misfit, QTable};

/// The latencies of links, in ps. Untrained tables are made from them.
#[derive(Clone, Copy, Debug)]
pub struct LinkLatencies {
    /// Of a link inside a group.
    pub local: Time,
    /// Of a global link.
    pub global: Time,
}

/// What a packet brings along for feedback.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Trail {
    /// When its head came to the router where it is, or whence it is on its way.
    arrived: Time,
    /// What lay between its arrivals at the router before and at this one, in ns.
    hop: f32,
    /// The least estimate of its row when it was routed here; 0 in the destination's group.
    estimate: f32,
    /// Which node of its source router it is from.
    slot: u16,
}

/// Feedback on its way to a router.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Sent {
    router: u32,
    column: u32,
    feedback: Feedback,
    /// When it comes due there.
    pub time: Time,
}

/// The decisions that a router has made.
#[derive(Clone, Copy, Debug, Default)]
struct Decisions {
    /// When the latest was.
    time: Time,
    /// How many came before that time.
    before: u32,
    /// How many there have been.
    all: u32,
}

/// The state of learning; empty in a network without `q_adaptive`.
#[derive(Debug, Default)]
pub struct Learning {
    rates: QAdaptiveConfig,
    table: QTable,
    queues: FeedbackQueues,
    /// By packet.
    trails: FlatArray<Trail>,
    /// By router, if the first are special.
    decisions: FlatArray<Decisions>,
    record: Option<record::Record>,
}

impl Learning {
    /// Untrained tables of the routers `own`, if any of `routings` needs them.
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
        Self { rates, table, queues, trails: FlatArray::default(), decisions, record: None }
    }

    /// A packet's head comes from the node in `slot` to its source router.
    #[inline]
    pub fn enter(&mut self, packet: u32, slot: u16, now: Time) {
        self.resume(packet, Trail { arrived: now, hop: 0.0, estimate: 0.0, slot });
    }

    /// What a packet brings along, if there is learning.
    pub fn trail(&self, packet: u32) -> Trail {
        if self.trails.is_empty() { Trail::default() } else { self.trails[packet] }
    }

    /// Asks for what is noted of a packet that will come soon.
    #[inline(always)]
    pub fn prefetch(&self, packet: u32) {
        self.trails.prefetch::<1>(packet as usize);
    }

    /// A packet is here that brings this along.
    pub fn resume(&mut self, packet: u32, trail: Trail) {
        while self.trails.len() <= packet as usize {
            self.trails.push(Trail::default());
        }
        self.trails[packet] = trail;
    }

    /// A packet's head comes to a router from another.
    #[inline]
    pub fn arrive(&mut self, packet: u32, now: Time) {
        let trail = &mut self.trails[packet];
        trail.hop = if self.rates.truncate {
            // A clock of whole nanoseconds, read at both ends.
            (now / NANOSECOND - trail.arrived / NANOSECOND) as f32
        } else {
            (now - trail.arrived) as f32 / NANOSECOND as f32
        };
        trail.arrived = now;
    }

    /// The estimates of `router`, in `group`, at `now` for a packet to another group, by port from
    /// the first that is not a terminal; notes the least of them for the packet's feedback.
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
        let trail = &mut self.trails[packet];
        let row =
            self.table.row_at(router, self.table.row_of(group, destination_group, trail.slot));
        trail.estimate = row.iter().copied().fold(f32::INFINITY, f32::min);
        row
    }

    /// Counts a decision of `router`; whether it is one of its first. Those of one time count as if
    /// each were the first of them: their order must not matter.
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

    /// A packet is routed in the group of its destination.
    #[inline]
    pub fn at_destination(&mut self, packet: u32) {
        self.trails[packet].estimate = 0.0;
    }

    /// A packet leaves an input buffer: its feedback for the router that sent it there (router,
    /// group and port), which arrives at `time`.
    #[inline]
    pub fn feedback(
        &self,
        (sender, group, port): (u32, u32, u32),
        packet: u32,
        destination_group: u32,
        via: Via,
        time: Time,
    ) -> Sent {
        let Trail { hop, estimate, slot, .. } = self.trails[packet];
        let row = self.table.row_of(group, destination_group, slot);
        let column = port - self.table.first_port();
        Sent {
            router: sender,
            column,
            feedback: Feedback { row, target: hop + estimate, via },
            time,
        }
    }

    /// Feedback is on its way to a router.
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

    /// The tables.
    pub fn table(&self) -> &QTable {
        &self.table
    }

    /// Starts from other tables, of the same machine.
    pub fn start_from(&mut self, table: &QTable) {
        self.table.take_from(table);
    }

    /// From now on, sums feedback up by windows of this length, in ps.
    pub fn record(&mut self, window: Time) {
        self.record = Some(record::Record::new(window));
    }

    /// What has been recorded, in order of time.
    pub fn windows(&self) -> &[LearningWindow] {
        self.record.as_ref().map_or(&[], record::Record::windows)
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.table.memory() + self.queues.memory() + self.trails.memory() + self.decisions.memory()
    }
}

/// The learning of the `q_adaptive` routings, which agree on it; `None` if there are none.
fn learns(routings: &[RoutingConfig]) -> Option<QAdaptiveConfig> {
    let mut learning = routings.iter().filter(|r| r.algorithm.learns()).map(|r| r.q_adaptive);
    let first = learning.next()?;
    assert!(learning.all(|other| other == first), "one way of learning: a router has one table");
    Some(first)
}

/// What an untrained table says of a router's own link to the destination's group, and of every
/// other port, in ns: the latency of a global link, and of a global and a local one.
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
