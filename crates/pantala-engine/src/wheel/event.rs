//! Events, and the widths by which the wheel sorts them.

use crate::time::Time;

/// An event: a time, a phase and an identity.
///
/// Events come out in the order of (time, phase). Events of equal time and phase must commute:
/// their order is not defined, and [`Wheel::scramble`](super::Wheel::scramble) lets a test draw it at random. So no result
/// can depend on the partition, thread or earlier event that scheduled an event first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// The event's time, in picoseconds.
    pub time: Time,
    /// The event's phase within its time, below [`PHASES`]. Lower phases come first.
    pub phase: u8,
    /// The event's identity, a number of the simulation.
    pub id: u32,
}

/// Number of phases of a time.
pub const PHASES: u8 = 8;
pub(super) const PHASES_LOG2: u32 = 3;

/// A bucket is 512 ps wide: the key of an event (its offset in the bucket and its phase) has few
/// values, and a bucket of a quiet network still holds several events.
pub(super) const WIDTH_LOG2: u32 = 9;

/// The wheel reaches a little over a microsecond, which is longer than any link.
pub(super) const SLOTS: usize = 1 << 11;
