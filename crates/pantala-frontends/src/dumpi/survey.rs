//! The survey: one pass over all files before a run.
//!
//! It counts calls, messages and bytes, and finds what no single rank's records tell: the groups of
//! communicators, the counts of Gatherv and Scatterv, what receives with wildcards have matched, and
//! messages without a partner. Its memory grows with the number of pairs of ranks that communicate,
//! not with the number of records.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pantala_engine::random::mix;
use pantala_mpi::Call;

use super::data_types::DataTypes;
use super::functions::Function;
use super::given::Given;
use super::interpreter::{Guide, Interpreter, RankClock};
use super::rank_file::{RankFile, Records};
use super::record::Record;
use super::steps::{Event, Local, Receiving, SELF, Sending, Step};
use crate::trace::collectives::{common_bytes, hashed};
use crate::trace::{Position, TraceError};

/// Most receives of a rank whose match is kept. Later ones keep their wildcards.
const MAX_RESOLVED: usize = 1 << 20;

/// The messages between a rank and a partner in one communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) sends: u64,
    pub(super) bytes: u64,
    pub(super) receives: u64,
    /// The tags and sizes of the sends and of the receives.
    pub(super) sent: Envelopes,
    pub(super) wanted: Envelopes,
    /// The record of the first one.
    pub(super) first: Position,
}

/// The tags and sizes of messages to or from one partner, as sums and hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Envelopes {
    /// A sum over tags, in any order.
    tags: u64,
    /// A hash of tags and sizes, in order.
    order: u64,
    longest: u64,
    shortest: u64,
}

impl Envelopes {
    const NONE: Self = Self { tags: 0, order: 0, longest: 0, shortest: u64::MAX };

    fn add(&mut self, tag: Option<i32>, bytes: u64) {
        // A receive with any tag has a value that no tag has.
        let tag = tag.map_or(u64::MAX, |tag| u64::from(tag as u32));
        self.tags = self.tags.wrapping_add(mix(tag) | 1);
        self.order = hashed(hashed(self.order, mix(tag)), bytes);
        self.longest = self.longest.max(bytes);
        self.shortest = self.shortest.min(bytes);
    }

    /// Whether every send certainly fits a receive with these envelopes, as many in number.
    pub(super) const fn fit(&self, wanted: &Self) -> bool {
        self.tags == wanted.tags && (self.order == wanted.order || self.longest <= wanted.shortest)
    }
}

/// The collectives of a rank in one communicator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sequence {
    pub(super) calls: u64,
    /// A hash of the calls and their roots, in order.
    pub(super) hash: u64,
    /// The largest root.
    pub(super) root: u32,
}

/// What one rank's file tells.
#[derive(Clone, Debug, Default)]
pub(super) struct RankSurvey {
    /// Number of records by function.
    pub(super) calls: Vec<u64>,
    pub(super) records: u64,
    pub(super) clock: RankClock,
    pub(super) messages: u64,
    pub(super) bytes: u64,
    /// By communicator and partner, both as the rank names them.
    pub(super) tallies: BTreeMap<(Local, u32), Tally>,
    /// Number of receives from any rank, by communicator.
    pub(super) wild: BTreeMap<Local, u64>,
    pub(super) collectives: BTreeMap<Local, Sequence>,
    /// The collectives with a size for each rank: by communicator and number of sizes, the first
    /// call.
    pub(super) lists: BTreeMap<(Local, usize), (Position, &'static str)>,
    /// The bytes that the rank gives to collectives.
    pub(super) given: Given,
    /// The counts of Gatherv and Scatterv calls whose root is this rank: the number of the call in
    /// its communicator, and the bytes of each rank.
    pub(super) vectors: Vec<(Local, u32, Arc<[u64]>)>,
    pub(super) events: Vec<Event>,
    pub(super) guide: Guide,
    /// Receives that the program tried to cancel, and no status says whether they were.
    pub(super) doubtful: BTreeSet<u64>,
    /// Sizes of data types that the end of a text file names.
    pub(super) sizes: Vec<u32>,
    /// Calls that were not recorded because profiling was off.
    pub(super) ignored: u64,
    /// Whether the footer's counts are those of the records.
    pub(super) miscounted: Option<Function>,
    pub(super) lost: u64,
    pub(super) threads: bool,
    pub(super) timed: bool,
    /// The first record that cannot be replayed.
    pub(super) refusal: Option<TraceError>,
    /// Whether the rank communicates with itself through `COMM_SELF`.
    pub(super) uses_self: bool,
}

/// A pass over one rank's file.
struct Pass<'a> {
    found: RankSurvey,
    /// The communicator, tag and size of each receive from any rank that has not completed.
    open: BTreeMap<u64, (Local, Option<i32>, u64)>,
    /// Number of Gatherv and Scatterv calls by communicator.
    vector_calls: BTreeMap<Local, u32>,
    interned: &'a mut Vec<Arc<[u64]>>,
}

impl RankSurvey {
    /// Surveys the file of a rank.
    ///
    /// # Errors
    /// A [`TraceError`] if the file cannot be read or is corrupt.
    pub(super) fn of(
        file: &RankFile,
        rank: u32,
        ranks: u32,
        block: usize,
        interned: &mut Vec<Arc<[u64]>>,
    ) -> Result<Self, TraceError> {
        let found = Self::with_sizes(file, file.sizes(), rank, ranks, block, interned)?;
        // The table of a text file follows its records. It matters if it changes a size, or has the
        // size of a type that no record makes.
        let late = matches!(file, RankFile::Text(_)) && !found.sizes.is_empty();
        if late && (found.refusal.is_some() || DataTypes::changes(&found.sizes)) {
            return Self::with_sizes(file, &found.sizes, rank, ranks, block, interned);
        }
        Ok(found)
    }

    /// Surveys the file of a rank with sizes of data types.
    fn with_sizes(
        file: &RankFile,
        sizes: &[u32],
        rank: u32,
        ranks: u32,
        block: usize,
        interned: &mut Vec<Arc<[u64]>>,
    ) -> Result<Self, TraceError> {
        let mut records = file.records(block)?;
        let mut interpreter = Interpreter::new(ranks, sizes, Arc::default());
        let mut pass = Pass {
            found: Self { calls: vec![0; Function::ALL.len()], ..Self::default() },
            open: BTreeMap::new(),
            vector_calls: BTreeMap::new(),
            interned,
        };
        let (mut record, mut steps) = (Record::default(), Vec::new());
        while records.read(&mut record).map_err(|error| error.of_rank(rank))? {
            pass.found.records += 1;
            pass.found.calls[record.function as usize] += 1;
            pass.found.timed |= record.times().is_some();
            let refused = interpreter.follow(&record, &mut steps).err();
            if let Some(message) = refused.filter(|_| pass.found.refusal.is_none()) {
                let error = TraceError::new(file.path(), message);
                pass.found.refusal = Some(error.at(record.position).of_rank(rank));
            }
            steps.drain(..).for_each(|step| pass.follow(step, record.position));
        }
        let mut found = pass.finish(&interpreter);
        if let Records::Text(text) = &records {
            found.sizes.clone_from(&text.sizes);
            found.ignored = text.ignored;
        }
        if let Some(footer) = file.footer() {
            found.ignored = footer.ignored[..Function::COUNTED].iter().map(|n| u64::from(*n)).sum();
            let counts = footer.called.iter().zip(&footer.ignored).zip(&found.calls);
            let differs = |called: u32, ignored: u32, records: u64| {
                let records = records as u32;
                records != called && records != called.wrapping_sub(ignored)
            };
            found.miscounted = (0..Function::COUNTED as u16)
                .zip(counts)
                .find(|(_, ((called, ignored), records))| differs(**called, **ignored, **records))
                .and_then(|(number, _)| Function::numbered(number));
        }
        Ok(found)
    }
}

impl Pass<'_> {
    fn follow(&mut self, step: Step, position: Position) {
        match step {
            Step::Send(_, sending, _) => self.send(&sending, position),
            Step::Receive(receiving, _) => self.receive(&receiving, position),
            Step::Sendrecv(sending, receiving) => {
                self.send(&sending, position);
                self.receive(&receiving, position);
            }
            Step::Resolved(ordinal, source, tag) => {
                let Some((local, asked, bytes)) = self.open.remove(&ordinal) else {
                    if self.found.guide.resolved.len() < MAX_RESOLVED {
                        self.found.guide.resolved.push((ordinal, source, tag));
                    }
                    return;
                };
                if self.found.guide.resolved.len() < MAX_RESOLVED {
                    self.found.guide.resolved.push((ordinal, source, tag));
                    let tally = self.tally(local, source, position);
                    tally.receives += 1;
                    tally.wanted.add(asked.or(Some(tag).filter(|tag| *tag >= 0)), bytes);
                    if let Some(wild) = self.found.wild.get_mut(&local) {
                        *wild -= 1;
                    }
                }
            }
            Step::Cancelled(ordinal, None) => {
                self.found.doubtful.insert(ordinal);
            }
            Step::Cancelled(ordinal, Some(cancelled)) => {
                self.found.doubtful.remove(&ordinal);
                if cancelled {
                    self.found.guide.skipped.push(ordinal);
                }
            }
            Step::Collective(local, call) => self.collective(local, &call, position),
            Step::Vector { communicator, scatter, root, counts, given } => {
                self.found.given.vector(communicator, given);
                let number = self.vector_calls.entry(communicator).or_default();
                let call = *number;
                *number += 1;
                if let Some(counts) = counts {
                    let name = if scatter { "Scatterv" } else { "Gatherv" };
                    self.list(communicator, counts.len(), name, position);
                    let counts = self.intern(counts);
                    self.found.vectors.push((communicator, call, counts));
                }
                self.sequence(communicator, 100 + u64::from(scatter), root);
            }
            Step::Communicator(event) => {
                self.found.uses_self |= event.old() == Some(SELF);
                self.found.events.push(event);
            }
            Step::Compute(_) | Step::Probe(_) | Step::Wait(_) | Step::Free(_) | Step::Finalize => {}
        }
    }

    fn tally(&mut self, communicator: Local, partner: u32, position: Position) -> &mut Tally {
        self.found.uses_self |= communicator == SELF;
        let none = Tally {
            sends: 0,
            bytes: 0,
            receives: 0,
            sent: Envelopes::NONE,
            wanted: Envelopes::NONE,
            first: position,
        };
        self.found.tallies.entry((communicator, partner)).or_insert(none)
    }

    fn send(&mut self, sending: &Sending, position: Position) {
        self.found.messages += 1;
        self.found.bytes = self.found.bytes.saturating_add(sending.bytes);
        let tally = self.tally(sending.communicator, sending.destination, position);
        tally.sends += 1;
        tally.bytes = tally.bytes.saturating_add(sending.bytes);
        tally.sent.add(Some(sending.tag), sending.bytes);
    }

    fn receive(&mut self, receiving: &Receiving, position: Position) {
        let Receiving { communicator, source, tag, bytes, ordinal } = *receiving;
        if let Some(source) = source {
            let tally = self.tally(communicator, source, position);
            tally.receives += 1;
            tally.wanted.add(tag, bytes);
        } else {
            self.found.uses_self |= communicator == SELF;
            *self.found.wild.entry(communicator).or_default() += 1;
            self.open.insert(ordinal, (communicator, tag, bytes));
            // A program without statuses would keep all of them.
            if self.open.len() > MAX_RESOLVED {
                self.open.pop_first();
            }
        }
    }

    fn collective(&mut self, local: Local, call: &Call, position: Position) {
        match call {
            Call::Allgatherv { counts } => {
                self.list(local, counts.len(), "Allgatherv", position);
            }
            Call::ReduceScatter { counts } => {
                self.list(local, counts.len(), "Reduce_scatter", position);
            }
            Call::Alltoallv { pairs } => {
                self.list(local, pairs.receive.len(), "Alltoallv", position);
            }
            _ => {}
        }
        self.found.given.add(local, call);
        let kind = hashed(call.kind() as u64, common_bytes(call).unwrap_or(0));
        self.sequence(local, kind, call.root());
    }

    /// Notes the number of sizes of a call.
    fn list(&mut self, local: Local, length: usize, name: &'static str, position: Position) {
        self.found.lists.entry((local, length)).or_insert((position, name));
    }

    fn sequence(&mut self, local: Local, kind: u64, root: u32) {
        self.found.uses_self |= local == SELF;
        let sequence = self.found.collectives.entry(local).or_default();
        sequence.calls += 1;
        sequence.root = sequence.root.max(root);
        for value in [kind, u64::from(root)] {
            sequence.hash = hashed(sequence.hash, value);
        }
    }

    /// Equal lists share their memory. Programs repeat few of them.
    fn intern(&mut self, counts: Vec<u64>) -> Arc<[u64]> {
        if let Some(known) = self.interned.iter().rev().take(64).find(|known| ***known == *counts) {
            return Arc::clone(known);
        }
        let counts: Arc<[u64]> = counts.into();
        self.interned.push(Arc::clone(&counts));
        counts
    }

    fn finish(mut self, interpreter: &Interpreter) -> RankSurvey {
        self.found.clock = *interpreter.clock();
        self.found.lost = interpreter.lost;
        self.found.threads = interpreter.threads;
        self.found.guide.skipped.sort_unstable();
        self.found.guide.resolved.sort_unstable();
        self.found.guide.resolved.dedup_by_key(|(ordinal, ..)| *ordinal);
        self.found
    }
}
