//! UGAL's comparison of a minimal and a non-minimal candidate, and its keys.

use crate::candidates::Here;
use crate::draws::salted;
use crate::state::RouteState;
use crate::view::{CongestionView, QueueMeasure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Over which VCs the queue counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueScope {
    /// All VCs of the port.
    Port,
    /// The VC that the candidate would use.
    Vc,
}

/// Who wins when neither path is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tie {
    /// The minimal path.
    Minimal,
    /// A coin.
    Random,
}

/// The keys of the comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UgalConfig {
    /// Non-minimal iff `q_min > floor(threshold * q_nonmin) + bias` and `q_min > minimal_up_to`.
    pub threshold: f64,
    /// In flits.
    pub bias: i64,
    /// In flits: a minimal queue of no more than this is never left.
    pub minimal_up_to: i64,
    /// Minimal candidates.
    pub candidates_minimal: u32,
    /// Non-minimal candidates.
    pub candidates_nonminimal: u32,
    /// What counts as queued.
    pub queue: QueueMeasure,
    /// Where.
    pub scope: QueueScope,
    /// If both sides are equal.
    pub tie: Tie,
}

impl Default for UgalConfig {
    /// SST's SC22 fork: threshold 2, one candidate of each kind, output buffer plus credits of the
    /// whole port.
    fn default() -> Self {
        Self {
            threshold: 2.0,
            bias: 0,
            minimal_up_to: 0,
            candidates_minimal: 1,
            candidates_nonminimal: 1,
            queue: QueueMeasure::OutputAndCredits,
            scope: QueueScope::Port,
            tie: Tie::Minimal,
        }
    }
}

impl UgalConfig {
    /// Whether the non-minimal path is taken; `coin` draws for ties.
    #[inline]
    pub(crate) fn diverts(&self, q_min: i64, q_non: i64, coin: impl FnOnce() -> u64) -> bool {
        if q_min <= self.minimal_up_to {
            return false;
        }
        let line = (self.threshold * q_non as f64) as i64 + self.bias;
        q_min > line || (q_min == line && self.tie == Tie::Random && coin() & 1 == 1)
    }
}

/// The decision of the UGAL family (Kang et al., SC22, section II.B; SST's `adp_select_port`): the
/// least queue of each kind, compared by [`UgalConfig::diverts`]. `salt` sets the draws of one
/// decision apart from those of another.
pub(crate) fn decide<S: CongestionView>(
    here: &Here<'_>,
    route: &mut RouteState,
    view: &mut S,
    draw_intermediate: impl FnMut(u64) -> u32,
    salt: u64,
) {
    let minimal = here.minimal(route, |path| here.queue(view, path), salt);
    let other = here.nonminimal(route, draw_intermediate, |path| here.queue(view, path), salt);
    let (q_min, q_non) = here.queues(view, &minimal, &other);
    let diverts = here.routing.ugal.diverts(q_min, q_non, || salted(route.draw, 192 + salt));
    here.take(route, &minimal, &other, diverts);
}
