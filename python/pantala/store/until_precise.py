"""Runs that continue until the steady throughput of every job is known.

A run is simulated for the duration of its scenario. While the throughput of a job after the warm-up
is not known to the precision at 99 % confidence, or still drifts, the run continues for the time
that this should take. The result equals that of one run of the final length.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from pantala.analysis.steady_state import Estimate
from pantala.analysis.steady_throughput import WINDOWS, steady_throughput
from pantala.core.extension import Threads
from pantala.core.plan import Done, Plan
from pantala.store.identity import canonical_text, id_of_text

__all__ = ["UntilPrecise"]

#: The version of the rule. Raise it if a run of an equal plan would end at another time.
_RULE = 1
#: A run becomes longer by this factor at most: a look is cheap because the run only continues, but
#: simulated time beyond the need is lost.
_MOST_FACTOR = 1.5
#: A run continues only if it becomes longer by this factor at least.
_LEAST_FACTOR = 1.1


@dataclass(frozen=True)
class UntilPrecise:
    """When a run ends.

    Attributes:
        precision: half the width of the 99 % confidence interval as a share of the mean.
        longest_ps: the most simulated time.
        most_packets: the number of delivered packets at which a run is expected to end at the
            latest.
    """

    precision: float
    longest_ps: int
    most_packets: int

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Returns the option from its JSON."""
        return cls(**json.loads(text))

    def text(self) -> str:
        """Returns the option as JSON."""
        return json.dumps(asdict(self))

    def prepared(self, plan: Plan) -> Plan:
        """Returns a plan with throughput in `WINDOWS` windows of the duration."""
        window = max(1, round(plan["stop"]["duration_ps"] / WINDOWS))
        return plan.with_(
            stop={**plan["stop"], "duration_ps": window * WINDOWS},
            record={**plan["record"], "window_ps": window},
        )

    def run_id(self, prepared: Plan) -> str:
        """Returns the identity of the run of a prepared plan."""
        limits = [_RULE, WINDOWS, *asdict(self).values()]
        return id_of_text(canonical_text(prepared) + json.dumps({"until_precise": limits}))

    def run(self, prepared: Plan, directory: Path, threads: Threads = 1) -> dict[str, Any]:
        """Runs a prepared plan into an empty directory and returns run.json.

        Raises:
            As `Plan.run`.
        """
        window: int = prepared["record"]["window_ps"]
        packet: int = prepared["packet_bytes"]
        windows = WINDOWS

        def extend(done: Done) -> int | None:
            """Returns the time to which the run continues; None if it ends."""
            nonlocal windows
            jobs = done["delivered"]
            found = [
                steady_throughput(prepared, number, delivered, windows)
                for number, delivered in enumerate(jobs)
            ]
            lacking = [each for each in found if not self._known(each)]
            if not lacking:
                return None
            packets = sum(amount for delivered in jobs for _, amount in delivered) / packet
            factor = min(
                max(map(self.factor, lacking)),
                self.longest_ps / (windows * window),
                self.most_packets / max(packets, 1),
            )
            if factor < _LEAST_FACTOR:
                return None
            windows = int(windows * factor)
            return windows * window

        return prepared.run(directory, None, threads, extend)

    def factor(self, found: Estimate) -> float:
        """Returns the factor by which a run becomes longer.

        The half width falls with the root of the time after the warm-up. The factor is a tenth
        larger, because a half width is an estimate too. A run that drifts becomes longer by the
        largest factor.
        """
        if not found.steady:
            return _MOST_FACTOR
        lacking = 1.1 * (found.relative / self.precision) ** 2
        warm = found.warm_up
        return min(max(warm + (1 - warm) * lacking, 1.2), _MOST_FACTOR)

    def _known(self, found: Estimate) -> bool:
        return found.steady and found.relative <= self.precision
