//! The merge of files with some ranks each into the file of a job.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pantala_mpi::{OperationStream, Outcome};

use super::contents::Contents;
use super::fault::WriteFault;
use super::rank_stream::RankStream;
use super::replay::Replay;
use super::writer::{Writer, Written};

/// Merges files, each with one or more ranks of a job. One file is open at a time.
///
/// # Errors
/// If a file has a fault, the files are of jobs of different sizes, or a rank is missing or there
/// twice.
pub fn merge<W: Write>(paths: &[PathBuf], sink: W) -> Result<Written, WriteFault> {
    let Some(first) = paths.first() else {
        return Err(WriteFault::Ranks("there is no file to merge".into()));
    };
    let ranks = open(first)?.job_ranks();
    let mut writer = Writer::new(sink, ranks)?;
    for path in paths {
        let contents = Arc::new(open(path)?);
        let read = |text: String| WriteFault::Ranks(format!("{}: {text}", path.display()));
        if contents.job_ranks() != ranks {
            let other = contents.job_ranks();
            let first = first.display();
            return Err(read(format!("is of a job of {other} ranks; {first} of {ranks}")));
        }
        for rank in contents.ranks() {
            let mut stream = RankStream::new(rank);
            let mut replay = Replay::new(Arc::clone(&contents), rank);
            while let Some(op) = replay.next(0, &Outcome::Done) {
                stream.push(&op, &mut writer)?;
            }
            writer
                .end_rank(stream, contents.communicators(rank))
                .map_err(|fault| read(fault.to_string()))?;
        }
    }
    writer.finish()
}

fn open(path: &Path) -> Result<Contents, WriteFault> {
    Contents::open(path)
        .map_err(|fault| WriteFault::Read { path: path.display().to_string(), fault })
}
