"""Paths of keys: all accepted spellings, in all places that accept paths."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from fake_core import FakeCore
from pantala.models.key_path import KeyPathError, Named, dotted, parse, position
from support import Ended

Cli = Callable[..., Ended]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("seed", ["seed"]),
        ("machine.topology.g", ["machine", "topology", "g"]),
        ("jobs[0].ranks", ["jobs", 0, "ranks"]),
        ("jobs.0.ranks", ["jobs", "0", "ranks"]),
        ("jobs.fft-3d.grid[1]", ["jobs", "fft-3d", "grid", 1]),
        ("jobs[ 'fft.2' ].ranks", ["jobs", Named("fft.2"), "ranks"]),
        ('jobs["0"]', ["jobs", Named("0")]),
    ],
)
def test_paths_are_parsed(text: str, steps: list[Any]) -> None:
    assert parse(text) == steps


@pytest.mark.parametrize(
    "text", ["", ".", "a.", ".a", "a..b", "jobs[0]ranks", "jobs.[0]", "jobs[x]", "jobs[0", "jobs]"]
)
def test_texts_that_are_not_paths_are_rejected(text: str, small: Path) -> None:
    with pytest.raises(KeyPathError):
        parse(text)
    with pytest.raises(pt.ScenarioError, match="is not a path of keys; write e"):
        pt.Scenario.from_toml(small, changes={text: 1})


def test_paths_in_errors_are_parsed_again() -> None:
    paths: list[list[str | int]] = [
        ["jobs", 0, "workload", "grid", 1],
        ["routing", "aries", "shift"],
    ]
    for path in paths:
        assert parse(dotted(path)) == path


@pytest.mark.parametrize(
    ("path", "at"),
    [
        ("a.ranks", (0, 1)),
        ("a.b.ranks", (1, 2)),  # the longest name that leaves a key
        ("a.b", (0, 1)),  # b of a
        ("a.b.c", (1, 2)),
        ("a.b.c.ranks", (2, 3)),
        ("c-d", (3, 1)),  # the whole job
        ("1.ranks", (1, 1)),  # a number alone is a position
        ("0.7.ranks", (0, 1)),
        ('["0.7"].ranks', (4, 1)),
        ("z.ranks", None),
        ("9.ranks", None),
    ],
)
def test_job_names_can_contain_dots(path: str, at: tuple[int, int] | None) -> None:
    assert position(5, ["a", "a.b", "a.b.c", "c-d", "0.7"], parse(path)) == at


SPELLINGS = [
    "jobs[1].ranks",
    "jobs.1.ranks",
    "jobs.halo.ranks",
    'jobs["halo"].ranks',
    "jobs['halo'].ranks",
]


@pytest.mark.parametrize("path", SPELLINGS)
def test_every_spelling_of_a_job_is_accepted(
    path: str, small: Path, fake_core: FakeCore, cli: Cli
) -> None:
    changes = {path: 4, "jobs.halo.workload.grid": [2, 2, 1]}
    assert pt.Scenario.from_toml(small, changes=changes).jobs[1].ranks == 4
    assert pt.Scenario.from_toml(small).replace(changes).jobs[1].ranks == 4
    sets = ("--set", f"{path}=4", "--set", "jobs[1].workload.grid=[2,2,1]")
    ended = cli("check", small, "--json", *sets)
    assert [job["ranks"] for job in json.loads(ended.out)["jobs"]] == [6, 4]


def test_list_items_and_names_with_dots_are_found() -> None:
    jobs = [
        {"name": name, "ranks": 6, "workload": {"kind": "fft3d", "grid": [2, 3], "iterations": 1}}
        for name in ("fft", "fft.2", "3d-fft.x_1")
    ]
    scenario = pt.Scenario.from_dict(
        {"name": "x", "machine": "kang2022", "routing": "minimal", "jobs": jobs}
    )
    changed = scenario.replace(
        {
            "jobs.fft.2.placement": "contiguous",
            'jobs["3d-fft.x_1"].compute_noise': "uniform",
            "jobs.3d-fft.x_1.compute_noise.share": 0.5,
            "jobs.fft.workload.grid[0]": 3,
            "jobs.fft.workload.grid.1": 2,
        }
    )
    assert changed.jobs[1].placement == pt.ContiguousPlacement()
    assert changed.jobs[2].compute_noise == pt.ComputeNoise(distribution="uniform", share=0.5)
    assert changed.jobs[0].workload == pt.Fft3d(grid=(3, 2), iterations=1)
    assert scenario.jobs[0].workload == pt.Fft3d(grid=(2, 3), iterations=1)


@pytest.mark.parametrize(
    "path", ["jobs[1].ranks", "jobs.1.ranks", "jobs.milc.ranks", 'jobs["milc"].ranks']
)
@pytest.mark.parametrize(
    "jobs", ["wang2020.workload2", {"preset": "wang2020.workload2", "milc": {"start": "1 us"}}]
)
def test_jobs_of_a_mix_are_found(path: str, jobs: Any) -> None:
    mix = {"name": "x", "machine": "wang2020_1d", "routing": "minimal", "jobs": jobs}
    number = [job.name for job in pt.Scenario.from_dict(mix).jobs].index("milc")
    path = path.replace("1", str(number))
    changes = {path: 16, "jobs.milc.workload.grid": [2, 2, 2, 2], "jobs.placement": "contiguous"}
    changed = pt.Scenario.from_dict(mix, changes=changes)
    assert (changed.jobs[number].name, changed.jobs[number].ranks) == ("milc", 16)
    assert {job.placement.kind for job in changed.jobs} == {"contiguous"}


@pytest.mark.parametrize(
    ("path", "says"),
    [
        (
            "jobs.7.ranks",
            (
                "key jobs.7.ranks: there is no such job; choose one of fft, halo, or a number from"
                " 0 to 1"
            ),
        ),
        (
            "jobs[7].ranks",
            (
                "key jobs[7].ranks: there is no such job; choose one of fft, halo, or a number from"
                " 0 to 1"
            ),
        ),
        ("jobs.hallo.ranks", "key jobs.hallo.ranks: there is no such job; did you mean 'halo'?"),
        ("jobs.fft.ranks.x", "there is no such key to change; ranks is not a table"),
        ("jobs.fft.workload.grid.9", "there is no such item; choose a number from 0 to 1"),
        ("routing[0]", "there is no such key to change; routing is not a list"),
        ("jobs.fft.rank", "key jobs[0].rank = 3: unknown key; did you mean 'ranks'?"),
    ],
)
def test_a_path_to_nothing_is_rejected(path: str, says: str, small: Path) -> None:
    with pytest.raises(pt.ScenarioError) as refused:
        pt.Scenario.from_toml(small, changes={path: 3})
    assert says in str(refused.value)


def test_an_unknown_job_of_a_mix_is_rejected(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "mix.toml"
    file.write_text(
        "name = 'x'\nmachine = 'kang2022'\nrouting = 'minimal'\njobs = 'kang2022.mixed'\n"
    )
    for path, says in {
        "jobs.fft.ranks": "key jobs.fft: kang2022.mixed has no such job; did you mean 'fft3d'?",
        "jobs[6].ranks": (
            "key jobs[6].ranks: there is no such job; choose one of fft3d, cosmoflow, lu, ur,"
            " lqcd, "
        ),
    }.items():
        ended = cli("check", file, "--set", f"{path}=4")
        assert (ended.status, says in ended.err) == (2, True), ended.err
