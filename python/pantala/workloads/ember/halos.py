"""Exchanges of halos in one and two dimensions, and CMT-bone's, with blocking calls."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import override

from pantala.models.base import Count, Index, fault
from pantala.workloads.ember.grids import grid_2d
from pantala.workloads.ember.motif import EmberMotif, Nanoseconds, Number, fits, ps

__all__ = [
    "EmberCMT1D",
    "EmberCMT3D",
    "EmberHalo1D",
    "EmberHalo2D",
    "EmberHalo2DNBR",
]

#: The order of the inner ranks of Halo1D. The first and the last rank have one neighbour each.
_LINE = ["send_down", "receive_up", "send_up", "receive_down"]


def _line(ranks: int, message: int, compute: int, iterations: int) -> dict[str, Any]:
    exchange = {
        "dimension": 0,
        "message_bytes": message,
        "compute_ps": ps(compute),
        "parity": "rank",
        "even": _LINE,
        "odd": _LINE,
    }
    return {
        "kind": "ordered_exchange",
        "grid": [ranks],
        "exchanges": [exchange],
        "iterations": iterations,
    }


def _at_least_two(ranks: int, name: str) -> None:
    if ranks < 2:
        raise fault(f"{name} needs at least 2 ranks", "add a node")


class EmberHalo1D(EmberMotif):
    """Halo1D: a line of ranks exchanges with blocking calls, from the last rank to the first."""

    kind: Literal["ember.Halo1D"] = "ember.Halo1D"
    """A line of ranks."""
    iterations: Count = 10
    """Iterations per rank."""
    computenano: Nanoseconds = 1000
    """Computing per iteration, in ns."""
    messagesize: Index = 128
    """Bytes of a message."""

    def check(self, ranks: int) -> None:
        """Checks that there are two ranks."""
        _at_least_two(ranks, "Halo1D")

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        return _line(ranks, self.messagesize, self.computenano, self.iterations)


class _Halo2D(EmberMotif):
    """The parameters that both two-dimensional halos share."""

    iterations: Count = 10
    """Iterations per rank."""
    computenano: Nanoseconds = 10
    """Computing per iteration, in ns."""
    messagesizex: Index = 128
    """Bytes of a message along **y**: Ember swaps the two sizes."""
    messagesizey: Index = 128
    """Bytes of a message along **x**: Ember swaps the two sizes."""
    sizex: Index = 0
    """Ranks along x; 0 lets Ember choose the grid."""
    sizey: Index = 0
    """Ranks along y; 0 lets Ember choose the grid."""

    def check(self, ranks: int) -> None:
        """Checks that the grid fits the ranks."""
        fits(grid_2d((self.sizex, self.sizey), ranks), ranks, "sizex", "sizey")

    def _exchanges(
        self, ranks: int, copy: int, x: tuple[list[str], list[str]], y: tuple[list[str], list[str]]
    ) -> dict[str, Any]:
        return {
            "kind": "ordered_exchange",
            "grid": list(grid_2d((self.sizex, self.sizey), ranks)),
            "exchanges": [
                {
                    "dimension": 0,
                    "message_bytes": self.messagesizey,
                    "compute_ps": ps(self.computenano),
                    "parity": "rank",
                    "even": x[0],
                    "odd": x[1],
                },
                {
                    "dimension": 1,
                    "message_bytes": self.messagesizex,
                    "compute_ps": ps(copy),
                    "parity": "coordinate",
                    "even": y[0],
                    "odd": y[1],
                },
            ],
            "iterations": self.iterations,
        }


class EmberHalo2D(_Halo2D):
    """Halo2D: ranks of a grid exchange with blocking calls, first along x, then along y.

    Even ranks receive first; odd ranks send first. Along y, rows take the place of ranks.
    """

    kind: Literal["ember.Halo2D"] = "ember.Halo2D"
    """A grid of ranks."""
    computecopy: Nanoseconds = 5
    """Computing between the exchanges along x and along y, in ns."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        x = (
            ["receive_up", "send_up", "receive_down", "send_down"],
            ["send_down", "receive_down", "send_up", "receive_up"],
        )
        y = (
            ["receive_down", "send_down", "receive_up", "send_up"],
            ["send_up", "receive_up", "send_down", "receive_down"],
        )
        return self._exchanges(ranks, self.computecopy, x, y)


class EmberHalo2DNBR(_Halo2D):
    """Halo2DNBR: as Halo2D, but each rank starts its receive before it sends."""

    kind: Literal["ember.Halo2DNBR"] = "ember.Halo2DNBR"
    """A grid of ranks with non-blocking receives."""

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        x = (["exchange_up", "exchange_down"], ["exchange_down", "exchange_up"])
        y = (["exchange_down", "exchange_up"], ["exchange_up", "exchange_down"])
        return self._exchanges(ranks, 0, x, y)


class _Cmt(EmberMotif):
    """The parameters that the motifs of CMT-bone share.

    Ember draws the computing time of every iteration from a Gaussian distribution. Only a standard
    deviation of 0 has a closed rule.
    """

    iterations: Count = 1
    """Iterations per rank and variable."""
    variables: Count = 1
    """Physical quantities; each repeats all iterations."""
    threads: Count = 1
    """Ranks per process of CMT-bone."""
    processorflops: Count = 4
    """Floating-point operations per cycle."""
    processorfreq: Count = 2
    """Clock in GHz."""
    nsComputeMean: Number | None = None
    """Mean computing per iteration, in ns. Default: from the operations and the clock."""
    nsComputeStddev: Number | None = None
    """Standard deviation of the computing, in ns; must be 0. Ember's default is 5 % of the mean."""

    def _compute(self, size: int, elements: int) -> int:
        if self.nsComputeMean is not None:
            return int(self.nsComputeMean)
        operations = size**3 * elements * (2 * size - 1)
        return int(operations / (self.processorflops * self.processorfreq))

    def check(self, ranks: int) -> None:
        """Checks that the computing times are not random."""
        if self.nsComputeStddev != 0:
            message = "the computing times are drawn from a Gaussian distribution"
            remedy = "write nsComputeStddev=0 to compute for the mean in every iteration"
            raise fault(message, remedy, "nsComputeStddev")


class EmberCMT1D(_Cmt):
    """CMT1D: CMT-bone on a line of ranks, with the exchange of Halo1D."""

    kind: Literal["ember.CMT1D"] = "ember.CMT1D"
    """CMT-bone on a line."""
    elementsize: Count = 10
    """Points along an edge of an element."""
    nelt: Count = 1000
    """Elements per rank."""

    def check(self, ranks: int) -> None:
        """Checks that there are two ranks, and that the computing times are not random."""
        super().check(ranks)
        _at_least_two(ranks, "CMT1D")

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        compute = self._compute(self.elementsize, self.nelt)
        iterations = self.iterations * self.variables
        return _line(ranks, self.elementsize**2, compute, iterations)


class EmberCMT3D(_Cmt):
    """CMT3D: CMT-bone on a grid of three dimensions, with blocking calls.

    Along each dimension, ranks with an even coordinate receive first; the others send first.
    """

    kind: Literal["ember.CMT3D"] = "ember.CMT3D"
    """CMT-bone on a grid."""
    elementsize: Count = 5
    """Points along an edge of an element."""
    px: Count = 8
    """Ranks along x."""
    py: Count = 8
    """Ranks along y."""
    pz: Count = 8
    """Ranks along z."""
    mx: Count = 10
    """Elements per rank along x."""
    my: Count = 10
    """Elements per rank along y."""
    mz: Count = 10
    """Elements per rank along z."""

    def check(self, ranks: int) -> None:
        """Checks that the grid fits the ranks, and that the computing times are not random."""
        super().check(ranks)
        fits((self.px, self.py, self.pz), ranks, "px", "py", "pz")

    @override
    def as_plan(self, ranks: int) -> dict[str, Any]:
        mx, my, mz = self.mx, self.my, self.mz
        exchanges = [
            {
                "dimension": dimension,
                "message_bytes": self.elementsize**2 * face,
                "compute_ps": ps(self._compute(self.elementsize, mx * my * mz))
                if dimension == 0
                else 0,
                "parity": "coordinate",
                "even": ["receive_up", "send_up", "receive_down", "send_down"],
                "odd": ["send_up", "receive_up", "send_down", "receive_down"],
            }
            for dimension, face in enumerate((my * mz, mx * mz, mx * my))
        ]
        return {
            "kind": "ordered_exchange",
            "grid": [self.px, self.py, self.pz],
            "exchanges": exchanges,
            "iterations": self.iterations * self.variables,
        }
