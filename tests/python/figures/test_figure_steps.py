"""Steps of time in figures: as many as can be told apart, from the first window on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.patches import StepPatch

from pantala.figures.drawing import draw
from pantala.figures.steps import MOST, steps_of

#: A run of a job that starts late: five windows of 1 us after a day.
DAY = 86_400e9
STARTS = [DAY + 1000 * at for at in (0, 1, 2, 4, 5)]
END = DAY + 5500


@given(
    numbers=st.lists(st.integers(0, 10**7), min_size=1, max_size=30, unique=True),
    length=st.sampled_from([0.3, 1.0, 777.777, 20_000.0]),
    part=st.floats(0.01, 1),
    most=st.sampled_from([1, 7, 240, 1000]),
)
def test_steps_hold_every_window_once(
    numbers: list[int], length: float, part: float, most: int
) -> None:
    starts = np.array(sorted(numbers)) * length
    end = starts[-1] + part * length
    steps = steps_of(starts, length, end, most)
    values = np.arange(1, len(starts) + 1)
    assert steps.sums(starts, values).sum() == values.sum()
    assert 1 <= len(steps.widths_ns) <= most
    assert np.all(steps.widths_ns > 0)
    assert steps.edges_ns[0] in {0.0, starts[0]}
    assert steps.edges_ns[-1] == pytest.approx(end)
    assert steps.step_ns / length == pytest.approx(round(steps.step_ns / length))
    places = steps.places(starts)
    assert np.all(steps.edges_ns[places] <= starts + 1e-4 * length)
    assert np.all(starts < steps.edges_ns[places + 1])


def test_few_windows_are_steps() -> None:
    steps = steps_of(np.array([10.0, 40.0]), 10.0, 47.0)
    assert steps.edges_ns.tolist() == [0, 10, 20, 30, 40, 47]
    assert steps.sums(np.array([10.0, 40.0]), np.array([3, 5])).tolist() == [0, 3, 0, 0, 5]


def late() -> Any:
    """Returns the run of a job that starts after a day."""
    record = {"window_ps": 10**6, "latency_windows_ps": 10**6, "routing_windows_ps": 10**6}
    plan = {"name": "late", "record": record, "topology": {"kind": "dragonfly"}}
    windows = {"window_start_ns": STARTS, "window_ns": [1000.0] * 5}
    tables: dict[str, dict[str, Any]] = {
        "jobs": {"job": [0], "name": ["a"], "end_ns": [END], "packets": [5]},
        "ranks": {"job": [0], "node": [0], "router": [0], "rank": [0]},
        "links": {
            "link": [0],
            "class": ["local"],
            "source_router": [0],
            "target_router": [1],
            "busy_ns": [500.0],
            "bytes": [50],
        },
        "link_windows": {**windows, "link": [0] * 5, "job": [0] * 5, "bytes": [10] * 5},
        "job_windows": {**windows, "job": [0] * 5, "delivered_bytes": [1] * 5, "packets": [1] * 5},
        "routing_windows": {**windows, "job": [0] * 5, "packets": [2] * 5, "rerouted": [0] * 5},
        "latency_windows": {**windows, "job": [0] * 5, "kind": ["packet"] * 5, "p50_ns": [7.0] * 5},
        "system_windows": {**windows, "class": ["local"] * 5, "links": [1] * 5},
        "router_windows": {**windows, "router": [0] * 5, "job": [0] * 5, "bytes": [20] * 5},
    }
    tables["link_windows"]["stall_ns"] = [0.0] * 5
    tables["job_windows"]["latency_mean_ns"] = [7.0] * 5
    tables["routing_windows"]["nonminimal"] = [1] * 5
    tables["latency_windows"]["p99_ns"] = [9.0] * 5
    tables["system_windows"] |= {"busy_ns": [500.0] * 5, "stall_ns": [0.0] * 5}
    tables["system_windows"]["saturated_ns"] = [0.0] * 5
    lazy = {name: pl.LazyFrame(each) for name, each in tables.items()}
    return SimpleNamespace(document={"plan": plan, "simulated_ns": END}, **lazy)


@pytest.mark.parametrize(
    "kind",
    [
        "throughput",
        "latency-over-time",
        "nonminimal-over-time",
        "system-over-time",
        "routers-over-time",
    ],
)
def test_a_job_that_starts_late_fills_its_figure(kind: str) -> None:
    """Steps from time zero on would take gigabytes, and the job would be invisible."""
    axes = draw(kind, {"late": late()}, {}).axes[-1]
    (*_, line) = (each for each in axes.patches if isinstance(each, StepPatch))
    values, edges, _ = line.get_data()
    assert 5 <= len(values) <= 6
    first, last = axes.get_xlim()
    assert first * 1e9 == pytest.approx(DAY, abs=1)
    assert (last - first) * 1e9 > 5000
    assert edges[0] * 1e9 == pytest.approx(DAY, abs=1)


def test_links_of_a_job_that_starts_late_fill_their_figure() -> None:
    figure = draw("links-over-time", {"late": late()}, {})
    cells = figure.axes[0].images[0].get_array()
    assert cells is not None
    assert cells.shape == (1, 6)
    assert np.allclose(cells, [[0.1, 0.1, 0.1, 0, 0.1, 0.2]])


def test_percentiles_have_gaps_where_nothing_arrived() -> None:
    axes = draw("latency-over-time", {"late": late()}, {}).axes[0]
    (*_, line) = (each for each in axes.patches if isinstance(each, StepPatch))
    values, edges, _ = line.get_data()
    assert np.array_equal(np.isnan(values), [False, False, False, True, False, False])
    assert np.allclose(np.diff(edges) * 1e9, 1000, atol=20)


def test_many_windows_share_columns_with_their_mean() -> None:
    run = late()
    number = 3 * MOST
    starts = [100.0 * at for at in range(number)]
    values = {"link": [0] * number, "job": [0] * number, "stall_ns": [0.0] * number}
    run.link_windows = pl.LazyFrame(
        {"window_start_ns": starts, "bytes": [3 * (at % 3) for at in range(number)], **values}
    )
    run.document["simulated_ns"] = 100.0 * number
    run.document["plan"]["record"]["link_window_ps"] = 100_000
    cells = draw("links-over-time", {"run": run}, {}).axes[0].images[0].get_array()
    assert cells is not None
    assert cells.shape == (1, MOST)
    # 0, 3 and 6 bytes of 10 ns each in 100 ns.
    assert np.allclose(cells, 0.3)
