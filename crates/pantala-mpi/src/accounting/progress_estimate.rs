//! The estimate of a run's progress: the share of the bytes of all programs that has arrived.
//!
//! Bytes measure progress best, because a byte costs the simulator about the same everywhere and
//! computing ranks cost nothing. The estimate counts bytes as packets arrive, control messages
//! included. The total comes from the summaries of the programs ([`OperationStream::summary`]) when
//! a job is added.

use crate::collectives::Collective;
use crate::communicators::group::{Group, Split};
use crate::config::{MpiConfig, RendezvousCompletion};
use crate::message::{TransmissionKind, transmission_bytes};
use crate::program::identifiers::CommunicatorId;
use crate::program::operation::{Op, OperationStream, Outgoing};
use crate::rank::Rank;
use crate::rank::collective::Membership;
use serde::Deserialize;
use serde::Serialize;

/// What programs will send, by their summaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExpectedTraffic {
    /// Bytes on the wire, control messages included.
    pub bytes: f64,
    /// Messages, those of collectives included.
    pub messages: f64,
    /// MPI calls that send, collectives included.
    pub calls: f64,
}

impl ExpectedTraffic {
    fn and(self, other: Self, times: f64) -> Self {
        Self {
            bytes: self.bytes + times * other.bytes,
            messages: self.messages + times * other.messages,
            calls: self.calls + times * other.calls,
        }
    }
}

/// Bytes that have arrived, and the total that will arrive.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ProgressEstimate {
    /// The traffic of all programs; `None` if one of them has no summary.
    total: Option<ExpectedTraffic>,
    arrived: u64,
}

impl ProgressEstimate {
    pub(crate) const fn new() -> Self {
        Self { total: Some(ExpectedTraffic { bytes: 0.0, messages: 0.0, calls: 0.0 }), arrived: 0 }
    }

    /// Adds the bytes that a rank will send.
    pub(crate) fn add<P: OperationStream>(&mut self, rank: &Rank<P>, config: &MpiConfig) {
        let all = |total: ExpectedTraffic, summary: Vec<(Op, u64)>| {
            let mut sum = ExpectedTraffic::default();
            let mut places = Places::of(rank);
            for (op, times) in &summary {
                places.after(op);
                sum = sum.and(sent(rank, &places, op, config), *times as f64);
            }
            total.and(sum, 1.0)
        };
        self.total =
            self.total.zip(rank.program.summary()).map(|(total, summary)| all(total, summary));
    }

    /// Counts bytes that have arrived or pass through memory.
    #[inline]
    pub(crate) const fn arrived(&mut self, bytes: u64) {
        self.arrived += bytes;
    }

    /// The traffic of all programs; `None` if one of them has no summary.
    #[must_use]
    pub const fn total(&self) -> Option<ExpectedTraffic> {
        self.total
    }

    /// The sum of the estimates of two partitions.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let total = self.total.zip(other.total).map(|(one, other)| one.and(other, 1.0));
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
        let all = self.total?.bytes;
        Some(if all > 0.0 { (self.arrived as f64 / all).min(1.0) } else { 0.0 })
    }
}

/// The places of a rank in its communicators while a summary is read.
struct Places {
    rank: u32,
    /// By the number of the communicator: the place and the size.
    places: Vec<Option<(u32, u32)>>,
}

impl Places {
    fn of<P>(rank: &Rank<P>) -> Self {
        let place = |membership: &Membership| {
            (membership.communicator.me(), membership.communicator.size())
        };
        let places = rank.memberships.iter().map(|each| each.as_ref().map(place)).collect();
        Self { rank: rank.number, places }
    }

    fn get(&self, id: CommunicatorId) -> Option<(u32, u32)> {
        self.places.get(usize::from(id)).copied().flatten()
    }

    /// Takes in an operation that makes or frees a communicator.
    fn after(&mut self, op: &Op) {
        let of_group = |group: &Group| Some((group.place(self.rank)?, group.size()));
        let made = match op {
            Op::CommDup(id) => self.get(*id),
            Op::CommSplit(id, table) => self.get(*id).and_then(|(me, _)| {
                let members = Split::members(table, me)?;
                let place = members.iter().position(|member| *member == me)?;
                Some((place as u32, members.len() as u32))
            }),
            Op::CommCreate(_, group) | Op::CommJoin(_, group) => of_group(group),
            Op::CommFree(id) => {
                if let Some(place) = self.places.get_mut(usize::from(*id)) {
                    *place = None;
                }
                None
            }
            _ => None,
        };
        if made.is_none() {
            return;
        }
        match self.places.iter_mut().find(|place| place.is_none()) {
            Some(free) => *free = made,
            None => self.places.push(made),
        }
    }
}

/// What an operation of `rank` sends. Its bytes include the receiver's control messages. An invalid
/// operation counts nothing; its error appears when it is executed.
fn sent<P>(rank: &Rank<P>, places: &Places, op: &Op, config: &MpiConfig) -> ExpectedTraffic {
    let choice = &config.collectives;
    let message = |outgoing: &Outgoing| {
        let there = rank
            .communicator(outgoing.communicator)
            .ok()
            .and_then(|c| c.rank(outgoing.destination));
        if there == Some(rank.number) { 0.0 } else { on_the_wire(outgoing.bytes, config) as f64 }
    };
    if let Some(outgoing) = op.sent() {
        return ExpectedTraffic { bytes: message(outgoing), messages: 1.0, calls: 1.0 };
    }
    match *op {
        Op::Collective(id, ref call)
        | Op::Icollective(id, ref call, _)
        | Op::Valued(id, ref call, _) => {
            let Some((me, size)) = places.get(id) else { return ExpectedTraffic::default() };
            if call.fault(size).is_some() {
                return ExpectedTraffic::default();
            }
            let mut traffic = ExpectedTraffic { calls: 1.0, ..ExpectedTraffic::default() };
            let mut all = 0;
            for bytes in Collective::of(choice, call, size).sent(me, size) {
                all += on_the_wire(bytes, config);
                traffic.messages += 1.0;
            }
            traffic.bytes = all as f64;
            traffic
        }
        // Other operations send nothing or little. Summaries have a persistent send where it starts.
        _ => ExpectedTraffic::default(),
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
    let acknowledged = config.rendezvous_completion == RendezvousCompletion::Acknowledged;
    let count = kinds.len() - usize::from(!acknowledged);
    kinds.into_iter().take(count).fold(0, |sum: u64, kind| sum.saturating_add(of(kind)))
}
