"""`pantala status` of what sweeps do not list: interference experiments, curves."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala.core.plan import Plan
from support import Ended
from sweeps import SCENARIO, scenario

pytestmark = pytest.mark.native
Cli = Callable[..., Ended]


def told(cli: Cli, path: Path) -> dict[str, Any]:
    ended = cli("status", path, "--json")
    assert ended.status == 0, ended.err
    (found,) = json.loads(ended.out)
    return dict(found)


def test_an_interference_experiment_has_a_status_while_it_runs_and_at_its_end(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Plan.run
    seen: list[dict[str, Any]] = []

    def run(plan: Plan, *more: Any) -> dict[str, Any]:
        seen.append(told(cli, tmp_path / "pair"))
        if plan["name"].endswith("/together") and len(seen) == 3:
            raise KeyboardInterrupt
        return real(plan, *more)

    monkeypatch.setattr(Plan, "run", run)
    compared = scenario().replace({"interference": True, "name": "pair"})
    with pytest.raises(KeyboardInterrupt):
        pt.run(compared, tmp_path / "pair")
    assert [(each["done"], each["running"], each["missing"]) for each in seen] == [
        (0, 1, 2),
        (1, 1, 1),
        (2, 1, 0),
    ]
    found = told(cli, tmp_path / "pair")
    assert (found["kind"], found["name"]) == ("interference", "pair")
    assert (found["runs"], found["done"], found["missing"]) == (3, 2, 1)
    assert found["seconds"] > 0
    assert found["bytes"] > 0
    shown = cli("status", tmp_path / "pair").out
    assert "pair: interference experiment" in shown
    assert "missing: together" in shown
    assert "give the command of pantala run again" in shown
    pt.run(compared, tmp_path / "pair")
    found = told(cli, tmp_path / "pair")
    assert (found["runs"], found["done"], found["missing"], found["running"]) == (3, 3, 0, 0)


def test_a_directory_of_a_sweep_and_of_an_interference_experiment_tells_both(
    cli: Cli, tmp_path: Path
) -> None:
    compared = scenario().replace({"interference": True})
    pt.run(compared, tmp_path)
    file = tmp_path.with_suffix(".toml")
    file.write_text(SCENARIO.replace("[[jobs]]", "interference = true\n[[jobs]]", 1))
    ended = cli("sweep", file, "--out", tmp_path, "--seeds", "1")
    assert ended.status == 0, ended.err
    place = f"{tmp_path}/experiments/tiny ({tmp_path} alone is the run of pantala run in it)"
    assert f"experiment: {place}" in ended.out.replace("\n", "")
    kinds = [each["kind"] for each in json.loads(cli("status", tmp_path, "--json").out)]
    assert kinds == ["sweep", "interference"]


def test_a_run_does_not_take_over_the_directory_of_a_sweep(tmp_path: Path) -> None:
    compared = scenario().replace({"interference": True})
    pt.sweep(compared, tmp_path, seeds=1, workers=1)
    with pytest.raises(pt.RunDirectoryError, match="holds the sweep tiny; choose another --out"):
        pt.run(compared, tmp_path)


def test_a_curve_tells_how_many_runs_are_there(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(SCENARIO)
    small = ["--set", "machine.topology={p=2,a=4,h=2,g=9}", "--warmup", "1 us", "--measure", "2 us"]
    command = ["curve", "--preset", "kang2022", "--routing", "minimal", "--pattern", "uniform"]
    ended = cli(*command, "--loads", "0.1,0.2", *small, "--out", tmp_path / "curve")
    assert ended.status == 0, ended.err
    found = told(cli, tmp_path / "curve")
    assert (found["kind"], found["name"], found["done"]) == ("runs", "curve", 2)
    assert (found["runs"], found["missing"]) == (None, None)
    shown = cli("status", tmp_path / "curve").out
    assert "curve: runs that no sweep lists" in shown


def test_a_directory_of_a_sweep_and_of_a_curve_tells_both(cli: Cli, tmp_path: Path) -> None:
    pt.sweep(scenario(), tmp_path, seeds=2, workers=1)
    alone = told(cli, tmp_path)
    assert (alone["kind"], alone["done"]) == ("sweep", 2)
    small = ["--set", "machine.topology={p=2,a=4,h=2,g=9}", "--warmup", "1 us", "--measure", "2 us"]
    command = ["curve", "--preset", "kang2022", "--routing", "minimal", "--pattern", "uniform"]
    ended = cli(*command, "--loads", "0.1", *small, "--out", tmp_path)
    assert ended.status == 0, ended.err
    found = json.loads(cli("status", tmp_path, "--json").out)
    assert [(each["kind"], each["done"]) for each in found] == [("sweep", 2), ("runs", 1)]
    shown = cli("status", tmp_path).out
    assert "runs that no sweep lists" in shown


def test_runs_that_the_index_lacks_are_done(cli: Cli, tmp_path: Path) -> None:
    """A sweep notes its runs some time after they are stored, or not if it is killed."""
    pt.sweep(scenario(), tmp_path, seeds=3, workers=1)
    before = pt.Experiment(tmp_path).runs.drop("seconds")
    for file in (tmp_path / "index").iterdir():
        file.write_text(file.read_text().splitlines(keepends=True)[0])
    found = told(cli, tmp_path)
    assert (found["done"], found["missing"], found["runs"]) == (3, 0, 3)
    assert pt.Experiment(tmp_path).runs.drop("seconds").equals(before)


def test_runs_of_a_sweep_before_it_changed_are_told(cli: Cli, tmp_path: Path) -> None:
    pt.sweep(scenario(), tmp_path, seeds=3, workers=1)
    pt.sweep(scenario(), tmp_path, seeds=1, workers=1)
    found = json.loads(cli("status", tmp_path, "--json").out)
    assert [(each["kind"], each["done"]) for each in found] == [("sweep", 1), ("runs", 2)]
    assert "such as those of a curve, a table, or a changed sweep" in cli("status", tmp_path).out


def test_the_command_that_goes_on_is_that_of_the_directory(cli: Cli, tmp_path: Path) -> None:
    pt.sweep(scenario(), tmp_path, seeds=3, workers=1)
    for file in (tmp_path / "index").iterdir():
        file.write_text("")
    shutil.rmtree(min((tmp_path / "runs").iterdir()))
    assert "give the command of pantala sweep again" in cli("status", tmp_path).out
    (tmp_path / "campaign.json").write_text("{}")
    assert "give the command of pantala study run again" in cli("status", tmp_path).out
