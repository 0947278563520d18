//! The order of events: a timing wheel of buckets for near events, lists by epoch and a heap for
//! far ones, one order over all.

mod far;
mod nodes;
mod occupancy;

use crate::random::mix;
use crate::time::{NEVER, Time};
use far::Far;
use nodes::{END, Node, Nodes};
use occupancy::Occupancy;

/// An event: a time, a phase and an identity.
///
/// Events come out in the order of (time, phase). What a simulation does at one time in one phase
/// must commute: the order of events of equal time and phase is not defined, and
/// [`Wheel::scramble`] lets a test draw it. So nothing can depend on which partition, thread or
/// earlier event scheduled what first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// When, in picoseconds.
    pub time: Time,
    /// Which phase of that time, below [`PHASES`]; the lower goes first.
    pub phase: u8,
    /// What, in the simulation's own numbers.
    pub id: u32,
}

/// How many phases a time can have.
pub const PHASES: u8 = 8;
const PHASES_LOG2: u32 = 3;

/// A bucket is 64 ps wide, so that an event's key (its time's offset in the bucket, its phase) is
/// one of few.
const WIDTH_LOG2: u32 = 6;
const KEYS: usize = 1 << (WIDTH_LOG2 + PHASES_LOG2);
const KEY_WORDS: usize = KEYS / 64;

/// The wheel reaches a little over a microsecond: further than any link.
const SLOTS: usize = 1 << 14;
const MASK: u64 = SLOTS as u64 - 1;

/// How many events are foreseen: as many as come while memory answers.
const FORESEEN: u32 = 16;

/// A timing wheel.
///
/// The wheel has 2^14 buckets of 64 ps, each a list through one slab of nodes, and lists of the
/// same kind for later epochs. When a bucket's time comes, its list is dealt out to one list a key
/// (offset, phase): few events ever compare, and a simulation takes all events of one time and
/// phase in a row. Nothing is allocated once the slab holds the most events ever scheduled.
///
/// Invariant: nothing is ever scheduled before the time of the group taken last.
#[derive(Debug)]
pub struct Wheel {
    nodes: Nodes,
    buckets: Box<[u32; SLOTS]>,
    occupied: Box<Occupancy<{ SLOTS / 64 }, { SLOTS / 4096 }>>,
    /// The bucket being drained (absolute number), its lists by key, and which of them hold
    /// anything.
    slot: u64,
    lists: Box<[u32; KEYS]>,
    used: [u64; KEY_WORDS],
    /// Which words of `used` are not zero.
    used_words: u8,
    /// What is left of the group being taken, and its time and phase.
    group: u32,
    group_key: (Time, u8),
    far: Far,
    /// The last bucket whose events have been foreseen, and about how many of those are still to
    /// come.
    foreseen: u64,
    awaited: u32,
    scramble: Option<u64>,
    popped: u64,
}

impl Default for Wheel {
    fn default() -> Self {
        Self::new()
    }
}

impl Wheel {
    /// A wheel at time zero.
    #[must_use]
    pub fn new() -> Self {
        Self {
            nodes: Nodes::new(),
            buckets: Box::new([END; SLOTS]),
            occupied: Box::new(Occupancy::EMPTY),
            slot: 0,
            lists: Box::new([END; KEYS]),
            used: [0; KEY_WORDS],
            used_words: 0,
            group: END,
            group_key: (0, 0),
            far: Far::new(),
            foreseen: 0,
            awaited: 0,
            scramble: None,
            popped: 0,
        }
    }

    /// From now on, draws the order of events of equal time and phase: for tests that such events
    /// commute.
    pub fn scramble(&mut self, seed: u64) {
        self.scramble = Some(seed);
    }

    /// Schedules an event; its time must not lie before that of the group taken last.
    #[inline]
    pub fn push(&mut self, time: Time, phase: u8, id: u32) {
        self.push_with_hint(time, phase, id, 0);
    }

    /// Schedules an event as [`Self::push`] does. [`Self::next_group_foreseen`] and
    /// [`Self::pop_with_hint`] give `hint` with it.
    #[inline]
    pub fn push_with_hint(&mut self, time: Time, phase: u8, id: u32, hint: u32) {
        debug_assert!(phase < PHASES, "phase {phase}");
        let slot = time >> WIDTH_LOG2;
        let distance = slot.wrapping_sub(self.slot);
        // Zero, "negative" (wrapped) and far distances leave by the other path.
        if distance.wrapping_sub(1) < MASK {
            self.push_near(slot, Node::key_of::<WIDTH_LOG2>(time, phase), id, hint);
        } else {
            self.push_aside(Event { time, phase, id }, hint);
        }
    }

    /// Puts an event into a bucket that the wheel reaches.
    #[inline(always)]
    fn push_near(&mut self, slot: u64, key: u32, id: u32, hint: u32) {
        let index = (slot & MASK) as usize;
        let next = self.buckets[index];
        self.buckets[index] = self.nodes.insert(Node { id, next, key, hint });
        if next == END {
            self.occupied.insert(index);
        }
    }

    #[cold]
    #[inline(never)]
    fn push_aside(&mut self, event: Event, hint: u32) {
        let slot = event.time >> WIDTH_LOG2;
        if slot > self.slot {
            self.far.push(&mut self.nodes, event, hint, self.slot);
            return;
        }
        // The bucket being drained, or (when the wheel has moved ahead to its next event) one
        // before it.
        if slot < self.slot {
            self.rewind(slot);
        }
        if (event.time, event.phase) < self.group_key {
            self.put_group_back();
        }
        self.deal_new(event, hint);
    }

    /// Puts an event of the current bucket into the list of its key.
    fn deal_new(&mut self, event: Event, hint: u32) {
        let key = Node::key_of::<WIDTH_LOG2>(event.time, event.phase);
        let index = self.nodes.insert(Node { id: event.id, next: END, key, hint });
        self.deal(index);
    }

    /// Undoes [`Self::take_group`], for an event that comes before the group.
    #[cold]
    fn put_group_back(&mut self) {
        let mut at = std::mem::replace(&mut self.group, END);
        while let Some(node) = self.nodes.get(at) {
            let next = node.next;
            self.deal(at);
            at = next;
        }
    }

    /// Puts a node into the list of its key.
    #[inline]
    fn deal(&mut self, index: u32) {
        let Some(node) = self.nodes.get_mut(index) else { return };
        let key = node.key as usize % KEYS;
        node.next = self.lists[key];
        if node.next == END {
            self.used[key / 64] |= 1 << (key % 64);
            self.used_words |= 1 << (key / 64);
        }
        self.lists[key] = index;
    }

    /// Goes back to an earlier bucket: everything is scheduled anew. Needed only right after the
    /// wheel has moved to an event that nobody has taken yet, so it may be slow.
    #[cold]
    fn rewind(&mut self, slot: u64) {
        let mut events = Vec::new();
        loop {
            while self.group != END || self.take_group() {
                let (time, phase) = self.group_key;
                while let Some(Node { id, hint, .. }) = self.nodes.pop(&mut self.group) {
                    events.push((Event { time, phase, id }, hint));
                }
            }
            let Some(next) = self.next_occupied() else { break };
            self.open(next, |_, _, _| {});
        }
        events.extend(std::iter::from_fn(|| self.far.pop(&mut self.nodes, u64::MAX >> WIDTH_LOG2)));
        self.slot = slot;
        for (event, hint) in events {
            self.push_with_hint(event.time, event.phase, event.id, hint);
        }
        self.forget_foreseen();
    }

    /// Moves to the next group of events, those of the lowest time and phase, if that comes before
    /// `until`.
    #[inline]
    pub fn next_group(&mut self, until: Time) -> Option<(Time, u8)> {
        self.next_group_foreseen(until, |_, _, _| {})
    }

    /// Like [`Self::next_group`]; tells `foresee` phase, identity and hint of the events that come
    /// next, a dozen or so ahead and in no order, so that what they need can be fetched. Events
    /// that are scheduled between those are not foreseen.
    #[inline]
    pub fn next_group_foreseen(
        &mut self,
        until: Time,
        mut foresee: impl FnMut(u8, u32, u32),
    ) -> Option<(Time, u8)> {
        loop {
            if self.group != END {
                return (self.group_key.0 < until).then_some(self.group_key);
            }
            if !self.take_group() && !self.turn(until, &mut foresee) {
                return None;
            }
        }
    }

    /// Takes the list of the lowest key of the current bucket that holds anything; false if none
    /// does.
    #[inline]
    fn take_group(&mut self) -> bool {
        let Some(key) = self.first_key() else { return false };
        let bits = &mut self.used[key / 64];
        *bits &= *bits - 1;
        if *bits == 0 {
            self.used_words &= self.used_words - 1;
        }
        self.group = std::mem::replace(&mut self.lists[key], END);
        self.group_key = (self.time_of(key), key as u8 & (PHASES - 1));
        true
    }

    /// The lowest key of the current bucket that holds anything.
    #[inline(always)]
    fn first_key(&self) -> Option<usize> {
        let word = self.used_words.trailing_zeros() as usize;
        (word < KEY_WORDS).then(|| (word * 64 + self.used[word].trailing_zeros() as usize) % KEYS)
    }

    /// The time of a key of the current bucket.
    #[inline(always)]
    const fn time_of(&self, key: usize) -> Time {
        (self.slot << WIDTH_LOG2) + (key as u64 >> PHASES_LOG2)
    }

    /// The next event of the group that [`Self::next_group`] has moved to; `None` if all have been
    /// taken.
    #[inline]
    pub fn pop(&mut self) -> Option<u32> {
        self.pop_with_hint().map(|(id, _)| id)
    }

    /// Takes the next event of the group as [`Self::pop`] does, and gives its identity and its hint
    /// ([`Self::push_with_hint`]).
    #[inline]
    pub fn pop_with_hint(&mut self) -> Option<(u32, u32)> {
        let node = self.nodes.pop(&mut self.group)?;
        self.popped += 1;
        Some((node.id, node.hint))
    }

    /// Whether any event is scheduled for `time`, that of the group being taken. Unlike
    /// [`Self::next_group`] this never moves on: what a simulation does at the end of a time, it
    /// does before the wheel has moved on.
    #[inline]
    #[must_use]
    pub fn more_at(&self, time: Time) -> bool {
        let first = Node::key_of::<WIDTH_LOG2>(time, 0) as usize % KEYS;
        (self.used[first / 64] >> (first % 64)) as u8 != 0
    }

    /// The time of the next event, [`NEVER`] if there is none. Moves nothing.
    #[must_use]
    pub fn next_time(&self) -> Time {
        if self.group != END {
            return self.group_key.0;
        }
        if let Some(key) = self.first_key() {
            return self.time_of(key);
        }
        let near = self.next_occupied();
        // Events of an epoch have no order: they are looked through only if no bucket comes before
        // the epoch.
        let far = if near.is_none_or(|slot| self.far.next_slot() <= slot) {
            self.far.next_time(&self.nodes)
        } else {
            NEVER
        };
        let first = near.map_or(NEVER, |slot| {
            let list = self.nodes.list(self.buckets[(slot & MASK) as usize]);
            (slot << WIDTH_LOG2) + list.map(Node::offset).min().unwrap_or(0)
        });
        first.min(far)
    }

    /// How many events have been taken.
    #[must_use]
    pub fn popped(&self) -> u64 {
        self.popped
    }

    /// Phase and identity of all scheduled events, in no order: for audits.
    pub fn iter(&self) -> impl Iterator<Item = (u8, u32)> {
        let heads =
            self.buckets.iter().chain(self.lists.iter()).chain(std::iter::once(&self.group));
        let near =
            heads.flat_map(|&head| self.nodes.list(head)).map(|node| (node.phase(), node.id));
        near.chain(self.far.iter(&self.nodes))
    }

    /// Bytes of memory held.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.nodes.memory() + size_of_val(&*self.buckets) + self.far.memory()
    }

    /// Moves to the next bucket that holds anything; false if there is none that begins before
    /// `until`.
    #[inline(never)]
    fn turn(&mut self, until: Time, mut foresee: impl FnMut(u8, u32, u32)) -> bool {
        let near = self.next_occupied().unwrap_or(u64::MAX);
        let far = self.far.next_slot();
        let slot = near.min(far);
        if slot >= until.div_ceil(1 << WIDTH_LOG2) {
            return false;
        }
        if near == slot {
            self.open(slot, &mut foresee);
        }
        self.slot = slot;
        if far == slot {
            self.fetch_far(slot);
        }
        self.foresee(foresee);
        if let Some(seed) = self.scramble {
            self.scramble_lists(seed);
        }
        true
    }

    /// Takes over the far events of the epoch that starts with bucket `slot`, which is the current
    /// one, or of that bucket.
    #[cold]
    fn fetch_far(&mut self, slot: u64) {
        while let Some((event, hint)) = self.far.pop(&mut self.nodes, slot) {
            if event.time >> WIDTH_LOG2 == slot {
                self.deal_new(event, hint);
            } else {
                let key = Node::key_of::<WIDTH_LOG2>(event.time, event.phase);
                self.push_near(event.time >> WIDTH_LOG2, key, event.id, hint);
            }
        }
        self.foreseen = self.foreseen.max(slot);
    }

    /// Deals out a near bucket and makes it the current one.
    #[inline]
    fn open(&mut self, slot: u64, mut foresee: impl FnMut(u8, u32, u32)) {
        let bucket = (slot & MASK) as usize;
        let mut at = std::mem::replace(&mut self.buckets[bucket], END);
        self.occupied.remove(bucket);
        self.slot = slot;
        let new = slot > self.foreseen;
        let mut events = 0;
        while let Some(&Node { id, next, key, hint }) = self.nodes.get(at) {
            if new {
                foresee(key as u8 & (PHASES - 1), id, hint);
            }
            events += 1;
            self.deal(at);
            at = next;
        }
        self.awaited = if new { 0 } else { self.awaited.saturating_sub(events) };
        self.foreseen = self.foreseen.max(slot);
    }

    /// Looks ahead over the buckets behind the current one, until enough events have been foreseen.
    #[inline]
    fn foresee(&mut self, mut foresee: impl FnMut(u8, u32, u32)) {
        while self.awaited < FORESEEN {
            let Some(slot) = self.next_occupied_after(self.foreseen) else { return };
            for node in self.nodes.list(self.buckets[(slot & MASK) as usize]) {
                foresee(node.phase(), node.id, node.hint);
                self.awaited += 1;
            }
            self.foreseen = slot;
            // The list that is looked through next.
            if let Some(next) = self.next_occupied_after(slot) {
                self.nodes.prefetch(self.buckets[(next & MASK) as usize]);
            }
        }
    }

    /// What has been fetched for foreseen events may be gone: they will be foreseen again.
    pub fn forget_foreseen(&mut self) {
        (self.foreseen, self.awaited) = (self.slot, 0);
    }

    /// Draws the order of every list of the current bucket.
    #[cold]
    fn scramble_lists(&mut self, seed: u64) {
        for key in
            (0..KEYS).filter(|key| self.used[key / 64] >> (key % 64) & 1 == 1).collect::<Vec<_>>()
        {
            let mut at = std::mem::replace(&mut self.lists[key], END);
            let mut nodes = Vec::new();
            while let Some(node) = self.nodes.get(at) {
                nodes.push((mix(seed ^ self.slot ^ u64::from(node.id)), at));
                at = node.next;
            }
            nodes.sort_unstable_by_key(|&(draw, _)| draw);
            nodes.into_iter().for_each(|(_, index)| self.deal(index));
        }
    }

    /// The absolute number of the first occupied bucket after the current one.
    #[inline]
    fn next_occupied(&self) -> Option<u64> {
        self.next_occupied_after(self.slot)
    }

    /// The absolute number of the first occupied bucket after this one, which is the current one or
    /// a near one.
    #[inline]
    fn next_occupied_after(&self, slot: u64) -> Option<u64> {
        let index = self.occupied.next_from(((slot + 1) & MASK) as usize)? as u64;
        let found = self.slot + (index.wrapping_sub(self.slot) & MASK);
        (found > slot).then_some(found)
    }
}

#[cfg(test)]
mod tests;
