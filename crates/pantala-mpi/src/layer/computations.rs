//! Computations beside a rank: on another processor or a device.
//!
//! A computation is a request that completes when its time is over. It needs no host, so it runs
//! while the rank computes, waits or executes calls. While a rank is blocked and a computation of
//! it runs, it counts as computing: its communication time is the time in which it only waits.

use pantala_engine::Time;
use pantala_fabric::Wakes;

use crate::layer::MpiLayer;
use crate::layer::run_loop::Continues;
use crate::program::identifiers::Request;
use crate::program::operation::OperationStream;
use crate::rank::Activity;

impl<P: OperationStream> MpiLayer<P> {
    /// Starts a computation beside the rank.
    pub(crate) fn icompute(
        &mut self,
        r: usize,
        time: Time,
        request: Request,
        now: Time,
        wakes: &mut Wakes,
    ) -> Continues {
        let rank = &mut self.ranks[r];
        rank.requests.open(request)?;
        if time == 0 {
            rank.complete(request);
            return Ok(true);
        }
        let end = now.saturating_add(time);
        rank.computations.push((end, request));
        rank.computing_until = rank.computing_until.max(end);
        wakes.timers.push(end);
        Ok(true)
    }

    /// Completes the computations that are over.
    pub(crate) fn end_computations(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        let rank = &mut self.ranks[r];
        let running = std::mem::take(&mut rank.computations);
        let (over, left): (Vec<_>, Vec<_>) = running.into_iter().partition(|(end, _)| *end <= now);
        rank.computations = left;
        if over.is_empty()
            || matches!(rank.activity, Activity::Ended | Activity::Stopped | Activity::Failed)
        {
            return;
        }
        for (_, request) in over {
            rank.complete(request);
        }
        if self.in_calls() {
            self.look_again(r, now, wakes);
        } else {
            self.proceed(r, now, wakes);
        }
    }
}
