"""One rule of seeds: the scenario's seed changes every source of random numbers.

The exceptions have a key of their own, which the scenario's seed does not change.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pantala as pt

_RING = {"kind": "allreduce_loop", "iterations": 2, "message": "2 KiB"}
_PYTHON = """
import random, sys
import numpy
def program(mpi):
    drawn = {draw}
    mpi.compute(f"{{int(drawn * 1e6) + 1}} ns")
    mpi.barrier()
"""


def _scenario(changes: dict[str, Any], seed: int) -> pt.Scenario:
    """A scenario whose results depend on the seed only by what the changes add."""
    job = {"name": "job", "ranks": 16, "placement": "contiguous", "workload": _RING}
    tables: dict[str, Any] = {
        "name": "seeds",
        "seed": seed,
        "routing": "minimal",
        "record": {"packets": "off"},
        "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
        "jobs": [job | changes.get("job", {})],
    }
    machine = changes.get("machine", {})
    tables["machine"]["topology"] |= machine
    return pt.Scenario.from_dict(
        tables | {key: value for key, value in changes.items() if key not in {"job", "machine"}}
    )


def _result(folder: Path, changes: dict[str, Any], seed: int) -> str:
    out = folder / f"run-{seed}"
    run = pt.run(_scenario(changes, seed), out=out, report=False, progress=False, overwrite=True)
    assert isinstance(run, pt.Run)
    digest: str = run.document["result_hash"]
    return digest


def _pattern(**keys: Any) -> dict[str, Any]:
    return {
        "job": {"workload": {"kind": "pattern", "load": 0.2, **keys}},
        "stop": {"duration": "5 us"},
    }


def _ncptl(text: str) -> dict[str, Any]:
    return {"files": {"program.ncptl": text}, "job": {"workload": {"kind": "ncptl"}}}


def _python(draw: str) -> dict[str, Any]:
    text = _PYTHON.format(draw=draw)
    return {"files": {"program.py": text}, "job": {"workload": {"kind": "python"}}}


#: What draws random numbers, by name. All of it follows the scenario's seed.
FOLLOWS: dict[str, dict[str, Any]] = {
    "placement random": {"job": {"placement": "random"}},
    "placement random_routers": {"job": {"placement": "random_routers"}},
    "placement random_groups": {"job": {"placement": "random_groups"}},
    "pattern": _pattern(pattern="uniform", injection="periodic", phase="in"),
    "arrival": _pattern(pattern="next_group"),
    "phase": _pattern(pattern="next_group", injection="periodic", phase="random"),
    "compute noise": {
        "job": {
            "compute_noise": {"distribution": "uniform"},
            "workload": {**_RING, "compute": "1 us"},
        }
    },
    "partners of a motif": {
        "job": {"workload": {"kind": "hacc", "compute": "0 ns", "message": "4 KiB"}}
    },
    "routing": {"routing": "valiant_node"},
    "sample of packets": {"record": {"packets": "sampled"}},
    "learning": {"routing": "q_adaptive", "job": {"ranks": 72}},
    "background": {
        "background": {
            "share": 0.5,
            "sizes": [{"nodes": 4, "weight": 1.0}],
            "applications": [{"workload": _RING}],
            "placement": "random",
        }
    },
    "ncptl: RANDOM TASK": _ncptl(
        "let k be a random task while task 0 asynchronously sends a 64 byte message to task k then"
        " all tasks await completion."
    ),
    "ncptl: RANDOM PROCESSOR": _ncptl(
        "task 0 is assigned to a random processor then task 0 asynchronously sends a 64 byte"
        " message to task 9 then all tasks await completion."
    ),
    "ncptl: RANDOM_UNIFORM": _ncptl(
        "all tasks compute for random_uniform(1, 1000) microseconds then all tasks synchronize."
    ),
    "ncptl: RANDOM_GAUSSIAN": _ncptl(
        "all tasks compute for random_gaussian(1000, 90) microseconds then all tasks synchronize."
    ),
    "python: random": _python("random.random()"),
    "python: numpy": _python("numpy.random.random()"),
    "python: numpy in the function": _python("__import__('numpy').random.random()"),
    "python: while it is loaded": {
        "files": {
            "program.py": "import random\nD = random.random()\n"
            "def program(mpi):\n    mpi.compute(f'{round(1000 + 1000 * D)} ns')\n"
            "    mpi.barrier()\n"
        },
        "job": {"workload": {"kind": "python"}},
    },
    "python: mpi.seed": _python("numpy.random.default_rng(mpi.seed).random()"),
}


def _written(folder: Path, changes: dict[str, Any]) -> dict[str, Any]:
    """Returns the changes with the paths of the files that they need."""
    files = changes.get("files", {})
    if not files:
        return changes
    (name,) = files
    (folder / name).write_text(files[name])
    rest = {key: value for key, value in changes.items() if key != "files"}
    workload = rest["job"]["workload"] | {"file": str(folder / name)}
    return rest | {"job": rest["job"] | {"workload": workload}}


def test_without_random_numbers_the_seed_changes_nothing(tmp_path: Path) -> None:
    assert _result(tmp_path, {}, 1) == _result(tmp_path, {}, 2)


@pytest.mark.parametrize("source", FOLLOWS)
def test_the_scenarios_seed_changes_every_source(source: str, tmp_path: Path) -> None:
    changes = _written(tmp_path, FOLLOWS[source])
    first, second = _result(tmp_path, changes, 1), _result(tmp_path, changes, 2)
    assert first != second
    assert _result(tmp_path, changes, 1) == first


def _plan_part(changes: dict[str, Any], seed: int) -> Any:
    """Returns what a resolved plan says of links and jobs, without nodes that are drawn."""
    plan = _scenario(changes, seed).resolve()
    jobs = [(job["name"], job["ranks"], job["workload"]) for job in plan["jobs"]]
    return plan["machine"]["topology"] if "machine" in plan else plan["topology"], jobs


_SOME = {
    "share": 0.5,
    "sizes": [{"nodes": nodes, "weight": 1.0} for nodes in (1, 2, 4)],
    "applications": [
        {"workload": _RING},
        {"workload": {"kind": "allreduce_loop", "iterations": 1, "message": "1 KiB"}},
    ],
}


#: Sources with a key of their own: two values of it, which give other results under one seed.
OWN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "global_arrangement_seed": (
        {"machine": {"global_arrangement": "random", "global_arrangement_seed": 0}},
        {"machine": {"global_arrangement": "random", "global_arrangement_seed": 1}},
    ),
    "failed_links.seed": (
        {"machine": {"failed_links": {"link_class": "local", "count": 3}}, "routing": "ugal_g"},
        {
            "machine": {"failed_links": {"link_class": "local", "count": 3, "seed": 1}},
            "routing": "ugal_g",
        },
    ),
    "background.seed": (
        {"background": _SOME | {"seed": 1}},
        {"background": _SOME | {"seed": 2}},
    ),
    "permutation_seed": (
        {"job": {"workload": {"kind": "uniform_random", "iterations": 2}}},
        {"job": {"workload": {"kind": "uniform_random", "iterations": 2, "permutation_seed": 1}}},
    ),
}


@pytest.mark.parametrize("key", OWN)
def test_sources_with_a_key_of_their_own_do_not_follow_the_seed(key: str) -> None:
    one, other = OWN[key]
    assert _plan_part(one, 1) == _plan_part(one, 2)
    assert _plan_part(one, 1) != _plan_part(other, 1)


def test_the_permutations_of_ur_follow_their_own_key(tmp_path: Path) -> None:
    one, other = OWN["permutation_seed"]
    assert _result(tmp_path, one, 1) == _result(tmp_path, one, 2) != _result(tmp_path, other, 1)


def test_a_seed_of_a_program_overrides_the_scenarios(tmp_path: Path) -> None:
    changes = _written(tmp_path, FOLLOWS["ncptl: RANDOM TASK"])
    changes["job"]["workload"]["seed"] = 7
    assert _result(tmp_path, changes, 1) == _result(tmp_path, changes, 2)


def test_programs_that_draw_nothing_are_recorded_once(tmp_path: Path) -> None:
    plain, drawing = _python("0.5"), _python("random.random()")
    paths = []
    for number, changes in enumerate((plain, drawing)):
        (tmp_path / str(number)).mkdir()
        written = _written(tmp_path / str(number), changes)
        plans = [_scenario(written, seed).resolve() for seed in (1, 2)]
        paths.append({plan["jobs"][0]["workload"]["path"] for plan in plans})
    assert [len(each) for each in paths] == [1, 2]


def test_recording_leaves_the_random_numbers_of_the_caller_alone(tmp_path: Path) -> None:
    import random

    random.seed(3)
    expected = random.random()
    random.seed(3)
    _scenario(_written(tmp_path, FOLLOWS["python: random"]), 5).resolve()
    assert random.random() == expected
