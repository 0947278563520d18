//! Discrete events: time, the order of events, random streams. Knows no networks.

mod prefetch;
pub mod random;
pub mod time;
pub mod wheel;

pub use prefetch::prefetch;
pub use random::{Geometric, Stream};
pub use time::{LONGEST_TIME, NANOSECOND, NEVER, Time, time_per_byte, transfer_time};
pub use wheel::{Event, PHASES, Wheel};
