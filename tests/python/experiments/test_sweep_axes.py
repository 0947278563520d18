"""Axes whose keys overlap: the jobs of a case, and keys of one table and of a part of it."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala.cli.option_values import detail_changes
from pantala.cli.sweep import _description
from pantala.errors import ScenarioError
from pantala.experiments.description import describe
from pantala.experiments.expand import Expansion
from support import Ended
from sweeps import SCENARIO, scenario

MIX = "wang2020.workload1"


def added_job(name: str = "third") -> list[dict[str, Any]]:
    """Returns the jobs of the scenario and one more, which is placed at random."""
    jobs = copy.deepcopy(tomllib.loads(SCENARIO)["jobs"])
    return [*jobs, {**copy.deepcopy(jobs[1]), "name": name, "ranks": 4}]


def cases(axes: list[dict[str, Any]], base: pt.Scenario | None = None) -> list[pt.Scenario]:
    """Returns the scenario of each case."""
    expansion = Expansion(describe(base or scenario(), axes=axes))
    return [expansion._scenario(number) for number in range(len(expansion))]


def placements(case: pt.Scenario) -> dict[str, str]:
    return {job.name: job.placement_plan()["kind"] for job in case.jobs}


@pytest.mark.parametrize("turned", [False, True])
def test_a_key_of_every_job_is_that_of_the_case(turned: bool) -> None:
    axes: list[dict[str, Any]] = [
        {"jobs.*.placement": ["contiguous"]},
        {"name": "mix", "cases": {"two": {}, "three": {"jobs": added_job()}}},
    ]
    two, three = cases(axes[::-1] if turned else axes)
    assert placements(two) == dict.fromkeys(("halo", "noise"), "contiguous")
    assert placements(three) == dict.fromkeys(("halo", "noise", "third"), "contiguous")


def test_the_order_inside_a_case_has_no_effect() -> None:
    keys = {"jobs.*.placement": "contiguous", "jobs": added_job(), "jobs.third.ranks": 6}
    for order in (keys, dict(reversed(keys.items()))):
        (case,) = cases([{"cases": {"one": order}}])
        assert set(placements(case).values()) == {"contiguous"}
        assert case.jobs[2].ranks == 6


@pytest.mark.parametrize("turned", [False, True])
def test_one_job_and_a_part_of_a_table_come_after_all(turned: bool) -> None:
    axes: list[dict[str, Any]] = [
        {"jobs.*.placement": ["contiguous"]},
        {"jobs.noise.placement": ["random"]},
        {"routing": [{"algorithm": "ugal_g"}]},
        {"routing.algorithm": ["minimal"]},
    ]
    (case,) = cases(axes[::-1] if turned else axes)
    assert placements(case) == {"halo": "contiguous", "noise": "random"}
    assert case.routing.algorithm == "minimal"


def test_a_key_of_every_job_of_another_mix() -> None:
    base = pt.Scenario.from_dict(
        {"name": "x", "machine": "wang2020_1d", "routing": "minimal", "jobs": {"preset": MIX}}
    )
    axes = [
        {"jobs.*.placement": ["contiguous"]},
        {"jobs.preset": [MIX, "wang2020.workload2"]},
    ]
    found = cases(axes, base)
    assert {job.name for job in found[0].jobs} != {job.name for job in found[1].jobs}
    for case in found:
        assert set(placements(case).values()) == {"contiguous"}


def test_a_selection_of_jobs_that_a_case_lacks_is_refused() -> None:
    axes = [{"jobs": ["halo+noise"]}]
    axes.append({"jobs[1].name": ["noise", "loud"]})
    expansion = Expansion(describe(scenario(), axes=axes))
    assert len(expansion.parts(0)) == 1
    with pytest.raises(ScenarioError, match="key jobs: this case has no job 'noise'"):
        expansion.parts(1)


def test_a_key_of_every_job_without_jobs_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"key jobs\.\*\.placement: there is no job to change"):
        scenario().replace({"jobs": [], "jobs.*.placement": "random"})


def test_routings_are_an_axis_by_name_and_by_table() -> None:
    named = cases([{"routing": ["minimal", {"algorithm": "ugal_g"}]}])
    assert [case.routing.algorithm for case in named] == ["minimal", "ugal_g"]


def test_coarsen_is_an_option_of_a_sweep(
    tmp_path: Path, cli: Callable[..., Ended], workdir: Path
) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(SCENARIO)
    assert cli("sweep", file, "--dry-run", "--coarsen", "2").status == 0
    detail = detail_changes(2, None)
    made = _description(file, None, None, None, None, detail, None, skip_refused=False)
    assert made.base.detail.coarsen == 2


@pytest.mark.parametrize("key", ["routing", "routing.algorithm"])
def test_an_axis_supplies_a_key_that_the_scenario_lacks(key: str) -> None:
    tables = tomllib.loads(SCENARIO)
    del tables["routing"]
    described = describe({"scenario": tables, "axes": {key: ["minimal", "par"]}})
    expansion = Expansion(described)
    found = [expansion._scenario(number).routing.algorithm for number in range(2)]
    assert found == ["minimal", "par"]


def test_a_key_that_no_axis_supplies_is_still_missing() -> None:
    tables = tomllib.loads(SCENARIO)
    del tables["routing"]
    with pytest.raises(ScenarioError, match="routing: is missing"):
        describe({"scenario": tables, "axes": {"seed": [1, 2]}})


@pytest.mark.parametrize("other", ["jobs.halo.ranks", "jobs.0.ranks", 'jobs["halo"].ranks'])
def test_two_spellings_of_a_key_are_refused(other: str) -> None:
    with pytest.raises(pt.PantalaError, match="in other words") as text:
        describe(scenario(), axes=[{"jobs[0].ranks": [4, 8]}, {other: [4, 16]}])
    assert "jobs[0].ranks" in str(text.value)
    describe(scenario(), axes=[{"jobs[0].ranks": [4, 8]}, {"jobs.noise.ranks": [4, 16]}])
