//! The first collective of a communicator that two of its ranks call differently.

use std::fmt;
use std::sync::Arc;

use super::interpreter::{Guide, Interpreter};
use super::rank_file::RankFile;
use super::record::Record;
use super::steps::{Local, Step};
use crate::trace::collectives::common_bytes;
use crate::trace::{Position, TraceError};

/// A collective of a rank, as far as all ranks of the communicator agree on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Collective {
    pub(super) position: Position,
    name: &'static str,
    root: Option<u32>,
    bytes: Option<u64>,
}

impl Collective {
    /// Whether another rank's call is the same collective.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        (self.name, self.root, self.bytes) == (other.name, other.root, other.bytes)
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        if let Some(bytes) = self.bytes {
            write!(f, " of {bytes} bytes")?;
        }
        self.root.map_or(Ok(()), |root| write!(f, " with root {root}"))
    }
}

/// The collectives of a rank in one of its communicators, in order.
///
/// # Errors
/// A [`TraceError`] if the file cannot be read.
pub(super) fn collectives(
    file: &RankFile,
    ranks: u32,
    sizes: &[u32],
    block: usize,
    communicator: Local,
) -> Result<Vec<Collective>, TraceError> {
    let mut records = file.records(block)?;
    let mut interpreter = Interpreter::new(ranks, sizes, Arc::<Guide>::default());
    let (mut record, mut steps, mut found) = (Record::default(), Vec::new(), Vec::new());
    while records.read(&mut record)? {
        // The survey has told what is wrong with the record.
        let _ = interpreter.follow(&record, &mut steps);
        for step in steps.drain(..) {
            let (name, root, bytes) = match step {
                Step::Collective(local, call) if local == communicator => {
                    let name = call.kind().name();
                    let rooted = matches!(name, "bcast" | "reduce" | "gather" | "scatter");
                    (name, rooted.then(|| call.root()), common_bytes(&call))
                }
                Step::Vector { communicator: local, scatter, root, .. }
                    if local == communicator =>
                {
                    (if scatter { "scatterv" } else { "gatherv" }, Some(root), None)
                }
                _ => continue,
            };
            found.push(Collective { position: record.position, name, root, bytes });
        }
    }
    Ok(found)
}
