"""The applications of Chunduri et al. (IPDPS 2021): closed forms, possible ranks, small runs."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pantala as pt
from pantala.papers.chunduri2021.table import TABLE, of_calls
from pantala.text.units import Size
from pantala.workloads import Application
from pantala.workloads.lattice_layout import box, factors, process_box, split
from pantala.workloads.rank_constraints import RankConstrained

KINDS: dict[str, Any] = {
    "milc": pt.Milc,
    "milcreorder": pt.MilcReorder,
    "nek5000": pt.Nek5000,
    "hacc": pt.Hacc,
    "qbox": pt.Qbox,
    "rayleigh": pt.Rayleigh,
}


def _sent(plan: dict[str, Any], ranks: int) -> tuple[int, int]:
    """Returns messages and bytes of an iteration by the motif's closed forms.

    Collectives over all ranks are left out.
    """
    grid: list[int] = plan["grid"]
    messages = size = 0
    for phase in plan["phases"]:
        if phase["phase"] == "faces":
            sent = [
                each
                for each, extent in zip(phase["message_bytes"], grid, strict=True)
                if each and extent > 1
            ]
            messages += 2 * ranks * len(sent)
            size += 2 * ranks * sum(sent)
        elif phase["phase"] == "around":
            face, edge, corner = phase["message_bytes"]
            messages += 26 * ranks
            size += ranks * (6 * face + 12 * edge + 8 * corner)
        elif phase["phase"] == "pairs":
            messages += phase["rounds"] * ranks
            size += phase["rounds"] * ranks * phase["message_bytes"]
        elif phase["phase"] == "all_to_all":
            line = grid[phase["dimension"]]
            messages += ranks * (line - 1)
            size += ranks // line * (line - 1) * phase["bytes"]
        elif phase["phase"] == "shift":
            messages += ranks * phase["steps"]
            size += ranks * phase["steps"] * phase["message_bytes"]
        elif phase["phase"] == "tree":
            messages += 2 * (ranks - 1)
            size += 2 * (ranks - 1) * phase["message_bytes"]
        elif phase["phase"] == "collect":
            messages += ranks - ranks // grid[phase["dimension"]]
            size += (ranks - ranks // grid[phase["dimension"]]) * phase["message_bytes"]
    return messages, size


@pytest.mark.parametrize(
    ("application", "messages", "size"),
    [
        # The 64 processes of a node fill an x-y plane of 8 x 8: four neighbours, 64 messages of
        # 1,536 B each.
        (pt.Milc(), 256 * 4, 256 * 4 * 64 * 1_536),
        # A box of 4 x 4 x 2 x 2: 16 processes on each face across x and y, 32 across z and t.
        (pt.MilcReorder(), 256 * 8, 256 * 2 * (16 + 16 + 32 + 32) * 1_536),
        (pt.Nek5000(), 256 * 26 + 510, 256 * (6 * 14_336 + 12 * 1_792 + 8 * 224) + 510 * 1_024),
        (pt.Hacc(), 256 * 27, 256 * (1_200_000 + 6 * 32_000 + 12 * 4_000 + 8 * 500)),
        (pt.Qbox(), 256 * (2 * 15 + 2), 16 * 2 * 15 * 131_072 + 256 * 2 * 50_000),
        (pt.Rayleigh(), 256 * 2 * 15 + 240, 16 * 2 * 15 * 23_000_000 + 240 * 16_384),
    ],
)
def test_an_iteration_on_256_ranks_sends_its_closed_form(
    application: Application, messages: int, size: int
) -> None:
    assert _sent(application.as_plan(256), 256) == (messages, size)


def test_message_sizes_agree_with_table_1() -> None:
    def phases(application: Application, name: str) -> list[dict[str, Any]]:
        return [phase for phase in application.as_plan(256)["phases"] if phase["phase"] == name]

    for milc in (pt.Milc(), pt.MilcReorder()):
        assert phases(milc, "allreduce")[0]["message_bytes"] == 8
        assert phases(milc, "faces")[0]["wait"] == "each"
        assert milc.scaling == "strong"
    around = phases(pt.Nek5000(), "around")[0]
    assert around["wait"] == "all"
    assert (
        1_000
        < sum(n * s for n, s in zip((6, 12, 8), around["message_bytes"], strict=True)) / 26
        < 10_000
    )
    assert phases(pt.Nek5000(), "allreduce")[0]["message_bytes"] == 16
    assert phases(pt.Hacc(), "pairs")[0]["message_bytes"] == 1_200_000
    assert phases(pt.Hacc(), "allreduce")[0]["message_bytes"] == 1_024
    assert [phase["bytes"] for phase in phases(pt.Qbox(), "all_to_all")] == [131_072] * 2
    assert phases(pt.Qbox(), "shift")[0]["message_bytes"] == 50_000
    assert [phase["bytes"] for phase in phases(pt.Rayleigh(), "all_to_all")] == [23_000_000] * 2


def test_reordering_keeps_neighbours_together() -> None:
    plain, reordered = (application.as_plan(256) for application in (pt.Milc(), pt.MilcReorder()))
    assert (plain["grid"], plain["block"]) == ([1, 1, 8, 32], [1, 1, 1, 1])
    assert (reordered["grid"], reordered["block"]) == ([2, 2, 4, 16], [1, 1, 2, 2])
    times = pt.MilcReorder().overlap, pt.MilcReorder().compute
    assert pt.Milc(reorder=True, overlap=times[0], compute=times[1]).as_plan(256) == reordered
    # The total compute time is equal: the paper's runs compute for 260 s and 255 s.
    assert sum(int(time.time) for time in times) == int(pt.Milc().overlap.time) + int(
        pt.Milc().compute.time
    )
    # The nodes send a quarter less.
    assert _sent(reordered, 256)[1] / _sent(plain, 256)[1] == 0.75
    # With one rank per process, the ranks of a node form a block.
    whole = pt.MilcReorder(processes=1, block_ranks=64).as_plan(16_384)
    assert (whole["grid"], whole["block"]) == ([8, 8, 8, 32], [4, 4, 2, 2])


def test_strong_scaling_shrinks_the_part_of_a_rank() -> None:
    half, twice = (pt.Milc().as_plan(ranks) for ranks in (128, 512))
    assert (half["grid"], twice["grid"]) == ([1, 1, 8, 16], [1, 2, 8, 32])
    assert (half["phases"][0]["message_bytes"], twice["phases"][0]["message_bytes"]) == (
        [0, 0, 196_608, 98_304],
        [0, 12_288, 49_152, 49_152],
    )
    assert half["phases"][0]["overlap_ps"] == 4 * twice["phases"][0]["overlap_ps"]
    strong = pt.Qbox(scaling="strong").as_plan(512)
    assert strong["phases"][1]["bytes"] == 65_536
    weak = pt.Milc(scaling="weak")
    assert weak.takes(509)
    assert weak.as_plan(256)["phases"] == pt.Milc().as_plan(256)["phases"]


@pytest.mark.parametrize(
    ("kind", "ranks", "remedy"),
    [
        (
            "milc",
            500,
            (
                "milc needs processes that divide its lattice and nodes that hold boxes of it;"
                " write 256 or 512"
            ),
        ),
        (
            "milcreorder",
            3,
            (
                "milcreorder needs processes that divide its lattice and nodes that hold boxes of"
                " it; write 2 or 4"
            ),
        ),
        ("hacc", 255, "hacc needs pairs of ranks; write 254 or 256"),
        ("qbox", 250, "qbox needs whole columns of ranks; write 240 or 256"),
        ("qbox", 7, "qbox needs whole columns of ranks; write 16"),
        ("rayleigh", 257, "rayleigh needs rows and columns of two ranks or more; write 256 or 258"),
    ],
)
def test_an_impossible_number_of_ranks_is_rejected(kind: str, ranks: int, remedy: str) -> None:
    job = {"name": "a", "ranks": ranks, "workload": {"kind": kind}}
    with pytest.raises(pt.ScenarioError) as refused:
        pt.Scenario.from_dict({"name": "x", "machine": "theta", "jobs": [job]})
    assert str(refused.value).endswith(f"jobs[0].ranks = {ranks}: {remedy}")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ranks", [1, 2, 4, 16, 60, 64, 96, 128, 512])
def test_possible_numbers_of_ranks_make_a_plan(kind: str, ranks: int) -> None:
    application: Application = KINDS[kind](scaling="strong")
    if not isinstance(application, RankConstrained) or application.takes(ranks):
        plan = application.as_plan(ranks)
        assert prod(plan["grid"]) == ranks
    else:
        assert all(application.takes(other) for other in application.nearest(ranks))


def test_lattice_layouts_follow_milc() -> None:
    assert [factors(n) for n in (1, 2, 60, 97)] == [[], [2], [5, 3, 2, 2], [97]]
    assert split((32, 32, 32, 128), 16_384) == [8, 8, 8, 32]
    assert split((6, 6, 12), 9) == [3, 1, 3]
    assert split((32, 32, 32, 128), 3) is None
    assert process_box((8, 8, 8, 32), 64) == [8, 8, 1, 1]
    assert process_box((8, 8), 16) == [8, 2]
    assert process_box((8, 8), 24) is None
    assert box((8, 8, 8, 32), (4, 4, 4, 4), 64) == [4, 4, 2, 2]
    assert box((3, 3), (1, 1), 2) is None


SMALL: dict[str, dict[str, Any]] = {
    "milc": {"iterations": 2},
    "milcreorder": {"iterations": 2},
    "nek5000": {"iterations": 2},
    "hacc": {"iterations": 2, "message": "20 kB", "particles": "3200 B"},
    "qbox": {"iterations": 2, "transform": "16 KiB", "panel": "20 kB"},
    "rayleigh": {"iterations": 2, "transpose": "100 kB"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_small_runs_send_their_closed_forms(kind: str, tmp_path: Path) -> None:
    ranks = 32
    job = {"name": "a", "ranks": ranks, "workload": {"kind": kind, **SMALL[kind]}}
    machine = {"preset": "kang2022", "topology": {"p": 2, "a": 4, "h": 2, "g": 9}}
    scenario = pt.Scenario.from_dict(
        {"name": "x", "machine": machine, "routing": "minimal", "jobs": [job]}
    )
    run = pt.run(scenario, tmp_path / "run", progress=False, report=False)
    assert isinstance(run, pt.Run)
    calls = {row["call"]: row for row in run.calls.collect().iter_rows(named=True)}
    spent = run.ranks.select(pl.col("communication_time_ns").sum()).collect().item()
    assert sum(row["time_ns"] for row in calls.values()) == pytest.approx(spent, rel=1e-9)
    phases = scenario.jobs[0].workloads[0].as_plan(ranks)["phases"]
    allreduces = sum(phase["times"] for phase in phases if phase["phase"] == "allreduce")
    assert calls.get("allreduce", {"calls": 0})["calls"] == 2 * ranks * allreduces
    messages, size = _sent(scenario.jobs[0].workloads[0].as_plan(ranks), ranks)
    parts = ("isend", "send")
    if kind not in {"qbox", "rayleigh"}:  # all their messages are their own
        assert sum(calls[call]["calls"] for call in parts if call in calls) == 2 * messages
        assert sum(calls[call]["bytes"] for call in parts if call in calls) == 2 * size
    else:
        assert calls["alltoallv"]["calls"] == 4 * ranks
        assert calls["alltoallv"]["bytes"] == 4 * ranks * int(
            Size.parse(str(SMALL[kind].get("transform", "100 kB")))
        )


def test_the_table_shows_calls_and_shares(tmp_path: Path) -> None:
    job = pt.Job(name="a", ranks=16, workload=pt.Qbox(rows=4, iterations=2))
    machine = pt.Machine.of("kang2022", topology={"p": 2, "a": 4, "h": 2, "g": 9})
    scenario = pt.Scenario(name="x", machine=machine, routing="minimal", jobs=(job,))
    run = pt.run(scenario, tmp_path / "run", progress=False, report=False)
    assert isinstance(run, pt.Run)
    found = of_calls(run)
    assert (found["first_call"], found["message_bytes"], found["collective_bytes"]) == (
        "alltoallv",
        50_000,
        131_072,
    )
    shares = [
        found[f"{place}_percent"]
        for place in ("first", "second", "third")
        if f"{place}_percent" in found
    ]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(100)
    ranks = (
        run.ranks.select(pl.col("communication_time_ns", "compute_time_ns").sum()).collect().row(0)
    )
    assert found["mpi_percent"] == pytest.approx(100 * ranks[0] / sum(ranks))


def test_every_row_of_the_table_can_run() -> None:
    for row in TABLE.rows(5):
        assert (row.scenario.seed, row.scenario.jobs[0].ranks, row.scenario.machine.preset) == (
            5,
            256,
            "theta",
        )
        row.scenario.resolve()
