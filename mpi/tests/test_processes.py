"""A run on several processes equals the run on one. `make mpi` builds the program first."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala.catalogue.tables import TABLES
from pantala.scenario.plan import PLAN_VERSION

ROOT = Path(__file__).parents[2]
BINARY = ROOT / "target/mpi/release/pantala-processes"

SCENARIO = """
name = "two"
seed = 3
machine = { preset = "kang2022", topology = { p = 2, a = 4, h = 2, g = 9 } }
routing = { algorithm = "ROUTING" }
[[jobs]]
name = "fft"
ranks = 24
placement = "random"
[jobs.workload]
kind = "fft3d"
grid = [4, 6]
row_message = "20 kB"
column_message = "2 kB"
iterations = 2
compute_forward = "1 us"
compute_backward = "1 us"
start_delay = "0 ns"
[[jobs]]
name = "halo"
ranks = 27
placement = "random"
[jobs.workload]
kind = "halo3d"
grid = [3, 3, 3]
message = "40 kB"
iterations = 3
compute = "1 us"
start_delay = "0 ns"
[[jobs]]
name = "noise"
ranks = 20
workload = { kind = "pattern", pattern = "uniform", load = 0.5 }
[stop]
duration = "60 us"
[record]
packets = "all"
"""

#: More keys of [record], which stands last: they have an effect under q_adaptive only.
LEARNING = 'q_tables = "end"\nq_learning = true\n'


#: Every record with each of its keys, over the keys of the scenario above.
EVERY_RECORD = (
    LEARNING
    + """
packet_paths = true
routing_windows = "3 us"
latency_windows = "7 us"
unexpected = true
rank_messages = true
rank_calls = true
call_events = {}
call_windows = "9 us"
nic_windows = "6 us"
blame = { window = "5 us", groups = true, links = 3 }
ports = { windows = ["2 us", "10 us"], split = ["vc", "job", "kind"] }
system = { windows = ["4 us"], by_job = true }
routers = { windows = ["6 us"] }
window = "8 us"
link_window = "9 us"
"""
)

#: Records of a part of the machine, of sampled packets, and without windows.
SOME_RECORDS = """
packet_paths = true
packet_sample = 3
packet_jobs = ["fft", "noise"]
packet_routers = [1, 7, 20]
packet_from = "10 us"
packet_until = "50 us"
call_events = { jobs = ["fft", "halo"], ranks = [0, 25] }
ports = { classes = ["local", "global", "ejection"], routers = [0, 5, 9, 30] }
system = {}
routers = { routers = [1, 2, 35], jobs = ["halo"] }
"""


def started(processes: int, *line: str | Path) -> subprocess.CompletedProcess[str]:
    """What `mpirun -n PROCESSES pantala-processes LINE` comes to."""
    anyone = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["mpirun", "--oversubscribe", "-n", str(processes), str(BINARY), *map(str, line)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | anyone
    )


def said(ended: subprocess.CompletedProcess[str]) -> list[str]:
    """Our own lines on standard error; mpirun adds its own."""
    return [line for line in ended.stderr.splitlines() if line.startswith("pantala-processes: ")]


def written(directory: Path) -> dict[str, Any]:
    """Every file of a run directory: tables by their bytes, run.json without its provenance."""
    files: dict[str, Any] = {path.name: path.read_bytes() for path in directory.glob("*.parquet")}
    document = json.loads((directory / "run.json").read_text())
    del document["provenance"]
    return files | {"run.json": document}


def plan_of(routing: str, directory: Path) -> Path:
    """The resolved plan of the scenario, written there."""
    learning = LEARNING if routing == "q_adaptive" else ""
    (directory / "scenario.toml").write_text(SCENARIO.replace("ROUTING", routing) + learning)
    plan = directory / "plan.json"
    plan.write_text(json.dumps(pt.Scenario.from_toml(directory / "scenario.toml").resolve()))
    return plan


@pytest.mark.parametrize("routing", ["minimal", "ugal_n", "par", "q_adaptive"])
def test_processes_change_no_byte(tmp_path: Path, routing: str) -> None:
    """Tables and run.json, under every kind of routing."""
    plan = plan_of(routing, tmp_path)
    pt.run(
        pt.Scenario.from_toml(tmp_path / "scenario.toml"),
        tmp_path / "threads",
        threads=2,
        report=False,
    )
    for processes in (1, 2, 3):
        out = tmp_path / f"on-{processes}"
        ended = started(processes, "run", plan, "--out", out)
        assert ended.returncode == 0, ended.stderr
        assert written(out) == written(tmp_path / "threads")
        assert json.loads((out / "run.json").read_text())["provenance"]["processes"] == processes
    assert not list(tmp_path.glob(".*partial*"))


@pytest.mark.parametrize(
    ("records", "empty"),
    [
        (EVERY_RECORD, {"program_logs", "epochs"}),
        (
            SOME_RECORDS,
            {"program_logs", "epochs", "blame", "blame_groups", "blame_links", "call_windows"}
            | {"latency_windows", "nic_windows", "q_learning", "q_tables", "rank_calls"}
            | {"rank_messages", "routing_windows"},
        ),
    ],
    ids=["every", "some"],
)
def test_processes_change_no_record(tmp_path: Path, records: str, empty: set[str]) -> None:
    """Every table that a run can record, under learning and responses."""
    text = SCENARIO.replace("ROUTING", "q_adaptive") + records
    if records == SOME_RECORDS:
        text = text.replace('packets = "all"', 'packets = "sampled"')
    scenario, plan = tmp_path / "scenario.toml", tmp_path / "plan.json"
    scenario.write_text(text.replace("preset =", "nic = { responses = true }, preset ="))
    plan.write_text(json.dumps(pt.Scenario.from_toml(scenario).resolve()))
    one = tmp_path / "one"
    run = pt.run(pt.Scenario.from_toml(scenario), one, threads=1, report=False)
    assert empty == {name for name in TABLES if getattr(run, name).head(1).collect().is_empty()}
    pt.run(pt.Scenario.from_toml(scenario), tmp_path / "threads", threads=2, report=False)
    for processes in (1, 2, 3):
        ended = started(processes, "run", plan, "--out", tmp_path / f"on-{processes}")
        assert ended.returncode == 0, ended.stderr
    expected = written(one)
    for other in ("threads", "on-1", "on-2", "on-3"):
        files = written(tmp_path / other)
        assert files.keys() == expected.keys()
        assert [name for name in expected if files[name] != expected[name]] == []


def test_processes_skip_the_same_time(tmp_path: Path) -> None:
    """Jumps are decided on sums over all processes, so every process jumps alike."""
    text = SCENARIO.replace("ROUTING", "ugal_n").replace("iterations = 2\n", "iterations = 200\n")
    text = text.replace("iterations = 3\n", "iterations = 200\n").replace('"60 us"', '"6 ms"')
    text = text.replace('packets = "all"', 'packets = "off"\nwindow = "10 us"')
    scenario, plan = tmp_path / "scenario.toml", tmp_path / "plan.json"
    scenario.write_text('skip = "20 %"\n' + text)
    plan.write_text(json.dumps(pt.Scenario.from_toml(scenario).resolve()))
    pt.run(pt.Scenario.from_toml(scenario), tmp_path / "one", threads=1, report=False)
    expected = written(tmp_path / "one")
    assert expected["run.json"]["skipped"]["jumps"] >= 1, expected["run.json"]["skipped"]["text"]
    for processes in (2, 3):
        ended = started(processes, "run", plan, "--out", tmp_path / f"on-{processes}")
        assert ended.returncode == 0, ended.stderr
        files = written(tmp_path / f"on-{processes}")
        assert files.keys() == expected.keys()
        assert [name for name in expected if files[name] != expected[name]] == []


def test_a_plan_brings_its_operation_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in Python runs from the plan and the file beside it, without its cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    program = ROOT / "examples" / "programs" / "halo_allreduce.py"
    head, _, rest = SCENARIO.replace("ROUTING", "minimal").partition("[jobs.workload]")
    text = f"""{head}[jobs.workload]
kind = "python"
file = "{program}"
arguments = {{ iterations = 5, dims = [2, 3, 4], face = "4 KiB" }}
{rest[rest.index("[[jobs]]") :]}"""
    scenario, folder = tmp_path / "scenario.toml", tmp_path / "elsewhere"
    scenario.write_text(text)
    folder.mkdir()
    command = [sys.executable, "-m", "pantala", "check", scenario, "--plan", folder / "plan.json"]
    subprocess.run(command, check=True, capture_output=True)
    pt.run(pt.Scenario.from_toml(scenario), tmp_path / "one", report=False)
    shutil.rmtree(tmp_path / "cache")
    ended = started(2, "run", folder / "plan.json", "--out", tmp_path / "two")
    assert ended.returncode == 0, ended.stderr
    one, two = written(tmp_path / "one"), written(tmp_path / "two")
    assert one.pop("run.json")["result_hash"] == two.pop("run.json")["result_hash"]
    assert one == two


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    """Of the first process only, with status 2; nothing is written."""
    plan, out = plan_of("minimal", tmp_path), tmp_path / "out"
    old = tmp_path / "old.json"
    old.write_text(json.dumps(json.loads(plan.read_text()) | {"plan_version": 1}))
    other = tmp_path / "other"
    other.mkdir()
    everywhere = plan_of("ugal_global", other)
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "file").touch()
    for processes, line, words in [
        (10, (plan, out), "key processes = 10: more than the 9 groups of the machine"),
        (
            2,
            (old, out),
            f"key plan_version = 1: this version of Pantala reads plans of version {PLAN_VERSION}",
        ),
        (2, (everywhere, out), "key processes = 2: ugal_global reads the queues of all groups"),
        (2, (tmp_path / "none.json", out), "none.json: cannot be read"),
        (2, (plan, taken), "taken: is not empty; choose another"),
        (2, (plan, taken / "file/out"), "file/out: cannot be written"),
    ]:
        ended = started(processes, "run", line[0], "--out", line[1])
        assert ended.returncode == 2
        (only,) = said(ended)
        assert words in only
        assert not out.exists()
