"""What must not be skipped, and what skipped time states: small runs against the same in full."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pantala as pt

pytestmark = pytest.mark.native

HEAD = """
name = "limits"
routing = "minimal"
seed = 3
[machine]
preset = "kang2022"
topology = { p = 2, a = 4, h = 2, g = 3 }
[record]
packets = "off"
messages = false
link_windows = false
"""

#: Each rank sends to its right neighbour, which is the last one to end: it computes longer.
PIPELINE = """
def program(mpi, iterations=160):
    for _ in range(iterations):
        with mpi.iteration():
            if mpi.rank > 0:
                mpi.recv(mpi.rank - 1, 4096)
            mpi.compute("10 us" if mpi.rank < mpi.size - 1 else "12 us")
            if mpi.rank < mpi.size - 1:
                mpi.send(mpi.rank + 1, 4096)
"""

#: Every 50th step computes fifty times as long.
CHECKPOINT = """
def program(mpi, iterations=240):
    for step in range(iterations):
        with mpi.iteration():
            mpi.compute("500 us" if step % 50 == 49 else "10 us")
            mpi.allreduce(4096)
"""

#: From a third of the steps on, one rank does the work of all, each in turn: the sums are equal.
IN_TURN = """
def program(mpi, iterations=400):
    for step in range(iterations):
        with mpi.iteration():
            if step < iterations // 3:
                mpi.compute("20 us")
            else:
                mpi.compute("160 us" if mpi.rank == step % mpi.size else "0 us")
            mpi.allreduce(8)
"""


def run_of(tmp_path: Path, jobs: str, skip: bool, head: str = HEAD, name: str = "run") -> pt.Run:
    path = tmp_path / f"{name}.toml"
    path.write_text(('skip = "1 %"\n' if skip else "") + head + jobs)
    out = tmp_path / f"{name}-{'skip' if skip else 'full'}"
    run = pt.run(pt.Scenario.from_toml(path), out, progress=False, report=False)
    assert isinstance(run, pt.Run)
    return run


def job_of(tmp_path: Path, text: str) -> str:
    (tmp_path / "program.py").write_text(text)
    return '[[jobs]]\nname = "a"\nranks = 8\nworkload = { kind = "python", file = "program.py" }\n'


def skipped(run: pt.Run) -> dict[str, Any]:
    found: dict[str, Any] = run.document["skipped"]
    return found


def end_of(run: pt.Run) -> float:
    return float(run.jobs.collect()["end_ns"][0])


@pytest.mark.parametrize("text", [PIPELINE, CHECKPOINT, IN_TURN], ids=["apart", "rare", "in turn"])
def test_the_run_time_is_within_its_stated_error(text: str, tmp_path: Path) -> None:
    jobs = job_of(tmp_path, text)
    skip, full = (run_of(tmp_path, jobs, skip) for skip in (True, False))
    stated = {each["job"]: each["run_time_error"] for each in skipped(skip)["jobs"]}
    error = abs(end_of(skip) / end_of(full) - 1)
    assert error <= stated.get("a", 0.0) + 1e-12, skipped(skip)["text"]


def test_ranks_that_run_apart_are_the_reason(tmp_path: Path) -> None:
    skip = run_of(tmp_path, job_of(tmp_path, PIPELINE), True)
    assert skipped(skip)["jumps"] == 0
    assert "ranks of job 'a' run apart" in skipped(skip)["text"]


def test_rare_long_iterations_are_the_reason(tmp_path: Path) -> None:
    skip = run_of(tmp_path, job_of(tmp_path, CHECKPOINT), True)
    assert skipped(skip)["jumps"] == 0


def pattern(load: float) -> tuple[str, str]:
    head = HEAD.replace("seed = 3\n", 'seed = 3\nstop = { duration = "1 ms" }\n')
    job = '[[jobs]]\nname = "p"\nranks = 24\nplacement = "contiguous"\n'
    return head, (
        f'{job}workload = {{ kind = "pattern", pattern = "next_group", load = {load} }}\n'
    )


def test_a_saturated_pattern_is_not_skipped(tmp_path: Path) -> None:
    head, jobs = pattern(0.9)
    skip = run_of(tmp_path, jobs, True, head)
    assert skipped(skip)["jumps"] == 0
    assert "the source queues may grow" in skipped(skip)["text"]


def test_an_unsaturated_pattern_is_skipped_and_has_no_run_time(tmp_path: Path) -> None:
    head, jobs = pattern(0.1)
    skip, full = (run_of(tmp_path, jobs, skip, head) for skip in (True, False))
    assert skipped(skip)["jumps"] >= 1, skipped(skip)["text"]
    assert skipped(skip)["text"].endswith("no job has a run time")
    latency = [run.jobs.collect()["packet_latency_mean_ns"][0] for run in (skip, full)]
    assert latency[0] == pytest.approx(latency[1], rel=0.03)


def halo(period: int) -> str:
    return (
        '[[jobs]]\nname = "a"\nranks = 8\nworkload = { kind = "ember.Halo3DSV", pex = 2, pey = 2,'
        f" pez = 2, nx = 8, ny = 8, nz = 8, computetime = 5000, doreduce = {period},"
        " iterations = 480 }\n"
    )


def test_a_cycle_of_many_iterations_is_skipped(tmp_path: Path) -> None:
    run = run_of(tmp_path, halo(40), True)
    assert skipped(run)["jumps"] >= 1, skipped(run)["text"]
    assert skipped(run)["simulated_share"] < 0.6


def test_first_jumps_are_short_beside_what_was_watched(tmp_path: Path) -> None:
    run = run_of(tmp_path, halo(1), True)
    rows = run.epochs.collect().filter(job=0).sort("start_ns")
    first, jump = rows.filter(skipped=False, state="repeats"), rows.filter(skipped=True)
    assert jump["iterations"][0] <= 5 * first["iterations"][0]
    assert skipped(run)["jumps"] >= 2
    assert skipped(run)["simulated_share"] < 0.2
    of = skipped(run)["jobs"][0]
    assert 0 < of["communication_time_error"] < 0.1
    error = f"of communication times: a {100 * of['communication_time_error']:.2f} %"
    assert skipped(run)["text"].endswith(error)
    # The job starts at once, so it never waits, and its shares add up.
    assert rows["state"][0] == "other"
    skipped_time = sum(end - start for start, end in jump.select("start_ns", "end_ns").rows())
    share = 1 - skipped_time / end_of(run)
    assert of["simulated_share"] == pytest.approx(share, abs=1e-6)


def test_ranks_without_work_do_not_keep_a_job_from_skipping(tmp_path: Path) -> None:
    jobs = (
        '[[jobs]]\nname = "a"\nranks = 16\n'
        'workload = { kind = "ember.PingPong", iterations = 1500, messageSize = 4096 }\n'
    )
    skip, full = (run_of(tmp_path, jobs, skip) for skip in (True, False))
    assert skipped(skip)["jumps"] >= 1, skipped(skip)["text"]
    assert end_of(skip) == pytest.approx(end_of(full), rel=0.01)


@pytest.mark.parametrize(
    ("time", "repeat", "delay"), [("2 ms", "true", "1 ms"), ("500 us", "false", "0 ns")]
)
def test_auto_knows_that_the_time_is_too_short(
    time: str, repeat: str, delay: str, tmp_path: Path
) -> None:
    iterations = 20 if repeat == "true" else 100_000
    jobs = (
        f'[[jobs]]\nname = "a"\nranks = 8\nrepeat = {repeat}\nworkload = {{ kind ='
        f' "allreduce_loop", message = "16 KiB", compute = "30 us", iterations = {iterations},'
        f' start_delay = "{delay}" }}\n'
    )
    path = tmp_path / "auto.toml"
    head = HEAD.replace("seed = 3\n", f'seed = 3\nstop = {{ duration = "{time}" }}\n')
    path.write_text(head + jobs)
    skip = {"tolerance": "1 %", "if_worth": True}
    scenario = pt.Scenario.from_toml(path).replace({"skip": skip})
    with pytest.warns(pt.ScenarioWarning, match="more than half"):
        plan = scenario.resolved_plan()
    assert "skip" not in plan.document
