"""Values of axes that a user names as text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import pantala as pt
from pantala.cli.option_values import parse_cases, parse_seeds
from pantala.comparison.compare import compare
from pantala.errors import UsageError
from pantala.experiments.axis_values import axis_value
from pantala.figures import draw
from support import Ended
from sweeps import SCENARIO, scenario

Cli = Callable[..., Ended]


@pytest.mark.parametrize(
    ("text", "known", "meant"),
    [
        ("0", ["0.0", "0.05"], "0.0"),
        (".05", ["0.0", "0.05"], "0.05"),
        ("0.10", ["0.05", "0.1"], "0.1"),
        ("400 us", ["200us", "400us"], "400us"),
        ("400us", ["200 us", "400 us"], "400 us"),
        ("1", ["1.0", "1"], "1"),
        ("2", ["0.0", "1.0"], None),
        ("pra", ["par", "ugal_g"], None),
        ("Par", ["par"], None),
    ],
)
def test_numbers_mean_their_value_and_texts_need_no_spaces(
    text: str, known: list[str], meant: str | None
) -> None:
    assert axis_value(text, known) == meant


@pytest.mark.native
def test_every_option_that_chooses_a_case_reads_values_so(tmp_path: Path) -> None:
    axes = {"routing.algorithm": ["minimal", "par"], "jobs.noise.start": ["400ns", "0.5us"]}
    keep = ["jobs", "ranks"]
    pt.sweep(scenario(), tmp_path, axes=axes, seeds=2, keep=keep, workers=1)
    where = {"jobs.noise.start": "400 ns"}
    found = compare({"x": tmp_path}, by="routing.algorithm", where=where)
    assert {row.case for row in found.rows} == {("400ns",)}
    found = compare({"x": tmp_path}, by="jobs.noise.start", base="0.5 us")
    assert found.titles == ["0.5us", "400ns"]
    experiment = pt.Experiment(tmp_path)
    for kind in ("seed-boxes", "bar-grid", "z-scores"):
        draw(kind, {"x": experiment}, {"where": where})
        with pytest.raises(UsageError, match=r"no such value|has no value '401 ns'"):
            draw(kind, {"x": experiment}, {"where": {"jobs.noise.start": "401 ns"}})


def test_an_axis_with_two_values_is_refused() -> None:
    same = ["routing.algorithm=par", "routing.algorithm=par", "seed = 1"]
    assert parse_cases(same) == {"routing.algorithm": "par", "seed": "1"}
    with pytest.raises(UsageError, match=r"--where a=2: a has the value 1 already, .* once"):
        parse_cases(["a=1", "a=2"])


def test_wrong_seeds_get_an_example_that_works() -> None:
    with pytest.raises(UsageError, match=r"write e\.g\. --seeds 3 or --seeds 1,2,3$"):
        parse_seeds("1-3")


@pytest.mark.native
def test_a_figure_counts_the_runs_of_a_sweep_as_its_status_does(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "s.toml"
    file.write_text(SCENARIO)
    refused = ["--set", "machine.topology.failed_links={count=2}", "--skip-refused"]
    axis = ["--axis", "routing.algorithm=minimal,ugal_g", "--seeds", 2, "--out", tmp_path / "out"]
    assert cli("sweep", file, *axis, *refused).status == 0
    ended = cli("figure", "slowdown-bars", tmp_path / "out", "--out", tmp_path / "f.svg")
    assert "is a sweep of 2 runs" in ended.err
