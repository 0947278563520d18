//! The plan's `operations` workload: a job that replays an operation file.

use std::path::Path;
use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::{
    Communicator, Fault, Op, OperationSource, OperationStream, Outcome, Place, RankContext,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contents::Contents;
use super::replay::Replay;
use crate::opened::Opened;
use crate::trace::{Amplified, ComputeScale, ComputeTimes, recorded_calls};

// A plan states these keys only if they differ from their defaults: a run keeps its identity.
recorded_calls! {
    #[serde(default, skip_serializing_if = "ComputeTimes::is_recorded")]
    #[serde(default = "crate::trace::one", skip_serializing_if = "crate::trace::is_one")];
    /// The operations of a file.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    pub struct OperationFile {
        /// The file.
        pub path: String,
        /// The SHA-256 of its content.
        pub hash: String,
        /// What the file lacks of the program that it was captured from.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub notes: Vec<String>,
        /// The file after its check, which all ranks share.
        #[serde(skip)]
        opened: Opened<Contents>,
    }
}

impl OperationFile {
    /// The file of this path and this hash.
    #[must_use]
    pub fn new(path: &str, hash: &str) -> Self {
        Self {
            path: path.to_owned(),
            hash: hash.to_owned(),
            notes: Vec::new(),
            opened: Opened::default(),
            compute: ComputeTimes::Recorded,
            compute_scale_millionths: ComputeScale::ONE,
            amplification: crate::trace::unamplified(),
        }
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
    type Operations = Amplified<FileOperations>;

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

    fn program(&self, rank: RankContext) -> Self::Operations {
        let contents = self.opened.get();
        let program = FileOperations {
            replay: contents.map(|contents| Replay::new(Arc::clone(contents), rank.rank)),
            scale: self.compute_scale(),
        };
        Amplified::new(program, self.amplification)
    }
}

/// The program of one rank. It gives up if the file has not been checked.
#[derive(Clone, Debug)]
pub struct FileOperations {
    replay: Option<Replay>,
    scale: ComputeScale,
}

impl FileOperations {
    /// The next operation with scaled computing. Computing of no time is left out, as in traces.
    #[inline(never)]
    fn scaled(&mut self, now: Time, outcome: &Outcome) -> Option<Op> {
        let replay = self.replay.as_mut()?;
        loop {
            match replay.next(now, outcome)? {
                Op::Compute(time) => match self.scale.applied(time) {
                    0 => {}
                    time => return Some(Op::Compute(time)),
                },
                Op::Icompute(time, request) => {
                    return Some(Op::Icompute(self.scale.applied(time), request));
                }
                other => return Some(other),
            }
        }
    }
}

impl OperationStream for FileOperations {
    #[inline]
    fn next(&mut self, now: Time, outcome: &Outcome) -> Option<Op> {
        match &mut self.replay {
            Some(replay) if self.scale.is_one() => replay.next(now, outcome),
            Some(_) => self.scaled(now, outcome),
            None => Some(Op::Abort("the operation file has not been opened".into())),
        }
    }

    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        self.replay.as_ref()?.summary()
    }

    fn place(&self) -> Option<Place> {
        self.replay.as_ref()?.place()
    }
}
