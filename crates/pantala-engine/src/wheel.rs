//! The order of events: a timing wheel of buckets for near events, lists per epoch and a heap for
//! far events.

mod event;
mod far;
mod nodes;
mod occupancy;
mod tick;

use crate::random::mix;
use crate::time::{NEVER, Time};
pub use event::{Event, PHASES};
use event::{PHASES_LOG2, SLOTS, WIDTH_LOG2};
use far::Far;
use nodes::{END, Node, Nodes};
use occupancy::Occupancy;
use tick::NO_TICK;

const KEYS: usize = 1 << (WIDTH_LOG2 + PHASES_LOG2);
const KEY_WORDS: usize = KEYS / 64;
const MASK: u64 = SLOTS as u64 - 1;

/// Number of events to foresee: about as many as the simulation handles while memory answers.
const FORESEEN: u32 = 16;

/// A timing wheel.
///
/// The wheel has 2^11 buckets of 512 ps. Each is a list in one arena of nodes. Later epochs have
/// lists of the same kind. When the time of a bucket comes, the wheel deals its list out to one
/// list per key (offset, phase). So few events ever compare, and a simulation takes all events of
/// one time and phase in sequence. Nothing allocates once the arena has reached its largest size.
///
/// Invariant: no event is scheduled before the time of the batch taken last.
#[derive(Debug)]
pub struct Wheel {
    nodes: Nodes,
    buckets: Box<[u32; SLOTS]>,
    occupied: Box<Occupancy<{ SLOTS / 64 }, { SLOTS.div_ceil(4096) }>>,
    /// The bucket being drained (absolute number), its lists by key, and the set of lists that are
    /// not empty.
    slot: u64,
    lists: Box<[u32; KEYS]>,
    used: [u64; KEY_WORDS],
    /// The words of `used` that are not zero.
    used_words: u64,
    /// The rest of the batch being taken, and its time and phase.
    batch: u32,
    batch_key: (Time, u8),
    /// The events of one clock tick ([`Wheel::push_tick`]), and their time and phase as one number;
    /// [`NO_TICK`] if there are none.
    tick: u32,
    tick_order: u64,
    far: Far,
    /// The last bucket whose events have been foreseen, and the approximate number of foreseen
    /// events that are still to come.
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
            batch: END,
            batch_key: (0, 0),
            tick: END,
            tick_order: NO_TICK,
            far: Far::new(),
            foreseen: 0,
            awaited: 0,
            scramble: None,
            popped: 0,
        }
    }

    /// Draws the order of events of equal time and phase from now on, for tests that such events
    /// commute.
    pub fn scramble(&mut self, seed: u64) {
        self.scramble = Some(seed);
    }

    /// Schedules an event. Its time must not be before that of the batch taken last.
    #[inline]
    pub fn push(&mut self, time: Time, phase: u8, id: u32) {
        self.push_with_hint(time, phase, id, 0);
    }

    /// Schedules an event as [`Self::push`] does. [`Self::turn_to_batch`] and
    /// [`Self::pop_with_hint`] return `hint` with it.
    #[inline]
    pub fn push_with_hint(&mut self, time: Time, phase: u8, id: u32, hint: u32) {
        debug_assert!(phase < PHASES, "phase {phase}");
        let slot = time >> WIDTH_LOG2;
        let distance = slot.wrapping_sub(self.slot);
        // Zero, wrapped ("negative") and far distances take the other path.
        if distance.wrapping_sub(1) < MASK {
            self.push_near(slot, Node::key_of::<WIDTH_LOG2>(time, phase), id, hint);
        } else {
            self.push_aside(Event { time, phase, id }, hint);
        }
    }

    /// Adds an event to a bucket within the reach of the wheel.
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
        // The event is for the bucket being drained. Or it is for an earlier one, if the wheel has
        // moved ahead to its next event.
        if slot < self.slot {
            self.rewind(slot);
        }
        if (event.time, event.phase) < self.batch_key {
            self.put_batch_back();
        }
        self.deal_new(event, hint);
    }

    /// Adds an event of the current bucket to the list of its key.
    fn deal_new(&mut self, event: Event, hint: u32) {
        let key = Node::key_of::<WIDTH_LOG2>(event.time, event.phase);
        let index = self.nodes.insert(Node { id: event.id, next: END, key, hint });
        self.deal(index);
    }

    /// Reverses [`Self::take_batch`], for an event that precedes the batch.
    #[cold]
    fn put_batch_back(&mut self) {
        let mut at = std::mem::replace(&mut self.batch, END);
        while let Some(node) = self.nodes.get(at) {
            let next = node.next;
            self.deal(at);
            at = next;
        }
    }

    /// Adds a node to the list of its key.
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

    /// Moves back to an earlier bucket and schedules all events of the current one anew. This is
    /// slow. It happens only right after the wheel has moved to an event that has not been taken
    /// yet.
    #[cold]
    fn rewind(&mut self, slot: u64) {
        self.schedule_anew(slot, |_| true);
    }

    /// Forgets the events for which `gone` holds, by time, phase and identity; not those of a clock
    /// tick. This is slow. Call it between two batches.
    pub fn forget(&mut self, gone: impl Fn(Event) -> bool) {
        self.schedule_anew(self.slot, |event| !gone(event));
    }

    /// Moves to a bucket, the current one or an earlier one, and schedules anew all events that are
    /// kept.
    #[cold]
    fn schedule_anew(&mut self, slot: u64, keep: impl Fn(Event) -> bool) {
        let mut events = Vec::new();
        loop {
            loop {
                match self.first_key() {
                    _ if self.batch != END => {}
                    Some(key) => self.take_batch(key),
                    None => break,
                }
                let (time, phase) = self.batch_key;
                while let Some(Node { id, hint, .. }) = self.nodes.pop(&mut self.batch) {
                    events.push((Event { time, phase, id }, hint));
                }
            }
            let Some(next) = self.next_occupied() else { break };
            self.open(next, |_, _, _| {}, |_, _, _| {});
        }
        events.extend(std::iter::from_fn(|| self.far.pop(&mut self.nodes, u64::MAX >> WIDTH_LOG2)));
        self.slot = slot;
        for (event, hint) in events.into_iter().filter(|(event, _)| keep(*event)) {
            self.push_with_hint(event.time, event.phase, event.id, hint);
        }
        self.forget_foreseen();
    }

    /// Moves to the next batch of events: those of the lowest time and phase, if it is before
    /// `until`.
    #[inline]
    pub fn next_batch(&mut self, until: Time) -> Option<(Time, u8)> {
        match self.next_open_batch(until) {
            Some(found) => found,
            None => self.turn_to_batch(until, |_, _, _| {}, |_, _, _| {}),
        }
    }

    /// Like [`Self::next_batch`], as far as the current bucket goes; `None` if it has no event left
    /// before the next tick. Then [`Self::turn_to_batch`] goes on. A caller that calls both need not
    /// have the closures of that one at hand for each batch.
    #[inline(always)]
    pub fn next_open_batch(&mut self, until: Time) -> Option<Option<(Time, u8)>> {
        if self.batch == END {
            let key = self.first_key()?;
            if !self.is_due(key) {
                return None;
            }
            self.take_batch(key);
        }
        Some((self.batch_key.0 < until).then_some(self.batch_key))
    }

    /// Moves to the next batch, after the current bucket or at the tick, after
    /// [`Self::next_open_batch`] has returned `None`.
    ///
    /// The caller can prefetch the data of events, in two steps. `foresee` gets phase, identity and
    /// hint of about a dozen events that come next, in no order; events that are scheduled before
    /// those are not foreseen. `announce` gets the events of each bucket that opens, except those
    /// that were far away: by then what `foresee` has prefetched is there, and tells what else to
    /// prefetch.
    #[inline(never)]
    pub fn turn_to_batch(
        &mut self,
        until: Time,
        mut foresee: impl FnMut(u8, u32, u32),
        mut announce: impl FnMut(u8, u32, u32),
    ) -> Option<(Time, u8)> {
        let time = if self.tick == END { NEVER } else { self.tick_time() };
        while self.used_words == 0
            && self.turn(until.min(time.saturating_add(1)), &mut foresee, &mut announce)
        {
            if let Some(found) = self.next_open_batch(until) {
                return found;
            }
        }
        if time >= until {
            return None;
        }
        self.take_tick();
        Some(self.batch_key)
    }

    /// Takes the list of `key`, the first of the current bucket that is not empty.
    #[inline(always)]
    fn take_batch(&mut self, key: usize) {
        let bits = &mut self.used[key / 64];
        *bits &= *bits - 1;
        if *bits == 0 {
            self.used_words &= self.used_words - 1;
        }
        self.batch = std::mem::replace(&mut self.lists[key], END);
        self.batch_key = (self.time_of(key), key as u8 & (PHASES - 1));
    }

    /// The lowest key of the current bucket whose list is not empty.
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

    /// The next event of the batch to which [`Self::next_batch`] has moved. `None` after the last
    /// one.
    #[inline]
    pub fn pop(&mut self) -> Option<u32> {
        self.pop_with_hint().map(|(id, _)| id)
    }

    /// As [`Self::pop`], with the event's hint ([`Self::push_with_hint`]).
    #[inline]
    pub fn pop_with_hint(&mut self) -> Option<(u32, u32)> {
        let node = self.nodes.pop(&mut self.batch)?;
        self.popped += 1;
        Some((node.id, node.hint))
    }

    /// Whether an event is scheduled for `time`, the time of the batch being taken. Unlike
    /// [`Self::next_batch`] it never moves the wheel, so that a simulation can act at the end of a
    /// time before the wheel moves on.
    #[inline]
    #[must_use]
    pub fn more_at(&self, time: Time) -> bool {
        let first = Node::key_of::<WIDTH_LOG2>(time, 0) as usize % KEYS;
        (self.used[first / 64] >> (first % 64)) as u8 != 0 || self.tick_time() == time
    }

    /// The time of the next event, or [`NEVER`]. It does not move the wheel.
    #[must_use]
    pub fn next_time(&self) -> Time {
        if self.batch != END {
            return self.batch_key.0;
        }
        if let Some(key) = self.first_key() {
            return self.time_of(key).min(self.tick_time());
        }
        let near = self.next_occupied();
        // The events of an epoch are unordered. They are searched only if no bucket precedes the
        // epoch.
        let far = if near.is_none_or(|slot| self.far.next_slot() <= slot) {
            self.far.next_time(&self.nodes)
        } else {
            NEVER
        };
        let first = near.map_or(NEVER, |slot| {
            let list = self.nodes.list(self.buckets[(slot & MASK) as usize]);
            (slot << WIDTH_LOG2) + list.map(Node::offset).min().unwrap_or(0)
        });
        let tick = if self.tick == END { NEVER } else { self.tick_time() };
        first.min(far).min(tick)
    }

    /// Number of events taken.
    #[must_use]
    pub fn popped(&self) -> u64 {
        self.popped
    }

    /// Phase and identity of all scheduled events, in no order, for audits.
    pub fn iter(&self) -> impl Iterator<Item = (u8, u32)> {
        let heads = self.buckets.iter().chain(self.lists.iter()).chain([&self.batch, &self.tick]);
        let near =
            heads.flat_map(|&head| self.nodes.list(head)).map(|node| (node.phase(), node.id));
        near.chain(self.far.iter(&self.nodes))
    }

    /// Bytes of memory held.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.nodes.memory() + size_of_val(&*self.buckets) + self.far.memory()
    }

    /// Moves to the next bucket that is not empty. False if none begins before `until`.
    #[inline]
    fn turn(
        &mut self,
        until: Time,
        mut foresee: impl FnMut(u8, u32, u32),
        announce: impl FnMut(u8, u32, u32),
    ) -> bool {
        let near = self.next_occupied().unwrap_or(u64::MAX);
        let far = self.far.next_slot();
        let slot = near.min(far);
        if slot >= until.div_ceil(1 << WIDTH_LOG2) {
            return false;
        }
        if near == slot {
            self.open(slot, &mut foresee, announce);
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

    /// Takes over the far events of bucket `slot`, which is the current one, or of the epoch that
    /// it starts.
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
    fn open(
        &mut self,
        slot: u64,
        mut foresee: impl FnMut(u8, u32, u32),
        mut announce: impl FnMut(u8, u32, u32),
    ) {
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
            announce(key as u8 & (PHASES - 1), id, hint);
            events += 1;
            self.deal(at);
            at = next;
        }
        self.awaited = if new { 0 } else { self.awaited.saturating_sub(events) };
        self.foreseen = self.foreseen.max(slot);
    }

    /// Looks ahead over the buckets after the current one until enough events have been foreseen.
    #[inline]
    fn foresee(&mut self, mut foresee: impl FnMut(u8, u32, u32)) {
        while self.awaited < FORESEEN {
            let Some(slot) = self.next_occupied_after(self.foreseen) else { return };
            for node in self.nodes.list(self.buckets[(slot & MASK) as usize]) {
                foresee(node.phase(), node.id, node.hint);
                self.awaited += 1;
            }
            self.foreseen = slot;
            // Prefetches the list that comes next.
            if let Some(next) = self.next_occupied_after(slot) {
                self.nodes.prefetch(self.buckets[(next & MASK) as usize]);
            }
        }
    }

    /// Forgets which events have been foreseen, because their prefetched data may have left the
    /// cache. They will be foreseen again.
    pub fn forget_foreseen(&mut self) {
        (self.foreseen, self.awaited) = (self.slot, 0);
    }

    /// Draws the order of each list of the current bucket.
    #[cold]
    fn scramble_lists(&mut self, seed: u64) {
        for word in 0..KEY_WORDS {
            let mut set = self.used[word];
            while set != 0 {
                let key = word * 64 + set.trailing_zeros() as usize;
                set &= set - 1;
                self.lists[key] = self.scrambled(self.lists[key], seed);
            }
        }
    }

    /// Draws the order of a list. Returns its new head.
    #[cold]
    fn scrambled(&mut self, list: u32, seed: u64) -> u32 {
        let mut drawn = Vec::new();
        let mut at = list;
        while let Some(node) = self.nodes.get(at) {
            drawn.push((mix(seed ^ self.slot ^ u64::from(node.id)), at));
            at = node.next;
        }
        drawn.sort_unstable_by_key(|&(draw, _)| draw);
        let mut head = END;
        for (_, index) in drawn {
            if let Some(node) = self.nodes.get_mut(index) {
                node.next = head;
            }
            head = index;
        }
        head
    }

    /// The absolute number of the first occupied bucket after the current one.
    #[inline]
    fn next_occupied(&self) -> Option<u64> {
        self.next_occupied_after(self.slot)
    }

    /// The absolute number of the first occupied bucket after `slot`, which is the current bucket
    /// or a near one.
    #[inline]
    fn next_occupied_after(&self, slot: u64) -> Option<u64> {
        let index = self.occupied.next_from(((slot + 1) & MASK) as usize)? as u64;
        let found = self.slot + (index.wrapping_sub(self.slot) & MASK);
        (found > slot).then_some(found)
    }
}

#[cfg(test)]
mod tests;
