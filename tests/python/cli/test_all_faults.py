"""All faults of a scenario at once: one line per fault in `pantala check`, all in `faults`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from fake_core import FakeCore
from pantala.errors import PlanError
from support import SMALL, Ended

Cli = Callable[..., Ended]

#: Faults of every stage: unknown keys, values, kinds of tables, link classes, keys of several jobs.
MANY = """
name = "x"
seeed = 2
interference = "yes"
[machine]
packet = "512"
flit = "128 B"
[machine.topology]
p = 0
h = 2
rows = 4
[machine.links]
row = { latency = "30" }
global = { bandwidth = "25 GB/s", latency = "30" }
[[jobs]]
name = "a"
ranks = 0
workload = { kind = "fft3d", gird = [2, 3], iterations = 0 }
[[jobs]]
name = "a"
rank = 4
workload = { kind = "fft4d" }
[[jobs]]
name = "b"
ranks = 4
workload = { kind = "pattern", pattern = "uniform", load = 0.5, offset = 2, hotspots = [1] }
"""
KEYS = [
    "seeed",
    "interference",
    "machine.topology.rows",
    "machine.topology.p",
    "machine.topology.a",
    "machine.links.terminal",
    "machine.links.global.latency",
    "machine.packet",
    "machine.router",
    "machine.links.local",
    "machine.links.row",
    "routing",
    "jobs[0].ranks",
    "jobs[0].workload.gird",
    "jobs[0].workload.iterations",
    "jobs[1].rank",
    "jobs[1].workload.kind",
    "jobs[2].workload.offset",
    "jobs[2].workload.hotspots",
    "jobs[1].name",
]


def faults_of(data: dict[str, Any]) -> list[str]:
    with pytest.raises(pt.ScenarioError) as refused:
        pt.Scenario.from_dict(data)
    return [fault.key for fault in refused.value.faults]


def test_check_prints_a_line_per_fault(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "many.toml"
    file.write_text(MANY)
    ended = cli("check", file)
    lines = ended.err.splitlines()
    assert (ended.status, ended.out) == (2, "")
    assert sorted(line.split()[2].rstrip(":") for line in lines) == sorted(KEYS)
    assert all(line.startswith(f"{file}: key ") for line in lines)
    assert all("; " in line for line in lines), "every line has a remedy"


def test_other_commands_and_python_print_the_first_fault_and_the_count(
    cli: Cli, tmp_path: Path
) -> None:
    file = tmp_path / "many.toml"
    file.write_text(MANY)
    assert (
        cli("run", file).err
        == f"{file}: key seeed = 2: unknown key; did you mean 'seed'? ({len(KEYS) - 1} more after"
        " this one)\n"
    )
    with pytest.raises(pt.ScenarioError) as refused:
        pt.Scenario.from_toml(file)
    assert refused.value.others == len(KEYS) - 1
    assert sorted(fault.key for fault in refused.value.faults) == sorted(KEYS)
    first = refused.value.faults[0]
    assert (first.key, first.value, first.message, first.remedy) == (
        refused.value.key,
        refused.value.value,
        refused.value.message,
        refused.value.remedy,
    )


def test_without_a_preset_every_missing_key_is_reported() -> None:
    assert faults_of({}) == ["name", "machine", "routing", "jobs"]
    machine = {"topology": {"p": 1}, "links": {}, "router": {}}
    links, router = (
        ("terminal", "global", "local"),
        (
            "input_latency",
            "output_latency",
            "crossbar_bandwidth",
        ),
    )
    assert set(faults_of({"name": "x", "machine": machine, "routing": {}, "jobs": []})) == {
        "machine.topology.a",
        "machine.topology.h",
        *(f"machine.links.{name}" for name in links),
        "machine.packet",
        "machine.flit",
        *(f"machine.router.{name}" for name in (*router, "input_buffer", "output_buffer")),
        "routing.algorithm",
        "jobs",
    }


def test_a_fault_is_reported_once() -> None:
    workload = {"kind": "allreduce_loop", "message": "1 kB", "iterations": 1}
    job = {"name": "a", "ranks": 4, "routing": "par", "workload": workload}
    data = {
        "name": "x",
        "machine": "theta",
        "routing": {"algorithm": "ugal_g", "threshold": "2"},
        "jobs": [job],
    }
    assert faults_of(data) == ["routing.threshold"], "not repeated for all-to-alls and jobs"
    assert faults_of(
        {"name": "x", "machine": "tetha", "routing": "minimal", "jobs": "kang2022.mix"}
    ) == [
        "jobs.preset",
        "machine.preset",
    ]


def refused_by_the_core(*faults: tuple[str, str, str, str]) -> list[str]:
    job = {"name": "a", "ranks": 4, "start": "1 us", "workload": {"kind": "lu"}}
    data = {
        "name": "x",
        "machine": "theta",
        "routing": "par",
        "mpi": {"gap": "2000 ps"},
        "jobs": [job],
    }
    first, *others = faults
    return pt.Scenario.from_dict(data).error_of_plan(PlanError(*first, others)).lines


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("stop.watchdog_ps", "100000000", "stop.watchdog = 100 us (default)"),
        ("links.global.latency_ps", "1500", "machine.links.global.latency = 1.5 ns (default)"),
        (
            "links.row.bandwidth_bytes_per_s",
            "5250000000",
            "machine.links.row.bandwidth = 5.25 GB/s (default)",
        ),
        ("packet_bytes", "64", "machine.packet = 64 B (default)"),
        ("mpi.gap_per_byte_fs", "344000", "mpi.gap_per_byte = 344 ps/B (default)"),
        ("router.input_buffer_flits", "3", "machine.router.input_buffer = 3 flits (default)"),
        ("nic.buffer_packets", "3", "machine.nic.buffer = 3 packets (default)"),
        ("mpi.gap_ps", "2000", 'mpi.gap = "2000 ps"'),
        ("jobs[0].start_ps", "1000000", 'jobs[0].start = "1 us"'),
        ("jobs[0].workload.message_bytes", "1000", "jobs[0].workload.message = 1 kB"),
        ("routing.algorithm", "par", "routing.algorithm = par"),
        ("routing.queue", "output", "routing.queue = output"),
    ],
)
def test_values_of_a_plan_are_shown_with_their_units(key: str, value: str, shown: str) -> None:
    text = refused_by_the_core((key, value, "is not 1500 ps", "give 90000000 ps or 2 psi"))
    assert text == [f"scenario: key {shown}: is not 1.5 ns; give 90 us or 2 psi"]


def test_every_fault_of_a_plan_is_reported_once() -> None:
    few = ("is too few", "give more")
    text = refused_by_the_core(
        ("routing_all_to_all.virtual_channels", "1", *few),
        ("routing.algorithm", "par", *few),
        ("mpi.gap_ps", "2000", *few),
        ("routing_all_to_all.algorithm", "par", *few),
    )
    assert [line.split(" ")[2] for line in text] == [
        "routing_all_to_all.virtual_channels",
        "routing.algorithm",
        "mpi.gap",
    ]


@pytest.mark.native
def test_a_latency_above_the_watchdog_interval_is_reported_with_units(
    cli: Cli, tmp_path: Path
) -> None:
    file = tmp_path / "long.toml"
    file.write_text(SMALL)
    long = ("--set", "machine.links.global.latency=1 ms")
    needs = "a packet may need 4.1 ms for a hop (latency of the global links: 1 ms)"
    assert (
        cli("check", file, *long).err
        == f"{file}: key stop.watchdog = 100 us (default): {needs}, and would count as stuck; "
        "set stop.watchdog to 4.1 ms or more\n"
    )
    assert cli("check", file, *long, "--set", "stop.watchdog=4.1 ms").status == 0


@pytest.mark.native
def test_the_core_reports_all_faults(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "several.toml"
    file.write_text(SMALL)
    settings = (
        "machine.router.input_buffer=1 flit",
        "routing.virtual_channels=1",
        "jobs.fft.workload.grid=[2, 2]",
    )
    lines = cli(
        "check", file, *(word for setting in settings for word in ("--set", setting))
    ).err.splitlines()
    assert [line.split(" ")[2] for line in lines] == [
        "machine.router.input_buffer",
        "routing.virtual_channels",
        "jobs[0].workload.grid",
    ]


def test_faults_of_the_core_are_reported_after_faults_of_the_scenario(
    fake_core: FakeCore, cli: Cli, tmp_path: Path
) -> None:
    file = tmp_path / "large.toml"
    file.write_text(
        SMALL.replace("ranks = 6", "ranks = 600").replace("grid = [2, 3]", "grid = [20, 30]")
    )
    assert (
        cli("check", file).err
        == f"{file}: key jobs[0].ranks = 600: only 72 nodes are free; ask for fewer\n"
    )
