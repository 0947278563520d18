"""Warnings before a run: unused global ports, jobs that send nothing, what the end cuts off."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pantala as pt
from pantala.planning.advice import advice_of_lengths, advice_of_windows, warn_of_plan
from pantala.planning.run_cost import traffic
from support import Ended
from sweeps import SCENARIO

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


@pytest.mark.parametrize("count", [1, 2])
def test_a_job_that_mostly_repeats_its_start_delay_is_named(count: int) -> None:
    """A pass of 40 us of computing and little sending, after a delay of 350 us or 10 us."""
    again = {**job("again", iterations=10, compute="4 us"), "repeat": True, "count": count}
    again["ranks"] = 4
    for delay, number in (("350 us", 1), ("10 us", 0)):
        again["workload"] |= {"start_delay": delay, "grid": [2, 2, 1]}
        messages, _ = advised([{**job("a"), "ranks": 8}, again])
        assert len(messages) == number
    again["workload"]["start_delay"] = "350 us"
    (message,), _ = advised([job("a"), again])
    assert "jobs.again repeats its start_delay (350 us) in each pass, about 8" in message
    assert message.endswith('set workload.start_delay = "0 ns", or more iterations')


def test_a_program_of_barriers_sends_something(tmp_path: Path) -> None:
    program = tmp_path / "p.py"
    for line, number in (("mpi.barrier()", 0), ('mpi.compute("1 us")', 1)):
        program.write_text(f"def program(mpi):\n    {line}\n")
        mine = {"name": "p", "ranks": 4, "workload": {"kind": "python", "file": str(program)}}
        messages, _ = advised([mine])
        assert len(messages) == number


def test_a_job_that_may_end_long_before_another_has_its_remedy() -> None:
    _, advice = advised([job("long", iterations=400), job("short", iterations=4)])
    assert advice.startswith("short (about ")
    assert "may end long before long" in advice
    assert "set repeat = true for the shorter jobs, or more iterations" in advice


@pytest.mark.parametrize(
    "long",
    [
        {"kind": "hacc", "iterations": 2},
        {"kind": "ember.Halo2D", "iterations": 2, "computenano": 1_000_000},
    ],
)
def test_a_job_that_computes_long_in_its_phases_is_not_the_shorter_one(
    long: dict[str, Any],
) -> None:
    halo = job("halo", iterations=30, start_delay="300 us")
    _, advice = advised([{"name": "long", "ranks": 8, "workload": long}, halo])
    assert advice.startswith("halo (about ")
    assert "may end long before long (about 2." in advice
    times = {"packets": "all", "packet_from": "1300 us", "window": "1 ms"}
    alone = {"name": "long", "ranks": 8, "workload": long}
    assert not advised_of_windows([alone], times)


def advised_of_windows(
    jobs: list[dict[str, Any]], record: dict[str, Any], *, known: bool = True, **keys: Any
) -> str:
    """Returns the sentence on the record; `known`: whether the traffic is known before the run."""
    machine = {"preset": "kang2022", "topology": {**TOPOLOGY, "links_per_pair": 4}}
    data = {"name": "s", "routing": "minimal", "machine": machine, "jobs": jobs, "record": record}
    plan = pt.Scenario.from_dict({**data, **keys}).resolved_plan()
    return advice_of_windows(plan, traffic(plan) if known else {})


#: An estimate of 16 us: 4 iterations of 3 x 4 KiB at 25 GB/s, and 4 x 3.5 us of computation.
TIMES = {"link_window": "1 ms", "packets": "all", "packet_from": "2 s"}


def test_times_of_the_record_after_an_estimated_end_may_be_cut_off() -> None:
    text = advised_of_windows([job("a"), job("b")], TIMES, stop={"target": "a"})
    assert text.startswith("the run may be too short for its record: it ends with a, after about ")
    assert text.endswith(
        " us (without latencies and contention); record.link_window (1 ms) is longer, so its table"
        " would have a single window; record.packet_from (2 s) is later, so no packet would have a"
        " row; give times within the run"
    )
    every = advised_of_windows([job("a"), job("b")], TIMES)
    assert "it ends with the last of a and b, after about" in every
    within = {"link_window": "1 us", "packets": "all", "packet_from": "1 us"}
    assert advised_of_windows([job("a")], within) == ""


def test_without_an_estimate_the_begin_of_the_record_of_packets_is_told() -> None:
    text = advised_of_windows([job("a"), job("b")], TIMES, known=False, stop={"target": "b"})
    assert text == (
        "the run ends with b, at a time that is not known before: if it is before"
        " record.packet_from (2 s), no packet has a row"
    )
    bounded = {"target": "b", "duration": "3 s"}
    assert not advised_of_windows([job("a"), job("b")], TIMES, known=False, stop=bounded)


def test_only_jobs_that_the_run_waits_for_end_it() -> None:
    pattern = {"kind": "pattern", "pattern": "uniform", "load": 0.5}
    endless = {"name": "p", "ranks": 8, "workload": pattern}
    stop = {"duration": "20 us"}
    assert not advised_of_windows([endless], {"link_window": "15 us"}, stop=stop)
    text = advised_of_windows([job("a", iterations=1)], {"link_window": "15 us"}, stop=stop)
    assert "record.link_window (15 us) is longer" in text


def test_check_warns_of_them(cli: Callable[..., Ended], tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO)
    given = ["--set", "stop.target=halo", "--set", "record.window=1 s"]
    ended = cli("check", tmp_path / "s.toml", *given)
    assert ended.status == 0, ended.err
    text = " ".join(ended.err.split())
    assert "it ends with halo, after about" in text
    assert "record.window (1 s) is longer, so its table would have a single window" in text
