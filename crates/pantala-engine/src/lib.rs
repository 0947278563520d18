//! Discrete events: simulated time, the order of events, random streams. This crate knows no
//! networks.

mod due_queue;
mod flat_array;
mod prefetch;
pub mod random;
pub mod time;
pub mod wheel;
mod words;

pub use due_queue::{DuePool, DueQueue};
pub use flat_array::{Bounds, Checked, FlatArray, Proven, ProvenArray};
pub use prefetch::prefetch;
pub use random::{Geometric, Stream};
pub use time::{LONGEST_TIME, NANOSECOND, NEVER, Time, time_per_byte, transfer_time};
pub use wheel::{Event, PHASES, Wheel};
pub use words::counted;
