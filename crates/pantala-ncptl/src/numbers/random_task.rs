//! Random tasks: a draw from an interval of tasks, with one task left out at most.

/// The tasks of an interval without one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The first task.
    pub low: i64,
    /// The last task.
    pub high: i64,
    /// A task that is left out, if it is in the interval.
    pub but_not: Option<i64>,
}

impl Choice {
    /// The task for the draw `x` of a program with `tasks` tasks; -1 if there is none to choose.
    ///
    /// `draw` is called only if there is one.
    pub fn task(self, tasks: i64, draw: impl FnOnce() -> i64) -> i64 {
        let (low, high) = (self.low.max(0), self.high.min(tasks - 1));
        if low > high {
            return -1;
        }
        let span = high - low;
        match self.but_not.filter(|task| (low..=high).contains(task)) {
            None => low + draw().rem_euclid(span + 1),
            Some(_) if span == 0 => -1,
            Some(left_out) => low + (left_out - low + 1 + draw().rem_euclid(span)) % (span + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::mersenne::Mersenne;

    #[test]
    fn pairs_of_seed_12345() {
        let mut generator = Mersenne::new(12_345);
        let mut pair = || {
            let any = Choice { low: 0, high: 3, but_not: None };
            let first = any.task(4, || generator.draw());
            (first, Choice { but_not: Some(first), ..any }.task(4, || generator.draw()))
        };
        assert_eq!([(); 4].map(|()| pair()), [(1, 0), (2, 3), (2, 1), (0, 2)]);
    }

    #[test]
    fn intervals_of_seed_7() {
        let mut generator = Mersenne::new(7);
        let mut task =
            |low, high, but_not| Choice { low, high, but_not }.task(4, || generator.draw());
        assert_eq!([task(0, 1, None), task(2, 3, None), task(1, 2, Some(1))], [1, 3, 2]);
    }

    #[test]
    fn an_empty_interval_draws_nothing() {
        let none = |low, high, but_not| Choice { low, high, but_not }.task(4, || panic!("drawn"));
        assert_eq!((none(2, 1, None), none(3, 3, Some(3)), none(4, 9, None)), (-1, -1, -1));
    }
}
