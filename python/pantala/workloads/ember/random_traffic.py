"""Random: a partner by a permutation in every iteration."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import override

from pantala.models.base import Count, Index
from pantala.workloads.ember.motif import DOUBLE, Nanoseconds, StartedMotif, ps

__all__ = ["EmberRandom"]


class EmberRandom(StartedMotif):
    """Random: in each iteration a rank sends to its image under a permutation.

    The permutations are SST's: a generator seeded with the number of ranks plus the number of the
    iteration. The start delay and the keys from `subiterations` on are in the fork of Kang et al.
    """

    kind: Literal["ember.Random"] = "ember.Random"
    """A permutation per iteration."""
    messagesize: Count = 1
    """Elements of 8 B per message."""
    iterations: Count = 1
    """Iterations per rank."""
    subiterations: Count = 1
    """Messages of a rank per iteration, all to the same image."""
    compute: Nanoseconds = 0
    """Computing per iteration, in ns."""
    waitunblock: Index = 1
    """Whether a rank waits for its messages at the end of an iteration: 0 for no."""
    report_step: Count = 1
    """Iterations from one printed line of Ember to the next. It costs no simulated time."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return self.delay() | {
            "kind": "uniform_random",
            "iterations": self.iterations,
            "message_bytes": DOUBLE * self.messagesize,
            "messages": self.subiterations,
            "compute_ps": ps(self.compute),
            "no_wait": self.waitunblock == 0,
        }
