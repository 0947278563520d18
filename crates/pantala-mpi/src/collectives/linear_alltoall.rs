//! Linear alltoall(v): every member exchanges with 32 peers at a time.
//!
//! Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005), section 4.3, for messages of medium length,
//! with the throttle that MPICH has added since (`MPIR_CVAR_ALLTOALL_THROTTLE`, 32). In batch `k`
//! member `m` starts receives from `m + i` and then sends to `m - i`, for `i` from `32 k` to `32 k
//! + 31`, and waits for all of them. Its own block does not travel.
//!
//! `n (n - 1)` messages of one block, `ceil(n / 32)` waits.

use super::layout::Task;
use super::ring::{receive, send};
use super::step::{Point, Turn, burst};

/// Number of peers in a batch.
pub const BATCH: u32 = 32;

/// Every member sends block `d` to the member `d` places after it.
pub(super) fn alltoall(task: &Task, point: Point) -> Turn {
    let low = u64::from(point.round) * u64::from(BATCH);
    let high = (low + u64::from(BATCH)).min(u64::from(point.size));
    let low = low.max(1);
    if low >= high {
        return Turn::End;
    }
    let (low, count) = (low as u32, (high - low) as u32);
    burst(point, 2 * count, |at| {
        if at < count {
            receive(task, point, point.size - low - at)
        } else {
            send(task, point, point.size - low - (at - count))
        }
    })
}
