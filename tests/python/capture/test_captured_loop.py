"""What follows a capture: iterations, computing, the summary, the scenario. These need no MPI."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import pantala as pt
from operation_files import iterations_of, operations_of
from pantala._core import Recorder
from pantala.capture.collect import collect
from pantala.capture.scenario import scenario_text, write_scenario
from pantala.core import native
from pantala.core.operation_codes import Code
from pantala.core.plan import Plan
from pantala.errors import UsageError
from pantala.scenario.plan import build_plan
from pantala.traces.rank_file import RankFile
from small_mpi import MPIRUN, compiled, needs_mpi
from support import ROOT, Ended

Cli = Callable[..., Ended]

MACHINE = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
RANKS = 4
STEPS = 12
#: Sent in a step to the next rank around a ring, in bytes.
FACE = 20_000
SET_UP_PS = 5_000_000_000


def computing(rank: int, step: int) -> int:
    """Returns the measured computing of a step, in ps; no two are equal."""
    return 1_000 * (20_000 + 100 * rank + step)


@pytest.fixture
def captured(tmp_path: Path) -> Path:
    """A merged capture: set-up, a loop with unequal computing times, and a last reduction."""
    files = []
    for rank in range(RANKS):
        file = RankFile(tmp_path / f"rank-{rank}.operations", RANKS, rank)
        file.emit(Code.BCAST, first=64)
        file.emit(Code.COMPUTE, first=SET_UP_PS)
        for step in range(STEPS):
            file.emit(Code.COMPUTE, first=computing(rank, step))
            file.emit(Code.SENDRECV_SEND, peer=(rank + 1) % RANKS, tag=7, first=FACE)
            file.emit(Code.SENDRECV_RECV, peer=(rank - 1) % RANKS, tag=7, first=FACE)
            file.emit(Code.COMPUTE, first=1_000)
            file.emit(Code.ALLREDUCE, first=8)
        file.emit(Code.REDUCE, first=800)
        file.close([])
        files.append(file.path)
    out = tmp_path / "ring.operations"
    assert native.merge_operation_files(files, out)["iterations"] == STEPS
    return out


def scenario(**workload: object) -> pt.Scenario:
    job = {"name": "ring", "workload": {"kind": "operations", **workload}}
    return pt.Scenario.from_dict(
        {
            "name": "t",
            "machine": MACHINE,
            "routing": "minimal",
            "jobs": [job],
            "record": {"iterations": True},
        }
    )


def computed(out: Path, **workload: object) -> list[float]:
    run = pt.run(scenario(**workload), out, report=False, progress=False)
    assert isinstance(run, pt.Run)
    return list(run.ranks.collect()["compute_time_ns"])


def test_what_a_capture_lacks_stands_in_its_file(captured: Path, tmp_path: Path, cli: Cli) -> None:
    files = sorted(tmp_path.glob("rank-*.operations"))
    lacks = ["it lacks one-sided communication: 12 calls", "é, a second line"]
    out = tmp_path / "lacking.operations"
    assert native.merge_operation_files(files, out, notes=lacks)["iterations"] == STEPS
    assert native.operation_file(str(out))["notes"] == lacks
    assert native.operation_file(str(captured))["notes"] == []
    assert "notes" not in scenario(path=str(captured)).resolve()["jobs"][0]["workload"]
    file = tmp_path / "lacking.toml"
    file.write_text(
        f'name = "t"\nmachine = "kang2022"\nrouting = "minimal"\n[[jobs]]\nname = "ring"\n'
        f'workload = {{ kind = "operations", path = "{out}" }}\n'
    )
    checked = cli("check", str(file))
    assert checked.status == 0, checked.err
    assert all(note in checked.err for note in lacks)
    ran = cli("run", str(file), "--out", str(tmp_path / "run"))
    assert ran.status == 0, ran.err
    for note in lacks:
        assert f"ring replays a capture: {note}." in " ".join(ran.out.split())
        assert note in (tmp_path / "run" / "report.html").read_text("utf-8")


def test_calls_that_do_not_fit_are_told_to_the_user_of_a_capture(tmp_path: Path) -> None:
    job = tmp_path / "job-00000"
    job.mkdir()
    for rank in range(2):
        file = RankFile(job / f"rank-{rank:06}.operations", 2, rank)
        file.emit(Code.BARRIER)
        if rank == 0:
            file.emit(Code.ALLREDUCE, first=8)
        file.close([])
    with pytest.raises(UsageError) as raised:
        collect(job, tmp_path / "out.operations", region=False, from_start=False)
    assert str(raised.value) == (
        "capture: the calls of the ranks do not fit together: collective 2 of COMM_WORLD is"
        " allreduce of 8 bytes at rank 0 and none at rank 1; capture another part of the program"
        " with --from and --to, or report a fault of the capture; a replay would not end, so no"
        f" operation file is written; the files of the ranks are in {job}"
    )


def test_a_recorded_loop_replays_with_its_iterations(captured: Path, tmp_path: Path) -> None:
    assert [marks["iteration_start"] for marks in iterations_of(captured)] == [STEPS] * RANKS
    run = pt.run(scenario(path=str(captured)), tmp_path / "run", report=False, progress=False)
    assert isinstance(run, pt.Run)
    table = run.iterations.collect()
    assert sorted(set(table["iteration"])) == list(range(STEPS))
    assert len(table) == STEPS * RANKS


def test_a_merged_capture_has_the_operations_of_its_ranks(captured: Path) -> None:
    for rank, operations in enumerate(operations_of(captured)):
        times = [each.first for each in operations if each.name == "compute"]
        steps = [time for step in range(STEPS) for time in (computing(rank, step), 1_000)]
        assert times == [SET_UP_PS, *steps]
        calls = [each.name for each in operations if each.name != "compute"]
        step_calls = ["sendrecv_to", "sendrecv_from", "allreduce"]
        assert calls == ["bcast", *(STEPS * step_calls), "reduce"]


def test_computing_is_scaled_or_left_out(captured: Path, tmp_path: Path) -> None:
    path = str(captured)
    every = [
        (SET_UP_PS + sum(computing(rank, step) + 1_000 for step in range(STEPS))) / 1_000
        for rank in range(RANKS)
    ]
    assert computed(tmp_path / "all", path=path) == pytest.approx(every)
    half = computed(tmp_path / "half", path=path, compute_scale=0.5)
    assert half == pytest.approx([time / 2 for time in every])
    assert computed(tmp_path / "none", path=path, compute="none") == [0.0] * RANKS
    plan = build_plan(scenario(path=path, compute_scale=0.5))
    assert plan["jobs"][0]["workload"]["compute_scale_millionths"] == 500_000
    with pytest.raises(pt.ScenarioError, match='has no effect under compute = "none"'):
        scenario(path=path, compute="none", compute_scale=2.0)


def test_a_capture_is_no_trace(captured: Path) -> None:
    with pytest.raises(pt.ScenarioError, match=r'is an operation file.*set kind = "operations"'):
        scenario(kind="trace", path=str(captured))


def test_defaults_of_computing_leave_a_plan_as_it_was(captured: Path) -> None:
    resolved = Plan(build_plan(scenario(path=str(captured))))
    assert set(resolved["jobs"][0]["workload"]) == {"kind", "path", "hash"}


def test_trace_info_summarises_a_capture(captured: Path, cli: Cli) -> None:
    found = json.loads(cli("trace", "info", captured, "--json").out)
    assert (found["format"], found["ranks"], found["iterations"]) == ("operations", RANKS, STEPS)
    assert found["calls"]["sendrecv"] == RANKS * STEPS
    assert found["call_bytes"]["sendrecv"] == RANKS * STEPS * FACE
    assert found["call_bytes"]["allreduce"] == RANKS * STEPS * 8
    assert found["communicators"] == [{"size": RANKS, "number": 1}]
    assert [(pair["source"], pair["destination"]) for pair in found["matrix"]] == [
        (rank, (rank + 1) % RANKS) for rank in range(RANKS)
    ] or len(found["matrix"]) == RANKS
    rank = found["by_rank"][1]
    assert (rank["messages"], rank["bytes"]) == (STEPS, STEPS * FACE)
    assert rank["collective_bytes"] == 64 + STEPS * 8 + 800
    assert rank["compute_before_ps"] == SET_UP_PS + computing(1, 0) or rank["iterations"] == STEPS
    text = cli("trace", "info", captured).out.replace("\u00a0", " ")
    assert f"operations, {RANKS} ranks" in text
    assert f"{STEPS} per rank" in text
    assert "1 of 4 ranks" in text
    assert "B each" in text
    damaged = captured.with_name("damaged.operations")
    damaged.write_bytes(captured.read_bytes()[:-50])
    ended = cli("trace", "info", damaged)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert "damaged.operations: is truncated" in ended.err


@needs_mpi
@pytest.mark.full
@pytest.mark.parametrize(("program", "steps"), [("heat", 6), ("halo", 5), ("wavefront", 0)])
def test_the_steps_of_programs_are_their_iterations(
    program: str, steps: int, cli: Cli, tmp_path: Path
) -> None:
    folder = ROOT / ("examples/programs" if program == "heat" else "tests/mpi_programs")
    built = compiled(folder / f"{program}.c", tmp_path / program, "-O2")
    scenario_file = tmp_path / "slowdown.toml"
    arguments = ["--clock", "cpu", "--scenario", scenario_file, "--out", tmp_path / "out"]
    command = [*MPIRUN, "6", built, *(["6"] if program == "heat" else [])]
    ended = cli("capture", *arguments, "--", *command)
    assert ended.status == 0, ended.err
    assert f"pantala run {scenario_file}" in ended.out
    file = tmp_path / "out" / "out.operations"
    assert {marks["iteration_start"] for marks in iterations_of(file)} == {steps}
    assert native.operation_file_summary(str(file))["iterations"] == steps
    assert cli("check", scenario_file).status == 0
    again = cli("capture", *arguments, "--", "true")
    assert (again.status, again.err.count("\n")) == (2, 1)
    assert "slowdown.toml: exists; name another --scenario, or add --overwrite" in again.err


@needs_mpi
@pytest.mark.full
def test_each_program_of_a_script_has_a_scenario(cli: Cli, tmp_path: Path) -> None:
    built = compiled(ROOT / "examples/programs/heat.c", tmp_path / "heat", "-O2")
    script = tmp_path / "two.sh"
    lines = [" ".join([*MPIRUN, ranks, str(built), "5"]) for ranks in ("2", "3")]
    script.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    arguments = ["--clock", "cpu", "--scenario", tmp_path / "s.toml", "--out", tmp_path / "out"]
    ended = cli("capture", *arguments, "--", "sh", script)
    assert ended.status == 0, ended.err
    for number, ranks in ((1, 2), (2, 3)):
        path = tmp_path / f"s-{number}.toml"
        assert f"pantala run {path}" in ended.out
        (job, _) = pt.Scenario.from_toml(path).jobs
        assert (job.name, job.ranks) == (f"out-{number}", ranks)
    again = cli("capture", "--overwrite", *arguments[:-1], tmp_path / "other", "--", "true")
    assert "no rank called MPI_Init" in again.err
    again = cli("capture", *arguments[:-1], tmp_path / "other", "--", "true")
    assert f"{tmp_path / 's-1.toml'}: exists; name another --scenario" in again.err


@pytest.mark.parametrize(
    ("name", "job"), [('my run"s #1', "my-run-s-1"), ("halo3d", "halo3d"), ("__", "program")]
)
def test_any_name_of_a_capture_makes_a_scenario(captured: Path, name: str, job: str) -> None:
    renamed = captured.rename(captured.with_name(f"{name}.operations"))
    out = captured.with_name("any.toml")
    write_scenario(renamed, out)
    jobs = pt.Scenario.from_toml(out).jobs
    assert jobs[0].name == job
    assert len({each.name for each in jobs}) == 2


def test_the_scenario_of_a_long_program_is_bounded(captured: Path, tmp_path: Path) -> None:
    """With iterations, the run stops; without, the background has fewer nodes."""
    out = tmp_path / "long.toml"
    summary = native.operation_file_summary(str(captured))
    for rank in summary["by_rank"]:
        rank["compute_ps"] = SET_UP_PS + 10**12
        rank["compute_before_ps"] = SET_UP_PS
    found = tomllib.loads(scenario_text(captured, out, summary))
    assert found["jobs"][1]["start"] == "5000 us"
    stop = float(found["stop"]["duration"].removesuffix(" us")) * 1e6
    assert SET_UP_PS < stop < SET_UP_PS + 10**12
    for rank in summary["by_rank"]:
        rank["iterations"] = 0
    found = tomllib.loads(scenario_text(captured, out, summary))
    assert "stop" not in found
    assert "start" not in found["jobs"][1]
    assert RANKS <= found["jobs"][1]["ranks"] < 64


def test_the_background_of_a_short_program_sends(tmp_path: Path) -> None:
    file, out = tmp_path / "short.operations", tmp_path / "short.toml"
    recorder = Recorder(str(file), 2, 100)
    for rank in range(2):
        recorder.compute(rank, 1_000_000)
        recorder.sendrecv(rank, 0, (1 - rank, 3, 64_000), (1 - rank, 3, 64_000))
        recorder.end(rank)
    recorder.finish()
    write_scenario(file, out)
    found = pt.run(pt.Scenario.from_toml(out), tmp_path / "run", report=False, progress=False)
    assert isinstance(found, pt.Experiment)
    together = found.parts["together"]
    assert sum(together.ranks.filter(pl.col("job") == 1).collect()["bytes_sent"]) > 100_000


def test_the_folder_of_a_capture_is_its_operation_file(
    captured: Path, cli: Cli, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    file = Path(shutil.copy(captured, folder / "ring.operations"))
    (folder / "ring.ranks" / "job-00000").mkdir(parents=True)
    shutil.copy(captured, folder / "ring.ranks" / "job-00000" / "rank-000000.operations")
    assert cli("trace", "info", folder).out == cli("trace", "info", file).out
    shutil.copy(captured, folder / "other.operations")
    for path, said in (
        (
            folder,
            "has several operation files; name one of them: other.operations, ring.operations",
        ),
        (folder / "ring.ranks", "has operations of single ranks; name the operation file of the"),
        (folder / "ring.ranks" / "job-00000", "has operations of single ranks; name the operation"),
        (tmp_path / "empty", "is no trace"),
    ):
        path.mkdir(exist_ok=True)
        ended = cli("trace", "info", path)
        assert (ended.status, ended.err.count("\n")) == (2, 1)
        assert f"{path}: {said}" in ended.err
    (tmp_path / "empty" / "a.unfinished").mkdir()
    ended = cli("trace", "info", tmp_path / "empty")
    assert f"pantala capture salvage {tmp_path / 'empty'} makes an operation file" in ended.err


@pytest.mark.parametrize("ranks", [1, 36, 37, 528, 529, 8_256, 20_000])
def test_the_machine_has_room_for_any_program(captured: Path, tmp_path: Path, ranks: int) -> None:
    summary = native.operation_file_summary(str(captured))
    found = tomllib.loads(
        scenario_text(captured, tmp_path / "many.toml", summary | {"ranks": ranks})
    )
    jobs = found["jobs"]
    shape = found["machine"].get("topology", {"p": 4, "a": 8, "h": 4, "g": 33})
    nodes = shape["p"] * shape["a"] * shape["g"]
    own = -(-ranks // jobs[0].get("ranks_per_node", 1))
    assert 2 * own <= nodes
    assert own + jobs[1]["ranks"] <= nodes
    x, y, z = jobs[1]["workload"]["grid"]
    assert x * y * z == jobs[1]["ranks"]


def test_the_scenario_of_a_capture_runs_and_tells_the_slowdown(
    captured: Path, cli: Cli, tmp_path: Path
) -> None:
    out = tmp_path / "here" / "ring.toml"
    write_scenario(captured, out)
    found = tomllib.loads(out.read_text())
    assert found["interference"] == {"targets": ["ring"]}
    assert [job["ranks"] for job in found["jobs"]] == [RANKS, 4 * 4 * 4]
    assert found["jobs"][0]["workload"]["path"] == "../ring.operations"
    ended = cli("run", out, "--out", tmp_path / "run")
    assert ended.status == 0, ended.err
    assert "ring" in ended.out
    assert "slow" in ended.out
    with pytest.raises(UsageError, match=r"ring\.toml: exists; name another --scenario"):
        write_scenario(captured, out)
    write_scenario(captured, out, overwrite=True)
