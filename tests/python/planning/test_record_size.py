"""The size of a run's tables is estimated before the run, and too much is refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala.errors import UsageError
from pantala.experiments.description import describe
from pantala.experiments.runner import Sweep
from pantala.planning.record_size import (
    TableSize,
    check_size,
    exceeded,
    large_bytes,
    parse_limit,
    table_sizes,
)
from pantala.planning.run_cost import traffic
from support import Ended

pytestmark = pytest.mark.native

MACHINE = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
UNIFORM = {
    "name": "u",
    "ranks": 36,
    "workload": {"kind": "pattern", "pattern": "uniform", "load": 0.4},
}
HALO: dict[str, Any] = {
    "name": "h",
    "ranks": 32,
    "workload": {
        "kind": "halo3d",
        "grid": [4, 4, 2],
        "message": "8 kB",
        "iterations": 20,
        "compute": "1 us",
        "start_delay": "0 ns",
    },
}
#: All records that can be large.
ALL: dict[str, Any] = {
    "packets": "all",
    "packet_paths": True,
    "call_events": {},
    "ports": {"windows": ["10 us"], "split": ["vc", "job"]},
    "system": {"windows": ["2 us"], "by_job": True},
    "routers": {"windows": ["2 us"]},
    "blame": {"window": "1 us", "groups": True, "links": 100},
    "call_windows": "1 us",
    "latency_windows": "1 us",
    "routing_windows": "1 us",
    "window": "1 us",
}


def scenario(jobs: list[dict[str, Any]], record: dict[str, Any], **keys: Any) -> pt.Scenario:
    return pt.Scenario.from_dict(
        {
            "name": "sizes",
            "machine": MACHINE,
            "routing": "ugal_n",
            "jobs": jobs,
            "record": record,
            **keys,
        }
    )


def sizes(made: pt.Scenario) -> dict[str, TableSize]:
    plan = made.resolved_plan()
    return {size.table: size for size in table_sizes(plan, traffic(plan))}


@pytest.mark.parametrize(
    ("jobs", "stop"),
    [([UNIFORM], {"duration": "100 us"}), ([UNIFORM, HALO], {"duration": "100 us"}), ([HALO], {})],
    ids=["pattern", "both", "program"],
)
def test_the_estimate_is_near_the_tables(
    jobs: list[dict[str, Any]], stop: dict[str, Any], tmp_path: Path
) -> None:
    made = scenario(jobs, ALL, **({"stop": stop} if stop else {}))
    expected = sizes(made)
    run = pt.run(made, tmp_path / "run", report=False)
    written = run.document["tables"]
    for table in ("packets", "packet_hops", "messages", "call_events"):
        if written[table] or table in expected:
            assert expected[table].rows == pytest.approx(written[table], rel=0.35), table
    # The time of a program is known from below, and windows without traffic have no rows.
    for table, size in expected.items():
        rows = written[table]
        assert size.rows < 40 * rows, table
        if stop:
            assert size.rows > 0.5 * rows, table


def test_each_choice_of_packets_makes_the_estimate_smaller() -> None:
    stop = {"duration": "100 us"}
    whole = sizes(scenario([UNIFORM, HALO], {"packets": "all"}, stop=stop))["packets"].rows
    for choice in (
        {"packets": "sampled"},
        {"packets": "all", "packet_jobs": ["h"]},
        {"packets": "all", "packet_routers": [3]},
        {"packets": "all", "packet_from": "90 us"},
        {"packets": "all", "packet_until": "10 us"},
    ):
        assert sizes(scenario([UNIFORM, HALO], choice, stop=stop))["packets"].rows < whole / 2
    assert "packets" not in sizes(scenario([UNIFORM], {"packets": "off"}, stop=stop))


def test_a_run_that_skips_has_rows_of_what_it_simulates() -> None:
    many = {**HALO, "workload": {**HALO["workload"], "iterations": 10_000}}
    full = sizes(scenario([many], {}))["messages"].rows
    skipped = sizes(scenario([many], {}, skip="1 %"))["messages"].rows
    assert 0 < skipped < full / 50
    few = sizes(scenario([HALO], {}, skip="1 %"))["messages"].rows
    assert few == sizes(scenario([HALO], {}))["messages"].rows


@pytest.mark.parametrize(
    ("record", "table", "key", "remedy"),
    [
        ({"packets": "all"}, "packets", "record.packets", "set record.packets to sampled"),
        (
            {"packet_paths": True, "packet_sample": 1},
            "packet_hops",
            "record.packet_paths",
            "choose",
        ),
        ({"call_events": {}}, "call_events", "record.call_events", "choose jobs or ranks"),
        ({}, "messages", "record.messages", "rank_messages"),
        ({"link_window": "1 ns"}, "link_windows", "record.link_window", "longer window"),
        (
            {"ports": {"windows": ["1 ns"], "split": ["vc", "job"]}},
            "port_windows",
            "record.ports",
            "longer windows",
        ),
        ({"latency_windows": "1 ns"}, "latency_windows", "record.latency_windows", "longer"),
        ({"blame": {"window": "1 ns"}}, "blame", "record.blame.window", "longer windows"),
        (
            {"blame": {"window": "1 ns", "groups": True}},
            "blame_groups",
            "record.blame.window",
            "longer windows",
        ),
        (
            {"blame": {"window": "1 ns", "links": 1000}},
            "blame_links",
            "record.blame.window",
            "fewer links",
        ),
        ({"call_windows": "1 ns"}, "call_windows", "record.call_windows", "longer windows"),
    ],
)
def test_a_record_that_is_too_large_is_told_before_the_run(
    record: dict[str, Any], table: str, key: str, remedy: str, tmp_path: Path
) -> None:
    quiet = {"packets": "off", "link_windows": False, "messages": table == "messages"}
    quiet.update({name: True for name in ("link_windows",) if "link_window" in record})
    if "packet_sample" in record:
        quiet["packets"] = "sampled"
    small = {**HALO, "workload": {**HALO["workload"], "message": "1 B", "iterations": 1000}}
    made = scenario([HALO if "packet_paths" in record else small], {**quiet, **record})
    with pytest.raises(pt.ScenarioError) as raised:
        pt.run(made, tmp_path / "run", size_limit="1 kB")
    error = raised.value
    assert error.key == key
    assert f"most of it {table} (" in error.message
    assert "more than the limit of 1 kB" in error.message
    assert remedy in error.remedy
    assert "--size-limit" in error.remedy
    assert "\n" not in str(error)
    assert not (tmp_path / "run").exists()


def test_without_a_limit_the_free_disk_is_one(tmp_path: Path, monkeypatch: Any) -> None:
    made = scenario([UNIFORM], {"packets": "all"}, stop={"duration": "10 s"})
    plan = made.resolved_plan()
    sent = traffic(plan)
    with pytest.raises(pt.ScenarioError, match="more than the limit of 100 GB"):
        check_size(plan, sent, "s.toml")
    short = scenario([UNIFORM], {"packets": "all"}, stop={"duration": "1 ms"}).resolved_plan()
    usage = type("Usage", (), {"free": 3_000_000, "total": 10**9})
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage)
    with pytest.raises(pt.ScenarioError, match=r"more than the 3\.00 MB that are free on its disk"):
        check_size(short, traffic(short), "s.toml", tmp_path / "not" / "there")
    check_size(short, traffic(short), "s.toml", tmp_path, 10**9)


def test_check_warns_and_the_command_refuses(cli: Callable[..., Ended], tmp_path: Path) -> None:
    file = tmp_path / "big.toml"
    file.write_text(
        'name = "big"\nrouting = "minimal"\n[machine]\npreset = "kang2022"\n'
        '[stop]\nduration = "1 s"\n[[jobs]]\nname = "u"\nranks = 1056\n'
        'workload = { kind = "pattern", pattern = "uniform", load = 0.5 }\n'
        '[record]\npackets = "all"\n'
    )
    checked = cli("check", str(file))
    assert checked.status == 0
    assert "most of it packets" in checked.err
    # The program that runs a plan on several processes does not check the tables.
    plan = tmp_path / "plan.json"
    refused = cli("check", str(file), "--plan", str(plan))
    assert (refused.status, plan.exists()) == (2, False)
    assert "key record.packets: the tables of the run would take about" in refused.err
    assert len(refused.err.strip().splitlines()) == 1
    raised = cli("check", str(file), "--plan", str(plan), "--size-limit", "100 TB")
    assert (raised.status, plan.exists()) == (0, True)
    assert "most of it packets" not in raised.err
    done = cli("run", str(file), "--out", str(tmp_path / "run"), "--size-limit", "1 GB")
    assert (done.status, done.out) == (2, "")
    assert "key record.packets: the tables of the run would take about" in done.err
    assert len(done.err.strip().splitlines()) == 1
    wrong = cli("run", str(file), "--size-limit", "3 apples")
    assert wrong.status == 2
    assert "size limit 3 apples" in wrong.err


HOP_BY_HOP: dict[str, Any] = {"packets": "all", "packet_paths": True}


def test_a_sweep_refuses_a_run_before_the_first_one(tmp_path: Path) -> None:
    made = scenario([UNIFORM], HOP_BY_HOP, stop={"duration": "10 us"})
    axes = {"jobs.u.workload.load": [0.1, 0.9]}
    out = tmp_path / "out"
    totals = [
        sum(size.bytes for size in sizes(made.replace({"jobs.u.workload.load": load})).values())
        for load in (0.1, 0.9)
    ]
    limit = f"{sum(totals) / 2:.0f} B"
    with pytest.raises(pt.ScenarioError) as raised:
        pt.sweep(made, out, axes=axes, seeds=2, keep=["jobs", "packets"], size_limit=limit)
    error = raised.value
    assert error.source.endswith(": case jobs.u.workload.load=0.9, seed=1")
    assert error.key == "record.packet_paths"
    assert "most of it packet_hops (" in error.message
    assert "more than the limit of" in error.message
    assert "--size-limit (size_limit in Python)" in error.remedy
    assert not out.exists()
    # Tables that the experiment does not keep are not recorded, so they take nothing.
    assert pt.sweep(made, out, axes=axes, workers=1, size_limit=limit).runs.height == 2
    # A run that is there already is not refused, and the list holds the sizes.
    low = {"jobs.u.workload.load": [0.1]}
    pt.sweep(made, out, axes=low, keep=["jobs", "packets"], workers=1, size_limit=limit)
    again = pt.sweep(made, out, axes=low, keep=["jobs", "packets"], workers=1, size_limit="1 kB")
    assert list(again.runs["state"]) == ["done"]


def test_a_sweep_names_the_part_and_the_limit_of_a_listed_run(tmp_path: Path) -> None:
    made = scenario([HALO, UNIFORM], HOP_BY_HOP).replace({"interference": True})
    description = describe(made, keep=["jobs", "packets"], source="pair.toml")
    sweep = Sweep(description, tmp_path)
    sweep.store.begin()
    sweep.listing.write(tmp_path)
    wrong = r"pair\.toml, part alone-h: key record\.packet_paths: .* the limit of 1 kB"
    with pytest.raises(pt.ScenarioError, match=wrong):
        Sweep(description, tmp_path, size_limit=1000)


@pytest.mark.parametrize("record", [{}, {"window": "1 us"}, {"packets": "off"}])
def test_no_traffic_is_computed_if_no_table_can_be_large(
    record: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = scenario([HALO], {"messages": False, "iterations": False, **record}).resolved_plan()
    monkeypatch.setattr("pantala.core.plan.Plan.expected_traffic", lambda plan: 1 / 0)
    without = {**plan["record"], "packets": "off", "link_windows": False}
    assert large_bytes(plan.with_(record=without)) is None


@pytest.mark.parametrize("record", [{name: value} for name, value in ALL.items()])
def test_large_bytes_are_those_of_the_tables(record: dict[str, Any]) -> None:
    record = {"packets": "all"} if "packet_paths" in record else record
    plan = scenario([HALO, UNIFORM], record, stop={"duration": "100 us"}).resolved_plan()
    expected = sum(size.bytes for size in table_sizes(plan, traffic(plan)))
    assert large_bytes(plan) in (expected, None)
    if record != {"window": "1 us"}:
        assert large_bytes(plan) == expected
    assert exceeded([expected, 1.0], None, int(expected) - 1)
    assert not exceeded([expected, 1.0], None, int(expected) + 1)


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(UsageError, match=r"size limit -5 GB: is negative; write e.g. '500 GB'"):
        parse_limit("-5 GB")
    assert parse_limit("5 GB") == 5 * 10**9
