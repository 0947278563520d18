//! The operations of a rank in each phase.

use std::sync::Arc;

use pantala_engine::{Stream, Time};
use pantala_mpi::collectives::layout::Exchange;
use pantala_mpi::{COMM_WORLD, Call, CommunicatorId};

use super::arrangement::Arrangement;
use super::{Phase, WaitBy};
use crate::motifs::{IterationContext, Script};
use crate::permutation::Permutation;

impl Phase {
    /// Writes the operations of a phase. `lines` are the dimensions of communicators 1, 2, ...
    /// `draws` are the random draws of the iteration, equal on all ranks.
    pub(super) fn write(
        &self,
        context: &IterationContext,
        arrangement: &Arrangement<'_>,
        lines: &[u32],
        draws: &mut Stream,
        script: &mut Script,
    ) {
        let IterationContext { rank, ranks, .. } = *context;
        match self {
            Self::Compute { time_ps } => script.compute(*time_ps),
            Self::Faces { message_bytes, overlap_ps, wait, periodic } => {
                let directions =
                    directions(arrangement.grid.len()).filter(|steps| distance(steps) == 1);
                let bytes = |steps: &[i8]| {
                    steps
                        .iter()
                        .zip(message_bytes)
                        .find(|(step, _)| **step != 0)
                        .map_or(0, |s| *s.1)
                };
                exchange(
                    arrangement,
                    rank,
                    directions,
                    bytes,
                    *periodic,
                    (*overlap_ps, *wait),
                    script,
                );
            }
            Self::Around { message_bytes, overlap_ps, wait, periodic } => {
                let bytes = |steps: &[i8]| message_bytes[distance(steps) - 1];
                let all = directions(arrangement.grid.len());
                exchange(arrangement, rank, all, bytes, *periodic, (*overlap_ps, *wait), script);
            }
            Self::Pairs { message_bytes, rounds, wait } => {
                for _ in 0..*rounds {
                    let seats = Permutation::new(ranks, draws.bits());
                    let beside = seats.apply(rank) ^ 1;
                    if beside < ranks {
                        let partner = seats.invert(beside);
                        script.irecv(partner, 0, *message_bytes);
                        script.isend(partner, 0, *message_bytes);
                        finish(*wait, script);
                    }
                }
            }
            Self::AllToAll { dimension, bytes } => {
                let line = arrangement.line(rank, *dimension as usize);
                let number = lines.iter().position(|line| line == dimension).unwrap_or(0);
                let part = |member: u32| cut(*bytes, member, line.count);
                let send: Vec<u64> = (0..line.count).map(part).collect();
                let receive = vec![part(line.at); line.count as usize];
                let pairs = Arc::new(Exchange { send, receive });
                script.collective(number as CommunicatorId + 1, Call::Alltoallv { pairs });
            }
            Self::Shift { dimension, message_bytes, steps } => {
                let line = arrangement.line(rank, *dimension as usize);
                if line.count > 1 {
                    let after = arrangement.member(&line, (line.at + 1) % line.count);
                    let before = arrangement.member(&line, (line.at + line.count - 1) % line.count);
                    for _ in 0..*steps {
                        script.isend(after, 0, *message_bytes);
                        script.recv(before, 0, *message_bytes);
                        script.wait_each();
                    }
                }
            }
            Self::Tree { message_bytes } => tree(rank, ranks, *message_bytes, script),
            Self::Collect { dimension, message_bytes } => {
                let line = arrangement.line(rank, *dimension as usize);
                if line.at > 0 {
                    script.send(arrangement.member(&line, 0), 0, *message_bytes);
                } else {
                    (1..line.count)
                        .for_each(|i| script.recv(arrangement.member(&line, i), 0, *message_bytes));
                }
            }
            Self::Allreduce { message_bytes, times } => {
                (0..*times).for_each(|_| script.allreduce(*message_bytes));
            }
            Self::Barrier => script.collective(COMM_WORLD, Call::Barrier),
        }
    }
}

/// The size of part `which` of `parts` of `bytes`. Parts differ by at most one byte.
fn cut(bytes: u64, which: u32, parts: u32) -> u64 {
    let end = |which: u64| (u128::from(which) * u128::from(bytes) / u128::from(parts)) as u64;
    end(u64::from(which) + 1) - end(u64::from(which))
}

/// All steps to neighbours, including diagonal ones. The opposite of step i is step i from the end.
fn directions(dimensions: usize) -> impl DoubleEndedIterator<Item = Vec<i8>> + Clone {
    let all = 3u32.pow(dimensions as u32);
    let steps = move |number: u32| {
        (0..dimensions as u32).map(|d| (number / 3u32.pow(d) % 3) as i8 - 1).collect()
    };
    (0..all).filter(move |number| *number != all / 2).map(steps)
}

fn distance(steps: &[i8]) -> usize {
    steps.iter().filter(|step| **step != 0).count()
}

/// An exchange with neighbours: all receives, all sends, compute, waits. A message's tag is its
/// direction of travel.
fn exchange(
    arrangement: &Arrangement<'_>,
    rank: u32,
    directions: impl DoubleEndedIterator<Item = Vec<i8>> + Clone,
    bytes: impl Fn(&[i8]) -> u64,
    periodic: bool,
    (overlap, wait): (Time, WaitBy),
    script: &mut Script,
) {
    let neighbours = |(tag, steps): (usize, Vec<i8>)| {
        let size = bytes(&steps);
        let neighbour = arrangement.beside(rank, &steps, periodic).filter(|_| size > 0)?;
        Some((neighbour, tag as i32, size))
    };
    // A message from the neighbour at a step travels in the opposite direction.
    for (neighbour, tag, size) in directions.clone().rev().enumerate().filter_map(neighbours) {
        script.irecv(neighbour, tag, size);
    }
    for (neighbour, tag, size) in directions.enumerate().filter_map(neighbours) {
        script.isend(neighbour, tag, size);
    }
    script.compute(overlap);
    finish(wait, script);
}

fn finish(wait: WaitBy, script: &mut Script) {
    match wait {
        WaitBy::Each => script.wait_each(),
        WaitBy::All => script.waitall(),
    }
}

/// Messages up a binomial tree to rank 0, and down again.
fn tree(rank: u32, ranks: u32, bytes: u64, script: &mut Script) {
    let above = if rank == 0 { ranks.next_power_of_two() } else { 1 << rank.trailing_zeros() };
    let children: Vec<u32> = (0..31)
        .map(|bit| 1 << bit)
        .take_while(|step| *step < above && *step < ranks)
        .map(|step| rank + step)
        .collect();
    let children = || children.iter().copied().filter(|child| *child < ranks);
    children().for_each(|child| script.recv(child, 0, bytes));
    if rank > 0 {
        script.send(rank - above, 0, bytes);
        script.recv(rank - above, 0, bytes);
    }
    children().rev().for_each(|child| script.send(child, 0, bytes));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_whole() {
        for (bytes, parts) in [(128, 16), (131_072, 7), (5, 9), (1 << 50, 3)] {
            let all: Vec<u64> = (0..parts).map(|part| cut(bytes, part, parts)).collect();
            assert_eq!(all.iter().sum::<u64>(), bytes);
            assert!(all.iter().max().unwrap() - all.iter().min().unwrap() <= 1);
        }
    }

    #[test]
    fn opposites_are_from_the_end() {
        for dimensions in 1..5 {
            let steps: Vec<Vec<i8>> = directions(dimensions).collect();
            assert_eq!(steps.len(), 3usize.pow(dimensions as u32) - 1);
            for (one, other) in steps.iter().zip(steps.iter().rev()) {
                assert!(one.iter().zip(other).all(|(a, b)| *a == -*b));
            }
        }
    }
}
