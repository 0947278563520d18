//! Messages without a partner: sends that no rank receives, and receives that no rank sends. And
//! sends that are longer than their receives.
//!
//! The tallies of the survey show the receivers whose messages do not add up: in number, or in tags
//! and sizes if no receive is from any rank. Only for these a second pass matches message by
//! message. A complete trace has none. A trace of a program that
//! switched profiling off has some, which the replay leaves out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::communicators::{CommunicatorNumber, Communicators};
use super::interpreter::{Guide, Interpreter};
use super::rank_file::RankFile;
use super::record::Record;
use super::steps::{Receiving, Sending, Step};
use super::survey::{Envelopes, RankSurvey};
use crate::trace::{Position, TraceError};

/// A send or a receive without a partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unmatched {
    pub(super) rank: u32,
    pub(super) ordinal: u64,
    pub(super) position: Position,
    /// Whether it is a receive from any rank. If so, it may be one from `MPI_PROC_NULL` of MPICH.
    pub(super) wild: bool,
    /// Whether it is a receive that may have been cancelled.
    pub(super) cancelled: bool,
    /// Whether it has a partner, but does not fit its receive.
    pub(super) too_long: bool,
    pub(super) message: String,
}

/// A receiver: a communicator and a rank of the job.
type Receiver = (CommunicatorNumber, u32);

#[derive(Clone, Copy, Debug, Default)]
struct Balance {
    sent: u64,
    named: u64,
    /// Tags and sizes of the messages, if there are any.
    envelopes: [Option<Envelopes>; 2],
}

impl Balance {
    /// Whether tags and sizes of sends and receives, as many, certainly fit.
    fn fits(&self) -> bool {
        match self.envelopes {
            [Some(sent), Some(wanted)] => sent.fit(&wanted),
            _ => true,
        }
    }
}

/// The receivers whose messages do not add up, each with the ranks that send to it.
pub(super) fn unbalanced(
    surveys: &[RankSurvey],
    communicators: &Communicators,
) -> BTreeMap<Receiver, BTreeSet<u32>> {
    let mut pairs: BTreeMap<(CommunicatorNumber, u32, u32), Balance> = BTreeMap::new();
    let mut wild: BTreeMap<Receiver, u64> = BTreeMap::new();
    for (rank, survey) in (0..).zip(surveys) {
        for ((local, partner), tally) in &survey.tallies {
            let Some(number) = communicators.number(rank, *local) else { continue };
            let members = &communicators.members[number as usize];
            let Some(&partner) = members.get(*partner as usize) else { continue };
            if tally.sends > 0 {
                let balance = pairs.entry((number, partner, rank)).or_default();
                balance.sent += tally.sends;
                balance.envelopes[0] = Some(tally.sent);
            }
            if tally.receives > 0 {
                let balance = pairs.entry((number, rank, partner)).or_default();
                balance.named += tally.receives;
                balance.envelopes[1] = Some(tally.wanted);
            }
        }
        for (local, count) in survey.wild.iter().filter(|(_, count)| **count > 0) {
            let Some(number) = communicators.number(rank, *local) else { continue };
            *wild.entry((number, rank)).or_default() += count;
        }
    }
    let mut wrong: BTreeMap<Receiver, BTreeSet<u32>> = BTreeMap::new();
    let mut left: BTreeMap<Receiver, u64> = BTreeMap::new();
    for ((number, receiver, _), balance) in &pairs {
        match balance.sent.checked_sub(balance.named) {
            // What a receive from any rank takes is not certain.
            Some(0) if balance.fits() || wild.contains_key(&(*number, *receiver)) => {}
            Some(0) => {
                wrong.entry((*number, *receiver)).or_default();
            }
            Some(more) => *left.entry((*number, *receiver)).or_default() += more,
            None => {
                wrong.entry((*number, *receiver)).or_default();
            }
        }
    }
    let receivers: BTreeSet<Receiver> = left.keys().chain(wild.keys()).copied().collect();
    for receiver in receivers {
        if left.get(&receiver) != wild.get(&receiver) {
            wrong.entry(receiver).or_default();
        }
    }
    for ((number, receiver, sender), _) in pairs.iter().filter(|(_, balance)| balance.sent > 0) {
        if let Some(senders) = wrong.get_mut(&(*number, *receiver)) {
            senders.insert(*sender);
        }
    }
    wrong
}

/// The messages of the unbalanced receivers.
#[derive(Default)]
struct Messages {
    /// By receiver, sender and tag.
    sends: BTreeMap<(Receiver, u32), BTreeMap<i32, VecDeque<Sent>>>,
    /// By receiver.
    receives: BTreeMap<Receiver, Vec<Wanted>>,
}

#[derive(Clone, Copy)]
struct Sent {
    ordinal: u64,
    position: Position,
    bytes: u64,
}

#[derive(Clone, Copy)]
struct Wanted {
    /// The sending rank of the job.
    source: Option<u32>,
    tag: Option<i32>,
    bytes: u64,
    ordinal: u64,
    position: Position,
    /// Whether it may have been cancelled.
    cancelled: bool,
}

impl Unmatched {
    fn too_long(rank: u32, sent: &Sent, receiver: u32, wanted: &Wanted) -> Self {
        let tag = wanted.tag.map_or_else(String::new, |tag| format!(", tag {tag}"));
        Self {
            rank,
            ordinal: sent.ordinal,
            position: sent.position,
            wild: false,
            cancelled: false,
            too_long: true,
            message: format!(
                "a send of {} bytes to rank {receiver}{tag}, which is longer than its receive of {} \
                 bytes",
                sent.bytes, wanted.bytes
            ),
        }
    }
}

/// Finds the sends and receives without a partner, and the sends that are too long.
///
/// # Errors
/// A [`TraceError`] if a file cannot be read.
pub(super) fn unmatched(
    files: &[RankFile],
    surveys: &[RankSurvey],
    guides: &[Arc<Guide>],
    sizes: impl Fn(u32) -> Vec<u32>,
    communicators: &Communicators,
    wrong: &BTreeMap<Receiver, BTreeSet<u32>>,
    block: usize,
) -> Result<Vec<Unmatched>, TraceError> {
    let mut messages = Messages::default();
    let ranks: BTreeSet<u32> = wrong
        .iter()
        .flat_map(|((_, receiver), from)| from.iter().chain([receiver]))
        .copied()
        .collect();
    for rank in ranks {
        let file = &files[rank as usize];
        let mut records = file.records(block)?;
        let guide = Arc::clone(&guides[rank as usize]);
        let doubtful = &surveys[rank as usize].doubtful;
        let mut interpreter = Interpreter::new(files.len() as u32, &sizes(rank), guide);
        let (mut record, mut steps) = (Record::default(), Vec::new());
        while records.read(&mut record).map_err(|error| error.of_rank(rank))? {
            // The survey has told what is wrong with the record.
            let _ = interpreter.follow(&record, &mut steps);
            for step in steps.drain(..) {
                let (sending, receiving) = match step {
                    Step::Send(_, sending, _) => (Some(sending), None),
                    Step::Receive(receiving, _) => (None, Some(receiving)),
                    Step::Sendrecv(sending, receiving) => (Some(sending), Some(receiving)),
                    _ => continue,
                };
                let at = record.position;
                if let Some(sending) = sending {
                    messages.sent(rank, &sending, at, communicators, wrong);
                }
                if let Some(receiving) = receiving {
                    messages.wanted(rank, &receiving, at, doubtful, communicators, wrong);
                }
            }
        }
    }
    Ok(messages.unmatched())
}

impl Messages {
    fn sent(
        &mut self,
        rank: u32,
        sending: &Sending,
        position: Position,
        communicators: &Communicators,
        wrong: &BTreeMap<Receiver, BTreeSet<u32>>,
    ) {
        let Some(number) = communicators.number(rank, sending.communicator) else { return };
        let members = &communicators.members[number as usize];
        let Some(&to) = members.get(sending.destination as usize) else { return };
        if wrong.contains_key(&(number, to)) {
            let Sending { ordinal, bytes, .. } = *sending;
            let sends = self.sends.entry(((number, to), rank)).or_default();
            let sent = Sent { ordinal, position, bytes };
            sends.entry(sending.tag).or_default().push_back(sent);
        }
    }

    fn wanted(
        &mut self,
        rank: u32,
        receiving: &Receiving,
        position: Position,
        doubtful: &BTreeSet<u64>,
        communicators: &Communicators,
        wrong: &BTreeMap<Receiver, BTreeSet<u32>>,
    ) {
        let Some(number) = communicators.number(rank, receiving.communicator) else { return };
        if !wrong.contains_key(&(number, rank)) {
            return;
        }
        let members = &communicators.members[number as usize];
        let source = receiving
            .source
            .map(|source| members.get(source as usize).copied().unwrap_or(u32::MAX));
        let Receiving { tag, bytes, ordinal, .. } = *receiving;
        let cancelled = doubtful.contains(&ordinal);
        let wanted = Wanted { source, tag, bytes, ordinal, position, cancelled };
        self.receives.entry((number, rank)).or_default().push(wanted);
    }

    /// The oldest send that fits.
    fn take(&mut self, receiver: Receiver, source: u32, tag: Option<i32>) -> Option<Sent> {
        let sends = self.sends.get_mut(&(receiver, source))?;
        let tag = match tag {
            Some(tag) => tag,
            None => {
                let filled = sends.iter().filter_map(|(tag, queue)| Some((queue.front()?, tag)));
                *filled.min_by_key(|(sent, _)| sent.ordinal)?.1
            }
        };
        let queue = sends.get_mut(&tag)?;
        let sent = queue.pop_front();
        if queue.is_empty() {
            sends.remove(&tag);
        }
        sent
    }

    fn unmatched(mut self) -> Vec<Unmatched> {
        let mut found = Vec::new();
        for (receiver, wanted) in std::mem::take(&mut self.receives) {
            let senders: Vec<u32> = self
                .sends
                .range((receiver, 0)..=(receiver, u32::MAX))
                .map(|((_, sender), _)| *sender)
                .collect();
            // A receive that may have been cancelled takes what all others leave.
            let (cancelled, wanted): (Vec<Wanted>, Vec<Wanted>) =
                wanted.into_iter().partition(|wanted| wanted.cancelled);
            // Receives with a named source first: the others take what is left.
            let (named, mut wild): (Vec<Wanted>, Vec<Wanted>) =
                wanted.into_iter().partition(|wanted| wanted.source.is_some());
            let certain = wild.is_empty() && cancelled.is_empty();
            // A receive with any tag takes what those with a tag leave.
            wild.sort_by_key(|wanted| wanted.tag.is_none());
            for wanted in named.into_iter().chain(wild).chain(cancelled) {
                let sent = match wanted.source {
                    Some(source) => {
                        let sent = self.take(receiver, source, wanted.tag);
                        sent.map(|sent| (source, sent))
                    }
                    None => senders.iter().find_map(|sender| {
                        let sent = self.take(receiver, *sender, wanted.tag)?;
                        Some((*sender, sent))
                    }),
                };
                if let Some((sender, sent)) = sent {
                    if certain && sent.bytes > wanted.bytes {
                        found.push(Unmatched::too_long(sender, &sent, receiver.1, &wanted));
                    }
                    continue;
                }
                let any = || "any".to_owned();
                let message = format!(
                    "a receive from rank {}, tag {}, which no rank sends",
                    wanted.source.map_or_else(any, |rank| rank.to_string()),
                    wanted.tag.map_or_else(any, |tag| tag.to_string()),
                );
                found.push(Unmatched {
                    rank: receiver.1,
                    ordinal: wanted.ordinal,
                    position: wanted.position,
                    wild: wanted.source.is_none(),
                    cancelled: wanted.cancelled,
                    too_long: false,
                    message,
                });
            }
        }
        for (((_, receiver), rank), tags) in self.sends {
            for (tag, sent) in tags
                .into_iter()
                .flat_map(|(tag, queue)| queue.into_iter().map(move |sent| (tag, sent)))
            {
                let bytes = sent.bytes;
                found.push(Unmatched {
                    rank,
                    ordinal: sent.ordinal,
                    position: sent.position,
                    wild: false,
                    cancelled: false,
                    too_long: false,
                    message: format!(
                        "a send of {bytes} bytes to rank {receiver}, tag {tag}, which is never \
                         received"
                    ),
                });
            }
        }
        found.sort_by_key(|unmatched| (unmatched.rank, unmatched.ordinal));
        found
    }
}
