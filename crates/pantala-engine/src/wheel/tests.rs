//! Tests of the wheel: order by time and phase, and no event lost.

use super::*;
use proptest::prelude::*;

fn drain(wheel: &mut Wheel) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some((time, phase)) = wheel.next_batch(NEVER) {
        while let Some(id) = wheel.pop() {
            events.push(Event { time, phase, id });
        }
    }
    events
}

/// Schedules an event, every third as one of a clock tick.
fn push(wheel: &mut Wheel, event: Event) {
    if event.id % 3 == 0 {
        wheel.push_tick(event.time, event.phase, event.id);
    } else {
        wheel.push(event.time, event.phase, event.id);
    }
}

/// Events in order, with ties of time and phase broken by identity, so that sequences can be
/// compared.
fn canonical(mut events: Vec<Event>) -> Vec<Event> {
    assert!(events.is_sorted_by_key(|e| (e.time, e.phase)), "out of order: {events:?}");
    events.sort_unstable();
    events
}

#[test]
fn an_empty_wheel_has_nothing() {
    let mut wheel = Wheel::new();
    assert_eq!(wheel.iter().count(), 0);
    assert_eq!(wheel.next_time(), NEVER);
    assert_eq!(wheel.next_batch(NEVER), None);
}

#[test]
fn until_is_exclusive() {
    let mut wheel = Wheel::new();
    wheel.push(100, 3, 0);
    assert_eq!(wheel.next_batch(100), None);
    assert_eq!(wheel.next_batch(101), Some((100, 3)));
}

#[test]
fn an_event_may_come_before_the_one_the_wheel_waits_at() {
    let mut wheel = Wheel::new();
    const REACH: Time = (SLOTS as Time - 1) << WIDTH_LOG2;
    wheel.push(700, 0, 1);
    assert_eq!(wheel.next_batch(500), None);
    wheel.push(510, 0, 2);
    wheel.push(640, 1, 3);
    wheel.push(700 + REACH, 0, 4);
    let ids: Vec<u32> = drain(&mut wheel).iter().map(|e| e.id).collect();
    assert_eq!(ids, [2, 3, 1, 4]);
    let base = 2 * REACH;
    wheel.push(base + 5_000, 0, 5);
    assert_eq!(wheel.next_time(), base + 5_000);
    wheel.push(base + 5_000 + REACH - 100, 0, 6);
    wheel.push(base + 3_000, 0, 7);
    wheel.push(base + 3_000 + REACH, 0, 8);
    let ids: Vec<u32> = drain(&mut wheel).iter().map(|e| e.id).collect();
    assert_eq!(ids, [7, 5, 8, 6]);
    // Also in the bucket at which the wheel waits.
    let base = 64 * (base + REACH);
    wheel.push(base + 20, 1, 1);
    assert_eq!(wheel.next_time(), base + 20);
    wheel.push(base + 10, 2, 2);
    wheel.push(base + 20, 0, 3);
    wheel.push(base + 20, 1, 4);
    let order: Vec<(Time, u8)> =
        drain(&mut wheel).iter().map(|e| (e.time - base, e.phase)).collect();
    assert_eq!(order, [(10, 2), (20, 0), (20, 1), (20, 1)]);
    assert_eq!(wheel.iter().count(), 0);
}

#[test]
fn scrambling_draws_the_order_within_a_batch() {
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let mut wheel = Wheel::new();
        wheel.scramble(seed);
        for id in 0..5 {
            wheel.push_tick(100, 1, id);
        }
        orders.insert(drain(&mut wheel).iter().map(|e| e.id).collect::<Vec<_>>());
    }
    assert!(orders.len() > 10, "{orders:?}");
}

#[test]
fn a_time_is_over_after_its_tick() {
    let mut wheel = Wheel::new();
    for id in 0..3 {
        wheel.push_tick(100, 5, id);
    }
    wheel.push_tick(300, 5, 3); // another tick
    wheel.push(100, 0, 4);
    wheel.push(100, 5, 5);
    assert_eq!((wheel.iter().count(), wheel.next_time()), (6, 100));
    assert_eq!(wheel.next_batch(101), Some((100, 0)));
    assert_eq!(wheel.pop(), Some(4));
    assert!(wheel.more_at(100));
    let mut ids = Vec::new();
    while let Some((100, 5)) = wheel.next_batch(101) {
        while let Some(id) = wheel.pop() {
            ids.push(id);
        }
        assert_eq!(wheel.more_at(100), ids.len() < 4, "{ids:?}");
        // What comes at the same time still comes before the end of the time.
        if ids.len() == 4 && ids.iter().all(|id| *id < 9) {
            wheel.push(100, 5, 9);
            assert!(wheel.more_at(100));
            assert_eq!(wheel.next_batch(101), Some((100, 5)));
            ids.extend(wheel.pop());
        }
    }
    ids.sort_unstable();
    assert_eq!(ids, [0, 1, 2, 5, 9]);
    assert_eq!(wheel.next_batch(300), None);
    assert_eq!(wheel.next_batch(301), Some((300, 5)));
}

/// Delays that a bucket, the buckets, the epochs and the heap cover.
fn spans() -> impl Strategy<Value = Time> {
    (4u32..38).prop_flat_map(|log2| 1u64 << log2..2 << log2)
}

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    /// For any times, near and far, events come out in the order of time and phase, and none is
    /// lost.
    #[test]
    fn pops_in_order(
        times in prop::collection::vec((any::<u64>(), 0u8..PHASES, 0u32..9), 1..300), span in spans(), scramble: bool,
    ) {
        let mut wheel = Wheel::new();
        if scramble {
            wheel.scramble(5);
        }
        let mut events: Vec<Event> = times.iter().map(|&(time, phase, id)| Event { time: time % span, phase, id }).collect();
        for event in &events {
            push(&mut wheel, *event);
        }
        prop_assert_eq!(wheel.iter().count(), events.len());
        events.sort_unstable();
        prop_assert_eq!(canonical(drain(&mut wheel)), &events[..]);
        prop_assert_eq!(wheel.popped(), events.len() as u64);
        prop_assert_eq!(wheel.iter().count(), 0);
    }

    /// Events scheduled while others are taken (now or later) still come out in order.
    #[test]
    fn order_holds_while_scheduling(delays in prop::collection::vec(0u64..9_000, 1..400), span in spans()) {
        let mut wheel = Wheel::new();
        let mut pushed = vec![Event { time: 0, phase: 0, id: 0 }];
        wheel.push(0, 0, 0);
        let mut next = delays.iter();
        let mut popped = Vec::new();
        while let Some((time, phase)) = wheel.next_batch(NEVER) {
            while let Some(id) = wheel.pop() {
                popped.push(Event { time, phase, id });
                for step in 1..=2u32 {
                    if let Some(delay) = next.next().map(|d| span / 9_000 * d + d % 70) {
                        let phase = if delay == 0 { phase } else { (step % 3) as u8 };
                        let e = Event { time: time + delay, phase, id: id + step };
                        push(&mut wheel, e);
                        pushed.push(e);
                    }
                }
            }
        }
        pushed.sort_unstable();
        prop_assert_eq!(canonical(popped), pushed);
    }
}

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    /// A simulation in steps: an event scheduled between two steps may precede the event to which
    /// the wheel has moved, and events may be forgotten then. The next time is known at any moment,
    /// and the audit sees every event.
    #[test]
    fn order_holds_from_step_to_step(
        pushes in prop::collection::vec((any::<u64>(), 0u8..PHASES), 1..200), span in spans(), step in spans(),
        forgets in 0u32..12,
    ) {
        let mut wheel = Wheel::new();
        let (mut expected, mut popped) = (std::collections::BTreeSet::new(), Vec::new());
        let (mut now, mut ids) = (0, 0..);
        let mut pushes = pushes.into_iter();
        while pushes.len() > 0 || !expected.is_empty() {
            for (offset, phase) in pushes.by_ref().take(3) {
                let event = Event { time: now + offset % span, phase, id: ids.next().unwrap_or(0) };
                push(&mut wheel, event);
                expected.insert(event);
            }
            // Every third is of a clock tick, which does not forget.
            let gone = |event: Event| event.id % 3 == 1 && event.id % 12 == forgets;
            if pushes.len() % 2 == 0 {
                wheel.forget(gone);
                expected.retain(|event| !gone(*event));
            }
            prop_assert_eq!(wheel.next_time(), expected.first().map_or(NEVER, |event| event.time));
            prop_assert_eq!(wheel.iter().count(), expected.len());
            // Not all steps end after an event.
            now = (now + step).max(wheel.next_time().min(now + 20 * step) / 2);
            while let Some((time, phase)) = wheel.next_batch(now) {
                while let Some(id) = wheel.pop() {
                    let event = Event { time, phase, id };
                    prop_assert!(time < now && expected.remove(&event));
                    popped.push(event);
                }
            }
            prop_assert!(expected.first().is_none_or(|event| event.time >= now));
            if pushes.len() == 0 {
                now = now.max(wheel.next_time().min(NEVER / 2));
            }
        }
        prop_assert!(popped.is_sorted_by_key(|event| (event.time, event.phase)));
    }
}

/// An event that is scheduled early enough is foreseen and announced exactly once, with its hint.
#[test]
fn events_are_foreseen_with_their_hints() {
    let mut wheel = Wheel::new();
    let times = |id: u64| (2 << WIDTH_LOG2) + id * id % 4_999 * 150;
    for id in 0..2_000 {
        wheel.push_with_hint(times(id), (id % 4) as u8, id as u32, id as u32 * 7);
    }
    let (mut foreseen, mut announced, mut popped) = (vec![0; 2_000], vec![0; 2_000], 0);
    let note = |noted: &mut [u32], phase: u8, id: u32, hint: u32| {
        assert_eq!((hint, u32::from(phase)), (id * 7, id % 4));
        noted[id as usize] += 1;
    };
    while let Some((time, phase)) = wheel.next_open_batch(NEVER).unwrap_or_else(|| {
        wheel.turn_to_batch(
            NEVER,
            |phase, id, hint| note(&mut foreseen, phase, id, hint),
            |phase, id, hint| note(&mut announced, phase, id, hint),
        )
    }) {
        while let Some(id) = wheel.pop() {
            assert_eq!((time, u32::from(phase)), (times(id.into()), id % 4));
            assert_eq!((foreseen[id as usize], announced[id as usize]), (1, 1), "event {id}");
            popped += 1;
        }
    }
    assert_eq!(popped, 2_000);
}
