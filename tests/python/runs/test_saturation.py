"""Curves of several seeds, the saturation load, and curves that continue."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pantala as pt
from pantala.analysis.statistics import mean_interval
from pantala.core.plan import Plan
from pantala.runs.curve_points import POINT_KEYS, mean_point
from pantala.runs.saturation import bracket
from support import Ended
from sweeps import scenario

Cli = Callable[..., Ended]

#: Nine groups of eight nodes; a curve of milliseconds.
SMALL: dict[str, Any] = {
    "changes": {"machine.topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
    "warmup": "2 us",
    "measure": "5 us",
}
LINE = [
    *("--warmup", "2us", "--measure", "5us"),
    *("--set", "machine.topology.p=2", "--set", "machine.topology.a=4"),
    *("--set", "machine.topology.h=2", "--set", "machine.topology.g=9"),
]


@given(st.floats(0.001, 0.999), st.floats(0.0001, 0.5))
def test_a_bisection_brackets_every_threshold(threshold: float, resolution: float) -> None:
    asked: list[float] = []

    def saturated(load: float) -> bool:
        asked.append(load)
        return load > threshold

    low, high = bracket(saturated, resolution)
    assert high is not None
    assert low <= threshold < high
    assert high - low <= resolution * high
    assert len(asked) == len(set(asked)) < 30
    assert {low, high} <= {0.0, *asked}


def test_a_bisection_ends_if_every_load_or_none_is_accepted() -> None:
    assert bracket(lambda _: False) == (1.0, None)
    low, high = bracket(lambda _: True)
    assert low == 0
    assert high == 2.0**-12


@pytest.mark.native
def test_one_link_saturates_at_its_share() -> None:
    """Eight nodes share the link to the next group: it is full at a load of 1/8."""
    found = pt.saturation(
        pattern="next_group", **{**SMALL, "warmup": "20 us", "measure": "40 us"}, resolution=0.05
    )
    assert found["low"] <= 0.125 / 0.97
    assert found["high"] is not None
    assert found["high"] >= 0.124
    assert found["high"] - found["low"] <= 0.05 * found["high"]
    assert found["accepted"] == pytest.approx(found["low"], rel=0.03)
    loads = [point["load"] for point in found["points"]]
    assert loads == sorted(loads)
    assert [point["saturated"] for point in found["points"]] == [
        load > found["low"] for load in loads
    ]


@pytest.mark.native
def test_the_answer_does_not_depend_on_workers() -> None:
    call: dict[str, Any] = {**SMALL, "pattern": "next_group", "seeds": 3, "resolution": 0.1}
    alone = pt.saturation(**call)
    assert alone["seeds"] == 3
    assert pt.saturation(**call, workers=3) == alone
    assert pt.saturation(**call, threads="auto") == alone


@pytest.mark.native
def test_points_of_seeds_are_means_with_intervals() -> None:
    (point,) = pt.curve(**SMALL, loads=[0.4], seeds=3, seed=5, timeline="1 us")
    singles = [pt.curve(**SMALL, loads=[0.4], seed=seed, timeline="1 us")[0] for seed in (5, 6, 7)]
    assert point == mean_point(singles)
    assert tuple(point) == (*POINT_KEYS, "timeline", "seeds", "intervals")
    expected = mean_interval([single["accepted"] for single in singles])
    assert point["accepted"] == expected.mean
    assert point["intervals"]["accepted"] == [expected.low, expected.high]
    assert point["packets"] == sum(single["packets"] for single in singles)
    second = [single["timeline"][1]["accepted"] for single in singles]
    assert point["timeline"][1]["accepted"] == pytest.approx(sum(second) / 3)


def test_values_that_seeds_lack_have_no_interval() -> None:
    full: Any = dict.fromkeys(POINT_KEYS, 1.0) | {"load": 1.0, "saturated": False, "packets": 3}

    def with_(**values: Any) -> Any:
        return {**full, **values}

    empty = with_(latency_mean_ns=None, packets=0)
    found = mean_point([full, empty])
    assert (found["latency_mean_ns"], found["intervals"]["latency_mean_ns"]) == (1.0, None)
    assert found["intervals"]["latency_p50_ns"] == [1.0, 1.0]
    assert mean_point([empty, empty])["latency_mean_ns"] is None
    many = {"packets": 100_000}
    assert mean_point([with_(accepted=0.9, **many), with_(**many)])["saturated"]
    assert not mean_point([with_(accepted=0.9), full])["saturated"], "six packets cannot tell"
    assert mean_point([empty]) is empty


@pytest.mark.native
def test_an_interrupted_curve_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads = [0.1, 0.3, 0.5]
    expected = pt.curve(**SMALL, loads=loads, seeds=2)
    real = Plan.measure
    measured: list[int] = []

    def measure(plan: Plan, *more: Any) -> dict[str, Any]:
        if len(measured) == 3:
            raise KeyboardInterrupt
        measured.append(plan["seed"])
        return real(plan, *more)

    monkeypatch.setattr(Plan, "measure", measure)
    with pytest.raises(KeyboardInterrupt):
        pt.curve(**SMALL, loads=loads, seeds=2, out=tmp_path)
    assert measured == [1, 2, 1]
    measured.clear()
    assert pt.curve(**SMALL, loads=loads, seeds=2, out=tmp_path) == expected
    assert measured == [2, 1, 2]
    assert pt.curve(**SMALL, loads=loads, seeds=2, out=tmp_path, workers=2) == expected
    # Another window is another measurement.
    measured.clear()
    pt.curve(**{**SMALL, "measure": "4 us"}, loads=[0.1], out=tmp_path)
    assert measured == [1]


@pytest.mark.native
def test_a_damaged_measurement_is_repeated(tmp_path: Path) -> None:
    expected = pt.curve(**SMALL, loads=[0.1], out=tmp_path)
    (file,) = tmp_path.glob("runs/*/*/run.json")
    for damaged in ("", "{"):
        file.write_text(damaged)
        assert pt.curve(**SMALL, loads=[0.1], out=tmp_path) == expected


@pytest.mark.native
def test_curves_and_experiments_share_a_directory(tmp_path: Path) -> None:
    expected = pt.curve(**SMALL, loads=[0.1], out=tmp_path)
    made = pt.sweep(scenario(), tmp_path, workers=1)
    assert made.runs["state"].to_list() == ["done"]
    assert len(list(tmp_path.glob("runs/*/*/run.json"))) == 2
    assert pt.curve(**SMALL, loads=[0.1], out=tmp_path) == expected


@pytest.mark.native
def test_the_command_brackets_the_saturation(tmp_path: Path, cli: Cli) -> None:
    options = ["--pattern", "next_group", "--saturation", "--resolution", "10%", "--seeds", "2"]
    plot, out = tmp_path / "curve.svg", tmp_path / "out"
    ended = cli("curve", *LINE, *options, "--out", out, "--plot", plot, "--loads", "0.05")
    assert ended.status == 0, ended.err
    assert "saturation load: between 0.1" in ended.out
    assert "half of the 95 % interval" in ended.out
    assert plot.is_file()
    ended = cli("curve", *LINE, *options, "--out", out, "--json", "-w", "2")
    text = json.loads(ended.out)
    assert set(text) == {"points", "saturation"}
    assert text["saturation"]["high"] in [point["load"] for point in text["points"]]
    ended = cli("curve", *LINE, "--set", "workload.load=0.1", "--saturation", "--resolution", "50%")
    assert ended.status == 0, ended.err


def test_wrong_options_of_the_curve(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for options, said in (
        (["--resolution", "2%"], "--resolution 2%: needs --saturation"),
        (["--saturation", "--resolution", "fine"], "is not a share"),
        (["--saturation", "--resolution", "0"], "resolution = 0.0: must be from 0.0001"),
        (["--seeds", "0"], "seeds = 0: must be at least 1"),
        (["--workers", "0"], "--workers 0: must be at least 1"),
        (["--out", str(tmp_path)], "is a directory with something else in it"),
    ):
        ended = cli("curve", *LINE, *options)
        assert (ended.status, ended.err.count("\n")) == (2, 1), ended.err
        assert said in ended.err


@pytest.mark.native
def test_ctrl_c_says_that_measurements_are_kept(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(*_: Any) -> dict[str, Any]:
        raise KeyboardInterrupt

    monkeypatch.setattr(Plan, "measure", measure)
    ended = cli("curve", *LINE, "--loads", "0.1", "--out", tmp_path / "out")
    assert ended.status == 130
    assert "to continue, give the same command again" in ended.err
