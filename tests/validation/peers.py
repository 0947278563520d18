"""Measurements of other simulators, and the calls of `pantala.curve` that repeat them."""

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
    """A column of a peer's table, with its conversion to Pantala's unit.

    The converted value is `scale` times the peer's value plus `offset`.
    """

    name: str
    scale: float = 1.0
    offset: float = 0.0


def _as_it_is(_: Row) -> Call:
    return {}


@dataclass(frozen=True, eq=False)
class Peer:
    """A simulator: its table, and the conversion of its runs to Pantala's.

    Attributes:
        name: the name in its table and of Pantala's router preset.
        title: the name in headings.
        file: its table.
        unit: the unit of its times; one unit is a nanosecond here.
        columns: the columns with Pantala's quantities, by the keys of a point of `pantala.curve`.
        settings: the columns that distinguish its series, besides routing and pattern.
        call: returns, for a row, the arguments of `pantala.curve` besides preset, routing, pattern
            and loads.
        bin: width of the bins of its percentiles, which are the bins' lower ends.
        last: the end of its histograms, if any. A percentile at this value is unknown.
        since_start: quantities that it counts from time zero and not in the measured window.
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
    """One run of a peer.

    Attributes:
        load: the offered load.
        theirs: the peer's results by Pantala's keys.
        call: the arguments of `pantala.curve` for the same run.
    """

    load: float
    theirs: Mapping[str, float]
    call: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Series:
    """Runs of a peer that differ only in their load, in rising order."""

    peer: Peer
    routing: str
    pattern: str
    settings: tuple[str, ...]
    points: tuple[Point, ...]

    @property
    def saturation(self) -> float:
        """The largest accepted throughput."""
        return max(point.theirs["accepted"] for point in self.points)

    @property
    def label(self) -> str:
        """The label of the series among the peer's series: ``min, uniform, 4/2/256``."""
        return ", ".join(
            [self.routing, self.pattern, *(["/".join(self.settings)] if self.settings else [])]
        )


@dataclass(frozen=True, eq=False)
class Learning:
    """A run of SST's Q-adaptive from empty tables.

    Attributes:
        call: the arguments of `pantala.curve` for the same run.
        load: the offered load.
        step_us: length of the steps in which accepted throughput is counted.
        accepted: accepted throughput by the end of the step in us.
    """

    call: Mapping[str, Any]
    load: float
    step_us: int
    accepted: Mapping[int, float]


@dataclass(frozen=True, eq=False)
class HotLink:
    """One flow over a global link of BookSim2.

    Attributes:
        settings: the settings, as in its series.
        call: the arguments of `pantala.curve` for the same run.
        flits_per_cycle: the flits per cycle that arrive.
    """

    settings: tuple[str, ...]
    call: Mapping[str, Any]
    flits_per_cycle: float


#: Two nodes whose paths, in both directions, have a local, a global and a local link.
LOCAL_GLOBAL_LOCAL = (28, 60)


def booksim2(packet_flits: int, internal_speedup: int, vc_buffer_flits: int) -> dict[str, str]:
    """Returns the keys for BookSim2's settings.

    A head is routed in the step of its arrival and gets its output virtual channel in the next one.
    In the step after that, it can be granted the switch.
    """
    return {
        "machine.packet": f"{packet_flits} B",
        "machine.router.crossbar_bandwidth": f"{internal_speedup} GB/s",
        "machine.router.input_latency": f"{2 / internal_speedup} ns",
        "machine.router.input_buffer": f"{vc_buffer_flits} flits",
    }


def caminos(crossbar_delay: int, packet_phits: int, internal_speedup: int) -> dict[str, str]:
    """Returns the keys for CAMINOS' settings."""
    return {
        "machine.packet": f"{packet_phits} B",
        "machine.router.crossbar_bandwidth": f"{internal_speedup} GB/s",
        "machine.router.output_latency": f"{crossbar_delay} ns",
    }


def _booksim2(row: Row) -> Call:
    """Returns the arguments for three samples of warm-up and three or more of measurement."""
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


def _codes(row: Row) -> Call:
    """Returns the arguments for the same number of messages per node, sent from time zero on.

    CODES counts accepted throughput from about the first delivery on, so Pantala's window begins
    after ten messages. The other quantities count from time zero.
    """
    interval = _CODES_INTERVAL / float(row["load"])
    sent = int(row["messages_per_node"])
    call: Call = {
        "warmup": f"{round(10 * interval)} ps",
        "measure": f"{round((sent - 10.5) * interval)} ps",
        "drain": True,
    }
    if row["pattern"] == "next_group":  # the same place in the next group
        call |= {"pattern": "shift", "changes": {"workload.offset": 32}}
    return call


#: Interval of 4,096 B messages at load 1 in ps: 2 GiB/s.
_CODES_INTERVAL = 4_096 / 2**31 * 1e12

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
            # Its network delay starts at the first router, Pantala's one terminal link earlier.
            "network_latency_p99_ns": Column("network_delay_p99_cycles", offset=1.0),
            "link_hops_mean": Column("link_hops"),
        },
        settings=("crossbar_delay", "packet_phits", "internal_speedup"),
        call=_caminos,
    ),
    Peer(
        name="codes_dally",
        title="CODES",
        file="codes.csv",
        unit="ns",
        columns={
            "accepted": Column("accepted"),
            "latency_mean_ns": Column("latency_mean_ns"),
            "nonminimal_share": Column("nonminimal_pct", scale=0.01),
            "link_hops_mean": Column("link_hops"),
        },
        call=_codes,
        since_start=frozenset({"latency_mean_ns", "nonminimal_share", "link_hops_mean"}),
    ),
)


def read(peer: Peer) -> list[Series]:
    """Returns the series of a peer in the order of its table."""
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
    """Returns the run of Q-adaptive that learns on `next_group`."""
    measured = _rows("learning.csv")
    first = measured[0]
    call = {"preset": first["peer"], "routing": first["routing"], "pattern": first["pattern"]}
    accepted = {int(row["time_us"]): float(row["accepted"]) for row in measured}
    return Learning(call, float(first["load"]), 20, accepted)


def hot_links() -> list[HotLink]:
    """Returns the throughput of one hot link of BookSim2 for several settings."""
    (peer,) = (peer for peer in PEERS if peer.name == "booksim2")
    return [
        HotLink(
            tuple(row[name] for name in peer.settings),
            # Credits return in bursts of one round trip. The window holds many of them.
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
    """Returns the rows of a table of `curves`."""
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
