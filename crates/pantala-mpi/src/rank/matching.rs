//! Matching of messages and receives: one [`Matcher`] per rank.
//!
//! MPI's rule (MPI 4.1, 3.5): messages of one source in one communicator match in the order of
//! their sends, whatever the order of their arrival. Each envelope carries a sequence number per
//! source, destination and context. An envelope that arrives early is held until all before it have
//! arrived. An envelope in order takes the first posted receive that accepts it, or becomes
//! unexpected. A posted receive takes the first unexpected message that it accepts.
//!
//! A channel lists the messages and the receives of one source and context, so that a rank with
//! thousands of outstanding receives finds the right one at once. Receives from any source have a
//! list of their own. Stamps tell which receive was posted first.

use crate::arena::{Arena, Linked, LinkedQueue, NONE};
use crate::message::{CollectiveInstance, Header, Message};
use crate::program::identifiers::TagSelect;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::hash::Hasher;

use pantala_engine::random::mix;

/// A posted receive. It stays in its arena until its payload has arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PostedReceive {
    /// Size of the receive buffer, in bytes.
    pub(crate) bytes: u64,
    /// Position in the rank's order of posting.
    stamp: u64,
    /// The index in the layer of the rank that posted it.
    pub(crate) rank: u32,
    /// The owner, to which its completion is reported.
    pub(crate) owner: u32,
    /// The sending rank of the job, or [`NONE`] for any.
    pub(crate) source: u32,
    pub(crate) context: u32,
    pub(crate) tag: TagSelect,
    /// The collective of the receive. Meaningless outside collectives.
    pub(crate) instance: CollectiveInstance,
    /// Whether a message has matched.
    pub(crate) matched: bool,
    next: u32,
}

impl PostedReceive {
    pub(crate) const fn new(
        rank: u32,
        owner: u32,
        source: u32,
        context: u32,
        tag: TagSelect,
        bytes: u64,
    ) -> Self {
        let instance = CollectiveInstance { number: 0, root: 0 };
        Self {
            bytes,
            stamp: 0,
            rank,
            owner,
            source,
            context,
            tag,
            instance,
            matched: false,
            next: NONE,
        }
    }

    /// Whether the receive accepts a message of its source and context. Collectives match by number
    /// alone; the MPI layer checks kind and root.
    #[inline]
    fn accepts(&self, header: &Header) -> bool {
        if header.is_collective() {
            self.instance.number == header.instance.number
        } else {
            self.tag.accepts(header.tag)
        }
    }
}

impl Linked for PostedReceive {
    #[inline]
    fn next(&self) -> u32 {
        self.next
    }
    #[inline]
    fn set_next(&mut self, next: u32) {
        self.next = next;
    }
}

/// The channel between a rank and one peer in one context.
#[derive(Clone, Copy, Debug)]
struct Channel {
    /// Messages sent to the peer so far.
    sent: u32,
    /// The sequence number of the peer's next message in order.
    expected: u32,
    /// Messages that arrived early, by sequence number.
    held: LinkedQueue,
    /// Messages in order that have found no receive.
    unexpected: LinkedQueue,
    /// Receives from this peer that have found no message.
    posted: LinkedQueue,
}

impl Default for Channel {
    fn default() -> Self {
        Self {
            sent: 0,
            expected: 0,
            held: LinkedQueue::EMPTY,
            unexpected: LinkedQueue::EMPTY,
            posted: LinkedQueue::EMPTY,
        }
    }
}

/// A hash function for the key of a channel, which is one word.
#[derive(Clone, Copy, Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = mix(self.0 ^ u64::from(*byte));
        }
    }
    fn write_u64(&mut self, key: u64) {
        self.0 = mix(key);
    }
}

const fn key(peer: u32, context: u32) -> u64 {
    (peer as u64) << 32 | context as u64
}

/// Receives that have found no message, in the order of posting: the list that a host inspects to
/// match a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct InspectedReceives {
    receives: Vec<u32>,
}

impl InspectedReceives {
    /// Number of receives.
    pub(crate) fn len(&self) -> usize {
        self.receives.len()
    }

    /// Adds a receive.
    pub(crate) fn push(&mut self, receive: u32) {
        self.receives.push(receive);
    }

    /// Removes a receive. Returns the number of entries up to it, itself included; 0 if it is not
    /// in the list.
    pub(crate) fn remove(&mut self, receive: u32) -> usize {
        let place = self.receives.iter().position(|posted| *posted == receive);
        place.map_or(0, |place| {
            self.receives.remove(place);
            place + 1
        })
    }
}

/// The matching state of one rank.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    /// By peer and context. Lookups only; nothing iterates over it.
    channels: HashMap<u64, Channel, BuildHasherDefault<KeyHasher>>,
    /// Posted receives from any source.
    from_any: LinkedQueue,
    /// Posted receives in the order of posting, if the cost of matching depends on it.
    pub(crate) inspected: InspectedReceives,
    /// The oldest and the latest unexpected message.
    oldest: u32,
    latest: u32,
    stamp: u64,
}

impl Matcher {
    pub(crate) fn new() -> Self {
        Self {
            channels: HashMap::default(),
            from_any: LinkedQueue::EMPTY,
            inspected: InspectedReceives::default(),
            oldest: NONE,
            latest: NONE,
            stamp: 0,
        }
    }

    /// The sequence number of the next message to `peer` in `context`.
    #[inline]
    pub(crate) fn next_sequence(&mut self, peer: u32, context: u32) -> u32 {
        let channel = self.channels.entry(key(peer, context)).or_default();
        let sequence = channel.sent;
        channel.sent = sequence.wrapping_add(1);
        sequence
    }

    /// Handles an envelope that has arrived: appends the pairs (message, receive) that now match,
    /// in order. Returns whether the envelope is in order.
    pub(crate) fn arrive(
        &mut self,
        message: u32,
        messages: &mut Arena<Message>,
        receives: &mut Arena<PostedReceive>,
        matches: &mut Vec<(u32, u32)>,
    ) -> bool {
        let header = messages[message].header;
        let channel = self.channels.entry(key(header.source, header.context)).or_default();
        if header.sequence != channel.expected {
            hold(&mut channel.held, channel.expected, messages, message);
            return false;
        }
        let mut current = message;
        loop {
            channel.expected = channel.expected.wrapping_add(1);
            let header = messages[current].header;
            let exact = channel.posted.find(receives, |_, r| r.accepts(&header));
            let any = self
                .from_any
                .find(receives, |_, r| r.context == header.context && r.tag.accepts(header.tag));
            let found = match (exact, any) {
                (Some((_, e)), Some((before, a))) if receives[a].stamp < receives[e].stamp => {
                    Some((&mut self.from_any, before, a))
                }
                (Some((before, e)), _) => Some((&mut channel.posted, before, e)),
                (None, Some((before, a))) => Some((&mut self.from_any, before, a)),
                (None, None) => None,
            };
            if let Some((chain, before, receive)) = found {
                chain.unlink(receives, before, receive);
                receives[receive].matched = true;
                matches.push((current, receive));
            } else {
                channel.unexpected.push_back(messages, current);
                messages[current].earlier = self.latest;
                messages[current].later = NONE;
                if self.latest == NONE {
                    self.oldest = current;
                } else {
                    messages[self.latest].later = current;
                }
                self.latest = current;
            }
            let next = channel.held.front(messages);
            if next == NONE || messages[next].header.sequence != channel.expected {
                return true;
            }
            channel.held.pop_front(messages);
            current = next;
        }
    }

    /// Whether a posted receive accepts the message of an envelope.
    pub(crate) fn awaits(&self, header: &Header, receives: &Arena<PostedReceive>) -> bool {
        let channel = self.channels.get(&key(header.source, header.context));
        let exact = channel.and_then(|c| c.posted.find(receives, |_, r| r.accepts(header)));
        let any = |_, r: &PostedReceive| r.context == header.context && r.tag.accepts(header.tag);
        exact.or_else(|| self.from_any.find(receives, any)).is_some()
    }

    /// Posts a receive. Returns the unexpected message that it takes; without one, the receive
    /// waits.
    pub(crate) fn post(
        &mut self,
        receive: u32,
        messages: &mut Arena<Message>,
        receives: &mut Arena<PostedReceive>,
    ) -> Option<u32> {
        self.stamp += 1;
        receives[receive].stamp = self.stamp;
        let posted = receives[receive];
        let PostedReceive { source, context, tag, .. } = posted;
        if source == NONE {
            let mut message = self.oldest;
            while message != NONE {
                let header = &messages[message].header;
                if header.context == context && tag.accepts(header.tag) {
                    break;
                }
                message = messages[message].later;
            }
            if message == NONE {
                self.from_any.push_back(receives, receive);
                return None;
            }
            let source = messages[message].header.source;
            let channel = self.channels.entry(key(source, context)).or_default();
            if let Some((before, _)) =
                channel.unexpected.find(messages, |handle, _| handle == message)
            {
                channel.unexpected.unlink(messages, before, message);
            }
            self.unlist(message, messages);
            receives[receive].matched = true;
            return Some(message);
        }
        let channel = self.channels.entry(key(source, context)).or_default();
        let Some((before, message)) =
            channel.unexpected.find(messages, |_, m| posted.accepts(&m.header))
        else {
            channel.posted.push_back(receives, receive);
            return None;
        };
        channel.unexpected.unlink(messages, before, message);
        self.unlist(message, messages);
        receives[receive].matched = true;
        Some(message)
    }

    /// Number of unexpected messages that a new receive inspects: up to the one that it takes, or
    /// all.
    pub(crate) fn unexpected_inspected(
        &self,
        taken: Option<u32>,
        messages: &Arena<Message>,
    ) -> usize {
        // A message that was taken still names the one before it.
        let (mut message, mut count) = (taken.unwrap_or(self.latest), 0);
        while message != NONE {
            count += 1;
            message = messages[message].earlier;
        }
        count
    }

    /// Messages that have found no receive, the oldest first.
    pub(crate) fn unexpected<'a>(
        &self,
        messages: &'a Arena<Message>,
    ) -> impl Iterator<Item = &'a Header> {
        let mut next = self.oldest;
        std::iter::from_fn(move || {
            let message = (next != NONE).then(|| &messages[next])?;
            next = message.later;
            Some(&message.header)
        })
    }

    /// The unexpected message that a receive would take now, if it were posted.
    pub(crate) fn peek<'a>(
        &self,
        source: u32,
        context: u32,
        tag: TagSelect,
        messages: &'a Arena<Message>,
    ) -> Option<&'a Header> {
        if source == NONE {
            return self
                .unexpected(messages)
                .find(|header| header.context == context && tag.accepts(header.tag));
        }
        let channel = self.channels.get(&key(source, context))?;
        let (_, message) =
            channel.unexpected.find(messages, |_, message| tag.accepts(message.header.tag))?;
        Some(&messages[message].header)
    }

    /// Removes a message from the list of all unexpected messages.
    fn unlist(&mut self, message: u32, messages: &mut Arena<Message>) {
        let Message { earlier, later, .. } = messages[message];
        if earlier == NONE {
            self.oldest = later;
        } else {
            messages[earlier].later = later;
        }
        if later == NONE {
            self.latest = earlier;
        } else {
            messages[later].earlier = earlier;
        }
    }
}

/// Adds a message that arrived early to the held ones, by its distance from the expected one.
fn hold(held: &mut LinkedQueue, expected: u32, messages: &mut Arena<Message>, message: u32) {
    let distance = |m: &Message| m.header.sequence.wrapping_sub(expected);
    let mine = distance(&messages[message]);
    held.insert(messages, message, |m| distance(m) > mine);
}

#[cfg(test)]
mod tests;
