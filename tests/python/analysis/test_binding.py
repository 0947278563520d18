"""The binding resource: the rule on tables made by hand, and runs whose answer is known."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import pantala as pt
from pantala import metrics
from pantala.analysis.binding import binding_in_words, bindings_of
from pantala.analysis.nic_traffic import through_nics
from pantala.cli import app
from pantala.metrics.binding import BUSY, HELD_BACK, HOST_BOUND

RANKS = pl.DataFrame(
    {
        "node": [4, 4, 5, 6],
        "start_ns": [0.0, 10.0, 0.0, None],
        "end_ns": [100.0, 100.0, None, None],
        "compute_time_ns": [50.0, 0.0, 20.0, 0.0],
        "messages_sent": [4, 2, 1, 0],
        "messages_received": [1, 1, 0, 0],
        "bytes_sent": [40, 100, 10, 0],
    }
)


def test_host_share_adds_computing_and_overheads() -> None:
    assert metrics.host_share(RANKS, 110.0) == pytest.approx(70 / 300)
    assert metrics.host_share(RANKS, 110.0, send_ns=2, receive_ns=3) == pytest.approx(90 / 300)
    assert metrics.host_share(RANKS.filter(pl.col("node") == 6), 110.0) is None


def test_nic_share_is_the_longer_of_gap_and_bytes() -> None:
    # Node 4: max(4 * 5, 40 * 0.5) + max(2 * 5, 100 * 0.5) = 70 of 100 ns; node 5: 5 of 110 ns.
    found = metrics.nic_share(RANKS, 110.0, gap_ns=5, byte_ns=0.5)
    assert found == pytest.approx((70 / 100 + 5 / 110) / 2)
    assert metrics.nic_share(RANKS.clear(), 110.0) is None


def test_utilization_along_traffic_weighs_by_bytes() -> None:
    traffic = pl.DataFrame(
        {
            "job": [0, 0, 0, 1],
            "class": ["global", "global", "local", "global"],
            "bytes": [300, 100, 0, 50],
            "stall_ns": [0.0, 4.0, 5.0, 0.0],
            "length_ns": [10.0, 10.0, 10.0, 10.0],
            "utilization": [1.01, 0.2, 0.5, 1.01],
        }
    )
    assert metrics.traffic_utilization(traffic).rows() == [
        (0, "global", pytest.approx(0.8), 0.75, 10.0, 0.2),
        (0, "local", 0.0, 0.0, 0.0, 0.5),
        (1, "global", 1.0, 1.0, 10.0, 0.0),
    ]


@pytest.mark.parametrize(
    ("shares", "held_back", "saturated", "resource", "by"),
    [
        ({"host": HOST_BOUND, "global": 1.0}, 0.0, {}, "host", "busy"),
        ({"host": 0.4, "global": 0.97, "injection": 0.3}, 0.8, {}, "global", "busy"),
        ({"injection": 0.95, "ejection": 0.98, "local": 0.97}, 0.0, {}, "injection", "busy"),
        ({"injection": 0.5, "ejection": 0.98, "local": 0.97}, 0.0, {}, "local", "busy"),
        ({"injection": 0.6, "crossbar": 0.9}, 0.5, {}, "crossbar", "busy"),
        ({"nic": 0.9, "injection": 0.3}, 0.0, {}, "nic", "busy"),
        (
            {"injection": 0.4},
            HELD_BACK,
            {"ejection": 9.0, "local": 2.0, "row": 0.0},
            "ejection",
            "held_back",
        ),
        ({"injection": 0.6, "crossbar": 0.5}, 0.4, {"local": 0.0}, "crossbar", "held_back"),
        ({"injection": 0.6}, 0.4, {"local": 0.0}, "queues", "held_back"),
        ({"injection": BUSY - 0.01}, HELD_BACK - 0.01, {"local": 5.0}, None, "nothing"),
        ({}, 0.0, {}, None, "nothing"),
    ],
)
def test_the_rule(
    shares: dict[str, float],
    held_back: float,
    saturated: dict[str, float],
    resource: str | None,
    by: str,
) -> None:
    found = metrics.binding_resource(shares, held_back, saturated)
    assert (found.resource, found.by) == (resource, by)


def test_sentence() -> None:
    bindings = {
        "a": metrics.binding_resource({"host": 0.6}),
        "b": metrics.binding_resource({"host": 0.1, "global": 0.9}),
        "c": metrics.binding_resource({"injection": 0.4, "local": 0.5}, 0.5, {"ejection": 1.0}),
        "d": metrics.binding_resource({"injection": 0.4, "local": 0.5, "crossbar": 0.1}, 0.5),
        "q": metrics.binding_resource({"injection": 0.4, "local": 0.5}, 0.5),
        "e": metrics.binding_resource({"injection": 0.1, "local": 0.2}),
        "silent": metrics.binding_resource({}),
        None: metrics.binding_resource({"global": 0.9}),
    }
    assert binding_in_words(bindings) == (
        "The host binds a (ranks compute for 60 % of their time); the global links bind b (90 %"
        " busy); NIC ejection binds c (NIC injection stalls for 50 % of the time, and links of"
        " this class that carry its bytes are saturated); the crossbar binds d (NIC injection"
        " stalls for 50 % of the time, and no link of the job is saturated); the routers' queues"
        " bind q (NIC injection stalls for 50 % of the time, and no link of the job is saturated);"
        " no resource binds e"
        " (at most 20 % busy: the local links)."
    )
    assert binding_in_words({None: bindings["a"]}) == ""


@pytest.mark.parametrize(
    ("share", "computing", "expected"),
    [
        (0.6, None, "ranks compute for 60 %"),
        (0.6, 0.6, "ranks compute for 60 %"),
        (0.6, 0.598, "ranks compute for 60 %"),
        (0.6, 0.0, "ranks work on messages for 60 %"),
        (0.6, 0.25, "ranks compute for 25 % and work on messages for 35 %"),
    ],
)
def test_the_host_computes_or_works_on_messages(
    share: float, computing: float | None, expected: str
) -> None:
    binding = replace(metrics.binding_resource({"host": share}), computing=computing)
    assert binding_in_words({"a": binding}) == f"The host binds a ({expected} of their time)."


def test_a_sentence_on_many_jobs_counts_those_without_a_binding_resource() -> None:
    bindings: dict[str | None, metrics.Binding] = {
        f"job{at}": metrics.binding_resource({"local": at / 100}) for at in range(1, 13)
    }
    bindings["b"] = metrics.binding_resource({"global": 0.9})
    assert binding_in_words(bindings) == (
        "The global links bind b (90 % busy); no resource binds 12 jobs (at most 12 % busy: the"
        " local links)."
    )


def test_a_sentence_on_many_jobs_counts_those_with_one_binding_resource() -> None:
    bindings: dict[str | None, metrics.Binding] = {
        f"job{at}": replace(
            metrics.binding_resource({"host": share / 100}), computing=(share - 10) / 100
        )
        for at, share in enumerate((60, 70, 64, 66, 62))
    }
    bindings["b"] = metrics.binding_resource({"global": 0.9})
    assert binding_in_words(bindings) == (
        "The global links bind b (90 % busy); the host binds 5 jobs (ranks compute for 50 to 60 %"
        " and work on messages for 10 % of their time)."
    )
    held: dict[str | None, metrics.Binding] = {
        f"job{at}": metrics.binding_resource({"local": 0.5}, at / 10, {"ejection": 1.0})
        for at in range(3, 8)
    }
    assert binding_in_words(held) == (
        "NIC ejection binds 5 jobs (NIC injection stalls for 30 to 70 % of the time, and links of"
        " this class that carry their bytes are saturated)."
    )


def test_a_share_over_the_whole_run_says_so() -> None:
    bindings: dict[str | None, metrics.Binding] = {
        "a": replace(metrics.binding_resource({"local": 0.9}), whole_run=True),
        "b": replace(metrics.binding_resource({"local": 0.2}), whole_run=True),
    }
    assert binding_in_words(bindings) == (
        "The local links bind a (90 % busy over the whole run); no resource binds b (at most 20 %"
        " busy over the whole run: the local links)."
    )


def run(directory: Path, *jobs: dict[str, Any], **keys: Any) -> pt.Run:
    data = {
        "name": "binding",
        "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
        "routing": "minimal",
        "record": {"window": "1 us"},
        "jobs": [
            {"name": f"job{number}", "ranks": 72, "placement": "contiguous"} | job
            for number, job in enumerate(jobs)
        ],
    }
    found = pt.run(pt.Scenario.from_dict(data | keys), out=directory / "run", progress=False)
    assert isinstance(found, pt.Run)
    return found


def pattern(name: str, load: float, **keys: Any) -> dict[str, Any]:
    return {"workload": {"kind": "pattern", "pattern": name, "load": load, **keys}}


HOT = pattern("hotspot", 0.5, hotspots=[0], hotspot_share=0.5)
SLOW_CROSSBAR = {
    "preset": "kang2022",
    "topology": {"p": 2, "a": 4, "h": 2, "g": 9},
    "router": {"crossbar_bandwidth": "10 GB/s"},
}


@pytest.mark.native
@pytest.mark.parametrize(
    ("job", "keys", "resource"),
    [
        (pattern("next_group", 0.5), {}, "global"),
        (pattern("uniform", 1.0), {}, "injection"),
        (pattern("uniform", 0.3), {}, None),
        (pattern("hotspot", 0.1, hotspots=[0], hotspot_share=1.0), {}, "ejection"),
        (HOT, {}, "ejection"),
        (pattern("uniform", 0.8), {"machine": SLOW_CROSSBAR}, "crossbar"),
        (
            pattern("next_group", 0.5),
            {"record": {"window": "1 us", "link_windows": False}},
            "global",
        ),
    ],
    ids=["adversarial", "uniform", "low", "incast", "hotspot", "crossbar", "no windows"],
)
def test_patterns_have_the_resource_that_theory_names(
    tmp_path: Path, job: dict[str, Any], keys: dict[str, Any], resource: str | None
) -> None:
    found = bindings_of(run(tmp_path, job, stop={"duration": "20 us"}, **keys))
    assert found["job0"].resource == resource
    assert found[None] == found["job0"]


@pytest.mark.native
def test_computing_binds_the_host_and_a_gap_the_nic(tmp_path: Path) -> None:
    halo = {"kind": "halo3d", "grid": [2, 4, 9], "iterations": 2, "start_delay": "0 ns"}
    slow = {"workload": halo | {"message": "1 KiB", "compute": "20 us"}}
    assert bindings_of(run(tmp_path / "a", slow))["job0"].resource == "host"
    small = {"workload": halo | {"message": "512 B", "exchange": "at_once"}}
    found = bindings_of(run(tmp_path / "b", small, mpi={"gap": "2 us"}))
    assert found["job0"].resource == "nic"


@pytest.mark.native
@pytest.mark.parametrize("recorded", [True, False])
def test_messages_through_memory_take_no_nic(tmp_path: Path, *, recorded: bool) -> None:
    """Two ranks of a node exchange 40 messages; each sends 10 to a rank of another node."""
    (tmp_path / "two.py").write_text(
        """
def program(mpi):
    beside, away = mpi.rank ^ 1, mpi.rank ^ 2
    for _ in range(40):
        mpi.sendrecv(beside, 1000, beside)
    for _ in range(10):
        mpi.sendrecv(away, 1000, away)
"""
    )
    found = run(
        tmp_path,
        {
            "ranks": 4,
            "ranks_per_node": 2,
            "workload": {"kind": "python", "file": str(tmp_path / "two.py")},
        },
        mpi={"gap": "1 us", "gap_per_byte": "10 ps/B", "memory_latency": "100 ns"},
        record={"window": "1 us", "messages": recorded},
    )
    ranks = through_nics(found)
    assert ranks["messages_sent"].to_list() == [50] * 4
    assert ranks["nic_messages"].to_list() == pytest.approx([10 if recorded else 0] * 4)
    assert ranks["nic_bytes"].to_list() == pytest.approx([10_000] * 4)
    times = found.ranks.select(pl.col("end_ns").max() - pl.col("start_ns").min()).collect().item()
    taken = 2 * (10 * 1000 if recorded else 10_000 * 0.01)
    assert bindings_of(found)["job0"].shares["nic"] == pytest.approx(taken / times, rel=0.1)


@pytest.mark.native
def test_routers_without_a_crossbar_have_no_busy_one(tmp_path: Path) -> None:
    router = {"model": "codes_dally", "input_buffer": "1 packets", "output_buffer": "1 packets"}
    machine = SLOW_CROSSBAR | {"router": router}
    stop = {"duration": "50 us"}
    found = bindings_of(run(tmp_path, pattern("uniform", 0.5), machine=machine, stop=stop))["job0"]
    assert "crossbar" not in found.shares
    assert (found.resource, found.by) == ("queues", "held_back")


@pytest.mark.native
def test_jobs_differ_and_the_command_names_them(tmp_path: Path) -> None:
    quiet = pattern("uniform", 0.05) | {"ranks": 36}
    loud = pattern("shift", 1.0, offset=1) | {"ranks": 36}
    two = run(tmp_path, quiet, loud, stop={"duration": "20 us"})
    found = bindings_of(two)
    assert (found["job0"].resource, found["job1"].resource) == (None, "injection")
    arguments = ["metrics", "binding_resource", "--run", str(two.path), "--json"]
    printed = json.loads(CliRunner().invoke(app, arguments).stdout)
    assert [(row["job"], row["value"]) for row in printed] == [
        (name, binding.resource) for name, binding in found.items()
    ]
    assert "NIC injection binds job1" in (two.path / "report.html").read_text(encoding="utf-8")


def test_a_job_that_its_end_stops_counts_up_to_there(tmp_path: Path) -> None:
    """The host share of a stopped job does not get smaller because another job runs on."""
    (tmp_path / "stopped.toml").write_text(
        """
        name = "stopped"
        routing = "minimal"
        machine = { preset = "kang2022", topology = { p = 1, a = 2, h = 1, g = 3 } }
        [[jobs]]
        name = "short"
        ranks = 2
        end = "20 us"
        [jobs.workload]
        kind = "halo3d"
        grid = [2, 1, 1]
        message = "1 kB"
        compute = "4 us"
        iterations = 100
        start_delay = "0 ns"
        [[jobs]]
        name = "long"
        ranks = 2
        [jobs.workload]
        kind = "halo3d"
        grid = [2, 1, 1]
        message = "1 kB"
        compute = "4 us"
        iterations = 30
        start_delay = "0 ns"
        """
    )
    run = pt.run(
        pt.Scenario.from_toml(tmp_path / "stopped.toml"), out=tmp_path / "run", report=False
    )
    assert isinstance(run, pt.Run)
    short, long = (bindings_of(run)[name].shares["host"] for name in run.job_names)
    assert short == pytest.approx(long, rel=0.15)
    assert short > 0.5
