//! A record of a trace: one MPI call of one rank, whatever the form of its file.

use super::functions::Function;
use crate::trace::Position;

/// The times of a call's start and end, in ns since an origin of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// The start of the call.
    pub enter: u64,
    /// The end of the call.
    pub leave: u64,
}

/// A status that a call returned. It is meaningful only for receives and probes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Size of the message.
    pub bytes: i32,
    /// The sending rank of the communicator.
    pub source: i32,
    /// The tag.
    pub tag: i32,
    /// Whether the operation was cancelled.
    pub cancelled: bool,
}

/// A call. A reader fills one record again and again, so that reading allocates nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The function.
    pub function: Function,
    /// The place of the record in its file.
    pub position: Position,
    /// The thread.
    pub thread: u16,
    /// CPU time.
    pub cpu: Option<Times>,
    /// Wall time.
    pub wall: Option<Times>,
    /// The arguments that are numbers, in their order. An absent `at_root` argument has no place.
    pub numbers: Vec<i64>,
    /// The end of each argument that is a list, in `elements`.
    ends: Vec<usize>,
    elements: Vec<i32>,
    /// The statuses; none if the program ignored them.
    pub statuses: Vec<Status>,
}

impl Default for Record {
    fn default() -> Self {
        Self {
            function: Function::Init,
            position: Position::Byte(0),
            thread: 0,
            cpu: None,
            wall: None,
            numbers: Vec::new(),
            ends: Vec::new(),
            elements: Vec::new(),
            statuses: Vec::new(),
        }
    }
}

impl Record {
    /// Starts to fill the record again.
    pub(crate) fn start(&mut self, function: Function, position: Position) {
        (self.function, self.position) = (function, position);
        (self.thread, self.cpu, self.wall) = (0, None, None);
        self.numbers.clear();
        self.ends.clear();
        self.elements.clear();
        self.statuses.clear();
    }

    /// Adds an element to the list that is being read.
    pub(crate) fn push_element(&mut self, element: i32) {
        self.elements.push(element);
    }

    /// Ends a list.
    pub(crate) fn end_list(&mut self) {
        self.ends.push(self.elements.len());
    }

    /// The number with this place among the numbers; `None` if the record lacks it.
    #[inline]
    #[must_use]
    pub fn number(&self, place: usize) -> Option<i64> {
        self.numbers.get(place).copied()
    }

    /// The list with this place among the lists; empty if the record lacks it.
    #[must_use]
    pub fn list(&self, place: usize) -> &[i32] {
        let start = if place == 0 { 0 } else { self.ends.get(place - 1).copied().unwrap_or(0) };
        self.ends.get(place).map_or(&[], |end| &self.elements[start..*end])
    }

    /// The times by which the replay goes: wall times, or CPU times if the trace has no wall times.
    #[must_use]
    pub fn times(&self) -> Option<Times> {
        self.wall.or(self.cpu)
    }
}
