"""Records of links in windows, from the scenario to the tables."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import pantala as pt
from recorded import recorded_scenario

RECORD = {
    "ports": {"windows": ["5 us", "10 us"], "split": ["job"], "jobs": ["ring"]},
    "system": {"windows": ["10 us"]},
    "routers": {},
}


def test_a_run_has_the_tables_that_the_scenario_asks_for(tmp_path: Path) -> None:
    pt.run(recorded_scenario(RECORD), out=tmp_path / "run")
    ports, system, routers, link_jobs = (
        pl.read_parquet(tmp_path / "run" / f"{name}.parquet")
        for name in ("port_windows", "system_windows", "router_windows", "link_jobs")
    )
    assert set(ports["window_ns"]) == {5_000.0, 10_000.0}
    assert set(ports["job"]) == {0, None}  # saturation and occupancy belong to no job
    assert ports.filter(pl.col("job").is_null())["packets"].sum() == 0
    for window in (5_000.0, 10_000.0):
        counted = ports.filter(pl.col("window_ns") == window)["bytes"].sum()
        assert counted == link_jobs.filter(pl.col("job") == 0)["bytes"].sum()
    assert system["bytes"].sum() == link_jobs["bytes"].sum()
    assert set(routers["job"]) == {0, 1}


def test_a_job_alone_records_what_is_its_own() -> None:
    resolved = recorded_scenario(RECORD).resolved_plan()
    assert resolved.subset(["ring"], "alone")["record"]["ports"]["jobs"] == ["ring"]
    assert "ports" not in resolved.subset(["other"], "alone")["record"]


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({"ports": {"windows": ["0 ns"]}}, "must be more than zero"),
        ({"ports": {"windows": ["10 us", "15 us"]}}, "multiple of the shortest window"),
        ({"ports": {"split": ["job"], "jobs": ["rin"]}}, "no job has this name"),
        ({"routers": {"routers": [99]}}, "there are 36 routers"),
        ({"ports": {"classes": ["row"]}}, "no such link class"),
    ],
)
def test_what_cannot_be_recorded_is_refused(record: object, text: str) -> None:
    with pytest.raises(pt.ScenarioError, match=text) as found:
        recorded_scenario(record).resolve()
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
    recorded_scenario = pt.Scenario.from_dict(
        {
            "name": "windows",
            "machine": machine,
            "routing": "minimal",
            "stop": {"duration": "100 us"},
            "jobs": [{"name": "u", "ranks": 4, "workload": workload}],
            "record": record,
        }
    )
    assert recorded_scenario.resolve()["record"]["link_window_ps"] == window_us * 1_000_000


def test_packets_of_a_job_have_their_paths(tmp_path: Path) -> None:
    record = {
        "packets": "all",
        "packet_paths": True,
        "packet_jobs": ["ring"],
        "packet_routers": list(range(12)),
        "packet_until": "360 us",
        "routing_windows": "5 us",
    }
    run = pt.run(recorded_scenario(record), out=tmp_path / "run")
    assert isinstance(run, pt.Run)
    packets, hops = run.packets.collect(), run.packet_hops.collect()
    assert set(packets["job"]) == {0}
    assert len(packets)
    assert packets["injected_ns"].to_numpy().max() < 360_000
    assert set(packets["packet"]) == set(hops["packet"])
    assert hops.group_by("packet").agg(passes=(pl.col("router") < 12).any())["passes"].all()
    messages = run.messages.collect()
    assert packets.join(messages, on=["job", "message"], how="anti").is_empty()
    paths = run.routing_windows.collect().group_by("job").agg(pl.col("packets").sum())
    counted = run.jobs.select("job", "packets").collect()
    assert paths.sort("job").rows() == counted.sort("job").rows()


def test_a_job_alone_records_its_packets_or_none() -> None:
    resolved = recorded_scenario({"packet_jobs": ["ring"], "packet_routers": [3]}).resolved_plan()
    assert resolved.subset(["ring"], "alone")["record"]["packet_jobs"] == ["ring"]
    other = resolved.subset(["other"], "alone")["record"]
    assert other["packets"] == "off"
    assert not {"packet_jobs", "packet_routers"} & set(other)


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({"packet_jobs": ["rin"]}, "no job has this name; did you mean ring"),
        ({"packet_routers": [36]}, "there are 36 routers"),
        ({"packet_from": "20 us", "packet_until": "10 us"}, "not after packet_from, 20 us"),
        ({"packets": "off", "packet_paths": True}, 'has no effect under packets = "off"'),
        ({"routing_windows": "0 ns"}, "must be more than zero"),
    ],
)
def test_packets_that_cannot_be_chosen_are_refused(record: object, text: str) -> None:
    with pytest.raises(pt.ScenarioError, match=text) as found:
        recorded_scenario(record).resolve()
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("key", "record"),
    [
        ("window", {"window": "6 us"}),
        ("link_window", {"link_window": "6 us"}),
        ("blame.window", {"blame": {"window": "6 us"}}),
        ("latency_windows", {"latency_windows": "6 us"}),
        ("system.windows[0]", {"system": {"windows": ["6 us"]}}),
    ],
)
def test_a_window_longer_than_the_run_is_refused(key: str, record: dict[str, object]) -> None:
    for duration, fits in (("5 us", False), ("6 us", True)):
        made = {"record": record, "stop.duration": duration}
        if fits:
            recorded_scenario({}).replace(made).resolve()
            continue
        text = re.escape(f"key record.{key}") + ".*longer than the run of 5 us"
        with pytest.raises(pt.ScenarioError, match=text):
            recorded_scenario({}).replace(made).resolve()
    # A default does not refuse a short run.
    recorded_scenario({"blame": {}}).replace({"stop.duration": "5 us"}).resolve()
