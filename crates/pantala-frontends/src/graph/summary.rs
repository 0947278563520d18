//! The summary of a trace that is a graph.

use std::collections::BTreeMap;

use super::task::Task;
use crate::trace::{PairSummary, RankSummary, TraceFormat, TraceSummary};

/// Adds the tasks of all ranks up, rank by rank.
#[derive(Debug)]
pub struct Tally {
    summary: TraceSummary,
    /// Messages and bytes to each rank from the present one.
    partners: BTreeMap<u32, (u64, u64)>,
}

impl Tally {
    /// No ranks.
    #[must_use]
    pub const fn new(format: TraceFormat, file_bytes: u64) -> Self {
        Self {
            summary: TraceSummary {
                format,
                ranks: 0,
                file_bytes,
                records: 0,
                duration_ps: 0,
                compute_share: None,
                calls: BTreeMap::new(),
                by_rank: Vec::new(),
                matrix: Vec::new(),
                warnings: Vec::new(),
            },
            partners: BTreeMap::new(),
        }
    }

    /// Begins the next rank.
    pub fn rank(&mut self) {
        self.close();
        let rank = self.summary.ranks;
        self.summary.by_rank.push(RankSummary { rank, ..RankSummary::default() });
        self.summary.ranks += 1;
    }

    /// Adds a task of the present rank.
    pub fn add(&mut self, task: &Task) {
        let Some(rank) = self.summary.by_rank.last_mut() else {
            return;
        };
        rank.records += 1;
        self.summary.records += 1;
        let name = match *task {
            Task::Nothing => "other",
            Task::Compute { time, .. } => {
                rank.compute_ps = rank.compute_ps.saturating_add(time);
                "compute"
            }
            Task::Send { bytes, peer, .. } => {
                rank.messages += 1;
                rank.bytes = rank.bytes.saturating_add(bytes);
                let (messages, sum) = self.partners.entry(peer).or_default();
                *messages += 1;
                *sum = sum.saturating_add(bytes);
                "send"
            }
            Task::Receive { .. } => "recv",
            Task::Collective { bytes, root, kind, .. } => {
                let call = kind.call(bytes, root);
                // A barrier moves no bytes, whatever its node says.
                let moved = call.bytes().map_or(0, |_| bytes);
                rank.collective_bytes = rank.collective_bytes.saturating_add(moved);
                call.kind().name()
            }
        };
        if let Some(count) = rank.calls.get_mut(name) {
            *count += 1;
        } else {
            rank.calls.insert(name.to_owned(), 1);
        }
    }

    /// Adds a line about something that the replay leaves out.
    pub fn warn(&mut self, warning: String) {
        self.summary.warnings.push(warning);
    }

    fn close(&mut self) {
        let Some(rank) = self.summary.by_rank.last() else {
            return;
        };
        for (name, count) in &rank.calls {
            *self.summary.calls.entry(name.clone()).or_default() += count;
        }
        let pairs = std::mem::take(&mut self.partners);
        self.summary.matrix.extend(pairs.into_iter().map(|(destination, (messages, bytes))| {
            PairSummary { source: rank.rank, destination, messages, bytes }
        }));
    }

    /// The summary.
    #[must_use]
    pub fn finish(mut self) -> TraceSummary {
        self.close();
        self.summary
    }
}
