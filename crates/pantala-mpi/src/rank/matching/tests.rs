//! The matcher against a slow reference with plain lists.

use proptest::prelude::*;

use super::*;
use crate::config::MpiConfig;
use crate::message::{CollectiveInstance, Header, TransmissionKind};

const SOURCES: u32 = 3;
const CONTEXTS: u32 = 2;
const TAGS: i32 = 2;

#[derive(Clone, Debug)]
enum Step {
    /// Send the next message of (source, context) with this tag.
    Send(u32, u32, i32),
    /// The `n`-th message on its way, modulo their number, arrives.
    Arrive(usize),
    /// Post a receive: source, context and tag; `None` for any.
    Post(Option<u32>, u32, Option<i32>),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..SOURCES, 0..CONTEXTS, 0..TAGS).prop_map(|(s, c, t)| Step::Send(s, c, t)),
        3 => any::<usize>().prop_map(Step::Arrive),
        3 => (proptest::option::of(0..SOURCES), 0..CONTEXTS, proptest::option::of(0..TAGS))
            .prop_map(|(s, c, t)| Step::Post(s, c, t)),
    ]
}

/// MPI's rule with plain lists. A message is (number, source, context, tag, sequence).
#[derive(Default)]
struct Reference {
    expected: [[u32; CONTEXTS as usize]; SOURCES as usize],
    early: Vec<(u32, u32, u32, i32, u32)>,
    unexpected: Vec<(u32, u32, u32, i32)>,
    posted: Vec<(u32, Option<u32>, u32, Option<i32>)>,
}

impl Reference {
    fn arrive(&mut self, message: (u32, u32, u32, i32, u32)) -> Vec<(u32, u32)> {
        self.early.push(message);
        let mut matches = Vec::new();
        while let Some(i) =
            self.early.iter().position(|m| m.4 == self.expected[m.1 as usize][m.2 as usize])
        {
            let (id, source, context, tag, _) = self.early.remove(i);
            self.expected[source as usize][context as usize] += 1;
            let receive = self.posted.iter().position(|r| {
                r.1.is_none_or(|s| s == source) && r.2 == context && r.3.is_none_or(|t| t == tag)
            });
            match receive {
                Some(r) => matches.push((id, self.posted.remove(r).0)),
                None => self.unexpected.push((id, source, context, tag)),
            }
        }
        matches
    }

    fn post(&mut self, receive: (u32, Option<u32>, u32, Option<i32>)) -> Option<u32> {
        let message = self.unexpected.iter().position(|m| {
            receive.1.is_none_or(|s| s == m.1)
                && receive.2 == m.2
                && receive.3.is_none_or(|t| t == m.3)
        });
        if message.is_none() {
            self.posted.push(receive);
        }
        message.map(|m| self.unexpected.remove(m).0)
    }
}

fn message(source: u32, context: u32, tag: i32, sequence: u32) -> Message {
    let header = Header {
        posted: 0,
        bytes: 1,
        source,
        destination: 9,
        context: 2 * context,
        tag,
        sequence,
        instance: CollectiveInstance::default(),
        value: 0,
        origin: NONE,
        target: NONE,
        job: 0,
        kind: TransmissionKind::Eager,
        unexpected: false,
    };
    Message::new(header, 0, &MpiConfig::default())
}

proptest! {
    #![proptest_config(pantala_testing::cases(2_000))]

    /// Sends, arrivals (in any order) and receives give the reference's matches.
    #[test]
    fn matches_as_the_reference(steps in proptest::collection::vec(step(), 1..120), first in prop_oneof![Just(0u32), Just(u32::MAX - 2)]) {
        let (mut messages, mut receives) = (Arena::new(), Arena::new());
        let (mut matcher, mut reference) = (Matcher::new(), Reference::default());
        let mut sent = [[0u32; CONTEXTS as usize]; SOURCES as usize];
        let mut on_the_way: Vec<(u32, u32, u32, i32, u32)> = Vec::new();
        for source in 0..SOURCES {
            for context in 0..CONTEXTS {
                matcher.channels.entry(key(source, 2 * context)).or_default().expected = first;
            }
        }
        for step in steps {
            match step {
                Step::Send(source, context, tag) => {
                    let sequence = &mut sent[source as usize][context as usize];
                    let id = messages.insert(message(source, context, tag, first.wrapping_add(*sequence)));
                    on_the_way.push((id, source, context, tag, *sequence));
                    *sequence += 1;
                }
                Step::Arrive(n) if !on_the_way.is_empty() => {
                    let arrived = on_the_way.remove(n % on_the_way.len());
                    let mut matches = Vec::new();
                    matcher.arrive(arrived.0, &mut messages, &mut receives, &mut matches);
                    prop_assert_eq!(matches, reference.arrive(arrived));
                }
                Step::Arrive(_) => {}
                Step::Post(source, context, tag) => {
                    let select = tag.map_or(TagSelect::Any, TagSelect::Is);
                    let id = receives.insert(PostedReceive::new(0, 0, source.unwrap_or(NONE), 2 * context, select, 1));
                    let found = matcher.post(id, &mut messages, &mut receives);
                    prop_assert_eq!(found, reference.post((id, source, context, tag)));
                    prop_assert_eq!(receives[id].matched, found.is_some());
                }
            }
        }
    }
}

#[test]
fn sequence_numbers_count_per_peer_and_context() {
    let mut matcher = Matcher::new();
    assert_eq!(
        [(1, 0), (1, 0), (2, 0), (1, 1), (1, 0)]
            .map(|(peer, context)| matcher.next_sequence(peer, context)),
        [0, 1, 0, 0, 2]
    );
}

/// In the contexts of collectives, which are odd, the number of the call decides and the tag does
/// not matter.
#[test]
fn collectives_match_by_number() {
    let (mut messages, mut receives, mut matcher) = (Arena::new(), Arena::new(), Matcher::new());
    let mut matches = Vec::new();
    for (sequence, number) in [(0, 5), (1, 4), (2, 5)] {
        let mut message = message(3, 0, -1, sequence);
        message.header.context = 1;
        message.header.instance.number = number;
        matcher.arrive(messages.insert(message), &mut messages, &mut receives, &mut matches);
    }
    let mut post = |number| {
        let instance = CollectiveInstance { number, root: 0 };
        let receive =
            PostedReceive { instance, ..PostedReceive::new(0, 0, 3, 1, TagSelect::Is(-2), 1) };
        matcher.post(receives.insert(receive), &mut messages, &mut receives)
    };
    assert_eq!([4, 5, 5, 5].map(&mut post), [Some(1), Some(0), Some(2), None]);
    assert!(matches.is_empty());
}

#[test]
fn a_channel_is_small() {
    assert!(size_of::<Channel>() <= 24);
    assert!(size_of::<Message>() <= 112);
}
