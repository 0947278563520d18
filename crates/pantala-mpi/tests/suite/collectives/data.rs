//! Collectives on real data, without a network. Members hold blocks, and messages carry copies of
//! blocks.

use std::collections::VecDeque;
use std::fmt::Debug;

use pantala_mpi::collectives::{Blocks, Collective, Fold, Step};

/// The content of a block.
pub(crate) trait Cell: Clone + PartialEq + Debug {
    fn combine(&mut self, other: &Self);
}

/// The number of contributions of each member.
pub(crate) type Sum = Vec<u16>;

impl Cell for Sum {
    fn combine(&mut self, other: &Self) {
        self.iter_mut().zip(other).for_each(|(a, b)| *a += b);
    }
}

/// Source and destination of the data; `None` before they arrive. Such data cannot be combined.
pub(crate) type Label = Option<(u32, u32)>;

impl Cell for Label {
    fn combine(&mut self, other: &Self) {
        panic!("{self:?} combined with {other:?}");
    }
}

/// A message: blocks on their way.
#[derive(Clone)]
struct Parcel<C> {
    blocks: Blocks,
    bytes: u64,
    cells: Vec<C>,
    /// Length of the chain of messages that led to it.
    depth: u32,
}

struct Member<C> {
    machine: Collective,
    cells: Vec<C>,
    kept: Vec<Option<C>>,
    /// The result of a scan.
    result: C,
    /// Receives since the last wait.
    open: Vec<(u32, Blocks, u64, Fold)>,
    waiting: bool,
    done: bool,
    waits: u32,
    depth: u32,
}

/// The result of a run.
pub(crate) struct Outcome<C> {
    /// By member: the blocks that it has kept, or else holds.
    pub(crate) cells: Vec<Vec<C>>,
    /// By member: the sum of a scan.
    pub(crate) results: Vec<C>,
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    /// The longest chain of messages, each sent after the previous one had arrived.
    pub(crate) depth: u32,
    /// The largest number of waits of one member.
    pub(crate) waits: u32,
}

/// The number of blocks in a collective's steps.
fn blocks_of(size: u32, machine: &impl Fn(u32) -> Collective) -> u32 {
    let mut found = None;
    for me in 0..size {
        let mut machine = machine(me);
        while let Some(step) = machine.next(me, size) {
            let blocks = match step {
                Step::Isend { blocks, .. } | Step::Irecv { blocks, .. } => blocks,
                Step::Waitall => continue,
            };
            let of = match blocks {
                Blocks::All => continue,
                Blocks::Range { of, .. }
                | Blocks::Swapped { of, .. }
                | Blocks::Below { of, .. } => of,
                Blocks::Bit(_) => size,
            };
            assert_eq!(*found.get_or_insert(of), of, "members agree about the number of blocks");
        }
    }
    found.unwrap_or(1)
}

fn swapped(number: u32, root: u32) -> usize {
    let member = if number == root {
        0
    } else if number == 0 {
        root
    } else {
        number
    };
    member as usize
}

fn numbers(blocks: Blocks, of: u32) -> Vec<usize> {
    match blocks {
        Blocks::All => (0..of as usize).collect(),
        Blocks::Range { first, count, of } => {
            assert!(first < of && count <= of);
            (first..first + count).map(|block| (block % of) as usize).collect()
        }
        Blocks::Bit(bit) => (0..of as usize).filter(|block| block >> bit & 1 == 1).collect(),
        Blocks::Swapped { first, count, root, of } => {
            assert!(first + count <= of);
            (first..first + count).map(|number| swapped(number, root)).collect()
        }
        Blocks::Below { place, root, of } => {
            let below = |number: u32| {
                let ancestors =
                    std::iter::successors(Some(number), |n| Some(n.checked_sub(1)? / 2));
                ancestors.into_iter().any(|ancestor| ancestor == place)
            };
            (0..of).filter(|number| below(*number)).map(|number| swapped(number, root)).collect()
        }
    }
}

/// Runs a collective on `size` members. `start` gives the first content of block `.1` of member
/// `.0`. Sends complete at once; a wait needs every receive.
pub(crate) fn run<C: Cell>(
    size: u32,
    machine: impl Fn(u32) -> Collective,
    start: impl Fn(u32, u32) -> C,
) -> Outcome<C> {
    let n = size as usize;
    let of = blocks_of(size, &machine);
    let mut lines = vec![VecDeque::<Parcel<C>>::new(); n * n];
    let mut members: Vec<Member<C>> = (0..size)
        .map(|me| Member {
            machine: machine(me),
            cells: (0..of).map(|block| start(me, block)).collect(),
            kept: vec![None; of as usize],
            result: start(me, 0),
            open: Vec::new(),
            waiting: false,
            done: false,
            waits: 0,
            depth: 0,
        })
        .collect();
    let (mut messages, mut volume) = (0, 0);
    let mut moved = true;
    while moved {
        moved = false;
        for (me, member) in members.iter_mut().enumerate() {
            while !member.done {
                if member.waiting {
                    // Each pair of members delivers in order, so a count per peer is enough.
                    let ready = member.open.iter().all(|(peer, ..)| {
                        let wanted = member.open.iter().filter(|(p, ..)| p == peer).count();
                        lines[*peer as usize * n + me].len() >= wanted
                    });
                    if !ready {
                        break;
                    }
                    for (peer, blocks, bytes, fold) in std::mem::take(&mut member.open) {
                        let parcel = lines[peer as usize * n + me].pop_front().unwrap();
                        assert_eq!(
                            (parcel.blocks, parcel.bytes),
                            (blocks, bytes),
                            "from {peer} to {me} of {size}"
                        );
                        member.depth = member.depth.max(parcel.depth);
                        for (number, cell) in numbers(blocks, of).into_iter().zip(parcel.cells) {
                            if fold == Fold::Prefix {
                                member.result.combine(&cell);
                            }
                            match fold {
                                Fold::Combine | Fold::Prefix => member.cells[number].combine(&cell),
                                Fold::Replace => member.cells[number] = cell,
                                Fold::Keep => member.kept[number] = Some(cell),
                            }
                        }
                    }
                    member.waiting = false;
                }
                match member.machine.next(me as u32, size) {
                    None => {
                        assert!(member.open.is_empty(), "everything is waited for");
                        member.done = true;
                    }
                    Some(Step::Waitall) => {
                        member.waiting = true;
                        member.waits += 1;
                    }
                    Some(Step::Irecv { peer, bytes, blocks, fold }) => {
                        assert!(peer < size && peer as usize != me);
                        member.open.push((peer, blocks, bytes, fold));
                    }
                    Some(Step::Isend { peer, bytes, blocks }) => {
                        assert!(peer < size && peer as usize != me);
                        let cells = numbers(blocks, of)
                            .into_iter()
                            .map(|b| member.cells[b].clone())
                            .collect();
                        let parcel = Parcel { blocks, bytes, cells, depth: member.depth + 1 };
                        lines[me * n + peer as usize].push_back(parcel);
                        messages += 1;
                        volume += bytes;
                    }
                }
                moved = true;
            }
        }
    }
    assert!(members.iter().all(|m| m.done), "stuck with {size} members");
    assert!(lines.iter().all(VecDeque::is_empty), "messages left with {size} members");
    Outcome {
        depth: members.iter().map(|m| m.depth).max().unwrap(),
        waits: members.iter().map(|m| m.waits).max().unwrap(),
        results: members.iter().map(|m| m.result.clone()).collect(),
        cells: members
            .into_iter()
            .map(|m| m.kept.into_iter().zip(m.cells).map(|(k, c)| k.unwrap_or(c)).collect())
            .collect(),
        messages,
        bytes: volume,
    }
}
