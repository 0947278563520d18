"""The preset of records for the explorer."""

from __future__ import annotations

import pytest

import pantala as pt
from pantala.errors import ScenarioError
from recorded import recorded_scenario

pytestmark = pytest.mark.native


def test_explore_switches_on_what_the_explorer_shows() -> None:
    record = recorded_scenario("explore").resolved_plan()["record"]
    assert record["packet_paths"] is True
    assert record["blame"] == {"window_ps": 10_000_000, "groups": True, "links": 100}
    assert record["latency_windows_ps"] == record["routing_windows_ps"] == 10_000_000
    assert record["call_windows_ps"] == 10_000_000
    assert "call_events" not in record
    assert record["packet_sample"] == 100


def test_given_keys_replace_those_of_explore() -> None:
    given = {"preset": "explore", "window": "2 us", "blame": {"window": "4 us"}}
    record = recorded_scenario(given).resolved_plan()["record"]
    assert record["blame"] == {"window_ps": 4_000_000, "groups": True, "links": 100}
    assert record["latency_windows_ps"] == 2_000_000
    without = recorded_scenario({"preset": "explore", "packets": "off"}).resolved_plan()["record"]
    assert without["packet_paths"] is False


def test_a_plan_without_places_of_blame_is_as_before() -> None:
    """So runs in stores keep their identity."""
    record = recorded_scenario({"blame": {"window": "4 us"}}).resolved_plan()["record"]
    assert record["blame"] == {"window_ps": 4_000_000}
    assert "call_windows_ps" not in record


def test_explore_is_a_value_of_set() -> None:
    machine = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
    halo = {"kind": "halo3d", "grid": [2, 2, 2], "message": "16 kB", "iterations": 2}
    jobs = [{"name": "ring", "ranks": 8, "workload": halo}]
    tables = {"name": "set", "machine": machine, "routing": "minimal", "jobs": jobs}
    scenario = pt.Scenario.from_dict(tables, changes={"record": "explore"})
    assert scenario.record.blame is not None
    with pytest.raises(ScenarioError, match="choose one of explore"):
        pt.Scenario.from_dict(tables, changes={"record": "everything"})
