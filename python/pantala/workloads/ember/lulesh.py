"""Lulesh: shock hydrodynamics."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import override

from pantala.models.base import Count, Index
from pantala.workloads.ember.motif import DOUBLE, EmberMotif, Nanoseconds, Number, fits, ps

__all__ = ["EmberLulesh"]

#: The volumes of LULESH on 6 x 6 x 6 ranks, in bytes, and the numbers of messages that share them.
_BCAST, _REDUCE, _NN26, _SWEEP = (51_984, 216), (51_992, 216), (290_279_024, 3_880), 299_785_872
#: Neighbours in a sweep on 12 x 18 ranks.
_LINKS = 402


class EmberLulesh(EmberMotif):
    """Lulesh: a broadcast, a reduction, an exchange with 26 neighbours, and a sweep.

    Only in the fork of Kang et al. A rank computes after each of the four phases.
    """

    kind: Literal["ember.Lulesh"] = "ember.Lulesh"
    """Shock hydrodynamics."""
    pex: Count
    """Ranks of the exchange along x."""
    pey: Count
    """Ranks of the exchange along y."""
    pez: Count
    """Ranks of the exchange along z."""
    pep: Count
    """Ranks of the sweep along x."""
    peq: Count
    """Ranks of the sweep along y."""
    kba: Count = 1
    """Steps of the sweep, which divide its volume."""
    msgscale: Number = 1
    """Factor of all volumes."""
    compute: Nanoseconds = 0
    """Computing after each phase, in ns."""
    iterations: Count = 1
    """Iterations per rank."""
    dobcast: Index = 1
    """Whether there is a broadcast: 0 for no."""
    doreduce: Index = 1
    """Whether there is a reduction: 0 for no."""
    do3dnn26: Index = 1
    """Whether there is an exchange: 0 for no."""
    do3dsweep: Index = 1
    """Whether there is a sweep: 0 for no."""
    wait2start: Nanoseconds = 0
    """Computing before the first iteration, in ns."""

    def check(self, ranks: int) -> None:
        """Checks that both grids fit the ranks."""
        fits((self.pex, self.pey, self.pez), ranks, "pex", "pey", "pez")
        fits((self.pep, self.peq), ranks, "pep", "peq")

    def _part(self, volume: int, parts: int, switch: int) -> int:
        return int(self.msgscale * volume / parts) if switch else 0

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        (bcast, roots), (reduce, _), (exchanged, messages) = _BCAST, _REDUCE, _NN26
        return {
            "kind": "lulesh",
            "grid": [self.pex, self.pey, self.pez],
            "message_bytes": [self._part(exchanged, messages, self.do3dnn26)] * 3,
            "sweep_grid": [self.pep, self.peq],
            "sweep_bytes": self._part(_SWEEP, _LINKS * self.kba, self.do3dsweep),
            "sweep_steps": self.kba,
            "bcast_bytes": DOUBLE * self._part(bcast, roots * DOUBLE, self.dobcast),
            "reduce_bytes": DOUBLE * self._part(reduce, roots * DOUBLE, self.doreduce),
            "iterations": self.iterations,
            "compute_ps": ps(self.compute),
            "start_delay_ps": ps(self.wait2start),
        }
