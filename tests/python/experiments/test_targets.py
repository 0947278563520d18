"""Interference experiments about some of their jobs: `interference = { targets = [...] }`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import pantala as pt
from pantala.runs.parts import parts_of
from support import Ended

Cli = Callable[..., Ended]

pytestmark = pytest.mark.native

SCENARIO = """
name = "about-fft"
interference = { targets = ["fft"] }
machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }
routing = "par"
[[jobs]]
name = "halo"
ranks = 8
workload = { kind = "halo3d", grid = [2, 2, 2], message = "4 KiB", iterations = 2 }
[[jobs]]
name = "fft"
ranks = 4
workload = { kind = "fft3d", grid = [2, 2], points = 8, iterations = 2 }
[[jobs]]
name = "noise"
ranks = 6
workload = { kind = "pattern", pattern = "uniform", load = 0.2 }
"""


def scenario(**changes: object) -> pt.Scenario:
    return pt.Scenario.from_dict(tomllib.loads(SCENARIO), changes=changes)


def part_names(given: pt.Scenario) -> list[str]:
    return [part.name for part in parts_of(given, given.resolved_plan())]


def test_only_targets_run_alone() -> None:
    assert part_names(scenario()) == ["alone-fft", "together"]
    both = scenario(interference={"targets": ["noise", "fft"]})
    assert part_names(both) == ["alone-fft", "together", "alone-noise"]


def test_a_target_with_copies_stands_for_all_of_them() -> None:
    several = scenario(**{"jobs.fft.count": 2})
    assert part_names(several) == ["alone-fft-1", "alone-fft-2", "together"]


def test_targets_have_the_runs_of_an_experiment_of_all_jobs(tmp_path: Path) -> None:
    """Their nodes and results are those of `interference = true`."""
    about = pt.run(scenario(), out=tmp_path / "about", report=False)
    every = pt.run(scenario(interference=True), out=tmp_path / "every", report=False)
    assert isinstance(about, pt.Experiment)
    assert isinstance(every, pt.Experiment)
    assert about.targets == ["fft"]
    assert every.targets is None
    for part in ("alone-fft", "together"):
        assert (
            about.parts[part].document["result_hash"] == (every.parts[part].document["result_hash"])
        )
    row = about.slowdown.filter(pl.col("name") == "fft").collect()
    assert row.equals(every.slowdown.filter(pl.col("name") == "fft").collect())
    assert about.slowdown.collect()["compared"].to_list() == [None, "run", None]


def test_what_is_shown_is_about_the_target(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO)
    ended = cli("run", tmp_path / "s.toml", "--out", tmp_path / "out")
    assert ended.status == 0, ended.err
    assert "Together with the background (halo and noise), fft" in ended.out
    assert "no slowdown" not in ended.out
    assert "not known" not in ended.out
    rows = [line.split()[0] for line in ended.out.splitlines() if " ± " in line]
    assert rows == ["fft", "mean"]
    shown = pt.Experiment(tmp_path / "out").caveats
    assert not any("of noise's run" in each.text for each in shown)


def test_a_sweep_simulates_targets_only(tmp_path: Path) -> None:
    made = pt.sweep(scenario(), tmp_path, seeds=2, workers=1)
    assert set(made.runs["part"]) == {"alone-fft", "together"}
    slowdowns = made.slowdowns().filter(pl.col("slowdown").is_not_null())
    assert slowdowns["name"].to_list() == ["fft", "fft"]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"targets": ["fftt"]}, 'interference.targets[0] = "fftt": is not a job of the scenario'),
        ({"targets": []}, "interference.targets = []: is empty"),
        ({"target": ["fft"]}, "interference.target = ['fft']: unknown key"),
        ({"targets": "fft"}, 'interference.targets = "fft": is not a list'),
        ({}, "interference.targets: is missing"),
        ("pair", "did you mean 'pairs'?"),
    ],
)
def test_wrong_targets(value: object, says: str) -> None:
    with pytest.raises(pt.ScenarioError) as error:
        scenario(interference=value)
    assert says.replace("'", '"') in str(error.value).replace("'", '"')


def test_caveats_of_a_sweep_name_cases(tmp_path: Path) -> None:
    """A run is named by its values on the axes and its part, not by its identity."""
    without = tomllib.loads(SCENARIO[: SCENARIO.rindex("[[jobs]]")])
    without["jobs"][1]["workload"]["points"] = 64
    axes = {"jobs.halo.workload.iterations": [1, 40]}
    made = pt.sweep(pt.Scenario.from_dict(without), tmp_path, axes=axes, workers=1)
    texts = " ".join(each.text for each in made.caveats)
    assert "jobs.halo.workload.iterations=1 together" in texts
    assert not any(run in texts for run in made.runs["run"])


def test_a_sweep_beside_a_run_prints_slowdowns_with_intervals(tmp_path: Path, cli: Cli) -> None:
    file, out = tmp_path / "s.toml", tmp_path / "out"
    file.write_text(SCENARIO)
    assert cli("run", file, "--out", out).status == 0
    ended = cli("sweep", file, "--seeds", "3", "--out", out)
    assert ended.status == 0, ended.err
    found = pt.Experiment(out, "about-fft").mean_slowdowns()
    rows = found.filter(pl.col("measure") == "slowdown").to_dicts()
    assert [(row["name"], row["beside"], row["runs"]) for row in rows] == [
        ("fft", ["halo", "noise"], 3)
    ]
    (row,) = rows
    assert row["low"] < row["mean"] < row["high"]
    text = f"communication time {row['mean']:.2f} times ("
    (line,) = (line for line in ended.out.splitlines() if text in line)
    assert "fft" in line
    assert "beside halo and noise" in line
    assert line.endswith(", 3 seeds).")
    assert "run time" in ended.out
