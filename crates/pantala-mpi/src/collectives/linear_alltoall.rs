//! Everything at once between all: alltoall(v) by starts of receives and sends, 32 peers at a time.
//!
//! Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005), section 4.3, for messages of middle length,
//! with the throttle that MPICH has added since (`MPIR_CVAR_ALLTOALL_THROTTLE`, 32). In batch `k`
//! member `m` starts receives from `m + i`, then sends to `m - i`, for the `i` from `32 k` to
//! `32 k + 31`, and waits for all of them; its own block does not travel.
//!
//! `n (n - 1)` messages of one block, `ceil(n / 32)` waits.

use super::layout::Task;
use super::ring::{receive, send};
use super::step::{Point, Turn, burst};

/// Peers of a batch.
pub const BATCH: u32 = 32;

/// Block `d` from every member to the one `d` places after.
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
