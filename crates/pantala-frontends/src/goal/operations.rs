//! Operations of GOAL as tasks, with the checks that both forms share.

use std::collections::HashMap;

use pantala_engine::Time;

use crate::graph::Task;
use crate::graph::task::{ANY_SOURCE, ANY_TAG};
use crate::trace::bounds;

const PS_PER_NS: Time = 1_000;

/// A peer or tag "any" in the binary form.
pub(super) const ANY: u32 = u32::MAX;

/// The task of `calc`.
pub(super) fn calc(time_ns: u64, cpu: u16) -> Result<Task, String> {
    let time = bounds::time("a calc", time_ns, PS_PER_NS, "ns")?;
    Ok(Task::Compute { time, processor: cpu })
}

/// The task of `send`. `None` stands for any peer or tag.
pub(super) fn send(
    bytes: u64,
    peer: Option<u32>,
    tag: Option<u32>,
    cpu: u16,
    (ranks, tags): (u32, &mut Tags),
) -> Result<Task, String> {
    let peer = peer.ok_or("a send names its destination; -1 is for receives")?;
    let tag = tag.ok_or("a send names its tag; -1 is for receives")?;
    let (peer, tag) = (within(peer, ranks)?, tags.legal(tag)?);
    let bytes = bounds::size("a send", bytes)?;
    Ok(Task::Send { bytes, peer, tag, processor: cpu, one_sided: false })
}

/// The task of `recv`. `None` stands for any peer or tag.
pub(super) fn receive(
    bytes: u64,
    peer: Option<u32>,
    tag: Option<u32>,
    cpu: u16,
    (ranks, tags): (u32, &mut Tags),
) -> Result<Task, String> {
    let peer = peer.map_or(Ok(ANY_SOURCE), |peer| within(peer, ranks))?;
    let tag = tag.map_or(Ok(ANY_TAG), |tag| tags.legal(tag))?;
    let bytes = bounds::size("a recv", bytes)?;
    Ok(Task::Receive { bytes, peer, tag, processor: cpu })
}

fn within(peer: u32, ranks: u32) -> Result<u32, String> {
    if peer < ranks {
        return Ok(peer);
    }
    Err(format!("there is no rank {peer}; the schedule has the ranks 0 to {}", ranks - 1))
}

/// The tags of a schedule as tags of MPI.
///
/// A tag of GOAL has 32 bits, one of MPI 31. The generator of ATLAHS puts several numbers into a
/// tag, so its tags are beyond those of MPI. Each of them gets a number of its own, from the largest
/// one downwards, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Tags {
    numbered: HashMap<u32, i32>,
    /// The largest tag that is one of MPI, too.
    largest: i32,
}

impl Tags {
    /// How many tags have other numbers.
    pub(super) fn numbered(&self) -> usize {
        self.numbered.len()
    }

    fn legal(&mut self, tag: u32) -> Result<i32, String> {
        let legal = if let Ok(own) = i32::try_from(tag) {
            self.largest = self.largest.max(own);
            own
        } else {
            let next = self.next();
            *self.numbered.entry(tag).or_insert(next)
        };
        if self.numbered.is_empty() || self.largest <= self.next() {
            return Ok(legal);
        }
        Err(format!(
            "the schedule has tags above {} and the tag {}; tags above it are numbered from there \
             down, so write smaller ones",
            i32::MAX,
            self.largest
        ))
    }

    /// The number of the next tag beyond those of MPI.
    fn next(&self) -> i32 {
        i32::MAX - i32::try_from(self.numbered.len()).unwrap_or(i32::MAX)
    }
}
