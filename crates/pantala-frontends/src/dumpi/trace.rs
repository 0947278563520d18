//! A trace whose files have been surveyed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pantala_engine::counted;
use pantala_mpi::{Communicator, RankContext};

use super::collective_order::collectives;
use super::communicators::{CommunicatorNumber, Communicators};
use super::files::{Files, LARGEST_TRACE};
use super::interpreter::Guide;
use super::matching;
use super::rank_file::RankFile;
use super::replay::DumpiRank;
use super::survey::RankSurvey;
use crate::trace::blocks::block_size;
use crate::trace::{ComputeScale, TraceError, TraceFile, TraceSummary};

/// The context of each rank's `COMM_SELF`.
const SELF_CONTEXT: u32 = 1;

/// A DUMPI trace.
#[derive(Debug)]
pub struct DumpiTrace {
    pub(super) files: Vec<RankFile>,
    /// The rank of the first file: above 0 only for the file of one rank.
    pub(super) first: u32,
    /// Bytes of the blocks in which files are read.
    pub(super) block: usize,
    pub(super) surveys: Vec<RankSurvey>,
    pub(super) communicators: Communicators,
    pub(super) guides: Vec<Arc<Guide>>,
    /// The counts of Gatherv and Scatterv, by communicator and number of the call.
    pub(super) vectors: BTreeMap<(CommunicatorNumber, u32), Arc<[u64]>>,
    /// Communicators whose collectives are left out, because ranks disagree about them.
    pub(super) dropped: BTreeSet<CommunicatorNumber>,
    pub(super) uses_self: bool,
    pub(super) warnings: Vec<String>,
    /// The reason for which no job can replay the trace.
    refusal: Option<TraceError>,
}

impl TraceFile for DumpiTrace {
    type Operations = DumpiRank;

    fn files(path: &Path) -> Result<Vec<PathBuf>, TraceError> {
        Ok(Files::find(path)?.ranks)
    }

    fn open(path: &Path) -> Result<Self, TraceError> {
        let found = Files::find(path)?;
        let ranks = found.ranks.len() as u32;
        let files =
            (found.first..).zip(&found.ranks).map(|(rank, file)| RankFile::open(file, rank));
        let files: Vec<RankFile> = files.collect::<Result<_, _>>()?;
        let block = block_size(files.len());
        // A single file may name any rank of its trace.
        let known = if found.single { LARGEST_TRACE } else { ranks };
        let mut interned = Vec::new();
        let surveys = (found.first..)
            .zip(&files)
            .map(|(rank, file)| RankSurvey::of(file, rank, known, block, &mut interned));
        let surveys: Vec<RankSurvey> = surveys.collect::<Result<_, _>>()?;
        let mut trace = Self {
            files,
            first: found.first,
            block,
            surveys,
            communicators: Communicators::default(),
            guides: Vec::new(),
            vectors: BTreeMap::new(),
            dropped: BTreeSet::new(),
            uses_self: false,
            warnings: Vec::new(),
            refusal: None,
        };
        trace.warn();
        if found.single {
            trace.warnings.push(
                "the file of one rank tells neither the number of ranks nor who is in \
                 communicators other than MPI_COMM_WORLD: bytes given to collectives count this \
                 rank alone, and the pairs of ranks lack messages in other communicators"
                    .to_owned(),
            );
            let message = "is the file of one rank; a job replays the files of all ranks: give the \
                           .meta file, its directory or the prefix of the files";
            trace.refusal = Some(TraceError::new(path, message));
            trace.surveys.iter_mut().for_each(|survey| survey.events.clear());
        } else {
            trace.refusal = trace.relate()?;
        }
        Ok(trace)
    }

    fn ranks(&self) -> u32 {
        self.files.len() as u32
    }

    fn check(&self) -> Result<(), TraceError> {
        self.refusal.clone().map_or(Ok(()), Err)
    }

    fn summary(&self) -> Result<TraceSummary, TraceError> {
        Ok(self.summarize(self.refusal.as_ref()))
    }

    fn communicators(&self, rank: &RankContext) -> Vec<Communicator> {
        let own = Communicator::strided(SELF_CONTEXT, rank.rank, 1, 1, 0);
        if self.uses_self { vec![own] } else { Vec::new() }
    }

    fn program(self: &Arc<Self>, scale: ComputeScale, rank: u32) -> DumpiRank {
        DumpiRank::new(Arc::clone(self), scale, rank)
    }
}

impl DumpiTrace {
    /// The sizes of data types of a rank.
    pub(super) fn sizes(&self, rank: u32) -> &[u32] {
        match self.files[rank as usize].sizes() {
            [] => &self.surveys[rank as usize].sizes,
            sizes => sizes,
        }
    }

    fn error(&self, rank: u32, message: String) -> TraceError {
        TraceError::new(self.files[rank as usize].path(), message).of_rank(rank)
    }

    /// Relates the files of all ranks to each other. Returns the reason for which the trace cannot
    /// be replayed, if there is one.
    fn relate(&mut self) -> Result<Option<TraceError>, TraceError> {
        self.uses_self = self.surveys.iter().any(|survey| survey.uses_self);
        let refusal = self.surveys.iter().find_map(|survey| survey.refusal.clone());
        let events = self.surveys.iter_mut().map(|survey| std::mem::take(&mut survey.events));
        match Communicators::rebuild(events.collect()) {
            Ok(communicators) => self.communicators = communicators,
            Err(unmatched) => {
                return Ok(refusal.or(Some(self.error(unmatched.rank, unmatched.message))));
            }
        }
        self.guides = self.surveys.iter().map(|survey| Arc::new(survey.guide.clone())).collect();
        for (rank, survey) in (0..).zip(&self.surveys) {
            for (local, call, counts) in &survey.vectors {
                if let Some(number) = self.communicators.number(rank, *local) {
                    self.vectors.insert((number, *call), Arc::clone(counts));
                }
            }
        }
        if refusal.is_some() {
            return Ok(refusal);
        }
        if let Some(outside) = self.rank_outside().or_else(|| self.list_outside()) {
            return Ok(Some(outside));
        }
        let incomplete = self.surveys.iter().any(|survey| survey.ignored > 0 || survey.lost > 0);
        if let Some(refusal) = self.match_collectives(incomplete)? {
            return Ok(Some(refusal));
        }
        self.match_messages(incomplete)
    }

    /// A message or a root that names a rank outside of its communicator.
    fn rank_outside(&self) -> Option<TraceError> {
        (0..).zip(&self.surveys).find_map(|(rank, survey)| {
            let size = |local: u32| {
                self.communicators.members(rank, local).map_or(0, |members| members.len() as u32)
            };
            let partner =
                survey.tallies.iter().find(|((local, partner), _)| *partner >= size(*local));
            if let Some(((local, partner), tally)) = partner {
                let size = size(*local);
                let message = format!(
                    "a message with rank {partner} of a communicator of {size} ranks; the file is \
                     corrupt, or of another trace"
                );
                return Some(self.error(rank, message).at(tally.first));
            }
            let (local, sequence) =
                survey.collectives.iter().find(|(local, calls)| calls.root >= size(**local))?;
            let (root, size) = (sequence.root, size(*local));
            let message =
                format!("a collective with root {root} of a communicator of {size} ranks");
            Some(self.error(rank, message))
        })
    }

    /// A collective whose list of sizes is not as long as its communicator.
    fn list_outside(&self) -> Option<TraceError> {
        (0..).zip(&self.surveys).find_map(|(rank, survey)| {
            survey.lists.iter().find_map(|((local, length), (position, name))| {
                let size = self.communicators.members(rank, *local).map_or(0, |all| all.len());
                let message = format!(
                    "MPI_{name} has {} in a communicator of {size} ranks; the file is corrupt",
                    counted(*length as u64, "size")
                );
                (*length != size).then(|| self.error(rank, message).at(*position))
            })
        })
    }

    /// Compares the collectives of all members of each communicator.
    fn match_collectives(&mut self, incomplete: bool) -> Result<Option<TraceError>, TraceError> {
        for (number, members) in (0..).zip(&self.communicators.members) {
            // A rank that makes no call has no entry.
            let mut seen = None;
            for &rank in members.iter() {
                let found = &self.communicators.ranks[rank as usize].numbers;
                // Communicators of one rank cannot disagree.
                if members.len() < 2 {
                    break;
                }
                let Some(local) = found.iter().position(|known| *known == Some(number)) else {
                    continue;
                };
                let survey = &self.surveys[rank as usize];
                let calls = survey.collectives.get(&(local as u32)).copied().unwrap_or_default();
                let (first, local_there, expected) = *seen.get_or_insert((rank, local, calls));
                if calls.hash == expected.hash && calls.calls == expected.calls {
                    continue;
                }
                let size = members.len();
                if incomplete {
                    self.dropped.insert(number);
                    self.warnings.push(format!(
                        "the collectives of a communicator of {size} ranks are left out: rank \
                         {first} recorded {} of them, rank {rank} {}, or other ones",
                        expected.calls, calls.calls
                    ));
                    break;
                }
                if let Some(difference) =
                    self.first_difference((first, local_there), (rank, local), size)?
                {
                    return Ok(Some(difference));
                }
                let message = format!(
                    "calls {} in a communicator of {size} ranks, where rank {first} \
                     calls {}, or other ones; the files are incomplete, or of several runs",
                    counted(calls.calls, "collective"),
                    expected.calls
                );
                return Ok(Some(self.error(rank, message)));
            }
        }
        Ok(None)
    }

    /// The first collective that the second of two ranks calls differently in a communicator.
    /// Each rank names it in its own way.
    fn first_difference(
        &self,
        (first, there): (u32, usize),
        (rank, here): (u32, usize),
        size: usize,
    ) -> Result<Option<TraceError>, TraceError> {
        let ranks = self.files.len() as u32;
        let of = |rank: u32, local: usize| {
            let file = &self.files[rank as usize];
            collectives(file, ranks, self.sizes(rank), self.block, local as u32)
                .map_err(|error| error.of_rank(rank))
        };
        let (one, two) = (of(first, there)?, of(rank, here)?);
        let mut pairs = one.iter().zip(&two).enumerate();
        Ok(pairs.find(|(_, (one, two))| !one.agrees(two)).map(|(number, (one, two))| {
            let message = format!(
                "collective {number} of a communicator of {size} ranks is {two}, and on rank {first} \
                 it is {one}; the files are incomplete, or of several runs, or the program is wrong"
            );
            self.error(rank, message).at(two.position)
        }))
    }

    /// Finds messages without a partner. In an incomplete trace the replay leaves them out.
    fn match_messages(&mut self, incomplete: bool) -> Result<Option<TraceError>, TraceError> {
        let wrong = matching::unbalanced(&self.surveys, &self.communicators);
        if wrong.is_empty() {
            return Ok(None);
        }
        let sizes = |rank| self.sizes(rank).to_vec();
        let (files, surveys, guides) = (&self.files, &self.surveys, &self.guides);
        let communicators = &self.communicators;
        let found =
            matching::unmatched(files, surveys, guides, sizes, communicators, &wrong, self.block)?;
        let faults = || found.iter().filter(|unmatched| !unmatched.cancelled);
        if let Some(first) = faults().find(|unmatched| !unmatched.wild && !incomplete) {
            let mut message = first.message.clone();
            match faults().count() - 1 {
                0 => {}
                1 => message += "; 1 more message has no partner, or does not fit",
                more => {
                    message += &format!("; {more} more messages have no partner, or do not fit");
                }
            }
            return Ok(Some(self.error(first.rank, message).at(first.position)));
        }
        let found: Vec<_> = found.into_iter().filter(|unmatched| !unmatched.too_long).collect();
        let (wild, named): (Vec<_>, Vec<_>) = found
            .iter()
            .filter(|unmatched| !unmatched.cancelled)
            .partition(|unmatched| unmatched.wild);
        for (count, reason) in [
            (wild.len(), "receives from any rank get no message; they count as MPI_PROC_NULL"),
            (named.len(), "sends and receives have no recorded partner; they are left out"),
        ] {
            if count > 0 {
                self.warnings.push(format!("{count} {reason}"));
            }
        }
        for unmatched in found {
            let guide = &mut self.guides[unmatched.rank as usize];
            Arc::make_mut(guide).skipped.push(unmatched.ordinal);
        }
        for guide in &mut self.guides {
            if !guide.skipped.is_sorted() {
                Arc::make_mut(guide).skipped.sort_unstable();
            }
        }
        Ok(None)
    }
}
