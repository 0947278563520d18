//! The messages and receives of all ranks, and which of them have no partner.

use std::collections::BTreeMap;

use super::collectives::Communicators;
use crate::operations::fault::FileFault;

/// Sizes of messages in order: equal ones in a row, and their number.
#[derive(Clone, Debug, Default)]
pub(super) struct Sizes {
    runs: Vec<(u64, u64)>,
    count: u64,
}

impl Sizes {
    pub(super) fn push(&mut self, bytes: u64) {
        self.count += 1;
        match self.runs.last_mut() {
            Some((last, times)) if *last == bytes => *times += 1,
            _ => self.runs.push((bytes, 1)),
        }
    }

    /// The first message that is longer than its receive, and the receive. Both have one length.
    fn too_long(&self, receives: &Self) -> Option<(u64, u64)> {
        let (mut wanted, mut room) = (receives.runs.iter().copied(), (0, 0));
        for &(bytes, mut times) in &self.runs {
            while times > 0 {
                if room.1 == 0 {
                    room = wanted.next()?;
                }
                if bytes > room.0 {
                    return Some((bytes, room.0));
                }
                let both = times.min(room.1);
                (times, room.1) = (times - both, room.1 - both);
            }
        }
        None
    }
}

/// The messages of one rank: by communicator, the other rank of the job, and tag.
#[derive(Debug, Default)]
pub(super) struct OfRank {
    pub(super) sent: BTreeMap<(u32, u32, i32), Sizes>,
    pub(super) wanted: BTreeMap<(u32, u32, i32), Sizes>,
    /// Receives of any tag from a rank.
    pub(super) any_tag: BTreeMap<(u32, u32), u64>,
    /// Receives from any rank, by communicator.
    pub(super) any_source: BTreeMap<u32, u64>,
}

impl OfRank {
    /// Number of places in memory.
    pub(super) fn kept(&self) -> u64 {
        let sizes = self.sent.values().chain(self.wanted.values());
        sizes.map(|sizes| 1 + sizes.runs.len() as u64).sum()
    }
}

/// Messages and receives of one tag from one rank to another.
#[derive(Debug, Default)]
struct Tag {
    sent: Sizes,
    wanted: Sizes,
}

/// Messages and receives from one rank to another.
#[derive(Debug, Default)]
struct Pair {
    tags: BTreeMap<i32, Tag>,
    any_tag: u64,
}

impl Pair {
    fn sent(&self) -> u64 {
        self.tags.values().map(|tag| tag.sent.count).sum()
    }

    fn wanted(&self) -> u64 {
        self.any_tag + self.tags.values().map(|tag| tag.wanted.count).sum::<u64>()
    }
}

/// The messages to one rank, by sender.
#[derive(Debug, Default)]
struct Receiver {
    pairs: BTreeMap<u32, Pair>,
    any_source: u64,
}

/// The messages of all ranks: by communicator and receiver.
#[derive(Debug, Default)]
pub(super) struct Messages {
    receivers: BTreeMap<(u32, u32), Receiver>,
    kept: u64,
}

impl Messages {
    /// Takes in the messages of a rank.
    pub(super) fn take(&mut self, rank: u32, of: OfRank) {
        self.kept += of.kept();
        for ((communicator, to, tag), sizes) in of.sent {
            let pair = self.pair(communicator, to, rank);
            pair.tags.entry(tag).or_default().sent = sizes;
        }
        for ((communicator, from, tag), sizes) in of.wanted {
            let pair = self.pair(communicator, rank, from);
            pair.tags.entry(tag).or_default().wanted = sizes;
        }
        for ((communicator, from), count) in of.any_tag {
            self.pair(communicator, rank, from).any_tag = count;
        }
        for (communicator, count) in of.any_source {
            self.receivers.entry((communicator, rank)).or_default().any_source = count;
        }
    }

    fn pair(&mut self, communicator: u32, to: u32, from: u32) -> &mut Pair {
        self.receivers.entry((communicator, to)).or_default().pairs.entry(from).or_default()
    }

    pub(super) const fn kept(&self) -> u64 {
        self.kept
    }

    /// Checks that each message has a receive with room for it, and each receive a message.
    pub(super) fn fit(&self, communicators: &Communicators) -> Result<(), FileFault> {
        for ((communicator, to), receiver) in &self.receivers {
            if let Some(text) = receiver.fault(*to) {
                return Err(FileFault::Calls(text + &communicators.place(*communicator)));
            }
        }
        Ok(())
    }
}

impl Receiver {
    fn fault(&self, to: u32) -> Option<String> {
        if self.any_source > 0 {
            let sum = |of: fn(&Pair) -> u64| self.pairs.values().map(of).sum::<u64>();
            let (sent, wanted) = (sum(Pair::sent), self.any_source + sum(Pair::wanted));
            return (sent != wanted).then(|| {
                format!(
                    "rank {to} calls {wanted} receives, {} of them from any rank, and all ranks \
                     send it {}",
                    self.any_source,
                    messages(sent),
                )
            });
        }
        self.pairs.iter().find_map(|(from, pair)| pair.fault(*from, to))
    }
}

impl Pair {
    fn fault(&self, from: u32, to: u32) -> Option<String> {
        let text = |sent: u64, wanted: u64, tag: &str| {
            format!(
                "rank {from} sends rank {to} {}{tag}, and rank {to} receives {wanted} from it",
                messages(sent)
            )
        };
        if self.any_tag > 0 {
            let (sent, wanted) = (self.sent(), self.wanted());
            return (sent != wanted).then(|| text(sent, wanted, ""));
        }
        self.tags.iter().find_map(|(tag, Tag { sent, wanted })| {
            if sent.count != wanted.count {
                return Some(text(sent.count, wanted.count, &format!(" with tag {tag}")));
            }
            let (bytes, room) = sent.too_long(wanted)?;
            Some(format!(
                "rank {from} sends rank {to} {bytes} bytes with tag {tag}, and its receive has room \
                 for {room}"
            ))
        })
    }
}

fn messages(count: u64) -> String {
    if count == 1 { "1 message".to_owned() } else { format!("{count} messages") }
}
