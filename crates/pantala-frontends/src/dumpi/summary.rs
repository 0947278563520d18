//! The summary of a trace, from its survey.

use std::collections::BTreeMap;

use pantala_engine::counted;

use super::functions::{FILES, Function, Meaning};
use super::rank_file::RankFile;
use super::steps::WORLD;
use super::survey::RankSurvey;
use super::trace::DumpiTrace;
use crate::trace::{PairSummary, RankSummary, TraceError, TraceFormat, TraceSummary};

/// Picoseconds per nanosecond.
const PICOSECONDS: u64 = 1_000;

/// Whether a call is on a file and makes a request.
fn makes_request_of_file(function: Function) -> bool {
    let declaration = function.declaration();
    declaration.meaning == Meaning::Ignored(FILES)
        && declaration.fields.iter().any(|field| field.name == "request")
}

impl DumpiTrace {
    /// Collects what the files show that the replay leaves out or cannot know.
    pub(super) fn warn(&mut self) {
        let surveys = &self.surveys;
        let sum = |count: fn(&RankSurvey) -> u64| surveys.iter().map(count).sum::<u64>();
        let ranks = |holds: &dyn Fn(&RankSurvey) -> bool| {
            surveys.iter().filter(|survey| holds(survey)).count()
        };
        let mut warnings = Vec::new();
        let ignored = sum(|survey| survey.ignored);
        if ignored > 0 {
            warnings.push(format!(
                "{ignored} calls on {} ranks are not recorded: the program switched profiling off",
                ranks(&|survey| survey.ignored > 0)
            ));
        }
        let lost = sum(|survey| survey.lost);
        if lost > 0 {
            let files = |survey: &RankSurvey| {
                let mut calls = Function::ALL.iter().zip(&survey.calls);
                calls.any(|(function, calls)| *calls > 0 && makes_request_of_file(*function))
            };
            let files = if surveys.iter().any(files) {
                "of files, whose numbers DUMPI counts apart, or "
            } else {
                ""
            };
            warnings.push(format!(
                "{lost} waits are for requests {files}of no recorded call; DUMPI does not record \
                 MPI-3 calls such as MPI_Iallreduce, so their traffic is lost"
            ));
        }
        let threads = ranks(&|survey| survey.threads);
        if threads > 0 {
            warnings.push(format!(
                "{threads} ranks call MPI from several threads; their calls are replayed one after \
                 the other, in the order of the records"
            ));
        }
        let set_back = sum(|survey| survey.clock.set_back.0);
        if set_back > 0 {
            let most = surveys.iter().map(|survey| survey.clock.set_back.1).max().unwrap_or(0);
            warnings.push(format!(
                "clocks were set back {} on {}, by {most} ns at most; the computing between the two \
                 calls counts as zero",
                counted(set_back, "time"),
                counted(ranks(&|survey| survey.clock.set_back.0 > 0) as u64, "rank")
            ));
        }
        if ranks(&|survey| survey.timed) == 0 {
            warnings.push("the records have no times, so there is no computing".to_owned());
        }
        let cut = |(file, survey): (&RankFile, &RankSurvey)| {
            let is_text = matches!(file, RankFile::Text(_));
            is_text && survey.records > 0 && survey.calls[Function::Finalize as usize] == 0
        };
        let ends = self.files.iter().zip(surveys).filter(|each| cut(*each)).count();
        if ends > 0 {
            warnings.push(format!(
                "{ends} of {} files end without MPI_Finalize, so they may be cut off",
                surveys.len()
            ));
        }
        for (rank, survey) in (0..).zip(surveys) {
            if let Some(function) = survey.miscounted {
                warnings.push(format!(
                    "the footer of rank {rank} counts another number of {} than the records; the \
                     file may be incomplete",
                    function.mpi_name()
                ));
                break;
            }
        }
        for (number, function) in Function::ALL.iter().enumerate() {
            let Meaning::Ignored(reason) = function.declaration().meaning else { continue };
            let calls: u64 = surveys.iter().map(|survey| survey.calls[number]).sum();
            if calls > 0 && reason != super::functions::LOCAL {
                warnings.push(format!("{calls} {} are left out: {reason}", function.mpi_name()));
            }
        }
        self.warnings = warnings;
    }

    pub(super) fn summarize(&self, refusal: Option<&TraceError>) -> TraceSummary {
        let names = |calls: &[u64]| -> BTreeMap<String, u64> {
            let named = Function::ALL.iter().zip(calls).filter(|(_, calls)| **calls > 0);
            named.map(|(function, calls)| (function.mpi_name(), *calls)).collect()
        };
        let mut calls: BTreeMap<String, u64> = BTreeMap::new();
        let mut by_rank = Vec::new();
        let ranks = self.files.len() as u32;
        for (rank, survey) in (self.first..).zip(&self.surveys) {
            let of_rank = names(&survey.calls);
            for (name, count) in &of_rank {
                *calls.entry(name.clone()).or_default() += count;
            }
            by_rank.push(RankSummary {
                rank,
                records: survey.records,
                duration_ps: survey.clock.duration().saturating_mul(PICOSECONDS),
                compute_ps: survey.clock.computing.saturating_mul(PICOSECONDS),
                messages: survey.messages,
                bytes: survey.bytes,
                collective_bytes: survey.given.total(&self.communicators, rank, ranks),
                calls: of_rank,
            });
        }
        let duration_ps = by_rank.iter().map(|rank| rank.duration_ps).max().unwrap_or(0);
        let time: u128 = by_rank.iter().map(|rank| u128::from(rank.duration_ps)).sum();
        let computing: u128 = by_rank.iter().map(|rank| u128::from(rank.compute_ps)).sum();
        let mut warnings = self.warnings.clone();
        if let Some(refusal) = refusal {
            warnings.insert(0, format!("a job cannot replay the trace: {refusal}"));
        }
        let length =
            |path| std::fs::metadata(path).map_or(0, |metadata: std::fs::Metadata| metadata.len());
        TraceSummary {
            format: TraceFormat::Dumpi,
            ranks,
            file_bytes: self.files.iter().map(|file| length(file.path())).sum(),
            records: by_rank.iter().map(|rank| rank.records).sum(),
            duration_ps,
            compute_share: (time > 0).then(|| computing as f64 / time as f64),
            calls,
            by_rank,
            matrix: self.matrix(),
            warnings,
        }
    }

    fn matrix(&self) -> Vec<PairSummary> {
        let mut pairs: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
        for (rank, survey) in (self.first..).zip(&self.surveys) {
            for ((local, partner), tally) in &survey.tallies {
                // Communicators of a single file are unknown, except the world.
                let partner = match self.communicators.members(rank, *local) {
                    Some(members) => members.get(*partner as usize).copied(),
                    None => (*local == WORLD).then_some(*partner),
                };
                if let Some(partner) = partner.filter(|_| tally.sends > 0) {
                    let pair = pairs.entry((rank, partner)).or_default();
                    pair.0 += tally.sends;
                    pair.1 = pair.1.saturating_add(tally.bytes);
                }
            }
        }
        let summary = |((source, destination), (messages, bytes))| PairSummary {
            source,
            destination,
            messages,
            bytes,
        };
        pairs.into_iter().map(summary).collect()
    }
}
