//! Operations of GOAL as tasks, with the checks that both forms share.

use pantala_engine::Time;

use crate::graph::Task;
use crate::graph::task::{ANY_SOURCE, ANY_TAG};
use crate::trace::bounds;

const PS_PER_NS: Time = 1_000;

/// A peer or tag "any" in the binary form.
pub(super) const ANY: u32 = u32::MAX;

/// The task of `calc`.
pub(super) fn calc(time_ns: u64, cpu: u8) -> Result<Task, String> {
    let time = bounds::time("a calc", time_ns, PS_PER_NS, "ns")?;
    Ok(Task::Compute { time, processor: u16::from(cpu) })
}

/// The task of `send`. `None` stands for any peer or tag.
pub(super) fn send(
    bytes: u64,
    peer: Option<u32>,
    tag: Option<u64>,
    cpu: u8,
    ranks: u32,
) -> Result<Task, String> {
    let peer = peer.ok_or("a send names its destination; -1 is for receives")?;
    let tag = tag.ok_or("a send names its tag; -1 is for receives")?;
    let (peer, tag) = (within(peer, ranks)?, legal(tag)?);
    let bytes = bounds::size("a send", bytes)?;
    Ok(Task::Send { bytes, peer, tag, processor: u16::from(cpu), one_sided: false })
}

/// The task of `recv`. `None` stands for any peer or tag.
pub(super) fn receive(
    bytes: u64,
    peer: Option<u32>,
    tag: Option<u64>,
    cpu: u8,
    ranks: u32,
) -> Result<Task, String> {
    let peer = peer.map_or(Ok(ANY_SOURCE), |peer| within(peer, ranks))?;
    let tag = tag.map_or(Ok(ANY_TAG), legal)?;
    let bytes = bounds::size("a recv", bytes)?;
    Ok(Task::Receive { bytes, peer, tag, processor: u16::from(cpu) })
}

fn within(peer: u32, ranks: u32) -> Result<u32, String> {
    if peer < ranks {
        return Ok(peer);
    }
    Err(format!("there is no rank {peer}; the schedule has the ranks 0 to {}", ranks - 1))
}

fn legal(tag: u64) -> Result<i32, String> {
    i32::try_from(tag)
        .map_err(|_| format!("the tag {tag} is too large; tags are at most {}", i32::MAX))
}
