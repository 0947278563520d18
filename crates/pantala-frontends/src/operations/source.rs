//! The plan's `operations` workload: a job that replays an operation file.

use std::path::Path;
use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::{
    Communicator, Fault, Op, OperationSource, OperationStream, Outcome, RankContext,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contents::Contents;
use super::replay::Replay;
use crate::opened::Opened;

/// The operations of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OperationFile {
    /// The file.
    pub path: String,
    /// The SHA-256 of its content.
    pub hash: String,
    /// The file after its check, which all ranks share.
    #[serde(skip)]
    opened: Opened<Contents>,
}

impl OperationFile {
    /// The file of this path and this hash.
    #[must_use]
    pub fn new(path: &str, hash: &str) -> Self {
        Self { path: path.to_owned(), hash: hash.to_owned(), opened: Opened::default() }
    }

    fn open(&self) -> Result<Contents, Fault> {
        let contents = Contents::open(Path::new(&self.path))
            .map_err(|fault| Fault::new("path", &self.path, fault.to_string(), fault.remedy()))?;
        if contents.hash() != self.hash {
            return Err(Fault::new(
                "hash",
                &self.hash,
                format!("the file {} has the content {}", self.path, contents.hash()),
                "make the plan again from its scenario, or bring the file of this hash",
            ));
        }
        Ok(contents)
    }
}

impl OperationSource for OperationFile {
    type Operations = FileOperations;

    fn check(&self, ranks: u32) -> Result<(), Fault> {
        let contents = self.opened.or_open(|| self.open())?;
        let has = contents.job_ranks();
        if contents.ranks() != (0..has) {
            return Err(Fault::new(
                "path",
                &self.path,
                format!("holds {} of {has} ranks", contents.ranks().len()),
                "merge the files of all ranks into one",
            ));
        }
        if has != ranks {
            let message = format!("holds {has} ranks; the job has {ranks} ranks");
            return Err(Fault::new("path", &self.path, message, format!("set ranks = {has}")));
        }
        Ok(())
    }

    fn communicators(&self, rank: &RankContext) -> Vec<Communicator> {
        match self.opened.get() {
            Some(contents) => contents.communicators(rank.rank).to_vec(),
            None => Vec::new(),
        }
    }

    fn program(&self, rank: RankContext) -> FileOperations {
        let contents = self.opened.get();
        FileOperations(contents.map(|contents| Replay::new(Arc::clone(contents), rank.rank)))
    }
}

/// The program of one rank. It gives up if the file has not been checked.
#[derive(Clone, Debug)]
pub struct FileOperations(Option<Replay>);

impl OperationStream for FileOperations {
    #[inline]
    fn next(&mut self, now: Time, outcome: &Outcome) -> Option<Op> {
        match &mut self.0 {
            Some(replay) => replay.next(now, outcome),
            None => Some(Op::Abort("the operation file has not been opened".into())),
        }
    }

    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        self.0.as_ref()?.summary()
    }
}
