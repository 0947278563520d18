"""The states of the points of a load curve: the rules, and networks that show them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pantala as pt
from pantala import figures
from pantala.runs.curve_states import MEANINGS, STATES, common_state, is_saturated, state_of
from support import Ended

Cli = Callable[..., Ended]


def spans(
    accepted: Sequence[float] | float,
    latency: Sequence[float] | float = 500.0,
    share: Sequence[float] | float = 0.5,
    packets: int = 100_000,
) -> list[dict[str, Any]]:
    """Returns eight spans; a number stands for eight equal values."""
    columns = [list(x) if isinstance(x, Sequence) else [x] * 8 for x in (accepted, latency, share)]
    return [
        {"accepted": a, "latency_mean_ns": b, "nonminimal_share": c, "packets": packets}
        for a, b, c in zip(*columns, strict=True)
    ]


RISING = [0.030, 0.031, 0.032, 0.036, 0.041, 0.045, 0.047, 0.052]


@pytest.mark.parametrize(
    ("load", "window", "warmup", "learns", "state"),
    [
        (0.3, spans(0.3), spans(0.3), False, "steady"),
        (0.3, spans(0.3), [], True, "steady"),
        (0.3, spans(0.2925), [], False, "steady"),
        (0.3, spans(0.285), spans(0.1), False, "saturated"),
        (0.1, spans(0.159), [], False, "draining"),
        (0.1, spans([0.12, 0.13, 0.14, 0.15, 0.16, 0.17, 0.18, 0.2]), [], True, "draining"),
        (0.1, spans(0.101, latency=[9e3, 4e3, 2e3, *[1e3] * 5]), [], False, "draining"),
        (0.5, spans([0.35, 0.25, 0.16, 0.13] + [0.105] * 4), spans(0.4), False, "collapsing"),
        (0.5, spans(0.101), spans(0.394), False, "collapsing"),  # it has fallen and stays there
        (0.5, spans(0.101), spans(0.105), False, "saturated"),
        (0.3, spans(0.299, latency=[1e3, 2e3, 3e3, 4e3, 5e3, 6e3, 7e3, 8e3]), [], False, "filling"),
        (0.1, spans(RISING), [], True, "learning"),
        (0.1, spans(RISING), [], False, "saturated"),
        (0.1, spans(0.1, share=[0.1] * 4 + [0.3] * 4), [], True, "learning"),
        (0.1, spans(0.1, latency=[900.0] * 4 + [700.0] * 4), [], True, "learning"),
        # In a saturated network latency grows without learning.
        (0.9, spans(0.7, latency=[1e3, 2e3, 3e3, 4e3, 5e3, 6e3, 7e3, 8e3]), [], True, "saturated"),
        # Few packets say little.
        (0.1, spans(0.096, packets=100), [], False, "steady"),
        (0.1, spans(0.096, packets=10_000), [], False, "saturated"),
        (0.1, spans(0.106, packets=400), [], False, "steady"),
        (0.1, spans(0.0, latency=0.0, packets=0), [], False, "saturated"),
    ],
)
def test_the_first_rule_that_holds_gives_the_state(
    load: float, window: list[Any], warmup: list[Any], learns: bool, state: str
) -> None:
    packets = sum(span["packets"] for span in window)
    accepted = sum(span["accepted"] for span in window) / len(window)
    saturated = is_saturated(load, accepted, packets) if packets else True
    assert state_of(load, window, warmup, saturated=saturated, learns=learns) == state
    assert state in MEANINGS


def test_spans_without_packets_have_no_latency() -> None:
    empty = spans(0.0, packets=0)
    for span in empty:
        span["latency_mean_ns"] = span["nonminimal_share"] = None
    assert state_of(0.1, empty, empty, saturated=True, learns=True) == "saturated"
    assert state_of(0.1, empty, empty, saturated=False, learns=True) == "steady"


def test_the_most_frequent_state_is_that_of_the_seeds() -> None:
    assert common_state(["steady", "draining", "draining"], saturated=False) == "draining"
    assert common_state(["steady", "collapsing"], saturated=True) == "collapsing"
    assert common_state(["steady", "steady", "collapsing"], saturated=True) == "saturated"
    assert common_state(["saturated", "saturated", "steady"], saturated=False) == "steady"
    assert common_state(list(STATES), saturated=True) == "learning"


SMALL: dict[str, Any] = {
    "changes": {"machine.topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
    "warmup": "2 us",
    "measure": "8 us",
}


@pytest.mark.native
def test_networks_show_their_states() -> None:
    def state(load: float, **call: Any) -> str:
        (point,) = pt.curve(**{**SMALL, **call}, loads=[load])
        assert point["saturated"] == (point["accepted"] < 0.97 * load)
        return point["state"]

    assert state(0.3) == "steady"
    adverse: dict[str, Any] = {"pattern": "next_group"}
    assert state(0.5, **adverse, warmup="10 us") == "saturated"
    assert state(0.3, **adverse, routing="q_adaptive") == "learning"
    assert state(0.3, **adverse, routing="ugal_n", warmup="20 us") in {"steady", "saturated"}


@pytest.mark.native
def test_a_state_does_not_depend_on_the_timeline_or_the_store(tmp_path: Path) -> None:
    plain = pt.curve(**SMALL, loads=[0.2, 0.9])
    timed = pt.curve(**SMALL, loads=[0.2, 0.9], timeline="3 us", out=tmp_path)
    again = pt.curve(**SMALL, loads=[0.2, 0.9], timeline="3 us", out=tmp_path)
    assert [point["state"] for point in timed] == [point["state"] for point in plain]
    assert again == timed
    assert pl.DataFrame(plain).write_csv().splitlines()[0].startswith("load,accepted,saturated,st")


@pytest.mark.native
def test_the_table_names_states_and_says_what_they_mean(cli: Cli) -> None:
    line = ["curve", "--pattern", "next_group", "--loads", "0.02,0.5", "--warmup", "2us"]
    line += ["--measure", "8us", "--set", "machine.topology.p=2", "--set", "machine.topology.a=4"]
    line += ["--set", "machine.topology.h=2", "--set", "machine.topology.g=9"]
    ended = cli(*line)
    assert ended.status == 0, ended.err
    first, second = (row.split() for row in ended.out.splitlines() if row.strip()[:3] in LOADS)
    assert (first[2], second[1][-1], second[2]) == ("steady", "*", "saturated")
    assert "saturated: the network accepted less than 0.97 of the offered load" in " ".join(
        ended.out.split()
    )
    found = json.loads(cli(*line, "--json").out)
    assert [point["state"] for point in found] == ["steady", "saturated"]


LOADS = {"0.0", "0.5"}


@pytest.mark.native
def test_the_mark_of_saturation_is_explained_beside_another_state(cli: Cli) -> None:
    what = "--routing q_adaptive --pattern next_group --loads 0.1 --warmup 5us --measure 10us"
    ended = cli("curve", *what.split())
    assert ended.status == 0, ended.err
    row = next(line.split() for line in ended.out.splitlines() if line.startswith(" 0.1"))
    assert (row[1][-1], row[2]) == ("*", "learning")
    assert f"*: {MEANINGS['saturated']}" in ended.out


def test_the_figure_names_the_states() -> None:
    base = {"latency_mean_ns": 500.0, "accepted": 0.1, "saturated": False}
    points = [base | {"load": 0.1, "state": "steady"}, base | {"load": 0.2, "state": "draining"}]
    figure = figures.curve({"minimal": points})
    labels = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert labels == ["minimal", "draining", "accepted = offered"]
    faces = [
        line.get_markerfacecolor() for line in figure.axes[0].lines if line.get_marker() == "o"
    ]
    assert faces.count("white") == 1
    points.append(base | {"load": 0.3, "state": "saturated", "latency_mean_ns": 9000.0})
    figure = figures.curve({"minimal": points})
    labels = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert labels[1:3] == ["draining, saturated", "above the axis"]


@pytest.mark.native
def test_a_search_measures_longer_until_the_network_has_settled() -> None:
    measured: list[tuple[float, str]] = []
    call: dict[str, Any] = {**SMALL, "measure": "4 us", "pattern": "next_group"}
    found = pt.saturation(
        **call,
        routing="q_adaptive",
        resolution=0.5,
        on_point=lambda point: measured.append((point["load"], point["state"])),
    )
    loads = [load for load, _ in measured]
    again = [load for load in set(loads) if loads.count(load) > 1]
    assert again, "a cold table makes the search measure a load again"
    for load in set(loads):
        states = [state for each, state in measured if each == load]
        assert len(states) <= 4
        assert all(state in {"learning", "draining", "filling"} for state in states[:-1])
        unsettled = states[-1] in {"learning", "draining", "filling"}
        assert (load in found["unsettled"]) == unsettled


@pytest.mark.native
def test_counts_from_the_start_include_the_warm_up() -> None:
    call: dict[str, Any] = {**SMALL, "routing": "ugal_n", "pattern": "next_group"}
    (window,) = pt.curve(**call, loads=[0.3])
    (start,) = pt.curve(**call, loads=[0.3], count_from="start")
    whole = {**call, "warmup": "1 ps", "measure": f"{10_000_000 - 1} ps"}
    (counted,) = pt.curve(**whole, loads=[0.3])
    for key in ("link_hops_mean", "nonminimal_share"):
        assert start[key] == pytest.approx(counted[key])
        assert start[key] != window[key]
    changed = {"link_hops_mean", "nonminimal_share"}
    assert {k: v for k, v in start.items() if k not in changed} == {
        k: v for k, v in window.items() if k not in changed
    }
    with pytest.raises(pt.UsageError, match="count_from = 'begin': must be 'window' or 'start'"):
        pt.curve(**call, loads=[0.3], count_from="begin")  # type: ignore[arg-type]
