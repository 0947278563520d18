//! Whether the calls of all ranks of a file fit together: a check before a run.
//!
//! Every message needs a receive with room for it, every receive needs a message, and all ranks of
//! a communicator call the same collectives in the same order. A run finds each of these faults,
//! too, but late, and often as a deadlock. What a run decides is left to it: which message a
//! receive of any rank or tag takes, and whether a request that no rank waits for is complete at
//! the end.

mod collectives;
mod messages;
mod ranks;

use std::sync::Arc;

use super::contents::Contents;
use super::fault::FileFault;
use collectives::Communicators;
use messages::Messages;
use ranks::RankCheck;

/// The largest number of operations of all ranks that are checked.
const MAX_OPERATIONS: u64 = 1 << 26;
/// The largest number of messages and collectives that are kept, where equal ones in a row are one.
const MAX_KEPT: u64 = 1 << 22;

/// How far a file was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// All calls fit together.
    Fit,
    /// The file has too many operations or too different messages for the check.
    TooLarge,
}

/// Checks the calls of all ranks of a file that holds all ranks of its job.
///
/// # Errors
/// [`FileFault::Calls`] with the first calls that do not fit together; another [`FileFault`] if the
/// file cannot be read.
pub fn agreement(contents: &Arc<Contents>) -> Result<Checked, FileFault> {
    agreement_up_to(contents, MAX_OPERATIONS, MAX_KEPT)
}

/// As [`agreement`], with other limits.
///
/// # Errors
/// As [`agreement`].
fn agreement_up_to(
    contents: &Arc<Contents>,
    operations: u64,
    kept: u64,
) -> Result<Checked, FileFault> {
    if contents.operations() > operations {
        return Ok(Checked::TooLarge);
    }
    let mut left = operations;
    let mut communicators = Communicators::default();
    let mut messages = Messages::default();
    for rank in contents.ranks() {
        let mut check = RankCheck::new(contents, rank, &mut communicators);
        if !check.run(&mut left, kept)? {
            return Ok(Checked::TooLarge);
        }
        messages.take(rank, check.into_messages());
        if messages.kept() + communicators.kept() > kept {
            return Ok(Checked::TooLarge);
        }
    }
    communicators.complete()?;
    messages.fit(&communicators)?;
    Ok(Checked::Fit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::{RankStream, Writer};
    use pantala_mpi::Op;

    #[test]
    fn large_files_are_left_to_the_run() {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, 1).unwrap();
        let mut stream = RankStream::new(0);
        for id in 0..9 {
            stream.push(&Op::CommDup(id), &mut writer).unwrap();
        }
        writer.end_rank(stream, &[]).unwrap();
        writer.finish().unwrap();
        let contents = Arc::new(Contents::of_bytes(bytes).unwrap());
        let up_to = |operations, kept| agreement_up_to(&contents, operations, kept).unwrap();
        assert_eq!(up_to(9, 100), Checked::Fit);
        assert_eq!(up_to(8, 100), Checked::TooLarge);
        assert_eq!(up_to(9, 5), Checked::TooLarge);
    }
}
