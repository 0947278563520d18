"""Workloads: what the ranks of a job do. Patterns load the network; motifs communicate as applications do."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from pantala.scenario.base import Count, Flag, Index, Model, PositiveSize, Share, UnsignedDuration, fault
from pantala.units import Duration

__all__ = ["AllreduceLoop", "Fft3d", "Halo3d", "Pattern", "UniformRandom", "Workload"]

_NO_TIME = Duration(0)
_OF_NEIGHBOR_3D = ("grid", "dimension", "message", "periodic")


class Pattern(Model):
    """Synthetic traffic at an offered load, without end: every rank sends packet after packet to the others.

    Ends only with the run: when the jobs that do end have ended, or after `stop.duration`.
    """

    kind: Literal["pattern"] = "pattern"
    """Synthetic traffic."""
    pattern: Literal["uniform", "shift", "bit_complement", "next_group", "hotspot", "neighbor_3d"]
    """Where packets go. uniform: any rank; shift: rank + offset; bit_complement: the rank with all bits flipped;
    next_group: any rank of the next group, the worst case of minimal routing; hotspot: uniform, but for a share that
    goes to a few ranks; neighbor_3d: in turn to the two neighbours along one dimension of a process grid (Prisacari
    et al., 2015, IV.A)."""
    load: Annotated[float, Field(strict=True, gt=0.0, le=1.0, allow_inf_nan=False)]
    """Offered load, as a fraction of the terminal bandwidth."""
    injection: Literal["bernoulli", "periodic"] = "bernoulli"
    """When packets are made: bernoulli (at random) or periodic (at a fixed interval)."""
    phase: Literal["in", "random"] = "random"
    """Whether periodic ranks send all at once (in) or each at an offset of its own (random)."""
    include_self: Flag = False
    """Whether a rank can be its own destination."""
    offset: Index = 1
    """The distance of `shift`, in ranks; it wraps around."""
    hotspots: tuple[Index, ...] = (0,)
    """The ranks that `hotspot` favours."""
    hotspot_share: Share = 0.1
    """The share of packets that goes to the hotspots."""
    grid: tuple[Count, Count, Count] | None = None
    """The process grid x, y, z of `neighbor_3d`, x fastest; their product is the job's ranks. If not given: the one
    nearest to a cube, the longest side first, so that the last dimension is the most remote one."""
    dimension: Literal[0, 1, 2] = 2
    """Along which dimension of the grid `neighbor_3d` exchanges: 0 is x, 1 is y, 2 is z."""
    message: PositiveSize | None = None
    """Bytes that `neighbor_3d` sends to one neighbour before the other's turn, in whole packets; one packet if not
    given, so that both exchanges go on at once. 256 KB in Prisacari et al."""
    periodic: Flag = False
    """Whether the first and the last rank along the dimension of `neighbor_3d` are neighbours; if not, a rank at the
    edge sends to its only neighbour."""

    @model_validator(mode="after")
    def _no_idle_keys(self) -> Pattern:
        owners = {"offset": "shift", "hotspots": "hotspot", "hotspot_share": "hotspot"}
        owners |= dict.fromkeys(_OF_NEIGHBOR_3D, "neighbor_3d")
        for key, owner in owners.items():
            if key in self.model_fields_set and self.pattern != owner:
                raise fault(f"has no effect with pattern = '{self.pattern}'", f"remove it, or use '{owner}'", key)
        return self

    @property
    def idle(self) -> frozenset[str]:
        """The keys that the plan of this pattern does without: those of `neighbor_3d`, or its own left open."""
        if self.pattern != "neighbor_3d":
            return frozenset(_OF_NEIGHBOR_3D)
        return frozenset(key for key in _OF_NEIGHBOR_3D if getattr(self, key) is None)


class UniformRandom(Model):
    """The UR motif: in every iteration all ranks draw one random permutation and send along it.

    Source: Kang et al., SC 2022, Table I; as SST's Random motif (isend, irecv, waitall).
    """

    kind: Literal["uniform_random"] = "uniform_random"
    """Random pairs of ranks."""
    iterations: Count
    """Iterations of every rank."""
    message: PositiveSize
    """Bytes of a message; 3,072 B in Kang et al."""
    compute: UnsignedDuration = _NO_TIME
    """Computing before each iteration."""


class Halo3d(Model):
    """The Halo3D motif: every rank of a three-dimensional grid exchanges with its (up to) six neighbours.

    Source: Kang et al., SC 2022, Table I and IV.
    """

    kind: Literal["halo3d"] = "halo3d"
    """A three-dimensional stencil."""
    grid: tuple[Count, Count, Count]
    """Ranks along x, y, z; their product is the job's ranks."""
    message: PositiveSize
    """Bytes to each neighbour."""
    iterations: Count
    """Iterations of every rank."""
    compute: UnsignedDuration = _NO_TIME
    """Computing before each exchange."""
    periodic: Flag = False
    """Whether opposite faces of the grid are neighbours."""


class Fft3d(Model):
    """The FFT3D motif: all-to-all in the rows and in the columns of a two-dimensional array of ranks.

    An iteration: forward computing, rows, columns, backward computing, columns, rows.
    Source: Kang et al., SC 2022, Table I and IV.
    """

    kind: Literal["fft3d"] = "fft3d"
    """A distributed three-dimensional Fourier transform."""
    grid: tuple[Count, Count]
    """Rows and columns of ranks; their product is the job's ranks."""
    row_message: PositiveSize
    """Bytes to each other rank of a row."""
    column_message: PositiveSize | None = None
    """Bytes to each other rank of a column; as `row_message` if not given."""
    iterations: Count
    """Iterations of every rank."""
    compute_forward: UnsignedDuration = _NO_TIME
    """Computing before the forward transform's exchanges."""
    compute_backward: UnsignedDuration = _NO_TIME
    """Computing before the backward transform's exchanges."""


class AllreduceLoop(Model):
    """The Allreduce loop of CosmoFlow and other training jobs: compute, then sum a gradient over all ranks.

    Source: Kang et al., SC 2022, Table I.
    """

    kind: Literal["allreduce_loop"] = "allreduce_loop"
    """Compute and Allreduce in turn."""
    message: PositiveSize
    """Bytes reduced; 28.15 MB / 25 = 1.126 MB in Kang et al.'s CosmoFlow."""
    iterations: Count
    """Iterations of every rank."""
    compute: UnsignedDuration = _NO_TIME
    """Computing before each Allreduce; 129 ms / 25 = 5.16 ms in Kang et al.'s CosmoFlow."""


#: What the ranks of a job do; `kind` says which.
Workload = Annotated[Pattern | UniformRandom | Halo3d | Fft3d | AllreduceLoop, Field(discriminator="kind")]
