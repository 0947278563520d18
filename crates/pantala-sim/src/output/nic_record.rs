//! The record of request-response latencies by node, in windows: two counters as on Aries.

use pantala_engine::Time;
use serde::{Deserialize, Serialize};

/// The responses that one node received in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NicWindow {
    pub(crate) start: Time,
    pub(crate) length: Time,
    /// The node that sent the requests.
    pub(crate) node: u32,
    pub(crate) responses: u64,
    /// Sum of their request-response latencies in ps.
    pub(crate) latency_sum: Time,
}

/// The windows of all nodes of a partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct NicWindows {
    /// By node, the window of its latest response; no response yet has zero responses.
    latest: Vec<NicWindow>,
    /// The windows before.
    complete: Vec<NicWindow>,
}

impl NicWindows {
    /// Counts a response that a node receives `now`. The times of one node do not go back.
    #[inline(never)]
    pub(crate) fn count(&mut self, length: Time, node: u32, latency: Time, now: Time) {
        let (place, start) = (node as usize, now - now % length);
        while self.latest.len() <= place {
            let node = self.latest.len() as u32;
            self.latest.push(NicWindow { start: 0, length, node, responses: 0, latency_sum: 0 });
        }
        let latest = &mut self.latest[place];
        if latest.start != start {
            if latest.responses > 0 {
                self.complete.push(*latest);
            }
            *latest = NicWindow { start, length, node, responses: 0, latency_sum: 0 };
        }
        latest.responses += 1;
        latest.latency_sum += latency;
    }

    /// Moves the windows that end by `time` to the end of `into`.
    pub(crate) fn take_before(&mut self, time: Time, into: &mut Vec<NicWindow>) {
        let ended = |window: &NicWindow| window.start.saturating_add(window.length) <= time;
        let (before, after) = std::mem::take(&mut self.complete).into_iter().partition(ended);
        self.complete = after;
        into.append(&mut { before });
        for latest in &mut self.latest {
            if latest.responses > 0 && ended(latest) {
                into.push(*latest);
                latest.responses = 0;
                latest.latency_sum = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_taken_once_it_has_ended() {
        let mut windows = NicWindows::default();
        for (node, latency, now) in [(2, 5, 3), (2, 7, 9), (0, 1, 12), (2, 4, 25)] {
            windows.count(10, node, latency, now);
        }
        let mut take = |time| {
            let mut found = Vec::new();
            windows.take_before(time, &mut found);
            found.sort_unstable_by_key(|each| (each.start, each.node));
            found.iter().map(|w| (w.start, w.node, w.responses, w.latency_sum)).collect::<Vec<_>>()
        };
        assert_eq!(take(20), [(0, 2, 2, 12), (10, 0, 1, 1)]);
        assert_eq!(take(29), []);
        assert_eq!(take(Time::MAX), [(20, 2, 1, 4)]);
        assert_eq!(take(Time::MAX), []);
    }
}
