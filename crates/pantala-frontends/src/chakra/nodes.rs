//! Nodes of a trace as tasks.

use pantala_engine::Time;

use super::messages::{Attribute, Node, Value};
use crate::graph::task::{ANY_TAG, NO_PROCESSOR, Processor};
use crate::graph::{Operation, Task};
use crate::trace::bounds;

const PS_PER_US: Time = 1_000_000;

/// The host's processor, the device, the engine of loads and stores, and that of storage, batches
/// and checkpoints. Each does one task after the other.
const HOST: Processor = 0;
const DEVICE: Processor = 1;
const MEMORY: Processor = 2;
const STORAGE: Processor = 3;

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action<'a> {
    /// A task that needs no group.
    Task(Task),
    /// A computation without a duration.
    NoDuration,
    /// A collective of a process group; an empty name stands for all ranks.
    Collective { group: &'a [u8], kind: Operation, bytes: u64 },
}

/// What the node of a trace of `ranks` ranks does.
///
/// # Errors
/// What is wrong with the node.
pub(super) fn action(node: &Node, ranks: u32) -> Result<Action<'_>, String> {
    match node.kind {
        // INVALID and METADATA
        0 | 1 => Ok(Action::Task(Task::Nothing)),
        2 | 3 => computation(node, MEMORY),
        4 => {
            let host = number(node, "is_cpu_op")?.is_some_and(|value| value != 0);
            computation(node, if host { HOST } else { DEVICE })
        }
        5 | 6 => message(node, ranks).map(Action::Task),
        7 => collective(node),
        8..=10 => computation(node, STORAGE),
        kind => Err(format!("the type {kind} is unknown; types are 0 to 10")),
    }
}

fn computation(node: &Node, processor: Processor) -> Result<Action<'_>, String> {
    let duration = node.duration_micros;
    if duration == 0 {
        return Ok(Action::NoDuration);
    }
    let time = bounds::time("a duration", duration, PS_PER_US, "us")?;
    Ok(Action::Task(Task::Compute { time, processor }))
}

fn message(node: &Node, ranks: u32) -> Result<Task, String> {
    let bytes = size(node)?;
    let tag = number(node, "comm_tag")?.unwrap_or(0);
    let tag = i32::try_from(tag)
        .ok()
        .filter(|tag| *tag > ANY_TAG)
        .ok_or_else(|| format!("comm_tag = {tag} is out of range; tags are 0 to {}", i32::MAX))?;
    let name = if node.kind == 5 { "comm_dst" } else { "comm_src" };
    let peer = number(node, name)?.ok_or_else(|| format!("the attribute {name} is missing"))?;
    let peer = u32::try_from(peer).ok().filter(|peer| *peer < ranks).ok_or_else(|| {
        format!(
            "{name} = {peer}: there is no such rank; the trace has the ranks 0 to {}",
            ranks - 1
        )
    })?;
    Ok(if node.kind == 5 {
        Task::Send { bytes, peer, tag, processor: NO_PROCESSOR, one_sided: true }
    } else {
        Task::Receive { bytes, peer, tag, processor: NO_PROCESSOR }
    })
}

fn collective(node: &Node) -> Result<Action<'_>, String> {
    let kind = match number(node, "comm_type")?.ok_or("the attribute comm_type is missing")? {
        0 => Operation::Allreduce,
        1 => Operation::Reduce,
        2 => Operation::Allgather,
        3 => Operation::Gather,
        4 => Operation::Scatter,
        5 => Operation::Bcast,
        6 => Operation::Alltoall,
        7 | 8 => Operation::ReduceScatter,
        9 => Operation::Barrier,
        kind => return Err(format!("comm_type = {kind} is unknown; collectives are 0 to 9")),
    };
    let bytes = if kind == Operation::Barrier { 0 } else { size(node)? };
    let group = match attribute(node, "pg_name").map(|attribute| &attribute.value) {
        Some(Some(Value::Text(name) | Value::Bytes(name))) => &**name,
        None | Some(None) => &[],
        Some(_) => return Err("pg_name is no text".to_owned()),
    };
    let dimensions = attribute(node, "involved_dim").and_then(|each| each.value.as_ref());
    if matches!(dimensions, Some(Value::Bools(used)) if used.values.contains(&false)) {
        return Err("involved_dim leaves out a dimension of ASTRA-sim's network, which this \
                    machine does not have; set all of it, and name the ranks of the collective \
                    by pg_name"
            .to_owned());
    }
    Ok(Action::Collective { group, kind, bytes })
}

/// The size that the MPI layer takes for a collective among `members` ranks. A trace states the
/// size of a rank's whole send buffer, which holds a block for each rank in some collectives.
pub(super) const fn call_bytes(kind: Operation, bytes: u64, members: u32) -> u64 {
    match kind {
        Operation::ReduceScatter | Operation::Alltoall | Operation::Scatter => {
            bytes.div_ceil(members as u64)
        }
        _ => bytes,
    }
}

fn size(node: &Node) -> Result<u64, String> {
    let size = number(node, "comm_size")?.ok_or("the attribute comm_size is missing")?;
    let size = u64::try_from(size).map_err(|_| format!("comm_size = {size} is out of range"))?;
    bounds::size("a comm_size", size)
}

fn number(node: &Node, name: &str) -> Result<Option<i128>, String> {
    match attribute(node, name).map(|attribute| &attribute.value) {
        None => Ok(None),
        Some(value) => match value.as_ref().and_then(Value::number) {
            Some(number) => Ok(Some(number)),
            None => Err(format!("{name} is no whole number")),
        },
    }
}

fn attribute<'a>(node: &'a Node, name: &str) -> Option<&'a Attribute> {
    node.attributes.iter().find(|attribute| attribute.name == name.as_bytes())
}
