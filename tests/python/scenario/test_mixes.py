"""Mixes of jobs by name: their content, changes to them, and their runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

import pantala as pt
from pantala.scenario.presets import mix_preset

#: Table III of Wang et al. with the ranks of IV.B, 3.4 and Table 2 of Yang et al., Table II of Kang
#: et al.
RANKS = {
    "wang2020.workload1": {
        "cosmoflow": 1024,
        "alexnet": 512,
        "lammps": 2048,
        "nn": 512,
        "ur": 4096,
    },
    "wang2020.workload2": {
        "cosmoflow": 1024,
        "alexnet": 512,
        "lammps": 2048,
        "milc": 4096,
        "nn": 512,
    },
    "wang2020.workload3": {
        "cosmoflow": 1024,
        "alexnet": 512,
        "nekbone": 2197,
        "milc": 4096,
        "nn": 512,
    },
    "yang2016.workload1": {"amg": 216, "multigrid": 125, "crystal_router": 100},
    "yang2016.workload2": {"samg": 216, "multigrid": 125, "crystal_router": 100},
    "kang2022.mixed": {
        "fft3d": 140,
        "cosmoflow": 138,
        "lu": 140,
        "ur": 139,
        "lqcd": 256,
        "stencil5d": 243,
    },
}
MACHINES = {
    "wang2020": ("wang2020_1d", "wang2020_2d"),
    "yang2016": ("yang2016",),
    "kang2022": ("kang2022",),
}


def scenario(jobs: Any, machine: Any = "wang2020_1d", **more: Any) -> pt.Scenario:
    return pt.Scenario.from_dict(
        {"name": "x", "machine": machine, "routing": "minimal", "jobs": jobs, **more}
    )


def test_every_mix_is_checked_against_its_paper() -> None:
    assert set(pt.mix_presets()) == set(RANKS)


@pytest.mark.parametrize("name", RANKS)
def test_a_mix_has_the_jobs_of_its_paper_and_fits_its_machines(name: str) -> None:
    for machine in MACHINES[name.partition(".")[0]]:
        mix = scenario(name, machine)
        assert {job.name: job.ranks for job in mix.jobs} == RANKS[name]
        for placement in ("random", "random_routers", "random_groups"):
            placed = scenario({"preset": name, "placement": placement}, machine).resolve()
            assert {job["placement"]["kind"] for job in placed["jobs"]} == {placement}
            nodes = [node for job in placed["jobs"] for node in job["nodes"]]
            assert len(set(nodes)) == sum(RANKS[name].values())


def test_changes_of_a_mix() -> None:
    jobs = {
        "preset": "wang2020.workload2",
        "placement": "random_groups",
        "start": "1 us",
        "nn": {"placement": "contiguous", "ranks": 64, "workload": {"grid": [4, 4, 4]}},
        "milc": {"workload": {"kind": "pattern", "pattern": "uniform", "load": 0.1}},
    }
    changed = {job.name: job for job in scenario(jobs).jobs}
    assert changed["nn"].placement == pt.ContiguousPlacement()
    assert (changed["nn"].ranks, changed["lammps"].placement) == (64, pt.RandomGroupsPlacement())
    assert {str(job.start) for job in changed.values()} == {"1 us"}
    halo = changed["nn"].workload
    assert isinstance(halo, pt.Halo3d)
    assert (halo.grid, int(halo.message), halo.periodic, halo.iterations) == (
        (4, 4, 4),
        128 * 2**10,
        True,
        100,
    )
    assert changed["milc"].workload == pt.Pattern(pattern="uniform", load=0.1)
    bare = scenario("wang2020.workload2")
    assert (
        bare.replace({"jobs.nn.ranks": 64, "jobs.nn.workload.grid": [4, 4, 4]}).jobs[4].workload
        == halo
    )


def test_assumptions_of_a_mix_end_with_a_change() -> None:
    text = scenario("wang2020.workload1").plan()["assumptions"]
    assert text["jobs[1].workload.iterations"] == "a whole training has 279 updates"
    assert "scalable workload model" in text["jobs[2].workload.iterations"]
    assert "jobs[0].workload.message" not in text
    changed = scenario({"preset": "wang2020.workload1", "alexnet": {"workload": {"iterations": 3}}})
    assert "jobs[1].workload.iterations" not in changed.plan()["assumptions"]
    assert not any(
        key.startswith("jobs") for key in scenario("yang2016.workload1", "yang2016").assumptions()
    )


@pytest.mark.parametrize(
    ("jobs", "line"),
    [
        (
            "wang2020.workload9",
            'key jobs.preset = "wang2020.workload9": is not a preset; did you mean \'wang2020.work',
        ),
        (
            {"placement": "random"},
            "key jobs: is a table without a preset; add preset = '...', or write a [[jobs]]",
        ),
        (
            {"preset": "wang2020.workload1", "milc": {"ranks": 8}},
            (
                "key jobs.milc: wang2020.workload1 has no such job; choose one of cosmoflow,"
                " alexnet, lammps, nn, ur, comp"
            ),
        ),
        (
            {"preset": "wang2020.workload1", "nn": 4},
            "key jobs.nn = 4: is not a table; write its keys below",
        ),
        (
            {"preset": "wang2020.workload1", "nn": {"ranks": 0}},
            "key jobs[3].ranks = 0: must be at least 1",
        ),
    ],
)
def test_faults_are_one_line(jobs: Any, line: str) -> None:
    with pytest.raises(pt.ScenarioError) as error:
        scenario(jobs)
    assert line in str(error.value)


def test_mixes_match_the_schema() -> None:
    schema = jsonschema.Draft202012Validator(pt.scenario_json_schema())
    data: dict[str, Any] = {"name": "x", "machine": "wang2020_1d", "routing": "minimal"}
    for name in pt.mix_presets():
        schema.validate(data | {"jobs": name})
    schema.validate(
        data
        | {
            "jobs": {
                "preset": "wang2020.workload1",
                "placement": "random",
                "nn": {"workload": {"iterations": 1}},
            }
        }
    )
    for jobs in (
        "wang2020.workload9",
        {"placement": "random"},
        {"preset": "wang2020.workload1", "nn": 4},
    ):
        assert not schema.is_valid(data | {"jobs": jobs})


@pytest.mark.native
@pytest.mark.parametrize("placement", ["random_groups", "random_routers"])
def test_a_mix_runs_end_to_end(tmp_path: Path, placement: str) -> None:
    jobs = {
        "preset": "wang2020.workload1",
        "placement": placement,
        "cosmoflow": {
            "ranks": 8,
            "workload": {"message": "20 kB", "compute": "1 us", "iterations": 2},
        },
        "alexnet": {
            "ranks": 4,
            "workload": {"gradient": "70 kB", "compute": "1 us", "iterations": 2},
        },
        "lammps": {"ranks": 12, "workload": {"iterations": 1}},
        "nn": {"ranks": 8, "workload": {"grid": [2, 2, 2], "message": "9 kB", "iterations": 2}},
        "ur": {"ranks": 16, "workload": {"compute": "1 us", "iterations": 3}},
    }
    machine = {
        "preset": "wang2020_1d",
        "topology": {"p": 2, "a": 4, "h": 2, "g": 9, "links_per_pair": 1},
    }
    run = pt.run(scenario(jobs, machine), out=tmp_path / "run", report=False)
    assert isinstance(run, pt.Run)
    table = run.jobs.collect()
    assert table["name"].to_list() == list(mix_preset("wang2020.workload1"))
    assert table["end_ns"].is_not_null().all()


@pytest.mark.native
def test_the_mixes_of_yang2016_run(tmp_path: Path) -> None:
    jobs = {
        "preset": "yang2016.workload2",
        "placement": "random",
        "samg": {"ranks": 12, "workload": {"iterations": 1, "amplification": 2}},
        "multigrid": {"ranks": 8, "workload": {"iterations": 1}},
        "crystal_router": {"ranks": 7, "workload": {"iterations": 1}},
    }
    machine = {"preset": "yang2016", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
    run = pt.run(scenario(jobs, machine), out=tmp_path / "run", report=False)
    assert isinstance(run, pt.Run)
    assert run.jobs.collect()["end_ns"].is_not_null().all()
