//! The merge of files with some ranks each into the file of a job.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pantala_mpi::{OperationStream, Outcome};

use super::contents::Contents;
use super::fault::WriteFault;
use super::iterations::{Marker, RankLoop, Search};
use super::rank_stream::RankStream;
use super::replay::Replay;
use super::writer::{Writer, Written};

/// What a merge does with iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iterations {
    /// It marks the iterations of the loop that all ranks repeat, unless the files have marks.
    Found,
    /// It keeps the marks of the files.
    Kept,
}

/// Merges files, each with one or more ranks of a job, into a packed file with these notes. One file
/// is open at a time.
///
/// # Errors
/// If a file has a fault, the files are of jobs of different sizes, or a rank is missing or there
/// twice.
pub fn merge<W: Write>(
    paths: &[PathBuf],
    iterations: Iterations,
    notes: &[String],
    sink: W,
) -> Result<Written, WriteFault> {
    let Some(first) = paths.first() else {
        return Err(WriteFault::Ranks("there is no file to merge".into()));
    };
    let ranks = open(first)?.job_ranks();
    let loops = match iterations {
        Iterations::Found => loops(paths)?,
        Iterations::Kept => None,
    };
    let mut loops_left = loops.iter().flatten().copied();
    let mut writer = Writer::packed(sink, ranks)?;
    writer.note(notes);
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
            let mut marker = Marker::new(loops_left.next());
            let mut replay = Replay::new(Arc::clone(&contents), rank);
            while let Some(op) = replay.next(0, &Outcome::Done) {
                marker.mark(&op, |op| stream.push(op, &mut writer))?;
            }
            writer
                .end_rank(stream, contents.communicators(rank))
                .map_err(|fault| read(fault.to_string()))?;
        }
    }
    let iterations = loops.iter().flatten().map(RankLoop::iterations).next().unwrap_or(0);
    Ok(Written { iterations, ..writer.finish()? })
}

/// The loop of each rank of the files, in their order.
fn loops(paths: &[PathBuf]) -> Result<Option<Vec<RankLoop>>, WriteFault> {
    let mut search = Search::default();
    for path in paths {
        let contents = Arc::new(open(path)?);
        for rank in contents.ranks() {
            search.start_rank(rank, contents.job_ranks(), contents.communicators(rank));
            let mut replay = Replay::new(Arc::clone(&contents), rank);
            while let Some(op) = replay.next(0, &Outcome::Done) {
                if !search.add(&op) {
                    return Ok(None);
                }
            }
            search.end_rank();
        }
    }
    Ok(search.finish())
}

fn open(path: &Path) -> Result<Contents, WriteFault> {
    Contents::open(path)
        .map_err(|fault| WriteFault::Read { path: path.display().to_string(), fault })
}
