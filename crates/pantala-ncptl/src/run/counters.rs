//! The counters of a task.

use crate::compiled::view::CounterValues;
use pantala_engine::Time;

/// Picoseconds per microsecond.
const MICROSECOND: f64 = 1e6;

/// The counters of a task. The clock runs in simulated time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// The time at which the clock was 0. It is negative if a restored clock is older than the run.
    start: i128,
    /// Bytes and messages sent.
    sent: (u64, u64),
    /// Bytes and messages received.
    received: (u64, u64),
}

/// Counters that were stored: their clock stands still.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    counters: Counters,
    elapsed: i128,
}

impl Counters {
    /// Sets everything to 0.
    pub fn reset(&mut self, now: Time) {
        *self = Self { start: i128::from(now), ..Self::default() };
    }

    /// Counts a message that was sent.
    #[inline]
    pub fn send(&mut self, bytes: u64) {
        self.sent = (self.sent.0.wrapping_add(bytes), self.sent.1 + 1);
    }

    /// Counts messages that were received.
    #[inline]
    pub fn receive(&mut self, bytes: u64, messages: u64) {
        self.received = (self.received.0.wrapping_add(bytes), self.received.1 + messages);
    }

    /// The counters to restore later.
    #[must_use]
    pub fn store(&self, now: Time) -> Stored {
        Stored { counters: *self, elapsed: i128::from(now) - self.start }
    }

    /// Sets everything to stored values.
    pub fn restore(&mut self, stored: &Stored, now: Time) {
        *self = Self { start: i128::from(now) - stored.elapsed, ..stored.counters };
    }

    /// The values for expressions.
    #[must_use]
    pub fn values(&self, now: Time) -> CounterValues {
        CounterValues {
            elapsed_microseconds: (i128::from(now) - self.start) as f64 / MICROSECOND,
            sent: self.sent,
            received: self.received,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restored_counters_go_on_where_they_were_stored() {
        let mut counters = Counters::default();
        counters.reset(5_000_000);
        counters.send(7);
        let stored = counters.store(8_000_000);
        counters.send(9);
        counters.receive(1, 2);
        counters.restore(&stored, 20_000_000);
        let values = counters.values(21_000_000);
        assert_eq!(
            (values.sent, values.received, values.elapsed_microseconds),
            ((7, 1), (0, 0), 4.0)
        );
    }
}
