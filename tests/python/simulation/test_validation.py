"""A part of the validation suite: one point per series, and failures of bars and page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from support import ROOT
from validation import measure, page, suite, tables
from validation.bars import BARS, FREE, check, of_one
from validation.ember import suite as ember
from validation.ember.cases import Case, cases
from validation.ember.replay import replay
from validation.peers import (
    LOCAL_GLOBAL_LOCAL,
    PEERS,
    HotLink,
    Point,
    Series,
    hot_links,
    learning,
    read,
)

ALL_SERIES = [series for peer in PEERS for series in read(peer)]
#: `make test` measures the first series of each peer. `make test-all` measures every series.
TIERS = [
    pytest.param(
        series,
        id=f"{peer.name}: {series.label}",
        marks=[pytest.mark.full] if number else [pytest.mark.slow],
    )
    for peer in PEERS
    for number, series in enumerate(read(peer))
]
PAGE = (ROOT / "docs" / "explanation" / "made-validation.md").read_text(encoding="utf-8")


def chosen(series: Series) -> Point:
    """Returns the highest load at which every bar applies, or else the lowest load."""
    steady = [point for point in series.points if point.load <= FREE * series.saturation]
    return steady[-1] if steady else series.points[0]


def skip_if_missing(call: Any) -> None:
    why = measure.missing(call)
    if why is not None:
        pytest.skip(f"not available yet: {why}")


@pytest.mark.native
@pytest.mark.parametrize("series", TIERS)
def test_a_point_of_each_series_agrees_with_its_peer(series: Series) -> None:
    point = chosen(series)
    skip_if_missing(point.call)
    ours = measure.point(point.call, point.load, series.peer.since_start & point.theirs.keys())
    checks = check(series, point, ours)
    assert any(item.bound for item in checks)
    assert not [item for item in checks if item.bound and not item.met]
    row = page.cells(page.Measured(series, point, checks))
    assert tables.line(row) in PAGE, "the page differs from the measurement; run make validate"


@pytest.mark.full
@pytest.mark.native
@pytest.mark.parametrize("link", hot_links(), ids=lambda link: "/".join(link.settings))
def test_a_hot_link_agrees_with_booksim2(link: HotLink) -> None:
    skip_if_missing(link.call)
    ours = measure.between(link.call, LOCAL_GLOBAL_LOCAL, 1.0)
    assert of_one("hot_link", link.flits_per_cycle, ours["accepted"]).met, ours["accepted"]


@pytest.mark.full
@pytest.mark.native
def test_q_adaptive_learns_as_fast_as_in_sst() -> None:
    theirs = learning()
    skip_if_missing(theirs.call)
    ours = dict(
        measure.accepted_over_time(theirs.call, theirs.load, 140, theirs.step_us)
    )  # `make validate`: 400
    for time in (40, 140):
        assert of_one("learning", theirs.accepted[time], ours[time]).met, (time, ours[time])


def test_the_curves_are_complete() -> None:
    points = {
        peer.name: sum(len(series.points) for series in ALL_SERIES if series.peer is peer)
        for peer in PEERS
    }
    assert points == {
        "sst_sc22": 24,
        "sst_merlin_2021": 15,
        "booksim2": 34,
        "caminos": 23,
        "codes_dally": 21,
    }
    for series in ALL_SERIES:
        assert all(point.theirs.keys() <= BARS.keys() for point in series.points)
        assert 0 < series.saturation <= 1
        assert len({point.load for point in series.points}) == len(series.points)


def test_a_bar_can_fail() -> None:
    (series,) = (
        s for s in ALL_SERIES if s.peer.name == "sst_sc22" and s.label == "ugal_n, uniform"
    )
    low, _, high = series.points
    exact = dict(low.theirs)
    assert all(item.met and item.bound for item in check(series, low, exact))
    for key, factor in (
        ("accepted", 0.94),
        ("latency_mean_ns", 1.06),
        ("latency_p99_ns", 1.13),
        ("link_hops_mean", 1.03),
    ):
        missed = [
            item.key
            for item in check(series, low, exact | {key: factor * exact[key]})
            if not item.met
        ]
        assert missed == [key]
    assert not all(
        item.met
        for item in check(
            series, low, exact | {"nonminimal_share": exact["nonminimal_share"] + 0.06}
        )
    )
    assert {item.key for item in check(series, high, dict(high.theirs)) if item.bound} == {
        "accepted"
    }


def test_a_percentile_can_lie_anywhere_in_its_bin() -> None:
    assert of_one("latency_p99_ns", 100, 119, width=20).error == 0
    assert of_one("latency_p99_ns", 100, 131, width=20).error == pytest.approx(0.11)
    assert of_one("latency_p99_ns", 100, 89, width=20).error == pytest.approx(-0.11)


def test_the_end_of_a_histogram_is_not_a_percentile() -> None:
    (series,) = (
        s for s in ALL_SERIES if s.peer.name == "booksim2" and s.label == "min, next_group, 4/2/120"
    )
    cut = series.points[-1]
    assert cut.theirs["latency_p99_ns"] == series.peer.last
    assert "latency_p99_ns" not in {item.key for item in check(series, cut, dict(cut.theirs))}


def test_the_suite_writes_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fake(call: Any, load: float, since_start: frozenset[str]) -> dict[str, float]:
        wrong = 1.5 if (call["routing"], load) == ("minimal", 0.5) else 1.0
        return {
            "accepted": load,
            "latency_mean_ns": 500 * wrong,
            "latency_p99_ns": 600,
            "nonminimal_share": 0.0,
            "link_hops_mean": 2.7,
        }

    def exact(case: Case, _: Any) -> dict[str, float]:
        return {name: each.value for name, each in case.theirs.items()}

    def serial(tasks: Any) -> list[Any]:
        functions: dict[Any, Any] = {measure.point: fake, replay: exact}
        return [functions[function](*arguments) for function, arguments in tasks]

    known = ("minimal", "uniform")
    monkeypatch.setattr(measure, "together", serial)
    monkeypatch.setattr(
        measure,
        "missing",
        lambda call: None if (call["routing"], call.get("pattern")) == known else "no",
    )
    monkeypatch.setattr(suite, "PEERS", PEERS[:1])
    some = [case for case in cases() if case.name == "pingpong_limits_a"]
    monkeypatch.setattr(ember, "cases", lambda: some)
    for folder in ("_static", "explanation"):
        (tmp_path / folder).mkdir()
    said: list[str] = []
    monkeypatch.setattr("builtins.print", said.append)
    assert suite.run(tmp_path) == 1
    assert "sst_sc22: minimal, uniform at 0.5: latency_mean_ns: theirs 496.6, ours 750" in said
    assert "sst_sc22: par, uniform: not available yet (no)" in said
    text = (tmp_path / "explanation" / "made-validation.md").read_text(encoding="utf-8")
    assert re.search(r"`minimal` \| `uniform` \| 0.5 .*\*\*\+51.0.%\*\*", text)
    text = (tmp_path / "explanation" / "made-validation-ember.md").read_text(encoding="utf-8")
    assert "| `pingpong_limits_a` | `minimal` | 2\N{NO-BREAK SPACE}% | 13,460 | 6,846,762 |" in text
    assert (tmp_path / "_static" / "validation-sst_sc22.svg").is_file()
    assert (tmp_path / "_static" / "validation-ember.svg").is_file()
