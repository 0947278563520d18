"""Drawn scenarios give their recorded results; `make scenarios` runs them on 1 to 3 threads."""

from __future__ import annotations

import pytest

from scenarios.record import Recorded, read, results

pytestmark = pytest.mark.native

RECORDED = read()


@pytest.mark.parametrize("each", RECORDED[::10], ids=lambda each: str(each.number))
def test_a_scenario_gives_its_recorded_results(each: Recorded) -> None:
    # The record is of one thread.
    assert results(each.tables, 2) == dict(each.results)


def test_the_scenarios_have_all_workloads_routings_and_placements() -> None:
    import pantala as pt
    from pantala.routings import ROUTINGS
    from scenarios.draw import MACHINES, PLACEMENTS

    schema = pt.Scenario.model_json_schema()
    kinds = set(schema["$defs"]["Workload"]["discriminator"]["mapping"])
    jobs = [job for each in RECORDED for job in each.tables["jobs"]]
    # An operation file is what a run of another front end leaves; test_three_sources has them.
    assert kinds - {job["workload"]["kind"] for job in jobs} == {"operations"}
    used = {each.tables["routing"]["algorithm"] for each in RECORDED}
    assert {routing.name for routing in ROUTINGS} - used == set()
    placed = [job.get("placement") for job in jobs]
    assert all(placement in placed for placement in PLACEMENTS)
    machines = {each.tables["machine"]["preset"] for each in RECORDED}
    assert machines == {machine["preset"] for machine in MACHINES}
