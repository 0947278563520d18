//! The estimate of a run's progress: the share of the bytes of all programs that has arrived.
//!
//! Bytes measure progress best, because a byte costs the simulator about the same everywhere and
//! computing ranks cost nothing. The estimate counts bytes as packets arrive, control messages
//! included. The total comes from the summaries of the programs ([`Program::summary`]) when a job
//! is added.

use crate::collectives::Collective;
use crate::config::MpiConfig;
use crate::message::{TransmissionKind, transmission_bytes};
use crate::program::operation::{Op, Outgoing, Program};
use crate::rank::Rank;
use serde::Deserialize;
use serde::Serialize;

/// Bytes that have arrived, and the total that will arrive.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ProgressEstimate {
    /// Bytes on the wire of all programs; `None` if one of them has no summary.
    total: Option<f64>,
    arrived: u64,
}

impl ProgressEstimate {
    pub(crate) const fn new() -> Self {
        Self { total: Some(0.0), arrived: 0 }
    }

    /// Adds the bytes that a rank will send.
    pub(crate) fn add<P: Program>(&mut self, rank: &Rank<P>, config: &MpiConfig) {
        let bytes = |summary: Vec<(Op, u64)>| {
            summary.iter().map(|(op, times)| *times as f64 * sent(rank, op, config)).sum()
        };
        self.total = self
            .total
            .zip(rank.program.summary().map(bytes))
            .map(|(total, bytes): (f64, f64)| total + bytes);
    }

    /// Counts bytes that have arrived or pass through memory.
    #[inline]
    pub(crate) const fn arrived(&mut self, bytes: u64) {
        self.arrived += bytes;
    }

    /// Bytes on the wire of all programs, control messages included; `None` if one of them has no
    /// summary.
    #[must_use]
    pub const fn total(&self) -> Option<f64> {
        self.total
    }

    /// The sum of the estimates of two partitions.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let total = self.total.zip(other.total).map(|(one, other)| one + other);
        Self { total, arrived: self.arrived + other.arrived }
    }

    /// The completed share, between 0 and 1: the share of bytes that has arrived, and 1 when all
    /// ranks have `ended`. It never falls. `None` without ranks, or if a program has no summary.
    #[must_use]
    pub fn progress(&self, ended: u32, ranks: u32) -> Option<f64> {
        match ranks {
            0 => None,
            _ if ended == ranks => Some(1.0),
            _ => self.share(),
        }
    }

    fn share(&self) -> Option<f64> {
        self.total
            .map(|total| if total > 0.0 { (self.arrived as f64 / total).min(1.0) } else { 0.0 })
    }
}

/// Bytes that an operation of `rank` puts on the wire, including the receiver's control messages.
/// An invalid operation counts nothing; its error appears when it is executed.
fn sent<P>(rank: &Rank<P>, op: &Op, config: &MpiConfig) -> f64 {
    let choice = &config.collectives;
    let message = |outgoing: &Outgoing| {
        let there = rank
            .communicator(outgoing.communicator)
            .ok()
            .and_then(|c| c.rank(outgoing.destination));
        if there == Some(rank.number) { 0.0 } else { on_the_wire(outgoing.bytes, config) as f64 }
    };
    if let Some(outgoing) = op.sent() {
        return message(outgoing);
    }
    match *op {
        Op::Collective(id, ref call)
        | Op::Icollective(id, ref call, _)
        | Op::Valued(id, ref call, _) => {
            let Ok(communicator) = rank.communicator(id) else { return 0.0 };
            let (me, size) = (communicator.me(), communicator.size());
            if call.fault(size).is_some() {
                return 0.0;
            }
            let sent = Collective::of(choice, call, size).sent(me, size);
            sent.map(|bytes| on_the_wire(bytes, config)).sum::<u64>() as f64
        }
        // Other operations send nothing or little. A persistent request is not counted, because
        // `start` does not name its message.
        _ => 0.0,
    }
}

/// Bytes on the wire of all transmissions of a message.
fn on_the_wire(bytes: u64, config: &MpiConfig) -> u64 {
    let of = |kind| transmission_bytes(kind, bytes, config);
    if bytes <= config.eager_threshold_bytes {
        return of(TransmissionKind::Eager);
    }
    let kinds = [
        TransmissionKind::RequestToSend,
        TransmissionKind::Get,
        TransmissionKind::Data,
        TransmissionKind::Acknowledge,
    ];
    kinds.into_iter().fold(0, |sum: u64, kind| sum.saturating_add(of(kind)))
}
