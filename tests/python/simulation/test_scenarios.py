"""Drawn scenarios give their recorded results; `make scenarios` runs them on 1 to 3 threads."""

from __future__ import annotations

import json

import pytest

from pantala.core.routings import ROUTINGS
from scenarios.draw import MACHINES, PLACEMENTS
from scenarios.record import ROOT, Recorded, read, results

pytestmark = pytest.mark.native

RECORDED = read()
#: Workloads with parameters that must fit each other, or with a file that another run writes. Other
#: tests have them: test_ember.py and test_three_sources.py.
NOT_DRAWN = {
    "ember.CMT1D",
    "ember.CMT3D",
    "ember.Lulesh",
    "ember.MsgRate",
    "ember.Unstructured",
    "network_kernel",  # phases that other applications have
    "operations",
}


@pytest.mark.parametrize("each", RECORDED[::10], ids=lambda each: str(each.number))
def test_a_scenario_gives_its_recorded_results(each: Recorded) -> None:
    # The record is of one thread.
    assert results(each.tables, 2) == dict(each.results)


def test_the_scenarios_have_all_workloads_routings_and_placements() -> None:
    schema = json.loads((ROOT / "schema" / "scenario.schema.json").read_text(encoding="utf-8"))
    kinds = set(schema["$defs"]["Workload"]["discriminator"]["mapping"])
    jobs = [job for each in RECORDED for job in each.tables["jobs"]]
    assert kinds - {job["workload"]["kind"] for job in jobs} == NOT_DRAWN
    used = {each.tables["routing"]["algorithm"] for each in RECORDED}
    assert {routing.name for routing in ROUTINGS} - used == set()
    placed = [job.get("placement") for job in jobs]
    assert all(placement in placed for placement in PLACEMENTS)
    machines = {each.tables["machine"]["preset"] for each in RECORDED}
    assert machines == {machine["preset"] for machine in MACHINES}
