"""Background jobs are other jobs under other seeds: no mean over seeds contains them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import pantala as pt
from pantala.caveats import Facts
from pantala.comparison.compare import compare
from pantala.errors import UsageError
from pantala.experiments.drawn_jobs import drawn_in_words, drawn_jobs
from pantala.report.experiment import render_experiment
from support import Ended
from sweeps import SCENARIO

Cli = Callable[..., Ended]
TIME = "communication_time_mean_ns"
BACKGROUND = """
[background]
share = 0.9
sizes = [{ nodes = 4, weight = 1.0 }, { nodes = 8, weight = 1.0 }]
applications = [
  { workload = { kind = "milc", scaling = "weak" } },
  { workload = { kind = "nek5000", scaling = "weak" } },
]
"""
NAMED = ("halo", "noise")


def test_jobs_with_another_program_or_missing_in_a_seed_are_drawn() -> None:
    runs = [("a", 1, "x1"), ("a", 2, "x2"), ("b", 1, "y1"), ("b", 2, "y2"), ("b", 3, "old")]
    rows = [{"axis": axis, "seed": seed, "part": "p", "run": run} for axis, seed, run in runs]
    facts = {
        "x1": Facts(repeating=(("same", "milc 4"), ("other", "milc 4"), ("only", "milc 4"))),
        "x2": Facts(repeating=(("same", "milc 4"), ("other", "milc 8"))),
        "y1": Facts(repeating=(("same", "milc 4"),)),
        "y2": Facts(repeating=(("same", "milc 4"),)),
        "old": Facts(),  # of a version that did not note them
    }
    found = drawn_jobs(pl.DataFrame(rows), ["axis", "seed"], facts)
    assert found.rows() == [("a", "p", "other"), ("a", "p", "only")]
    assert drawn_in_words(found) == (
        "Background jobs are drawn per seed, so they have no mean over seeds: other and only are"
        " left out."
    )
    assert drawn_in_words(found.clear()) == ""
    facts = {run: Facts.from_dict(each.to_dict()) for run, each in facts.items()}
    assert drawn_jobs(pl.DataFrame(rows), ["axis", "seed"], facts).equals(found)


@pytest.mark.native
def test_no_mean_over_seeds_contains_background_jobs(tmp_path: Path, cli: Cli) -> None:
    file, out = tmp_path / "s.toml", tmp_path / "out"
    file.write_text(SCENARIO + BACKGROUND)
    ended = cli(
        "sweep", file, "--axis", "routing.algorithm=minimal,par", "--seeds", 2, "--out", out
    )
    assert ended.status == 0, ended.err
    lines = [line for line in ended.out.splitlines() if "background-" in line]
    said = [line for line in lines if line.startswith("Background jobs are drawn per seed")]
    assert len(said) == 1
    made = pt.Experiment(out)
    assert tuple(made.medians(TIME)["name"].unique(maintain_order=True)) == NAMED
    assert set(made.intervals(TIME)["name"]) == {*NAMED}
    assert made.table("jobs").filter(pl.col("name") == "background-1").collect().height
    text = render_experiment(out)
    assert said[0] in text
    assert "background-1: communication time is" not in text
    found = compare({"out": out}, by="routing.algorithm")
    assert {row.job for row in found.rows} == {"", *NAMED}
    assert [each.state for each in found.left_out] == ["drawn"]
    with pytest.raises(UsageError, match=r"nothing to compare: .* drawn per seed"):
        compare({"out": out}, by="routing.algorithm", jobs=["background-1"])


@pytest.mark.native
def test_background_jobs_of_one_seed_are_compared(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(SCENARIO + BACKGROUND)
    axes = {"routing.algorithm": ["minimal", "par"]}
    made = pt.sweep(pt.Scenario.from_toml(file), tmp_path / "out", axes=axes, seeds=1, workers=1)
    assert "background-1" in set(made.medians(TIME)["name"])
    found = compare({"out": tmp_path / "out"}, by="routing.algorithm")
    assert "background-1" in {row.job for row in found.rows}
