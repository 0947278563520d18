//! A program as the plan names it, and the programs of its ranks.

use std::collections::BTreeMap;
use std::sync::Arc;

use pantala_mpi::{
    Communicator, Fault, Op, OperationSource, OperationStream, Outcome, Place, RankContext,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::compile::{ArgumentValue, OptionError, compile, option_values};
use crate::compiled::view::Failure;
use crate::language::source::Source;
use crate::language::{Diagnostic, read};
use crate::run::job::{Job, Limits};
use crate::run::log::Log;
use crate::run::rank::NcptlRank;
use crate::run::repetitions::Repetitions;
use pantala_frontends::opened::Opened;

/// A coNCePTuaL program with its arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NcptlSpec {
    /// Name of the program's file, for messages.
    pub file: String,
    /// The text of the program.
    pub source: String,
    /// Values of the program's options, by the names of their variables.
    #[serde(default)]
    pub arguments: BTreeMap<String, ArgumentValue>,
    /// The texts of the files that the program reads, by name. Files without a text are read from
    /// the file system.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, String>,
    /// Seed of the random tasks.
    pub seed: u64,
    /// Time that a task needs to touch one byte of memory, in femtoseconds.
    pub touch_per_byte_fs: u64,
    #[serde(skip)]
    #[schemars(skip)]
    limits: Limits,
    #[serde(skip)]
    #[schemars(skip)]
    opened: Opened<Job>,
}

impl NcptlSpec {
    /// A program with its arguments.
    #[must_use]
    pub fn new(
        file: &str,
        source: &str,
        arguments: BTreeMap<String, ArgumentValue>,
        seed: u64,
        touch_per_byte_fs: u64,
    ) -> Self {
        let (file, source) = (file.to_owned(), source.to_owned());
        let (limits, opened) = (Limits::default(), Opened::default());
        let data = BTreeMap::new();
        Self { file, source, arguments, data, seed, touch_per_byte_fs, limits, opened }
    }

    /// The program with other bounds of its work.
    #[must_use]
    pub fn within(self, limits: Limits) -> Self {
        Self { limits, opened: Opened::default(), ..self }
    }

    fn open(&self, ranks: u32) -> Result<Job, Fault> {
        let source = Source::new(&self.file, &self.source);
        let (program, _) = read(&source).map_err(|errors| self.diagnosed(&errors, &source))?;
        let options = option_values(&program, &self.arguments)
            .map_err(|error| self.wrong_option(&error, &source))?;
        let code = compile(&program, ranks, &options, &self.data)
            .map_err(|failure| self.failed(&failure, &source))?;
        Job::new(source, code, ranks, self.seed, self.touch_per_byte_fs, self.limits)
            .map_err(|(source, failure)| self.failed(&failure, &source))
    }

    fn diagnosed(&self, errors: &[Diagnostic], source: &Source) -> Fault {
        let Some(first) = errors.first() else {
            return Fault::new("file", &self.file, "the program is wrong", "correct it");
        };
        let at = source.location(first.span.start);
        let more = match errors.len() - 1 {
            0 => String::new(),
            1 => " (and one more error)".to_owned(),
            more => format!(" (and {more} more errors)"),
        };
        let message = format!("line {}, column {}: {}{more}", at.line, at.column, first.text());
        Fault::new("file", &self.file, message, "correct the program (pantala ncptl check)")
    }

    fn failed(&self, failure: &Failure, source: &Source) -> Fault {
        let at = source.location(failure.span.start);
        let message = format!("line {}, column {}: {}", at.line, at.column, failure.message);
        let remedy = "correct the program, its arguments or the number of ranks";
        Fault::new("file", &self.file, message, remedy)
    }

    fn wrong_option(&self, error: &OptionError, source: &Source) -> Fault {
        match error {
            OptionError::Unknown { argument, options } => {
                let remedy = if options.is_empty() {
                    "remove it: the program has no options".to_owned()
                } else {
                    format!("the program has the options {}", options.join(", "))
                };
                let key = format!("arguments.{argument}");
                Fault::new(&key, &self.arguments[argument], "there is no such option", remedy)
            }
            OptionError::NoInteger { argument, value } => Fault::new(
                &format!("arguments.{argument}"),
                value,
                "the value is no integer",
                "write an integer, with an ending K, M, G, T or E3 if you like",
            ),
            OptionError::Twice { argument, other } => Fault::new(
                &format!("arguments.{argument}"),
                &self.arguments[argument],
                format!("{other} sets the same option"),
                "remove one of both",
            ),
            OptionError::Default(failure) => self.failed(failure, source),
        }
    }
}

impl OperationSource for NcptlSpec {
    type Operations = NcptlOperations;

    fn check(&self, ranks: u32) -> Result<(), Fault> {
        let job = self.opened.or_open(|| self.open(ranks))?;
        if job.ranks == ranks { Ok(()) } else { self.open(ranks).map(|_| ()) }
    }

    fn communicators(&self, rank: &RankContext) -> Vec<Communicator> {
        self.job(rank.ranks).map_or(Vec::new(), |job| job.groups.communicators(rank.rank))
    }

    fn program(&self, rank: RankContext) -> NcptlOperations {
        NcptlOperations(self.job(rank.ranks).map(|job| Box::new(NcptlRank::new(job, rank.rank))))
    }
}

impl NcptlSpec {
    /// The loops of the program on so many ranks whose repetitions are equal, in the order of the
    /// run.
    #[must_use]
    pub fn repetitions(&self, ranks: u32) -> Vec<Repetitions> {
        self.job(ranks).map_or(Vec::new(), |job| job.repetitions.clone())
    }

    /// The shared part; none if the program is wrong, which a check has found.
    fn job(&self, ranks: u32) -> Option<Arc<Job>> {
        let job = self.opened.or_open(|| self.open(ranks)).ok()?;
        if job.ranks == ranks { Some(job) } else { self.open(ranks).ok().map(Arc::new) }
    }
}

/// The program of one rank.
#[derive(Clone, Debug)]
pub struct NcptlOperations(Option<Box<NcptlRank>>);

impl NcptlOperations {
    /// Marks the repetitions of [`NcptlSpec::repetitions`] from now on, as unseen iterations.
    pub fn mark_repetitions(&mut self) {
        self.0.iter_mut().for_each(|rank| rank.mark_repetitions());
    }

    /// Moves the clock that the program sees on.
    pub fn skip(&mut self, time: pantala_engine::Time) {
        self.0.iter_mut().for_each(|rank| rank.skip(time));
    }

    /// What the rank has logged and printed so far, if anything.
    #[must_use]
    pub fn log(&self) -> Option<Log> {
        self.0.as_ref()?.log()
    }
}

impl OperationStream for NcptlOperations {
    #[inline]
    fn next(&mut self, now: pantala_engine::Time, outcome: &Outcome) -> Option<Op> {
        self.0.as_mut()?.next(now, outcome)
    }

    fn place(&self) -> Option<Place> {
        self.0.as_ref()?.place()
    }
}
