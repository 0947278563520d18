"""Built-in workloads, coNCePTuaL programs and Python programs of one application agree.

Wang et al. (IPDPS 2020, V) validate Union by comparing its skeletons with the applications: counts
of calls and bytes, by rank. Here the sources also run on the simulated network.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pantala as pt
from pantala.core import native
from pantala.core.plan import Plan
from program_sources import APPLICATIONS, RANKS
from support import ROOT

pytestmark = pytest.mark.native

PROGRAMS = ROOT / "examples" / "programs"
SOURCES = ("built in", "ncptl", "python")
#: Calls that send one message. Sources can differ in them where a rank waits for the send anyway.
SENDS = {"send", "isend", "sendrecv", "ssend", "issend", "bsend", "rsend"}


def scenario(name: str, source: str, ranks: int = RANKS) -> pt.Scenario:
    """Returns the scenario of an application alone on a small machine."""
    application = APPLICATIONS[name]
    workload: Any = {
        "built in": application.built_in,
        "ncptl": {
            "kind": "ncptl",
            "file": str(PROGRAMS / f"{name}.ncptl"),
            "arguments": application.ncptl,
        },
        "python": {
            "kind": "python",
            "file": str(PROGRAMS / f"{name}.py"),
            "arguments": application.python,
        },
    }[source]
    return pt.Scenario.from_dict(
        {
            "name": name,
            "routing": "ugal_n",
            "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
            "jobs": [{"name": name, "ranks": ranks, "workload": workload}],
        }
    )


def plan(name: str, source: str, ranks: int = RANKS) -> dict[str, Any]:
    """Returns the plan of the scenario, with the exact sizes of the built-in workload."""
    resolved = scenario(name, source, ranks).plan()
    if source == "built in":
        resolved["jobs"][0]["workload"].update(APPLICATIONS[name].exact)
    return resolved


def communication(name: str, source: str, ranks: int = RANKS) -> dict[str, Any]:
    """Returns messages, bytes and partners, and the sends and collectives of each rank."""
    found = native.communication(plan(name, source, ranks))[0]
    calls = []
    for rank in found["ranks"]:
        counts: Counter[str] = Counter()
        for call, number in rank["calls"].items():
            counts["send" if call in SENDS else call] += number
        calls.append(dict(counts))
    partners = zip(
        found["source"], found["destination"], found["messages"], found["bytes"], strict=True
    )
    return {"calls": calls, "partners": list(partners), "sizes": found["sizes"]}


@pytest.mark.parametrize("source", SOURCES[1:])
@pytest.mark.parametrize("name", APPLICATIONS)
def test_sends_and_collectives_are_equal(name: str, source: str) -> None:
    assert communication(name, source) == communication(name, "built in")


@pytest.mark.parametrize("ranks", [2, 3, 7, 24, 72])
@pytest.mark.parametrize("source", SOURCES[1:])
@pytest.mark.parametrize("name", ["cosmoflow", "alexnet"])
def test_a_program_of_training_takes_any_number_of_ranks(
    name: str, source: str, ranks: int
) -> None:
    found = communication(name, source, ranks)
    assert len(found["calls"]) == ranks
    assert found == communication(name, "built in", ranks)


@pytest.mark.parametrize("name", APPLICATIONS)
def test_times_agree(name: str, tmp_path: Path) -> None:
    """Communication times of the sources agree within 1 %, and Waitalls are as tabulated."""
    times, waitalls = {}, {}
    for source in SOURCES:
        directory = tmp_path / source
        directory.mkdir()
        Plan(plan(name, source)).run(directory)
        run = pt.Run(directory)
        jobs, calls = run.jobs.collect(), run.calls.collect()
        times[source] = jobs["communication_time_mean_ns"].item()
        waitalls[source] = calls.filter(pl.col("call") == "waitall")["calls"].sum() / RANKS
    assert tuple(waitalls.values()) == APPLICATIONS[name].waitalls
    for source in SOURCES[1:]:
        assert times[source] == pytest.approx(times["built in"], rel=0.01), times
