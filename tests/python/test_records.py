"""Records of links in windows, from the scenario to the tables."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import pantala as pt
from pantala.plan import only_jobs

RECORD = {
    "ports": {"windows": ["5 us", "10 us"], "split": ["job"], "jobs": ["ring"]},
    "system": {"windows": ["10 us"]},
    "routers": {},
}


def scenario(record: object) -> pt.Scenario:
    workload = {"kind": "halo3d", "grid": [2, 2, 2], "message": "16 kB", "iterations": 2}
    jobs = [{"name": name, "ranks": 8, "workload": workload} for name in ("ring", "other")]
    machine = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
    tables = {"name": "records", "machine": machine, "routing": "minimal", "jobs": jobs}
    return pt.Scenario.from_dict({**tables, "record": record})


def test_a_run_has_the_tables_that_the_scenario_asks_for(tmp_path: Path) -> None:
    pt.run(scenario(RECORD), out=tmp_path / "run")
    ports, system, routers, link_jobs = (
        pl.read_parquet(tmp_path / "run" / f"{name}.parquet")
        for name in ("port_windows", "system_windows", "router_windows", "link_jobs")
    )
    assert set(ports["window_ns"]) == {5_000.0, 10_000.0}
    assert set(ports["job"]) == {0}
    for window in (5_000.0, 10_000.0):
        counted = ports.filter(pl.col("window_ns") == window)["bytes"].sum()
        assert counted == link_jobs.filter(pl.col("job") == 0)["bytes"].sum()
    assert system["bytes"].sum() == link_jobs["bytes"].sum()
    assert set(routers["job"]) == {0, 1}


def test_a_job_alone_records_what_is_its_own() -> None:
    resolved = scenario(RECORD).resolve()
    assert only_jobs(resolved, ["ring"], "alone")["record"]["ports"]["jobs"] == ["ring"]
    assert "ports" not in only_jobs(resolved, ["other"], "alone")["record"]


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"ports": {"windows": ["0 ns"]}}, "must be more than zero"),
        ({"ports": {"windows": ["10 us", "15 us"]}}, "multiple of the shortest window"),
        ({"ports": {"split": ["job"], "jobs": ["rin"]}}, "no job has this name"),
        ({"routers": {"routers": [99]}}, "there are 36 routers"),
        ({"ports": {"classes": ["row"]}}, "no such link class"),
    ],
)
def test_what_cannot_be_recorded_is_refused(record: object, told: str) -> None:
    with pytest.raises(pt.ScenarioError, match=told) as found:
        scenario(record).resolve()
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("machine", "record", "window_us"),
    [
        ("kang2022", {}, 10),
        ("wang2020_1d", {}, 100),
        ("wang2020_1d", {"window": "3 us"}, 30),
        ("wang2020_1d", {"window": "3 us", "link_window": "4 us"}, 4),
    ],
)
def test_windows_of_links_are_longer_on_large_machines(
    machine: str, record: dict[str, str], window_us: int
) -> None:
    workload = {"kind": "pattern", "pattern": "uniform", "load": 0.1}
    scenario = pt.Scenario.from_dict(
        {
            "name": "windows",
            "machine": machine,
            "routing": "minimal",
            "stop": {"duration": "100 us"},
            "jobs": [{"name": "u", "ranks": 4, "workload": workload}],
            "record": record,
        }
    )
    assert scenario.resolve()["record"]["link_window_ps"] == window_us * 1_000_000
