"""The kernels of a network: their messages against closed forms, and what each is bound by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pantala as pt

pytestmark = pytest.mark.native

RANKS = 36


def ran(folder: Path, workload: dict[str, Any], **keys: Any) -> pt.Run:
    """Runs a kernel alone on a small machine."""
    scenario = pt.Scenario.from_dict(
        {
            "name": "kernel",
            "machine": {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}},
            "routing": "minimal",
            "jobs": [
                {
                    "name": "k",
                    "ranks": RANKS,
                    "workload": {"kind": "network_kernel", "iterations": 2, **workload},
                }
            ],
            **keys,
        }
    )
    found = pt.run(scenario, folder, report=False)
    assert isinstance(found, pt.Run)
    return found


@pytest.mark.parametrize(
    ("workload", "messages", "size"),
    [
        ({"bound": "latency", "rounds": 3, "short": "1 KiB"}, 3 * RANKS, 1024),
        ({"bound": "bisection", "long": "20 kB"}, RANKS, 20_000),
        ({"bound": "injection"}, 26 * RANKS, 64),
    ],
)
def test_an_iteration_has_its_messages(
    workload: dict[str, Any], messages: int, size: int, tmp_path: Path
) -> None:
    run = ran(tmp_path / "run", workload)
    own = run.messages.filter(pl.col("tag") >= 0).collect()
    assert own.height == 2 * messages
    assert own["bytes"].unique().to_list() == [size]
    calls = dict(run.calls.select("call", "calls").collect().iter_rows())
    assert calls.get("allreduce", 0) == (2 * 3 * RANKS if workload["bound"] == "latency" else 0)
    assert run.ranks.select(pl.col("compute_time_ns").sum()).collect().item() == 0


def test_the_gap_of_the_nic_bounds_injection(tmp_path: Path) -> None:
    """26 messages per iteration start at least a gap apart."""
    times = [
        ran(tmp_path / gap, {"bound": "injection"}, mpi={"gap": gap}).metric("execution_time_ns")
        for gap in ("1 us", "2 us")
    ]
    one, two = (time for time in times if time is not None)
    assert one >= 2 * 25 * 1000
    assert two / one == pytest.approx(2, rel=0.1)


def test_partners_need_an_even_number_of_ranks() -> None:
    job = {"name": "k", "ranks": 7, "workload": {"kind": "network_kernel"}}
    with pytest.raises(pt.ScenarioError, match=r"needs pairs of ranks.*write 6 or 8"):
        pt.Scenario.from_dict(
            {"name": "k", "machine": "kang2022", "routing": "minimal", "jobs": [job]}
        )
