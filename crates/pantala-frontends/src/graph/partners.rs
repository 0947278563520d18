//! Messages of graphs without a partner, found before a run: a receive that no rank sends, a send
//! that is never received, and a send that is longer than its receive.
//!
//! A graph may start its tasks in many orders, and a receive with a wildcard may take several
//! messages. So a fault is reported only if no order and no choice could match all messages.
//! [`PairSums`] adds the messages of each pair of ranks up, and names the receivers that may have a
//! fault. Its memory grows with the pairs, not with the tasks. [`ReceiverMessages`] then counts the
//! messages of these receivers by source, tag and size.

use std::collections::{BTreeMap, BTreeSet};

use pantala_engine::random::mix;

use super::task::{ANY_SOURCE, ANY_TAG, Task};

/// A sum over the messages of a pair that does not depend on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Digest(u64);

impl Digest {
    fn add(&mut self, tag: i32, bytes: u64) {
        self.0 = self.0.wrapping_add(mix(mix(bytes) ^ u64::from(tag as u32)) | 1);
    }
}

/// The sums of the messages of each pair of ranks.
#[derive(Debug, Default)]
pub struct PairSums {
    /// By receiver and sender: the messages sent, and the messages that receives name.
    pairs: BTreeMap<(u32, u32), [Digest; 2]>,
    /// Receivers with a receive from any rank.
    open: BTreeSet<u32>,
}

impl PairSums {
    /// Adds a task of a rank.
    pub fn add(&mut self, rank: u32, task: &Task) {
        match *task {
            Task::Send { bytes, peer, tag, .. } => {
                self.pairs.entry((peer, rank)).or_default()[0].add(tag, bytes);
            }
            Task::Receive { peer: ANY_SOURCE, .. } => {
                self.open.insert(rank);
            }
            Task::Receive { bytes, peer, tag, .. } => {
                self.pairs.entry((rank, peer)).or_default()[1].add(tag, bytes);
            }
            _ => {}
        }
    }

    /// The counts, still empty, of the receivers whose sums differ.
    #[must_use]
    pub fn receivers(self) -> ReceiverMessages {
        let mut receivers: BTreeMap<u32, Receiver> =
            self.open.iter().map(|receiver| (*receiver, Receiver::default())).collect();
        for ((receiver, _), [sent, named]) in &self.pairs {
            if sent != named {
                receivers.entry(*receiver).or_default();
            }
        }
        let mut ranks: BTreeSet<u32> = receivers.keys().copied().collect();
        for (receiver, sender) in self.pairs.keys() {
            if receivers.contains_key(receiver) {
                ranks.insert(*sender);
            }
        }
        ReceiverMessages { receivers, ranks }
    }
}

/// Messages or receives of one source and tag.
#[derive(Clone, Debug, Default)]
struct Class<P> {
    /// Number of each size, and the place of the first message of that size.
    sizes: BTreeMap<u64, (u64, P)>,
    count: u64,
    /// The places of the first and the last one.
    ends: Option<(P, P)>,
}

impl<P: Copy> Class<P> {
    fn add(&mut self, bytes: u64, place: P) {
        self.sizes.entry(bytes).or_insert((0, place)).0 += 1;
        self.count += 1;
        self.ends = Some((self.ends.map_or(place, |(first, _)| first), place));
    }

    /// The place of one without partner, if `matched` of them have one.
    fn left(&self, matched: u64) -> Option<P> {
        self.ends.map(|(first, last)| if matched == 0 { first } else { last })
    }

    fn longest(&self) -> Option<(u64, P)> {
        self.sizes.last_key_value().map(|(bytes, (_, place))| (*bytes, *place))
    }
}

/// The messages of one receiver, each with a place in the file of its rank.
#[derive(Clone, Debug, Default)]
struct Receiver {
    /// By source and tag.
    sends: BTreeMap<(u32, i32), Class<u64>>,
    /// By source and tag, with wildcards.
    receives: BTreeMap<(u32, i32), Class<u64>>,
}

/// A message that has no partner or does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmatchedMessage {
    /// The rank whose task it is.
    pub rank: u32,
    /// The place that the task was added with.
    pub place: u64,
    /// The task and what is wrong with it.
    pub message: String,
}

/// The messages of the receivers that may have a fault.
#[derive(Debug)]
pub struct ReceiverMessages {
    receivers: BTreeMap<u32, Receiver>,
    /// The ranks whose tasks matter.
    ranks: BTreeSet<u32>,
}

impl ReceiverMessages {
    /// The ranks whose tasks must be added, in order.
    #[must_use]
    pub const fn ranks(&self) -> &BTreeSet<u32> {
        &self.ranks
    }

    /// Adds a task of a rank with its place in the file.
    pub fn add(&mut self, rank: u32, task: &Task, place: u64) {
        let (receiver, source, tag, bytes, sends) = match *task {
            Task::Send { bytes, peer, tag, .. } => (peer, rank, tag, bytes, true),
            Task::Receive { bytes, peer, tag, .. } => (rank, peer, tag, bytes, false),
            _ => return,
        };
        if let Some(receiver) = self.receivers.get_mut(&receiver) {
            let side = if sends { &mut receiver.sends } else { &mut receiver.receives };
            side.entry((source, tag)).or_default().add(bytes, place);
        }
    }

    /// The first fault, by receiver.
    #[must_use]
    pub fn unmatched(&self) -> Option<UnmatchedMessage> {
        self.receivers.iter().find_map(|(rank, receiver)| {
            receiver.unmatched_receive(*rank).or_else(|| receiver.unmatched_send(*rank)).or_else(
                || receiver.sends.iter().find_map(|(class, _)| receiver.too_long(*rank, *class)),
            )
        })
    }
}

impl Receiver {
    fn sent(&self, class: (u32, i32)) -> u64 {
        self.sends.get(&class).map_or(0, |sends| sends.count)
    }

    fn received(&self, class: (u32, i32)) -> u64 {
        self.receives.get(&class).map_or(0, |receives| receives.count)
    }

    /// The messages that receives with their source and tag leave over, by class.
    fn left(&self) -> impl Iterator<Item = ((u32, i32), u64)> {
        let left = |class| self.sent(class).saturating_sub(self.received(class));
        self.sends.keys().map(move |class| (*class, left(*class))).filter(|(_, left)| *left > 0)
    }

    /// A receive that gets no message, whatever the others take.
    fn unmatched_receive(&self, rank: u32) -> Option<UnmatchedMessage> {
        for (&(source, tag), receives) in &self.receives {
            let messages: u64 = match (source, tag) {
                (ANY_SOURCE, ANY_TAG) => self.left().map(|(_, left)| left).sum(),
                (ANY_SOURCE, _) => {
                    self.left().filter(|((_, t), _)| *t == tag).map(|(_, left)| left).sum()
                }
                (_, ANY_TAG) => {
                    self.left().filter(|((s, _), _)| *s == source).map(|(_, left)| left).sum()
                }
                class => self.sent(class),
            };
            if messages >= receives.count {
                continue;
            }
            let mut message = format!("{}, which no rank sends", words(source, tag));
            let other = self.left().find(|((s, _), _)| source == ANY_SOURCE || *s == source);
            let lost = other.filter(|(class, _)| self.open_to(*class).next().is_none());
            if let Some(((source, tag), _)) = lost {
                message +=
                    &format!("; the message of rank {source} with tag {tag} is never received");
            }
            return Some(UnmatchedMessage { rank, place: receives.left(messages)?, message });
        }
        None
    }

    /// The receives with wildcards that accept the messages of a class.
    fn open_to(&self, (source, tag): (u32, i32)) -> impl Iterator<Item = &Class<u64>> {
        [(source, ANY_TAG), (ANY_SOURCE, tag), (ANY_SOURCE, ANY_TAG)]
            .into_iter()
            .filter_map(|class| self.receives.get(&class))
    }

    /// A send that no receive takes, whatever the others take.
    fn unmatched_send(&self, rank: u32) -> Option<UnmatchedMessage> {
        let unmatched = |(source, tag): (u32, i32), matched: u64| {
            let sends = self.sends.get(&(source, tag))?;
            let (bytes, _) = sends.longest()?;
            let size =
                if sends.sizes.len() == 1 { format!("of {bytes} bytes ") } else { String::new() };
            let message =
                format!("a send {size}to rank {rank}, tag {tag}, which is never received");
            Some(UnmatchedMessage { rank: source, place: sends.left(matched)?, message })
        };
        let mut over = 0;
        for (class, left) in self.left() {
            let open: u64 = self.open_to(class).map(|receives| receives.count).sum();
            if left > open {
                return unmatched(class, self.sent(class) - left + open);
            }
            over += left;
        }
        let wild = |((source, tag), _): &(&(u32, i32), &Class<u64>)| {
            *source == ANY_SOURCE || *tag == ANY_TAG
        };
        let open: u64 = self.receives.iter().filter(wild).map(|(_, class)| class.count).sum();
        let (class, _) = self.left().last()?;
        (over > open).then(|| unmatched(class, self.sent(class) - 1)).flatten()
    }

    /// A send of a class that is longer than its receive, whatever the order.
    fn too_long(&self, rank: u32, class: (u32, i32)) -> Option<UnmatchedMessage> {
        let (source, tag) = class;
        let sends = self.sends.get(&class)?;
        let named = self.receives.get(&class);
        let told = |bytes: u64, place: u64, room: u64| {
            let message = format!(
                "a send of {bytes} bytes to rank {rank}, tag {tag}, which is longer than its \
                 receive of {room} bytes"
            );
            Some(UnmatchedMessage { rank: source, place, message })
        };
        if self.open_to(class).next().is_some() {
            let (bytes, place) = sends.longest()?;
            let rooms = named.into_iter().chain(self.open_to(class));
            let room = rooms.filter_map(Class::longest).map(|(bytes, _)| bytes).max()?;
            return if bytes > room { told(bytes, place, room) } else { None };
        }
        // The longest messages take the longest receives, if any choice fits.
        let mut sizes = sends.sizes.iter().rev().map(|(bytes, entry)| (*bytes, *entry));
        let mut rooms = named?.sizes.iter().rev().map(|(room, (count, _))| (*room, *count));
        let (mut size, mut room) = (sizes.next()?, rooms.next()?);
        loop {
            let ((bytes, (count, place)), (space, free)) = (size, room);
            if bytes > space {
                return told(bytes, place, space);
            }
            let both = count.min(free);
            size = if count == both { sizes.next()? } else { (bytes, (count - both, place)) };
            room = if free == both { rooms.next()? } else { (space, free - both) };
        }
    }
}

fn words(source: u32, tag: i32) -> String {
    let source =
        if source == ANY_SOURCE { "any rank".to_owned() } else { format!("rank {source}") };
    let tag = if tag == ANY_TAG { "any tag".to_owned() } else { format!("tag {tag}") };
    format!("a receive from {source}, {tag}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn send(peer: u32, tag: i32, bytes: u64) -> Task {
        Task::Send { bytes, peer, tag, processor: 0, one_sided: false }
    }

    const fn receive(peer: u32, tag: i32, bytes: u64) -> Task {
        Task::Receive { bytes, peer, tag, processor: 0 }
    }

    fn unmatched(tasks: &[(u32, Task)]) -> Option<String> {
        let mut sums = PairSums::default();
        tasks.iter().for_each(|(rank, task)| sums.add(*rank, task));
        let mut receivers = sums.receivers();
        for (place, (rank, task)) in (0..).zip(tasks) {
            if receivers.ranks().contains(rank) {
                receivers.add(*rank, task, place);
            }
        }
        receivers.unmatched().map(|m| format!("rank {} task {}: {}", m.rank, m.place, m.message))
    }

    #[test]
    fn messages_that_match_have_no_fault() {
        let (any, all) = (ANY_SOURCE, ANY_TAG);
        for tasks in [
            vec![],
            vec![(0, send(1, 5, 8)), (1, receive(0, 5, 8))],
            // Longer receives, and sizes in another order.
            vec![(0, send(1, 5, 8)), (1, receive(0, 5, 80))],
            vec![
                (0, send(1, 5, 8)),
                (0, send(1, 5, 90)),
                (1, receive(0, 5, 90)),
                (1, receive(0, 5, 8)),
            ],
            // Wildcards that could take the messages of others.
            vec![
                (1, receive(any, all, 9)),
                (1, receive(any, 5, 9)),
                (0, send(1, 5, 8)),
                (2, send(1, 6, 9)),
            ],
            vec![
                (1, receive(0, all, 9)),
                (1, receive(0, 5, 9)),
                (0, send(1, 5, 8)),
                (0, send(1, 6, 9)),
            ],
            // A long message may take the long one of two receives.
            vec![
                (1, receive(any, 5, 8)),
                (1, receive(0, 5, 90)),
                (0, send(1, 5, 90)),
                (2, send(1, 5, 8)),
            ],
        ] {
            assert_eq!(unmatched(&tasks), None, "{tasks:?}");
        }
    }

    #[test]
    fn what_cannot_match_is_told() {
        let (any, all) = (ANY_SOURCE, ANY_TAG);
        for (tasks, expected) in [
            (
                vec![(0, send(1, 17, 8)), (1, receive(0, 18, 8))],
                "rank 1 task 1: a receive from rank 0, tag 18, which no rank sends; the message of \
                 rank 0 with tag 17 is never received",
            ),
            (
                vec![(0, send(1, 5, 8)), (0, send(1, 5, 8)), (1, receive(0, 5, 8))],
                "rank 0 task 1: a send of 8 bytes to rank 1, tag 5, which is never received",
            ),
            (
                vec![(0, send(1, 5, 80)), (1, receive(0, 5, 8))],
                "rank 0 task 0: a send of 80 bytes to rank 1, tag 5, which is longer than its receive \
                 of 8 bytes",
            ),
            (
                vec![(0, send(1, 5, 80)), (1, receive(any, all, 8))],
                "rank 0 task 0: a send of 80 bytes to rank 1, tag 5, which is longer than its receive \
                 of 8 bytes",
            ),
            (
                vec![(0, send(1, 5, 8)), (1, receive(any, 6, 8))],
                "rank 1 task 1: a receive from any rank, tag 6, which no rank sends; the message of \
                 rank 0 with tag 5 is never received",
            ),
            (
                vec![(0, send(1, 5, 8)), (2, send(1, 6, 8)), (1, receive(any, all, 8))],
                "rank 2 task 1: a send of 8 bytes to rank 1, tag 6, which is never received",
            ),
            (
                vec![(0, send(1, 5, 8)), (1, receive(0, all, 8)), (1, receive(0, all, 8))],
                "rank 1 task 2: a receive from rank 0, any tag, which no rank sends",
            ),
            (
                vec![
                    (0, send(1, 5, 60)),
                    (0, send(1, 5, 70)),
                    (1, receive(0, 5, 90)),
                    (1, receive(0, 5, 50)),
                ],
                "rank 0 task 0: a send of 60 bytes to rank 1, tag 5, which is longer than its receive \
                 of 50 bytes",
            ),
        ] {
            assert_eq!(unmatched(&tasks).as_deref(), Some(expected), "{tasks:?}");
        }
    }
}
