"""Warnings before a run: unused global ports, jobs that send nothing, jobs that end early."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import pantala as pt
from pantala.plan_advice import advice_of_lengths, warn_of_plan
from pantala.run_cost import traffic

pytestmark = pytest.mark.native

HALO = {
    "kind": "halo3d",
    "grid": [2, 2, 2],
    "message": "4 KiB",
    "iterations": 4,
    "start_delay": "0 ns",
}
TOPOLOGY = {"p": 2, "a": 4, "h": 2, "g": 3}


def advised(jobs: list[dict[str, Any]], **keys: Any) -> tuple[list[str], str]:
    """Returns the warnings of a scenario, and the sentence on the lengths of its jobs."""
    machine = {"preset": "kang2022", "topology": {**TOPOLOGY, "links_per_pair": 4}}
    data = {"name": "s", "routing": "minimal", "machine": machine, "jobs": jobs, **keys}
    scenario = pt.Scenario.from_dict(data)
    plan = scenario.resolved_plan()
    sent = traffic(plan)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_plan(scenario, plan, sent)
    return [str(each.message) for each in caught], advice_of_lengths(plan, sent)


def job(name: str, **workload: Any) -> dict[str, Any]:
    return {"name": name, "ranks": 8, "workload": {**HALO, **workload}}


def test_an_ordinary_scenario_has_no_warning() -> None:
    assert advised([job("a"), job("b")]) == ([], "")


def test_global_ports_without_a_link_are_counted() -> None:
    machine = {"preset": "kang2022", "topology": {**TOPOLOGY, "links_per_pair": 1}}
    (message,), _ = advised([job("a")], machine=machine)
    assert "18 of 24 global ports have no link; set links_per_pair = 4" in message


def test_a_job_that_sends_nothing_is_named() -> None:
    late = {**job("late"), "start": "3 us"}
    (message,), _ = advised([job("a"), late], stop={"duration": "2 us"})
    assert "jobs.late sends nothing: it starts at 3 us, and the run stops at 2 us" in message


def test_a_job_that_may_end_long_before_another_has_its_remedy() -> None:
    _, advice = advised([job("long", iterations=400), job("short", iterations=4)])
    assert advice.startswith("short (about ")
    assert "may end long before long" in advice
    assert "set repeat = true for the shorter jobs, or more iterations" in advice
