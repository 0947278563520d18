"""What other simulators measured, and the calls of `pantala.curve` that measure the same."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "CURVES",
    "PEERS",
    "HotLink",
    "Learning",
    "Peer",
    "Point",
    "Series",
    "booksim2",
    "caminos",
    "hot_links",
    "learning",
    "read",
]

CURVES = Path(__file__).parent / "curves"

Row = Mapping[str, str]
Call = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """Where a quantity stands in a peer's table: `scale` times what is there, plus `offset`, is our
    unit.
    """

    name: str
    scale: float = 1.0
    offset: float = 0.0


def _as_it_is(_: Row) -> Call:
    return {}


@dataclass(frozen=True, eq=False)
class Peer:
    """A simulator: its table, and how its runs are done here.

    Attributes:
        name: as its table and our router preset have it.
        title: as a heading has it.
        file: its table.
        unit: of its times; one is a nanosecond here.
        columns: where its table has our quantities, by the keys of a point of `pantala.curve`.
        settings: columns that tell its series apart, besides routing and pattern.
        call: from a row, the arguments of `pantala.curve` besides preset, routing, pattern and
            loads.
        bin: width of the bins that its percentiles come from; they are the bins' lower ends.
        last: the end of its histograms, where they have one: a percentile there says nothing.
        since_start: quantities that it counts from time zero on, not in the measured window.
    """

    name: str
    title: str
    file: str
    unit: str
    columns: Mapping[str, Column]
    settings: tuple[str, ...] = ()
    call: Callable[[Row], Call] = _as_it_is
    bin: float = 0.0
    last: float = float("inf")
    since_start: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Point:
    """One run of a peer: its load, what it gave by our keys, and the arguments of `pantala.curve`
    for the same.
    """

    load: float
    theirs: Mapping[str, float]
    call: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Series:
    """The runs of a peer that differ in their load only, in the order of it."""

    peer: Peer
    routing: str
    pattern: str
    settings: tuple[str, ...]
    points: tuple[Point, ...]

    @property
    def saturation(self) -> float:
        """The largest load that was accepted."""
        return max(point.theirs["accepted"] for point in self.points)

    @property
    def label(self) -> str:
        """What tells it apart from the peer's other series: ``min, uniform, 4/2/256``."""
        return ", ".join(
            [self.routing, self.pattern, *(["/".join(self.settings)] if self.settings else [])]
        )


@dataclass(frozen=True, eq=False)
class Learning:
    """SST's Q-adaptive from empty tables.

    Attributes:
        call: the arguments of `pantala.curve` for the same.
        load: offered.
        step_us: accepted load counts in steps of this length.
        accepted: by the end of the step, in us.
    """

    call: Mapping[str, Any]
    load: float
    step_us: int
    accepted: Mapping[int, float]


@dataclass(frozen=True, eq=False)
class HotLink:
    """One flow over a global link of BookSim2: settings as in its series, and the flits a cycle
    that come through.
    """

    settings: tuple[str, ...]
    call: Mapping[str, Any]
    flits_per_cycle: float


#: Two nodes of the machine with a local, the global and a local link between them, either way.
LOCAL_GLOBAL_LOCAL = (28, 60)


def booksim2(packet_flits: int, internal_speedup: int, vc_buffer_flits: int) -> dict[str, str]:
    """The keys for BookSim2's settings. Of the three steps that a head takes, the crossbar's flit
    time is the last.
    """
    return {
        "machine.packet": f"{packet_flits} B",
        "machine.router.crossbar_bandwidth": f"{internal_speedup} GB/s",
        "machine.router.input_latency": f"{3 / internal_speedup - 1} ns",
        "machine.router.input_buffer": f"{vc_buffer_flits} flits",
    }


def caminos(crossbar_delay: int, packet_phits: int, internal_speedup: int) -> dict[str, str]:
    """The keys for CAMINOS' settings."""
    return {
        "machine.packet": f"{packet_phits} B",
        "machine.router.crossbar_bandwidth": f"{internal_speedup} GB/s",
        "machine.router.output_latency": f"{crossbar_delay} ns",
    }


def _booksim2(row: Row) -> Call:
    """Three samples of warm-up, three or more of measurement."""
    sample = int(row.get("sample_cycles", 1_000))
    warmup, window = f"{3 * sample} ns", f"{int(row.get('samples', 3)) * sample} ns"
    changes = booksim2(
        int(row["packet_flits"]), int(row["internal_speedup"]), int(row["vc_buffer_flits"])
    )
    return {"warmup": warmup, "measure": window, "changes": changes}


def _caminos(row: Row) -> Call:
    changes = caminos(
        int(row["crossbar_delay"]), int(row["packet_phits"]), int(row["internal_speedup"])
    )
    return {
        "warmup": f"{row['warm_cycles']} ns",
        "measure": f"{row['measured_cycles']} ns",
        "changes": changes,
    }


_SST = {
    "accepted": Column("accepted"),
    "latency_mean_ns": Column("latency_mean_ns"),
    "latency_p99_ns": Column("latency_p99_ns"),
    "nonminimal_share": Column("nonminimal_pct", scale=0.01),
    "link_hops_mean": Column("link_hops"),
}

PEERS = (
    Peer(
        name="sst_sc22",
        title="SST, the fork of SC 2022",
        file="sst.csv",
        unit="ns",
        columns=_SST,
        bin=20.0,
        since_start=frozenset({"nonminimal_share", "link_hops_mean"}),
    ),
    Peer(
        name="sst_merlin_2021",
        title="SST's merlin of 2021",
        file="sst.csv",
        unit="ns",
        columns=_SST,
        bin=20.0,
    ),
    Peer(
        name="booksim2",
        title="BookSim2",
        file="booksim2.csv",
        unit="cycles",
        columns={
            "accepted": Column("accepted"),
            "latency_mean_ns": Column("packet_latency_mean_cycles"),
            "latency_p99_ns": Column("latency_p99_cycles"),
            "link_hops_mean": Column("routers_per_packet", offset=-1.0),
        },
        settings=("packet_flits", "internal_speedup", "vc_buffer_flits"),
        call=_booksim2,
        last=999.0,
    ),
    Peer(
        name="caminos",
        title="CAMINOS",
        file="caminos.csv",
        unit="cycles",
        columns={
            "accepted": Column("accepted"),
            "latency_mean_ns": Column("message_delay_mean_cycles"),
            # Its network delay begins at the first router, ours a terminal link earlier.
            "network_latency_p99_ns": Column("network_delay_p99_cycles", offset=1.0),
            "link_hops_mean": Column("link_hops"),
        },
        settings=("crossbar_delay", "packet_phits", "internal_speedup"),
        call=_caminos,
    ),
)


def read(peer: Peer) -> list[Series]:
    """The series of a peer, in the order of its table."""
    series: dict[tuple[str, ...], list[Point]] = {}
    for row in _rows(peer.file):
        if row["peer"] == peer.name:
            key = (row["routing"], row["pattern"], *(row[name] for name in peer.settings))
            series.setdefault(key, []).append(_point(peer, row))
    return [
        Series(
            peer,
            routing,
            pattern,
            tuple(settings),
            tuple(sorted(points, key=lambda point: point.load)),
        )
        for (routing, pattern, *settings), points in series.items()
    ]


def learning() -> Learning:
    """How Q-adaptive learns on `next_group`."""
    measured = _rows("learning.csv")
    first = measured[0]
    call = {"preset": first["peer"], "routing": first["routing"], "pattern": first["pattern"]}
    accepted = {int(row["time_us"]): float(row["accepted"]) for row in measured}
    return Learning(call, float(first["load"]), 20, accepted)


def hot_links() -> list[HotLink]:
    """What one hot link of BookSim2 carries."""
    (peer,) = (peer for peer in PEERS if peer.name == "booksim2")
    return [
        HotLink(
            tuple(row[name] for name in peer.settings),
            # Credits come back in bursts of their round trip, of which the window holds many.
            {
                "preset": row["peer"],
                "routing": row["routing"],
                **_booksim2(row),
                "warmup": "10 us",
                "measure": "40 us",
            },
            float(row["flits_per_cycle"]),
        )
        for row in _rows("hot_link.csv")
    ]


def _rows(file: str) -> list[dict[str, str]]:
    """The rows of a table of `curves`."""
    with (CURVES / file).open(encoding="utf-8") as text:
        return list(csv.DictReader(text))


def _point(peer: Peer, row: Row) -> Point:
    theirs = {
        key: column.scale * float(row[column.name]) + column.offset
        for key, column in peer.columns.items()
        if row[column.name]
    }
    call = {
        "preset": peer.name,
        "routing": row["routing"],
        "pattern": row["pattern"],
        **peer.call(row),
    }
    return Point(float(row["load"]), theirs, call)
